"""`POST /v1/cite`: cites a finished text, or sentences already cut; no model is asked.

`question` is taken, so that callers can send what they have, and changes nothing. As the context of the first sentence
it would cost more than it gives: F1 on the labelled data falls from 0.750 to 0.735 with the lexical scorer.
"""

from typing import Any

from aiohttp import web

from citestream.citation.evidence import FieldError
from citestream.citation.support.decision import Support

from ..app import App
from ..http.exchange import read
from ..http.middleware import json_response
from ..pipeline.cite_text import cite_text
from .extensions import Body, take

KNOWN = frozenset({"text", "sentences", "question"})


async def cite(request: web.Request, app: App) -> web.Response:
    """The text with its markers and everything a completion ends with."""
    body = await read(request)
    limits = app.config.evidence
    rest, ours = take(body, app.config.citations, limit=limits.limit, max_characters=limits.max_characters)
    text = _text(rest)
    if not ours.evidence:
        raise FieldError("evidence", "is missing")
    links = app.config.output.links
    cited = await cite_text(text, ours.evidence, ours.options, limits.labels, app.scorers, links)
    answered: Body = {"object": "citation", "text": cited.text, **cited.fields}
    if not isinstance(text, str):
        answered["supports"] = [[_as_dict(support) for support in supports] for supports in cited.supports]
    return json_response(answered)


def _text(body: Body) -> str | list[str]:
    for key in body:
        if key not in KNOWN:
            raise FieldError(key, f"is not a field of this request; there are: {', '.join(sorted(KNOWN))}, evidence, …")
    if ("text" in body) == ("sentences" in body):
        raise FieldError("text", "give either text or sentences")
    if not isinstance(body.get("question", ""), str | None):
        raise FieldError("question", "must be a string")
    if "text" in body:
        if not isinstance(body["text"], str):
            raise FieldError("text", "must be a string")
        return body["text"]
    sentences = body["sentences"]
    if not isinstance(sentences, list):
        raise FieldError("sentences", "must be a list of strings")
    for position, sentence in enumerate(sentences):
        if not isinstance(sentence, str):
            raise FieldError(f"sentences[{position}]", "must be a string")
    return sentences


def _as_dict(support: Support) -> dict[str, Any]:
    return {"evidence_number": support.number, "support": support.score, "status": support.status.value}
