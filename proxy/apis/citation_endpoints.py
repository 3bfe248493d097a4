"""`POST /v1/cite`, which cites a finished text without a model, and `GET /v1/references/{id}`.

`/v1/cite` accepts `question`, so that callers can send what they have, and ignores it. As the context of the first
sentence it lowers F1 on the labelled data from 0.750 to 0.735 with the lexical scorer.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from aiohttp import web

from citestream.citation.evidence import Evidence, EvidenceLimits, FieldError
from citestream.citation.options import Options
from citestream.citation.references import quote_span
from citestream.citation.support.decision import Support
from citestream.citation.text.steps import Steps
from citestream.providers.scheduler import Work

from ..app import App
from ..http.encoding import json_response_in_steps
from ..http.error_responses import RequestError
from ..http.request_body import hold, read_json, reserve
from ..observability.logs import TENANT
from ..pipeline.cite_text import score_text
from ..pipeline.request.long_input import parse_body
from ..storage import STORED_FIELDS, decoded
from .extensions import EXTENSION_FIELDS, Body, Extensions, parse_extensions
from .responses.stored_responses import CONVERSATION

CITE_FIELDS = frozenset({"text", "sentences", "question", *EXTENSION_FIELDS} - {"retrieval"})


async def cite(request: web.Request, app: App) -> web.Response:
    """Return the text with its markers and the fields with which a completion ends."""
    body = await read_json(request)
    config = app.config
    parse = partial(_parse, body, config.citations, config.evidence.limits)
    text, extensions = await parse_body(parse, body, request.content.total_bytes)
    scored = await score_text(
        text,
        extensions.evidence,
        extensions.options,
        config.evidence.labels,
        app.scorers,
        config.output.links,
        question=body.get("question") or "",
    )
    cited = await scored.cited()
    answer: Body = {"object": "citation", "text": cited.text, **cited.fields}
    if not isinstance(text, str):
        answer["supports"] = await Work("cite").run(_support_lists(cited.supports, extensions.evidence))
    hold(request, scored.drafts, scored.scores, cited.supports, answer)
    return await json_response_in_steps(answer)


async def references(request: web.Request, app: App) -> web.Response:
    """Return references and grounding of a recent answer, for clients that drop unknown fields.

    Only the client that received the answer can read them.
    """
    name = request.match_info["id"]
    is_answer = not name.startswith(CONVERSATION)
    data = await app.recent.get_data(request.get(TENANT, ""), name) if is_answer else None
    await reserve(request, data or b"")
    stored = await decoded(data) or {}
    hold(request, stored, size=len(data or b""))
    fields = {key: stored[key] for key in STORED_FIELDS if key in stored}
    if not fields:
        raise RequestError(
            404,
            "no references are stored for an answer with this id; the configuration limits their number and age",
            code="not_found",
        )
    return await json_response_in_steps({"object": "references", "id": name, **fields})


def _parse(body: Body, defaults: Options, limits: EvidenceLimits) -> tuple[str | list[str], Extensions]:
    """Return the text or the sentences, and Citestream's fields. Raise FieldError."""
    text = _text(body)
    _, extensions = parse_extensions(body, defaults, limits)
    if not extensions.evidence:
        raise FieldError("evidence", "is missing")
    return text, extensions


def _text(body: Body) -> str | list[str]:
    for key in body:
        if key not in CITE_FIELDS:
            raise FieldError(key, f"is not a field of this request; the fields are: {', '.join(sorted(CITE_FIELDS))}")
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


def _support_lists(supports: Sequence[Sequence[Support]], evidence: Sequence[Evidence]) -> Steps[list[list[Body]]]:
    """Return the `supports` of each sentence."""
    texts = {item.number: item.text for item in evidence}
    lists: list[list[Body]] = []
    for of_sentence in supports:
        lists.append([_support_fields(support, texts[support.number]) for support in of_sentence])
        yield None
    return lists


def _support_fields(support: Support, text: str) -> dict[str, Any]:
    start, end = quote_span(text, support)
    return {
        "evidence_number": support.number,
        "support": support.score,
        "status": support.status.value,
        "quote": text[start:end],
        "quote_start": start,
        "quote_end": end,
    }
