"""ChunkReader: `chat.completion.chunk` mappings of any server in, events out; the deviations of real servers end here.

Pure. Every provider maps into chunks, so this is the one place that knows what may be in one:

- the role comes first, with the text, on every chunk, or never
- `choices` is `[]`, null or missing; several choices share a chunk; the `delta` is null; `content` is a list (Mistral)
- text in the finish chunk (vLLM), after it, or a second finish; usage on every chunk, on the last, on its own, or never
- an error in any shape, beside text or instead of it
- one event that is not JSON, `[DONE]` or none, more after it
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import IncompleteAnswer, ProviderError, reported
from ..events import Chunk, Event, Finish, OtherDelta, TextDelta, Usage
from .json_text import loads, whole_characters

DONE = b"[DONE]"
BEFORE_TEXT = ("reasoning", "reasoning_content", "reasoning_details", "thinking")  # what a model does before it answers
BESIDE_TEXT = ("tool_calls", "function_call", "refusal", "audio", "images")  # what is an answer too, but not text

Fields = dict[str, Any]


class ChunkReader:
    """One stream. `read` each payload or `take` each chunk, raise `error` if it is set, `end` at the stream's end."""

    ignored: re.Pattern[bytes] | None = re.compile(rb'"obfuscation": ?"([^"\\]*)"')

    def __init__(self, choices: int = 1, *, running_usage: bool = False) -> None:
        """`choices`: how many the request asked for (`n`). `running_usage`: so is usage on every chunk (vLLM)."""
        self.error: ProviderError | None = None  # what the provider reported; to be raised after the events before it
        self.done = False  # [DONE] was read: what follows is not part of the answer
        self.skipped = 0  # payloads that were not JSON objects
        self._expected = choices
        self._running_usage = running_usage
        self._choices: dict[int, Finish | None] = {}  # those that have begun, with their end
        self._usage: Chunk | None = None
        self._surrogates: dict[int, str] | None = None  # halves of characters; None until a server sends such

    @property
    def complete(self) -> bool:
        """Whether every choice that was asked for has its finish reason."""
        return len(self._choices) >= self._expected and None not in self._choices.values()

    @property
    def text_field(self) -> bytes:
        """Where text deltas stand.

        Nothing once halves of characters have come, which have to be put together, or [DONE], which nothing follows.
        """
        return b'"content"' if self._surrogates is None and not self.done else b""

    def read(self, payload: bytes) -> list[Event]:
        """The events of one payload. One that is not a JSON object is skipped and counted."""
        if self.done or payload.startswith(DONE):
            self.done = True
            return []
        chunk, clean = loads(payload)
        if not isinstance(chunk, dict):
            self.skipped += 1
            return []
        if not clean and self._surrogates is None:
            self._surrogates = {}
        return self.take(chunk)

    def take(self, chunk: Chunk) -> list[Event]:
        """The events of one chunk, in order. The chunk is given away."""
        choices = chunk.get("choices")
        if chunk.get("error") or chunk.get("object") == "error":
            self.error = reported(chunk)
            chunk.pop("error", None)  # told once, after all else: a client that reads it beside text drops that text
        usage = chunk.get("usage")  # null on every chunk but the last, from those who say there that one will come
        chunk.pop("obfuscation", None)  # padding that hides the length of a delta, void once deltas are merged
        if usage:
            self._usage = {**chunk, "choices": []}
            if not self._running_usage:
                del chunk["usage"]
        if not isinstance(choices, list) or not choices:
            chunk["choices"] = []
            return [] if usage or self.error else [OtherDelta(chunk)]
        if len(choices) == 1:
            return self._choice(chunk, choices[0])
        return [event for choice in choices for event in self._choice({**chunk, "choices": [choice]}, choice)]

    def end(self) -> list[Event]:
        """The ends of all choices, and the usage. Raises IncompleteAnswer where one has no finish reason.

        They are kept until here because text may follow a finish reason.
        """
        if self.error:
            raise self.error
        finished = [finish for finish in self._choices.values() if finish is not None]
        if not finished or len(finished) < len(self._choices) or not (self.done or self.complete):
            raise IncompleteAnswer("The provider's answer ended without a finish reason.")
        halves: list[Event] = [
            TextDelta(finish.choice, "\ufffd", _with(finish.chunk, finish.choice, {"content": "\ufffd"}, None))
            for finish in finished
            if self._surrogates and self._surrogates.get(finish.choice)
        ]
        return [*halves, *finished, *([Usage(self._usage)] if self._usage else [])]

    def _choice(self, chunk: Chunk, choice: Fields) -> list[Event]:
        if not isinstance(choice, dict):
            return []
        index = choice.get("index")
        if not isinstance(index, int):
            index = choice["index"] = 0
        delta = choice.get("delta")
        message = choice.pop("message", None)  # Perplexity repeats the whole answer so far in every chunk
        if not isinstance(delta, dict):
            delta = choice["delta"] = _from_message(chunk, message)
        text = delta.get("content")
        reason = choice.get("finish_reason")
        seen = index in self._choices and self._surrogates is None
        if seen and not reason and len(delta) == 1 and isinstance(text, str) and text:
            return [TextDelta(index, text, chunk)]  # nearly every chunk of every provider
        return self._split(chunk, index, delta, reason)

    def _split(self, chunk: Chunk, index: int, delta: Fields, reason: object) -> list[Event]:
        """A chunk that carries more than text, as one event for each thing it carries."""
        pieces: list[_Piece] = []
        if index not in self._choices:
            self._choices[index] = None
            if delta.get("role"):
                pieces.append(_Piece({key: _opening(key, value) for key, value in delta.items() if _opens(key, value)}))
        rest = {key: value for key, value in delta.items() if key not in {"role", "content"} and not _void(value)}
        before = {key: rest.pop(key) for key in BEFORE_TEXT if key in rest}
        beside = {key: rest.pop(key) for key in BESIDE_TEXT if key in rest}
        if before:
            pieces.append(_Piece(before))
        written = self._written(index, delta.get("content"), scored=bool(chunk["choices"][0].get("logprobs")))
        pieces += written
        if beside or rest:  # what is unknown and comes with text is passed on, but no reason to cut the sentence
            pieces.append(_Piece({**beside, **rest}, flush=bool(beside or not written)))
        if isinstance(reason, str) and reason:
            pieces.append(_Piece({}, reason=reason))
        elif not pieces:
            delta.pop("role", None)  # a second one would read "assistantassistant" in clients that add deltas up
            pieces.append(_Piece(delta, flush=False))
        return [event for piece in _filled(pieces, chunk, index) if (event := self._event(index, piece))]

    def _written(self, index: int, content: object, *, scored: bool) -> list["_Piece"]:
        """Text, or a list of content parts. `scored`: with log-probabilities, which also come for half a character."""
        if isinstance(content, str):
            return [self._text(index, content)] if content or scored else []
        pieces = []
        for part in content if isinstance(content, list) else ():
            text = part.get("text") if isinstance(part, Mapping) else part
            if isinstance(text, str):
                pieces.append(self._text(index, text))
            elif isinstance(part, Mapping) and part.get("type") == "thinking":
                pieces.append(_Piece({"reasoning_content": _thought(part.get("thinking"))}))
            else:
                pieces.append(_Piece({"content_parts": [part]}, flush=False))
        return pieces

    def _text(self, index: int, text: str) -> "_Piece":
        """Without lone surrogates; a pair that two deltas share is put together."""
        if self._surrogates is not None:
            text, self._surrogates[index] = whole_characters(self._surrogates.get(index, "") + text)
        return _Piece({"content": text}, text=True)

    def _event(self, index: int, piece: "_Piece") -> Event | None:
        if piece.reason is not None:
            self._finish(index, piece.reason, piece.chunk)
            return None
        if piece.text:
            return TextDelta(index, piece.delta["content"], piece.chunk)
        return OtherDelta(piece.chunk, (index,) if piece.flush else ())

    def _finish(self, index: int, reason: str, chunk: Chunk) -> None:
        earlier = self._choices[index]
        if reason == "error":  # OpenRouter: beside an error object, which says more
            self.error = self.error or reported(None)
        elif earlier is None:
            self._choices[index] = Finish(index, reason, chunk)
        else:  # the first reason stays, what the second chunk adds is kept
            (first,), (second,) = earlier.chunk["choices"], chunk["choices"]
            merged = {**second, **{key: value for key, value in first.items() if value is not None}}
            self._choices[index] = Finish(index, earlier.reason, {**chunk, **earlier.chunk, "choices": [merged]})


@dataclass(slots=True)
class _Piece:
    """One thing that a chunk carries, later in a chunk of its own."""

    delta: Fields
    text: bool = False
    flush: bool = True  # whether the open sentence has to leave before it
    reason: str | None = None
    chunk: Chunk = field(default_factory=dict)


def _filled(pieces: list[_Piece], chunk: Chunk, index: int) -> list[_Piece]:
    """Each piece with its chunk. Log-probabilities go with the text, the choice's other fields with the last piece."""
    (choice,) = chunk["choices"]
    fields = {key: value for key, value in choice.items() if key not in {"index", "delta", "finish_reason"}}
    logprobs = {key: fields.pop(key) for key in ("logprobs",) if key in fields}
    scored = next((piece for piece in pieces if piece.text), pieces[-1])
    for piece in pieces:
        piece.chunk = _with(
            chunk,
            index,
            piece.delta,
            piece.reason,
            **(logprobs if piece is scored else dict.fromkeys(logprobs)),
            **(fields if piece is pieces[-1] else {}),
        )
    return pieces


def _with(chunk: Chunk, index: int, delta: Fields, reason: str | None, **fields: Any) -> Chunk:
    """The chunk with this choice in the place of its own."""
    return {**chunk, "choices": [{"index": index, "delta": delta, **fields, "finish_reason": reason}]}


def _from_message(chunk: Chunk, message: object) -> Fields:
    """The delta of an answer in one piece, where streams number the tool calls; {} where there is no message."""
    if not isinstance(message, dict):
        return {}
    chunk["object"] = "chat.completion.chunk"
    if isinstance(calls := message.get("tool_calls"), list):
        message["tool_calls"] = [
            {"index": at, **call} if isinstance(call, dict) else call for at, call in enumerate(calls)
        ]
    return message


def _void(value: object) -> bool:
    return value is None or value == "" or value == [] or value == {}


def _opens(key: str, value: object) -> bool:
    """Whether a field belongs to the role chunk: what is in it besides the role says nothing yet."""
    return key in {"role", "content"} or _void(value)


def _opening(key: str, value: object) -> object:
    return "" if key == "content" and value is not None else value


def _thought(parts: object) -> str:
    """The text of Mistral's `thinking` part: a string or a list of text parts."""
    if isinstance(parts, str):
        return parts
    texts = (part.get("text") for part in parts if isinstance(part, Mapping)) if isinstance(parts, list) else ()
    return "".join(text for text in texts if isinstance(text, str))
