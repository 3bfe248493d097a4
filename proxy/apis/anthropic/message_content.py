"""MessageContent: builds the content blocks of a message, and the events of a stream that create them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from citestream.citation.references import Citation
from citestream.providers.wire.anthropic.content_blocks import content_of
from citestream.providers.wire.json_steps import is_large
from citestream.providers.wire.json_text import as_list, as_object
from citestream.providers.wire.openai_messages import call_fragments

from ...http.client_api import Citations
from ...http.sending import LONG_EVENT_BYTES
from ...pipeline.collect_chunks import MANY_CHUNKS
from ...pipeline.merge_deltas import reasoning_of
from ..citation_cursor import CitationCursor
from .citation_location import Locations, native_citations

Fields = dict[str, Any]

CHOICE = 0  # this API has one answer
LONG_ARGUMENTS_CHARACTERS = (
    2**16
)  # characters that are decoded in 1 ms; the next tool call waits for longer ones until the end


@dataclass(frozen=True, slots=True)
class _Block:
    """A content block. The pieces of its texts are joined at the end: appending each one takes quadratic time."""

    fields: Fields
    pieces: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, piece: str) -> None:
        """Append a piece to the text with this name."""
        self.pieces.setdefault(name, []).append(piece)

    def whole(self) -> Fields:
        """Return the block with its texts."""
        return self.fields | {name: self.fields.get(name, "") + "".join(pieces) for name, pieces in self.pieces.items()}


class MessageContent:
    """The content of one message.

    A cited sentence is a text block of its own, with its citations; the text between cited sentences is a block
    without. Blocks follow each other: one begins when the one before has ended. Other APIs may mix the arguments of
    several tool calls: a call then waits until the open one has ended.
    """

    def __init__(self, citations: Citations, locations: Locations) -> None:
        """`citations`: those of the answer, which grow with it. `locations`: of the evidence in the request."""
        self._citations = citations
        self._locations = locations
        self._blocks: list[_Block] = []
        self._open: _Block | None = None  # the last block, if it has not ended
        self._cursor = CitationCursor(citations, CHOICE)
        self._shown = 0  # code points of text
        self._text_start = 0  # offset of the open text block
        self._provider_spans = 0  # those whose citations were sent
        self._calls: dict[int, int] = {}  # index of a tool call -> index of its block
        # index of a tool call -> its deltas, which have not been sent
        self._waiting: dict[int, list[Mapping[str, Any]]] = {}
        self._own: dict[int, int] = {}  # a provider's index of another block, or of signed thinking -> index here

    @property
    def has_calls(self) -> bool:
        """Whether the answer calls tools of the client."""
        return bool(self._calls)

    def blocks(self) -> list[Fields]:
        """Return the content blocks so far."""
        return [*content_of(block.whole() for block in self._blocks)]

    def feed(self, delta: Mapping[str, Any]) -> list[Fields]:
        """Return the events of the next delta of the answer."""
        content = delta.get("content")
        text = content if isinstance(content, str) else ""
        events = [*self._late_provider_citations()]
        events += [] if text and self._continues_sentence() else self._late_citations()
        details = [as_object(detail) for detail in as_list(delta.get("reasoning_details"))]
        signed = [detail for detail in details if str(detail.get("format", "")).startswith("anthropic")]
        if signed:
            events += [event for detail in signed for event in self._signed_thought(detail)]
        elif thought := reasoning_of(delta):
            events += self._thought(thought)
        if text:
            events += self._text(text)
        if isinstance(refused := delta.get("refusal"), str) and refused:
            events += self._continue_text(refused)
        for call in call_fragments(delta):
            events += self._call(call.get("index", len(self._calls) + len(self._waiting)), call)
        for block in as_list(as_object(delta.get("anthropic")).get("content")):
            events += self._native(dict(as_object(block)))
        return events

    def end(self) -> list[Fields]:
        """Return the events that end the last block."""
        late = [*self._late_provider_citations(), *self._late_citations()]
        return [*late, *self._waiting_calls(), *self._close()]

    def containers(self) -> list[Any]:
        """Return what grows with the answer, if it is long. One block may have many citations or results of a tool."""
        pieces = sum(len(pieces) for block in self._blocks for pieces in block.pieces.values())
        is_long = len(self._blocks) + pieces > MANY_CHUNKS
        return [self._blocks] if is_long or is_large([block.fields for block in self._blocks], LONG_EVENT_BYTES) else []

    # Text

    def _text(self, text: str) -> Iterator[Fields]:
        begins = not self._continues_sentence()
        start, self._shown = self._shown, self._shown + len(text)
        cited = self._cursor.take(self._shown)
        if begins and (cited or self._citations.is_sentence_open(CHOICE)):  # it needs a block of its own
            yield from self._close()
        spans = self._citations.provider_spans(CHOICE, self._provider_spans)
        bounds = {
            position
            for span in spans
            for position in span[:2]
            if position is not None and start < position < self._shown
        }
        is_cited = False
        for begin, end in pairwise([start, *sorted(bounds), self._shown]):
            if any(span.start == begin for span in spans):
                yield from self._close()
            if not self._is_text_open():
                self._text_start = begin
            piece = text[begin - start : end - start]
            yield from self._continue_text(piece)
            native = [citation for span in spans if span.end == end for citation in span.citations]
            has_word = any(map(str.isalnum, piece))
            sentence_citations = cited if has_word or (end == self._shown and not is_cited) else []
            is_cited |= has_word
            yield from self._cite(sentence_citations, native)
        self._provider_spans += sum(span.end is not None and span.end <= self._shown for span in spans)

    def _continue_text(self, text: str) -> Iterator[Fields]:
        """Yield the events of text. That of a refusal has no offsets."""
        if not self._is_text_open():
            yield from self._begin({"type": "text", "text": "", "citations": []})
        yield self._delta("text", {"type": "text_delta", "text": text})

    def _continues_sentence(self) -> bool:
        """Return whether the next text belongs to a sentence of which a part has been sent."""
        return self._citations.sentence_start(CHOICE) < self._shown

    def _is_text_open(self) -> bool:
        return self._open_type == "text"

    @property
    def _open_type(self) -> str | None:
        return self._open.fields["type"] if self._open else None

    def _late_citations(self) -> Iterator[Fields]:
        """Yield the citations of a sentence that has been sent in parts, whose last part has no text."""
        if self._is_text_open():
            yield from self._cite(self._cursor.take(self._shown))

    def _late_provider_citations(self) -> Iterator[Fields]:
        """Yield the provider's citations that arrive after their text."""
        for span in self._citations.provider_spans(CHOICE, self._provider_spans):
            if span.end is None or span.end > self._shown:
                return
            self._provider_spans += 1
            if self._is_text_open() and span.end > self._text_start:
                yield from self._cite([], span.citations)

    def _cite(self, citations: Sequence[Citation], native: Sequence[Any] = ()) -> Iterator[Fields]:
        """Yield the citations of the open text block, which they end. Blocks that have ended get no more.

        `native`: those of the provider.
        """
        here = [citation for citation in citations if citation.span.end > self._text_start]
        if not (here or native):
            return
        for citation in [*native_citations(here, self._locations), *native]:
            yield self._delta("citations", {"type": "citations_delta", "citation": citation})
        yield from self._close()

    # All else

    def _thought(self, text: str) -> Iterator[Fields]:
        if self._open_type != "thinking":
            yield from self._begin({"type": "thinking", "thinking": "", "signature": ""})
        yield self._delta("thinking", {"type": "thinking_delta", "thinking": text})

    def _signed_thought(self, detail: Mapping[str, Any]) -> Iterator[Fields]:
        if detail.get("type") == "reasoning.encrypted":
            yield from self._begin({"type": "redacted_thinking", "data": detail.get("data") or ""})
            return
        index = detail.get("index", 0)
        if self._own.get(index) != len(self._blocks) - 1 or self._open is None:
            yield from self._begin({"type": "thinking", "thinking": "", "signature": ""})
            self._own[index] = len(self._blocks) - 1
        if text := detail.get("text"):
            yield self._delta("thinking", {"type": "thinking_delta", "thinking": text})
        if signature := detail.get("signature"):
            yield self._delta("signature", {"type": "signature_delta", "signature": signature})

    def _call(self, index: int, call: Mapping[str, Any]) -> Iterator[Fields]:
        """Yield the events of a delta of a tool call, or none while the call waits."""
        if index not in self._calls and (self._waiting or self._is_call_incomplete()):
            self._waiting.setdefault(index, []).append(call)
        else:
            yield from self._write_call(index, call)

    def _is_call_incomplete(self) -> bool:
        """Return whether the open block is a tool call whose arguments are not an object yet."""
        if self._open is None or self._open_type != "tool_use":
            return False
        pieces = self._open.pieces.get("partial_json", ())
        if sum(map(len, pieces)) > LONG_ARGUMENTS_CHARACTERS:
            return True
        try:
            return not isinstance(json.loads("".join(pieces)), dict)
        except (ValueError, RecursionError):
            return True

    def _waiting_calls(self) -> Iterator[Fields]:
        waiting, self._waiting = self._waiting, {}
        for index, calls in waiting.items():
            for call in calls:
                yield from self._write_call(index, call)

    def _write_call(self, index: int, call: Mapping[str, Any]) -> Iterator[Fields]:
        function = as_object(call.get("function") or call.get("custom"))
        if index not in self._calls:
            named = {"id": call.get("id") or f"toolu_{index}", "name": function.get("name") or ""}
            extra = as_object(as_object(call.get("extra_content")).get("anthropic"))
            yield from self._begin({**extra, "type": "tool_use", **named, "input": {}})
            self._calls[index] = len(self._blocks) - 1
        if written := function.get("arguments") or function.get("input"):
            delta = {"type": "input_json_delta", "partial_json": written}
            yield self._delta("partial_json", delta, self._calls[index])

    def _native(self, block: Fields) -> Iterator[Fields]:
        """Yield the events of a block that only Anthropic has, or of a fragment of one."""
        index = block.pop("index", None)
        if "text_start" in block and "text_end" not in block:  # a block of text begins, which may be cited
            yield from self._close() if self._is_text_open() else ()
        if "type" in block:
            yield from self._begin({**block, **({"input": {}} if "input" in block else {})})
            self._own[index] = len(self._blocks) - 1
            return
        if "partial_json" in block and index in self._own:
            yield self._delta("partial_json", {"type": "input_json_delta", **block}, self._own[index])
        for citation in as_list(block.get("citations")):  # Anthropic's own, for the text before
            if self._is_text_open():
                yield self._delta("citations", {"type": "citations_delta", "citation": citation})
        if "text_end" in block and self._is_text_open():
            yield from self._close()

    # Blocks

    def _begin(self, block: Fields) -> Iterator[Fields]:
        yield from self._waiting_calls()
        yield from self._close()
        listed = {name: [*value] for name, value in block.items() if isinstance(value, list)}  # they may grow
        self._blocks.append(_Block(block | listed))
        self._open = self._blocks[-1]
        yield {"type": "content_block_start", "index": len(self._blocks) - 1, "content_block": block}

    def _delta(self, name: str, delta: Fields, index: int | None = None) -> Fields:
        """Add a delta to the last block, or the block with this index, and return its event."""
        position = len(self._blocks) - 1 if index is None else index
        block = self._blocks[position]
        match name:
            case "citations":
                block.fields["citations"].append(delta["citation"])
            case "signature":
                block.fields["signature"] = delta["signature"]
            case _:
                block.add(name, delta[name])
        return {"type": "content_block_delta", "index": position, "delta": delta}

    def _close(self) -> Iterable[Fields]:
        if self._open is None:
            return ()
        self._open = None
        return ({"type": "content_block_stop", "index": len(self._blocks) - 1},)
