"""Evidence from tool results. It is numbered after the evidence that the request itself contains.

All results of the conversation count, not only those of the latest turn: follow-up questions are answered from earlier
results, and stable numbers keep the messages stable, so that a provider's prompt cache recognizes them. For the same
reason the excerpts stay in the tool's own message, and their nonce is a keyed hash of the result.
"""

import hmac
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citestream.citation.evidence import Evidence, parse_evidence
from citestream.citation.evidence.tool_results import ExtractedPassages, extract_passages
from citestream.citation.prompt.injection import ToolEvidence
from citestream.providers.events import Message
from citestream.providers.retrieval.excerpts import MAX_LENGTH, split_excerpts
from citestream.providers.wire.json_text import dumps
from citestream.providers.wire.openai_messages import tool_names

from ...config import EvidenceConfig
from .job import JobEvidence
from .observations import LEAD as OBSERVATION_LEAD
from .observations import called_tool, observation
from .questions import text_of

Fields = dict[str, Any]

GENERATED_CHARACTERS = 16  # at most, of the generated id and type of one piece of evidence: "e1000", "source"
NONCE_BYTES = 4  # the length of the nonces of other excerpts
TOOL_ROLES = ("tool", "function")  # the second is OpenAI's older one


@dataclass(frozen=True, slots=True)
class _ToolMessage:
    """A message with the result of a tool call."""

    position: int
    text: str
    extracted: ExtractedPassages
    tool: str
    call: str
    age: int  # user messages after it
    lead: str = ""  # the text before the result, which stays


def with_tool_evidence(
    earlier: JobEvidence, messages: Sequence[Message], config: EvidenceConfig, secret: bytes
) -> JobEvidence:
    """Return the given evidence and that of tool results in these messages, which are those sent to the provider.

    If the limits of `config` are exceeded, the oldest results are not changed. `secret`: unknown to the authors of
    tool results; see `ToolEvidence.nonce`.
    """
    evidence = earlier.evidence
    numbers: dict[tuple[object, ...], int] = {}  # numbers of known passages: two calls may return the same one
    results = []
    read_messages = {result.message for result in earlier.tool_results}
    unread = [message for message in _tool_messages(messages) if message.position not in read_messages]
    for message in _within_limits(unread, evidence, config):
        contained = []
        for passage in _passages(message):
            key = tuple(passage.get(name) for name in ("text", "url", "file_name"))
            if key not in numbers:
                evidence += _parse(passage, evidence, config)
                numbers[key] = evidence[-1].number
            contained.append(numbers[key])
        nonce = _nonce(secret, message.text)
        results.append(
            ToolEvidence(
                message.position,
                tuple(dict.fromkeys(contained)),
                nonce,
                message.extracted.remainder,
                message.age,
                message.lead,
            )
        )
    return (
        replace(earlier, evidence=evidence, tool_results=earlier.tool_results + tuple(results)) if results else earlier
    )


def with_results(
    earlier: JobEvidence, messages: Sequence[Message], by_call: Mapping[str, tuple[int, ...]], secret: bytes
) -> JobEvidence:
    """Return the given evidence, of which some stays in the messages of tools, because it was in their results.

    `by_call`: its numbers, by tool call. `secret`: see `with_tool_evidence`.
    """
    if not by_call:
        return earlier
    results = []
    texts = {item.number: item.text for item in earlier.evidence}
    later_questions = sum(message.get("role") == "user" for message in messages)
    for position, message in enumerate(messages):
        later_questions -= message.get("role") == "user"
        numbers = by_call.get(message.get("tool_call_id") or "") if message.get("role") in TOOL_ROLES else None
        if numbers:
            nonce = _nonce(secret, "\n".join(texts[number] for number in numbers))
            result_text = text_of(message.get("content"))
            results.append(ToolEvidence(position, numbers, nonce, result_text, later_questions))
    return replace(earlier, tool_results=tuple(results)) if results else earlier


def _nonce(secret: bytes, text: str) -> str:
    return hmac.digest(secret, text.encode("utf-8", "surrogatepass"), "sha256").hex()[: 2 * NONCE_BYTES]


def _tool_messages(messages: Sequence[Message]) -> Iterator[_ToolMessage]:
    """Yield the tool messages that contain passages, in order."""
    names = tool_names(list(messages))
    observed = [observation(messages, position) for position in range(len(messages))]
    asks = [message.get("role") == "user" and not text for message, text in zip(messages, observed, strict=True)]
    for position, message in enumerate(messages):
        if observed[position]:
            text, call, tool, lead = observed[position], "", called_tool(messages, position), OBSERVATION_LEAD
        elif message.get("role") in TOOL_ROLES:
            text, call, lead = _result_text(message.get("content")), message.get("tool_call_id") or "", ""
            tool = message.get("name") or names.get(call, "")
        else:
            continue
        if extracted := extract_passages(text):
            yield _ToolMessage(position, text, extracted, tool, call, sum(asks[position:]), lead)


def _result_text(content: Any) -> str:
    """Return the text of a result. Several parts, each of which may be JSON, become a JSON list."""
    texts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"] if content else []
    if isinstance(content, str) or len(texts) < 2:
        return text_of(content)
    parts = dumps(texts).decode()
    return parts if extract_passages(parts) else text_of(content)


def _within_limits(
    messages: list[_ToolMessage], evidence: Sequence[Evidence], config: EvidenceConfig
) -> list[_ToolMessage]:
    """Return the latest results that fit into the limits, in order."""
    limits = config.limits.remaining(evidence)
    items, characters = limits.items, limits.characters
    fitting: list[_ToolMessage] = []
    for message in reversed(messages):
        passages = _passages(message)
        items -= len(passages)
        characters -= sum(map(_max_characters, passages))
        if items < 0 or characters < 0:
            break
        fitting.append(message)
    return fitting[::-1]


def _max_characters(passage: Fields) -> int:
    """Return an upper bound of the characters that a passage has as evidence."""
    return GENERATED_CHARACTERS + sum(len(value) for value in passage.values() if isinstance(value, str))


def _passages(message: _ToolMessage) -> list[Fields]:
    """Return the passages of a result. A long text without other fields is split into several."""
    passages: list[Fields] = []
    for passage in message.extracted.passages:
        if passage.keys() == {"text"} and len(passage["text"]) > MAX_LENGTH:
            pieces = enumerate(split_excerpts(passage["text"]))
            passages += [
                {"text": excerpt.text, "title": " › ".join(excerpt.headings), "chunk_index": index}
                for index, excerpt in pieces
            ]
        else:
            passages.append(passage)
    named = {"title": message.tool} if message.tool else {}
    identified = {"document_id": message.call} if message.call else {}
    return [_with_origin(passage, named | identified) for passage in passages]


def _with_origin(passage: Fields, origin: Fields) -> Fields:
    """Add the tool's name and the id of the call to a passage that does not say where it comes from."""
    fields = {key: value for key, value in passage.items() if value != ""}
    return fields if fields.keys() & {"title", "url", "file_name", "document_id"} else fields | origin


def _parse(passage: Fields, before: tuple[Evidence, ...], config: EvidenceConfig) -> tuple[Evidence, ...]:
    """Return the passage as the next piece of evidence. An id that is already in use is left out."""
    if any(passage.get("id") == item.id for item in before):
        passage = {key: value for key, value in passage.items() if key != "id"}
    return parse_evidence([passage], limits=config.limits, after=before)
