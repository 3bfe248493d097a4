"""From what the pipeline sends to OpenAI chunks, the hub of every client API.

Streamed and not streamed are the same chunks, sent or collected (collecting.py).
"""

from typing import Any, assert_never

from citestream.citation.grounding import Grounding
from citestream.citation.response import Response
from citestream.providers.events import Chunk, OtherDelta, Usage

from .outgoing import Ended, Failed, Outgoing, Shown, Waiting

Fields = dict[str, Any]


class Chunks:
    """Turns the events of one response into `chat.completion.chunk` mappings, references and grounding on the last."""

    def __init__(self, response: Response, *, usage: bool, streamed: bool = True) -> None:
        """`usage`: whether the client asked for the usage chunk. `streamed`: or else it gets them as one body."""
        self._response = response
        self._streamed = streamed
        self._usage = usage
        self._opening = response.opening_fields()
        self._latest: Chunk = {}
        self._running: list[int] = []  # choices that have begun and not ended
        self._annotated: dict[int, list[Fields]] = {}  # what the provider itself annotated, by choice

    def of(self, event: Outgoing) -> list[Chunk]:
        """The chunks of one event; none for Waiting, and for usage nobody asked for."""
        match event:
            case Shown(choice, text, chunk, logprobs):
                self._run(choice)
                chunks = [_with_choice(chunk, choice, {"content": text}, logprobs)]
            case OtherDelta(chunk, choices):
                for choice in choices:
                    self._run(choice)
                self._take_annotations(chunk)
                chunks = [chunk]
            case Ended(choice, chunk):
                self._take_annotations(chunk)
                chunks = [*self._closing(choice, chunk), self._finish(choice, chunk)]
            case Usage(chunk):
                return [chunk] if self._usage else []
            case Failed():
                chunks = [self._unfinished()]
            case Waiting():
                return []
            case _:
                assert_never(event)
        self._latest = chunks[-1]
        return self._opened(chunks if self._usage else _without_usage(chunks))

    def annotations(self, choice: int) -> list[Fields]:
        """The annotations of a choice so far."""
        return self._response.references.annotations(choice)

    @property
    def grounding(self) -> Grounding:
        """The report so far."""
        return self._response.grounding

    def _run(self, choice: int) -> None:
        if choice not in self._running:
            self._running.append(choice)

    def _take_annotations(self, chunk: Chunk) -> None:
        """Keep the provider's own for the finish chunk: clients take them once a stream."""
        for choice in chunk.get("choices") or ():
            found = (choice.get("delta") or {}).pop("annotations", None)
            if isinstance(found, list):
                self._annotated.setdefault(choice.get("index", 0), []).extend(found)

    def _opened(self, chunks: list[Chunk]) -> list[Chunk]:
        if not self._opening:
            return chunks
        opening, self._opening = self._opening, {}
        return [chunks[0] | opening, *chunks[1:]]

    def _closing(self, choice: int, chunk: Chunk) -> list[Chunk]:
        if not self._streamed:
            return []
        return [_with_choice(chunk, choice, {}) | fields for fields in self._response.closing_fields(choice)]

    def _finish(self, choice: int, chunk: Chunk) -> Chunk:
        if choice in self._running:
            self._running.remove(choice)
        (ending,) = chunk["choices"]
        delta = {key: value for key, value in (ending.get("delta") or {}).items() if key != "content"}
        found = self._response.choice_fields(choice)
        if theirs := self._annotated.get(choice):
            found["annotations"] = [*found.get("annotations", ()), *theirs]
        return (
            chunk
            | {"choices": [ending | {"delta": delta | found}]}
            | self._response.response_fields()
            | ({} if self._streamed else self._response.body_fields())
        )

    def _unfinished(self) -> Chunk:
        choices = [
            {"index": choice, "delta": self._response.choice_fields(choice), "logprobs": None, "finish_reason": None}
            for choice in self._running or [0]
        ]
        return {**self._latest, "choices": choices, **self._response.response_fields()}


class Unchanged:
    """The provider's chunks as they are, for a request that has nothing to cite."""

    def __init__(self, *, usage: bool) -> None:
        """`usage`: whether the client asked for the usage chunk."""
        self._usage = usage

    def of(self, event: Outgoing) -> list[Chunk]:
        """The chunk of one event."""
        match event:
            case OtherDelta(chunk):
                return [chunk] if self._usage else _without_usage([chunk])
            case Usage(chunk):
                return [chunk] if self._usage else []
            case _:
                return []

    @staticmethod
    def annotations(_choice: int) -> list[Fields]:
        """None."""
        return []


def _without_usage(chunks: list[Chunk]) -> list[Chunk]:
    """For a client that did not ask for it; we ask every provider that can tell."""
    return [{key: value for key, value in c.items() if key != "usage"} if "usage" in c else c for c in chunks]


def _with_choice(chunk: Chunk, index: int, delta: Fields, logprobs: Fields | None = None) -> Chunk:
    template: Fields = next((choice for choice in chunk.get("choices", ()) if choice.get("index") == index), {})
    choice = template | {"index": index, "delta": delta, "finish_reason": None}
    if logprobs is not None or "logprobs" in template:
        choice["logprobs"] = logprobs
    return chunk | {"choices": [choice]}
