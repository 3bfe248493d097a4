"""`POST /v1/cite`: cites a finished text, or sentences already cut; no model is asked."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from aiohttp import web

from citation.answer import Answer, Draft
from citation.attribute import Support
from citation.cite import CitedText, decided, drafts_of, finished, together
from citation.evidence import Evidence, FieldError
from citation.json_answer import JsonAnswer
from citation.options import Options
from citation.response import Response
from citation.scoring import Scores, scorer

from ..exchange import read
from ..middleware import json_response
from ..proxy import Proxy
from ..scoring import Scoring
from .extensions import Body, take

KNOWN = frozenset({"text", "sentences", "question"})
AT_ONCE = 20_000  # characters that are cut before others get their turn: some milliseconds


async def cite(request: web.Request, proxy: Proxy) -> web.Response:
    """The text with its markers and everything a completion ends with."""
    body = await read(request)
    limits = proxy.config.evidence
    rest, ours = take(body, proxy.config.citations, limit=limits.limit, max_characters=limits.max_characters)
    text = _text(rest)
    if not ours.evidence:
        raise FieldError("evidence", "is missing")
    cited = await cite_text(text, ours.evidence, ours.options, limits.labels)
    answered: Body = {"object": "citation", "text": cited.text, **cited.fields}
    if not isinstance(text, str):
        answered["supports"] = [[_as_dict(support) for support in supports] for supports in cited.supports]
    return json_response(answered)


async def cite_text(
    text: str | list[str], evidence: tuple[Evidence, ...], options: Options, labels: Mapping[str, str] | None = None
) -> CitedText:
    """As `citation.cite.cite`, with the scorers that have to wait for something, and without keeping others waiting."""
    response = Response(evidence, options, labels=labels)
    answer = response.answer(0)
    prepared = await Scoring(scorer(options.scorer), evidence).prepared()
    drafts: list[Draft] = []
    scores: list[Scores | None] = []
    async for draft in _drafts(answer, text):
        await asyncio.sleep(0)  # a score takes up to a millisecond, and a text may have a hundred thousand
        drafts.append(draft)
        scores.append(prepared.score(draft.claim) if draft.claim is not None else None)
    pieces: list[str] = []
    supports: list[tuple[Support, ...]] = []
    for draft, scored in zip(drafts, together(scores, prepared), strict=True):
        decision = decided(draft, scored, prepared, options.max_per_sentence)
        pieces.append(answer.cite(draft, decision))
        supports.append(decision.supports)
        await asyncio.sleep(0)
    return finished(response, pieces, supports, scores)


async def _drafts(answer: Answer | JsonAnswer, text: str | list[str]) -> AsyncGenerator[Draft, None]:
    """As `drafts_of`; the segmenter cuts a text the same way however it arrives."""
    if not isinstance(text, str):
        for draft in drafts_of(answer, text):
            yield draft
        return
    for start in range(0, len(text), AT_ONCE):
        for draft in answer.feed(text[start : start + AT_ONCE]):
            yield draft
        await asyncio.sleep(0)
    for draft in answer.flush():
        yield draft


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
