"""Collect the chunks of a stream into the body of one `chat.completion`."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from citestream.providers.events import Chunk
from citestream.providers.wire.chunk_limits import MAX_FIELDS
from citestream.providers.wire.json_text import as_object
from citestream.providers.wire.vendor_fields import VENDORS

from .merge_deltas import JoinedDelta, JoinedFields, JoinedList, Piece, pieces_of

Fields = dict[str, Any]

MANY_CHUNKS = 1_000  # joining and freeing them takes up to 5 ms, if each is a tool call
SEPARATE = frozenset({"extra_content", "images"})  # kinds whose values do not continue the piece before


class Completion:
    """Collects chunks into the body of a `chat.completion`. Adding a chunk takes time in proportion to its length."""

    def __init__(self) -> None:
        self.chunks = 0  # number of those that were added
        self._envelope: Fields = {}
        self._choices: dict[int, _Choice] = {}

    def add(self, chunk: Chunk) -> None:
        """Add the next chunk. The chunks of Azure's content filter have empty envelope fields, which are ignored."""
        self.chunks += 1
        for key, value in chunk.items():
            if key in VENDORS and key in self._envelope:
                self._envelope[key] = {**as_object(self._envelope[key]), **as_object(value)}
            elif key not in self._envelope:
                if key != "choices" and len(self._envelope) < MAX_FIELDS:
                    self._envelope[key] = value
            elif value not in (None, "", 0):
                self._envelope[key] = value
        for choice in chunk.get("choices") or ():
            index = choice.get("index", 0)
            if index not in self._choices:
                self._choices[index] = _Choice()
            self._choices[index].add(choice)

    def body(self) -> Fields:
        """Return the body for a client that did not ask for a stream."""
        envelope = {"system_fingerprint": None} | self._envelope | {"object": "chat.completion"}
        choices = [_finished(self.choice(index)) for index in sorted(self._choices)]
        usage = envelope.pop("usage", None)
        return {"id": envelope.pop("id", None), **envelope, "choices": choices} | ({"usage": usage} if usage else {})

    def pieces(self, choice: int) -> list[Piece]:
        """Return the content of a message in its order; see `pieces_of`. Tool calls are not included."""
        collected = self._choices.get(choice)
        return [collected.piece(index) for index in range(len(collected.pieces))] if collected else []

    def piece(self, choice: int, number: int) -> Piece:
        """Return one of the pieces of a message."""
        return self._choices[choice].piece(number)

    def begun(self, choice: int) -> list[tuple[str, int]]:
        """Return the order in which pieces and calls began: (kind, index in `pieces`) or ("call", index).

        The list grows with the answer.
        """
        collected = self._choices.get(choice)
        return collected.begun if collected else []

    def call(self, choice: int, number: int) -> Fields:
        """Return one of the tool calls of a message so far, with the `index` that connects its fragments."""
        calls: JoinedList = self._choices[choice].message["tool_calls"]
        call: Fields = calls.entry(number)
        return call

    def choice(self, choice: int) -> Fields:
        """Return a choice so far. Its tool calls still have the `index` that connects their fragments."""
        collected = self._choices.get(choice)
        return {"index": choice, **collected.value()} if collected else {}

    def message(self, choice: int) -> Fields:
        """Return the message of a choice so far."""
        collected = self._choices.get(choice)
        return collected.message.value() | {"role": "assistant"} if collected else {}

    def containers(self) -> list[Any]:
        """Return what grows with the answer, if it has many chunks, so that a server can free it in steps."""
        if self.chunks <= MANY_CHUNKS:
            return []
        return [container for choice in self._choices.values() for container in choice.containers()]

    def finish_reason(self, choice: int) -> str | None:
        """Return the finish reason of a choice, None if it has not ended."""
        collected = self._choices.get(choice)
        return collected.finish_reason if collected else None


def first_choice(body: Fields) -> Fields:
    """Return the first choice of a body, an empty one if it has none."""
    choice: Fields = body["choices"][0] if body["choices"] else {"message": {}, "finish_reason": None}
    return choice


class _Choice:
    """The chunks of one choice."""

    def __init__(self) -> None:
        self.message = JoinedDelta({"role": "assistant", "content": None, "refusal": None})
        self.finish_reason: str | None = None
        self.pieces: list[tuple[str, list[Any]]] = []  # their values are joined when they are read
        self.begun: list[tuple[str, int]] = []
        self._calls = 0  # those in `begun`
        self._logprobs = JoinedFields()
        self._others = JoinedFields()

    def add(self, chunk: Mapping[str, Any]) -> None:
        """Add the next chunk of this choice."""
        for key, value in chunk.items():
            if key == "delta":
                self._add_delta(value or {})
            elif key == "finish_reason":
                self.finish_reason = self.finish_reason if value is None else value
            elif key == "logprobs":
                self._logprobs.add(value or {})
            elif key != "index":
                self._others.add({key: value})

    def _add_delta(self, delta: Mapping[str, Any]) -> None:
        self.message.add(delta)
        for kind, value in pieces_of(delta):
            if kind in SEPARATE or not self.pieces or self.pieces[-1][0] != kind:
                self.begun.append((kind, len(self.pieces)))
                self.pieces.append((kind, []))
            self.pieces[-1][1].append(value)
        if delta.get("tool_calls"):
            calls = len(self.message["tool_calls"])
            self.begun += [("call", index) for index in range(self._calls, calls)]
            self._calls = calls

    def piece(self, index: int) -> Piece:
        """Return a piece so far."""
        kind, values = self.pieces[index]
        match values[0]:
            case str():
                return kind, "".join(values)
            case list():
                return kind, [*chain.from_iterable(values)]
            case value:
                return kind, value

    def value(self) -> Fields:
        """Return the choice so far, without its index."""
        message = self.message.value() | {"role": "assistant"}
        logprobs = self._logprobs or None
        return {"message": message, "logprobs": logprobs, "finish_reason": self.finish_reason, **self._others}

    def containers(self) -> list[Any]:
        """Return what grows with the answer."""
        return [self.message, self.pieces, self.begun, self._logprobs, self._others]


def _finished(choice: Fields) -> Fields:
    """Remove the `index` of tool calls, which connected their fragments."""
    calls = choice["message"].get("tool_calls")
    if not calls:
        return choice
    numbered = [{key: value for key, value in call.items() if key != "index"} for call in calls]
    return {**choice, "message": {**choice["message"], "tool_calls": numbered}}
