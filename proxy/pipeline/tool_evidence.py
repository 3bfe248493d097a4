"""Conversation: what tools answered becomes evidence, numbered behind the evidence that the request brings itself.

All results of the conversation count, not only those of the latest turn: follow-up questions are answered from earlier
ones, and numbers that stay the same from turn to turn keep the messages the same, so a provider's prompt cache knows
them. That is also why the excerpts stay in the tool's own message, and why its nonce is a keyed hash of the result.
"""

import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citestream.citation.evidence import Evidence, parse_evidence
from citestream.citation.evidence.prompt import ToolEvidence
from citestream.citation.evidence.tool_results import ExtractedPassages, extract_passages
from citestream.providers.events import Message
from citestream.providers.retrieval.excerpts import LONGEST, cut
from citestream.providers.wire.openai_messages import tool_names

from ..config import EvidenceConfig
from ..http.encoding import dumps
from .job import Job, text_of

Fields = dict[str, Any]

MADE = 16  # characters, at most, of the id and the type that evidence gets which has none: "e1000", "source"
NONCE_BYTES = 4  # as many as those of other excerpts
TOOL_ROLES = ("tool", "function")  # the second is OpenAI's older one


@dataclass(frozen=True, slots=True)
class _Result:
    """One message with passages."""

    message: int
    text: str
    found: ExtractedPassages
    tool: str
    call: str
    age: int


def with_results(job: Job, messages: Sequence[Message], config: EvidenceConfig, secret: bytes) -> Job:
    """The job with its tools' results as evidence. What goes beyond the limits is left where it is, oldest first.

    `messages`: those for the provider. `secret`: unknown to the authors of results; see ToolEvidence.nonce.
    """
    kept = _within(list(_results(messages)), job.evidence, config)
    evidence = job.evidence
    numbers: dict[tuple[object, ...], int] = {}  # of passages that have come already, maybe by another call
    results = []
    for result in kept:
        held = []
        for passage in _cut(result):
            key = tuple(passage.get(name) for name in ("text", "url", "file_name"))
            if key not in numbers:
                evidence += _numbered(passage, evidence, config)
                numbers[key] = evidence[-1].number
            held.append(numbers[key])
        nonce = hmac.digest(secret, result.text.encode("utf-8", "surrogatepass"), "sha256").hex()[: 2 * NONCE_BYTES]
        results.append(ToolEvidence(result.message, tuple(dict.fromkeys(held)), nonce, result.found.rest, result.age))
    return replace(job, evidence=evidence, results=tuple(results)) if results else job


def _results(messages: Sequence[Message]) -> Iterator[_Result]:
    """Every message of a tool that holds passages, in order."""
    names = tool_names(list(messages))
    asked = sum(message.get("role") == "user" for message in messages)
    for position, message in enumerate(messages):
        asked -= message.get("role") == "user"
        if message.get("role") not in TOOL_ROLES:
            continue
        text = _said(message.get("content"))
        if found := extract_passages(text):
            call = message.get("tool_call_id") or ""
            yield _Result(position, text, found, message.get("name") or names.get(call, ""), call, asked)


def _said(content: Any) -> str:
    """The text of a result; of several parts, each of which may be JSON, as a list of them."""
    texts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"] if content else []
    if isinstance(content, str) or len(texts) < 2:
        return text_of(content)
    parts = dumps(texts).decode()
    return parts if extract_passages(parts) else text_of(content)


def _within(results: list[_Result], given: Sequence[Evidence], config: EvidenceConfig) -> list[_Result]:
    """The latest results that the limits have room for, in order."""
    pieces, characters = config.limit - len(given), config.max_characters - sum(item.characters for item in given)
    kept: list[_Result] = []
    for result in reversed(results):
        found = _cut(result)
        pieces -= len(found)
        characters -= sum(map(_characters, found))
        if pieces < 0 or characters < 0:
            break
        kept.append(result)
    return kept[::-1]


def _characters(passage: Fields) -> int:
    """At most so many as evidence: its texts, and what it is named where it does not say."""
    return MADE + sum(len(value) for value in passage.values() if isinstance(value, str))


def _cut(result: _Result) -> list[Fields]:
    """The passages of a result; a long text without anything else in several."""
    found: list[Fields] = []
    for passage in result.found.passages:
        if passage.keys() == {"text"} and len(passage["text"]) > LONGEST:
            pieces = enumerate(cut(passage["text"]))
            found += [{"text": one.text, "title": " › ".join(one.headings), "chunk_index": at} for at, one in pieces]
        else:
            found.append(passage)
    named = {"title": result.tool} if result.tool else {}
    whole = {"document_id": result.call} if result.call else {}
    return [_named(passage, named | whole) for passage in found]


def _named(passage: Fields, more: Fields) -> Fields:
    """With the tool's name and the call's id, where a passage has nothing of its own to tell where it is from."""
    fields = {key: value for key, value in passage.items() if value != ""}
    return fields if fields.keys() & {"title", "url", "file_name", "document_id"} else fields | more


def _numbered(passage: Fields, before: tuple[Evidence, ...], config: EvidenceConfig) -> tuple[Evidence, ...]:
    """As the next piece of evidence; an id that another piece has is left out."""
    if any(passage.get("id") == item.id for item in before):
        passage = {key: value for key, value in passage.items() if key != "id"}
    return parse_evidence([passage], limit=config.limit, max_characters=config.max_characters, after=before)
