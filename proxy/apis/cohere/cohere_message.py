"""CohereMessage: the message of an answer in Cohere's form, built from chunks, with the events of its stream."""

from bisect import bisect_right
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from citestream.citation.references import Citation
from citestream.providers.events import Chunk
from citestream.providers.wire.cohere import stream_events as wire
from citestream.providers.wire.openai_messages import call_fragments, new_call_id

from ...http.client_api import Citations
from ...pipeline.merge_deltas import pieces_of
from ..citation_cursor import CitationCursor
from .cohere_documents import source_of

Fields = dict[str, Any]

SOURCES = ("content", "refusal", "reasoning")  # pieces of an answer that become blocks of content
KINDS = {"text": "TEXT_CONTENT", "plan": "PLAN"}  # the type of a citation, by the kind of its block


class _Block:
    """A block of content, or the plan of tool calls."""

    def __init__(self, kind: str, source: str, start: int) -> None:
        """`source`: the kind of the pieces it consists of. `start`: offset of its text in the whole answer."""
        self.kind = kind
        self.source = source
        self.start = start
        self._pieces: list[str] = []  # joined only when needed: adding each to a string takes quadratic time
        self._length = 0

    def add(self, text: str) -> None:
        """Append a piece of text."""
        self._pieces.append(text)
        self._length += len(text)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self._pieces)

    def slice(self, start: int, end: int) -> str:
        """Return `text[start:end]`. Only the pieces from `start` on are joined."""
        first, offset = len(self._pieces), self._length
        while offset > start:
            first -= 1
            offset -= len(self._pieces[first])
        return "".join(self._pieces[first:])[start - offset : end - offset]


@dataclass(frozen=True, slots=True)
class _Call:
    """A tool call, whose arguments arrive in pieces."""

    position: int
    id: str
    name: str
    arguments: list[str] = field(default_factory=list)

    def fields(self) -> Fields:
        """Return the call as a complete answer has it."""
        function = {"name": self.name, "arguments": "".join(self.arguments)}
        return {"id": self.id, "type": "function", "function": function}


class CohereMessage:
    """The message of one answer. `add` returns the events of each chunk."""

    def __init__(
        self, name: str, citations: Citations, *, cites: bool, plans: bool, called: Container[str | None] = ()
    ) -> None:
        """`plans`: the model has to call a tool. Its text is held until the call shows that it is the plan.

        `called`: ids of the tool calls in the request.
        """
        self._name = name
        self._called = called
        self._cursor = CitationCursor(citations)
        self._cites = cites
        self._plans = plans
        self._begun = False
        self._blocks: list[_Block] = []
        self._texts: list[tuple[int, _Block]] = []  # the blocks of text, each with its index in `_blocks`
        self._open: _Block | None = None
        self._plan = _Block("plan", "content", 0)
        self._held: list[str] = []  # text that may be the plan
        self._shown = 0  # code points of the answer so far
        self._citations: list[Fields] = []
        self._calls: dict[int, _Call] = {}  # by their index in the chunks
        self._open_call: _Call | None = None

    def add(self, chunk: Chunk) -> list[Fields]:
        """Return the events of a chunk."""
        events = self._opening()
        for choice in chunk.get("choices") or ():
            if choice.get("index", 0) != 0:
                continue
            delta = choice.get("delta") or {}
            logprobs = wire.joined_logprobs(wire.logprobs_items(choice.get("logprobs")))
            events += self._new_citations()  # those of a sentence that was sent before it was decided
            for kind, value in pieces_of(delta) or ([("content", "")] if logprobs else []):
                if kind in SOURCES and isinstance(value, str):
                    events += self._piece(kind, value, logprobs)
            events += self._new_citations()
            for fragment in call_fragments(delta):
                events += self._call(fragment)
        return events

    def close(self) -> list[Fields]:
        """Return the ends of what is open. A message without content and calls has an empty text."""
        events = self._opening()
        if self._held or not (self._blocks or self._calls):
            held, self._held = "".join(self._held), []
            self._shown -= len(held)
            events += self._text("content", held, {}) + self._new_citations()
        return events + self._end_block() + self._end_call()

    def fields(self) -> Fields:
        """Return the message as a complete answer has it."""
        content = [{"type": block.kind, block.kind: block.text} for block in self._blocks]
        calls = [call.fields() for call in self._calls.values()]
        return {
            "role": "assistant",
            **({"content": content} if content else {}),
            **({"tool_plan": self._plan.text} if self._plan.text else {}),
            **({"tool_calls": calls} if calls else {}),
            **({"citations": list(self._citations)} if self._citations else {}),
        }

    def containers(self) -> list[Any]:
        """Return what grows with the answer."""
        return [self._blocks, self._calls, self._citations]

    def _opening(self) -> list[Fields]:
        if self._begun:
            return []
        self._begun = True
        return [wire.message_start(self._name)]

    def _piece(self, source: str, text: str, logprobs: Fields) -> list[Fields]:
        if self._plans and source == "content" and not self._calls:
            self._held.append(text)
            self._shown += len(text)
            return []
        return self._text(source, text, logprobs)

    def _text(self, source: str, text: str, logprobs: Fields) -> list[Fields]:
        """Return the events of a piece of text or thought, which begins a block if its source is new."""
        kind: wire.BlockKind = "thinking" if source == "reasoning" else "text"
        events: list[Fields] = []
        if self._open is None or self._open.source != source:
            events += [*self._end_block(), wire.content_start(len(self._blocks), kind)]
            self._open = _Block(kind, source, self._shown)
            if source == "content":
                self._texts.append((len(self._blocks), self._open))
            self._blocks.append(self._open)
        if text or logprobs:
            self._open.add(text)
            self._shown += len(text) if source == "content" else 0
            events.append(wire.content_delta(len(self._blocks) - 1, kind, text) | logprobs)
        return events

    def _end_block(self) -> list[Fields]:
        if self._open is None:
            return []
        self._open = None
        return [wire.content_end(len(self._blocks) - 1)]

    def _new_citations(self) -> list[Fields]:
        """Return the citations of the sentences that have been sent since the last call."""
        if self._held or not self._cites:
            return []
        events: list[Fields] = []
        new = self._cursor.take(self._shown)
        for (start, end), cited in groupby(new, key=lambda citation: (citation.span.start, citation.span.end)):
            events += wire.citation_events(len(self._citations), self._citation(start, end, list(cited)))
        return events

    def _citation(self, start: int, end: int, cited: list[Citation]) -> Fields:
        index_of_text = bisect_right(self._texts, start, key=lambda entry: entry[1].start) - 1
        index, block = self._texts[index_of_text] if index_of_text >= 0 else (0, self._plan)
        sources = list(
            {citation.evidence.id: source_of(citation.evidence, self._called) for citation in cited}.values()
        )
        start, end = start - block.start, end - block.start
        citation = wire.citation(start, end, block.slice(start, end), sources, index, KINDS[block.kind])
        self._citations.append(citation)
        return citation

    def _call(self, fragment: Mapping[str, Any]) -> list[Fields]:
        """Return the events of a fragment of a tool call. The first one ends the call before it."""
        function = fragment.get("function") or {}
        index = fragment.get("index", len(self._calls))
        arguments = function.get("arguments") or ""
        events: list[Fields] = []
        call = self._calls.get(index)
        if call is None:
            events += [*self._send_plan(), *self._end_block(), *self._end_call()]
            call = _Call(len(self._calls), fragment.get("id") or new_call_id(), function.get("name") or "")
            self._calls[index] = self._open_call = call
            events.append(wire.tool_call_start(call.position, call.id, call.name))
        if arguments:
            call.arguments.append(arguments)
            events.append(wire.tool_call_delta(call.position, arguments))
        return events

    def _send_plan(self) -> list[Fields]:
        """Return the held text, because the first call shows that it is the plan."""
        if not self._held:
            return []
        self._plan.add("".join(self._held))
        self._held = []
        return [*self._end_block(), wire.tool_plan_delta(self._plan.text), *self._new_citations()]

    def _end_call(self) -> list[Fields]:
        call, self._open_call = self._open_call, None
        return [] if call is None else [wire.tool_call_end(call.position)]
