"""From what the pipeline sends to OpenAI chunks, the hub of every client API; and from those chunks to one body.

Streamed and not streamed are the same chunks, sent or collected.
"""

from collections.abc import Mapping
from typing import Any, assert_never

from citation.grounding import Grounding
from citation.response import Response
from providers.events import Chunk, OtherDelta, Usage

from .encoding import dumps
from .logprobs import joined
from .outgoing import Ended, Failed, Outgoing, Shown, Waiting

Fields = dict[str, Any]
Piece = tuple[str, Any]  # a kind of content, and its value


class Chunks:
    """Turns the events of one response into `chat.completion.chunk` mappings, references and grounding on the last."""

    def __init__(self, response: Response, *, usage: bool, streamed: bool = True) -> None:
        """`usage`: whether the client asked for the usage chunk. `streamed`: or else it gets them as one body."""
        self._response = response
        self._streamed = streamed
        self._usage = usage
        self._opening = response.opening()
        self._latest: Chunk = {}
        self._running: list[int] = []  # choices that have begun and not ended

    def of(self, event: Outgoing) -> list[Chunk]:
        """The chunks of one event; none for Waiting, and for usage nobody asked for."""
        match event:
            case Shown(choice, text, chunk, logprobs):
                self._run(choice)
                chunks = [_with_choice(chunk, choice, {"content": text}, logprobs)]
            case OtherDelta(chunk, choices):
                for choice in choices:
                    self._run(choice)
                chunks = [chunk]
            case Ended(choice, chunk):
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

    def _opened(self, chunks: list[Chunk]) -> list[Chunk]:
        if not self._opening:
            return chunks
        opening, self._opening = self._opening, {}
        return [chunks[0] | opening, *chunks[1:]]

    def _closing(self, choice: int, chunk: Chunk) -> list[Chunk]:
        if not self._streamed:
            return []
        return [_with_choice(chunk, choice, {}) | fields for fields in self._response.closing(choice)]

    def _finish(self, choice: int, chunk: Chunk) -> Chunk:
        if choice in self._running:
            self._running.remove(choice)
        (ending,) = chunk["choices"]
        delta = {key: value for key, value in (ending.get("delta") or {}).items() if key != "content"}
        return (
            chunk
            | {"choices": [ending | {"delta": delta | self._response.of_choice(choice)}]}
            | self._response.overall()
            | ({} if self._streamed else self._response.of_body())
        )

    def _unfinished(self) -> Chunk:
        choices = [
            {"index": choice, "delta": self._response.of_choice(choice), "logprobs": None, "finish_reason": None}
            for choice in self._running or [0]
        ]
        return {**self._latest, "choices": choices, **self._response.overall()}


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


THOUGHTS = ("reasoning", "reasoning_content", "thinking")  # the names of one thing; some servers send two of them
PIECES = ("content", "refusal", "images", "content_parts", "extra_content")


def pieces_of(delta: Mapping[str, Any]) -> list[Piece]:
    """What of a delta, or a message, is shown: thoughts (always `reasoning`), then everything under its own name."""
    thoughts = next((delta[key] for key in THOUGHTS if isinstance(delta.get(key), str) and delta[key]), "")
    found = [("reasoning", thoughts)] if thoughts else []
    return found + [(key, delta[key]) for key in PIECES if delta.get(key)]


def _with_choice(chunk: Chunk, index: int, delta: Fields, logprobs: Fields | None = None) -> Chunk:
    template: Fields = next((choice for choice in chunk.get("choices", ()) if choice.get("index") == index), {})
    choice = template | {"index": index, "delta": delta, "finish_reason": None}
    if logprobs is not None or "logprobs" in template:
        choice["logprobs"] = logprobs
    return chunk | {"choices": [choice]}


class Completion:
    """Collects chunks into the body of a `chat.completion`."""

    def __init__(self) -> None:
        self._envelope: Fields = {}
        self._choices: dict[int, Fields] = {}
        self._pieces: dict[int, list[Piece]] = {}

    def add(self, chunk: Chunk) -> None:
        """Take in one chunk, in order."""
        for key, value in chunk.items():
            if key in _OWN and key in self._envelope:
                self._envelope[key] = {**self._envelope[key], **value}
            elif key != "choices" and (value is not None or key not in self._envelope):
                self._envelope[key] = value
        for choice in chunk.get("choices") or ():
            self._add_choice(choice)

    def body(self) -> Fields:
        """What a client that did not ask for a stream is sent."""
        envelope = {"system_fingerprint": None} | self._envelope | {"object": "chat.completion"}
        choices = [self._choices[index] for index in sorted(self._choices)]
        usage = envelope.pop("usage", None)
        return {"id": envelope.pop("id", None), **envelope, "choices": choices} | ({"usage": usage} if usage else {})

    def pieces(self, choice: int) -> list[Piece]:
        """What a message is made of (see `pieces_of`), in the order in which it came; calls are apart."""
        return self._pieces.get(choice, [])

    def _add_choice(self, chunk: Mapping[str, Any]) -> None:
        index = chunk.get("index", 0)
        choice = self._choices.get(index)
        if choice is None:
            message = {"role": "assistant", "content": None, "refusal": None}
            choice = self._choices[index] = {
                "index": index,
                "message": message,
                "logprobs": None,
                "finish_reason": None,
            }
        for key, value in chunk.items():
            if key == "delta":
                _merge(choice["message"], value or {})
                _append(self._pieces.setdefault(index, []), value or {})
            elif key in _OWN and key in choice:
                choice[key] = {**choice[key], **value}
            elif key == "logprobs":
                choice["logprobs"] = joined(choice["logprobs"], value)
            elif value is not None or key not in choice:
                choice[key] = value


_GROWING = frozenset(
    {"content", "refusal", "reasoning", "reasoning_content", "thinking", "reasoning_details", "images", "content_parts"}
)
_OWN = frozenset({"google", "ollama"})  # what a provider's own API has beside a chunk's fields, a part at a time


def _append(pieces: list[Piece], delta: Mapping[str, Any]) -> None:
    for kind, value in pieces_of(delta):
        if kind != "extra_content" and pieces and pieces[-1][0] == kind:
            pieces[-1] = (kind, pieces[-1][1] + value)
        else:
            pieces.append((kind, value))


def _merge(message: Fields, delta: Mapping[str, Any]) -> None:
    for key, value in delta.items():
        known = message.get(key)
        if value is None:
            message.setdefault(key, None)
        elif key == "tool_calls":
            message[key] = _merged_calls(known or [], value)
        elif key == "function_call":
            message[key] = _merged_call(known or {}, value)
        elif key in _GROWING and known:
            message[key] = known + value
        else:
            message[key] = value


def _merged_calls(known: list[Fields], fragments: list[Fields]) -> list[Fields]:
    calls = list(known)
    for fragment in fragments:
        position = fragment.get("index")
        if not isinstance(position, int) or not 0 <= position < len(calls):
            position = len(calls)
            calls.append({})
        merged = {
            key: value for key, value in fragment.items() if key not in ("index", "function") and value is not None
        }
        function = _merged_call(calls[position].get("function", {}), fragment.get("function") or {})
        calls[position] = calls[position] | merged | ({"function": function} if function else {})
    return calls


def _merged_call(known: Fields, fragment: Fields) -> Fields:
    call = dict(known)
    for key, value in fragment.items():
        if key == "arguments" and value is not None:
            call[key] = call.get(key, "") + (value if isinstance(value, str) else dumps(value).decode())
        elif value is not None:
            call[key] = value
    return call
