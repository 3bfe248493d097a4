"""ChunkReader: translates the `chat.completion.chunk` objects of any server into events.

Every provider maps its stream to chunks, so this class is the one place that handles the deviations of real servers:

- the id is one of 999, so that two answers may have the same (Ollama)
- the role is in the first chunk, with the text, in every chunk, or in none
- `choices` is `[]`, null or missing; several choices share a chunk; the `delta` is null; `content` is a list (Mistral)
- text is in the finish chunk (vLLM) or after it, or there is a second finish
- usage is in every chunk, in the last one, in a chunk of its own, or in none
- an error has any form, with text or without
- an event is not JSON; `[DONE]` is missing, or something follows it
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import IncompleteAnswer, ProviderError, reported
from ..events import Chunk, Event, Finish, OtherDelta, TextDelta, Usage
from .chunk_limits import MAX_CHOICES, MAX_ENTRIES, MAX_FIELDS
from .entry_numbers import EntryNumbers
from .json_text import loads, whole_characters
from .vendor_fields import remove_vendor_fields

DONE = b"[DONE]"
OLLAMA_FINGERPRINT = "fp_ollama"  # `system_fingerprint` of all chunks of Ollama's OpenAI-compatible API
BEFORE_TEXT = ("reasoning", "reasoning_content", "reasoning_details", "thinking")  # sent before the text of a chunk
PARTS = frozenset({"content_parts", "extra_content"})  # Gemini's parts, and the signature of the part before
AFTER_TEXT = ("tool_calls", "function_call", "refusal", "audio", "images")  # parts of an answer that are not text


Fields = dict[str, Any]


class ChunkReader:
    """Reads one stream.

    Call `read` with each payload or `take` with each chunk, raise `error` if it is set, and call `end` at the end.
    """

    ignored: re.Pattern[bytes] | None = re.compile(rb'"obfuscation": ?"([^"\\]*)"')

    def __init__(self, choices: int = 1, *, usage_on_every_chunk: bool = False) -> None:
        """`choices`: the requested number (`n`). `usage_on_every_chunk`: the client asked for that (vLLM)."""
        self.error: ProviderError | None = None  # reported by the provider; to be raised after the events before it
        self.done = False  # [DONE] was read; what follows is not part of the answer
        self.skipped = 0  # payloads that were not JSON objects
        self._expected = choices
        self._usage_on_every_chunk = usage_on_every_chunk
        self._choices: dict[int, Finish | None] = {}  # choices that have begun, and their end
        self._usage: Chunk | None = None
        self._id_suffix = f"-{secrets.token_hex(8)}"  # makes the id of Ollama unique
        self._numbers = EntryNumbers()
        self._surrogates: dict[int, str] | None = None  # lone surrogates by choice; None until one arrives

    @property
    def complete(self) -> bool:
        """Whether every requested choice has its finish reason."""
        return len(self._choices) >= self._expected and None not in self._choices.values()

    @property
    def text_field(self) -> bytes:
        """The JSON name of the field with a delta's text.

        Empty after a lone surrogate, because its other half has to be joined to it, and after [DONE].
        """
        return b'"content"' if self._surrogates is None and not self.done else b""

    def read(self, payload: bytes) -> list[Event]:
        """Return the events of one payload. A payload that is not a JSON object is skipped and counted."""
        if self.done or payload.startswith(DONE):
            self.done = True
            return []
        return self.read_value(*loads(payload))

    def read_value(self, value: Any, is_clean: bool) -> list[Event]:
        """Return the events of one decoded payload. Fields of other vendors' APIs are removed."""
        if self.done:
            return []
        if not isinstance(value, dict):
            self.skipped += 1
            return []
        if not is_clean and self._surrogates is None:
            self._surrogates = {}
        remove_vendor_fields(value)
        return self.take(value)

    def take(self, chunk: Chunk) -> list[Event]:
        """Return the events of one chunk, in order. The chunk may be changed."""
        choices = chunk.get("choices")
        if len(chunk) > MAX_FIELDS:
            raise ValueError("a chunk has too many fields")
        if chunk.get("system_fingerprint") == OLLAMA_FINGERPRINT:
            chunk["id"] = f"{chunk.get('id', '')}{self._id_suffix}"
        if chunk.get("error") or chunk.get("object") == "error":
            self.error = reported(chunk)
            chunk.pop("error", None)  # reported after all events: clients ignore the text of a chunk with an error
        usage = chunk.get("usage")  # null on all chunks but the last from servers that will send it
        chunk.pop("obfuscation", None)  # padding that hides the length of a delta; useless once deltas are merged
        if usage:
            self._usage = {**chunk, "choices": []}
            if not self._usage_on_every_chunk:
                del chunk["usage"]
        if not isinstance(choices, list) or not choices:
            chunk["choices"] = []
            return [] if usage or self.error else [OtherDelta(chunk)]
        if len(choices) == 1:
            return self._choice(chunk, choices[0])
        if len(choices) > MAX_CHOICES:
            raise ValueError("a chunk has too many choices")
        return [event for choice in choices for event in self._choice({**chunk, "choices": [choice]}, choice)]

    def end(self) -> list[Event]:
        """Return the ends of all choices, and the usage. Raises IncompleteAnswer without a finish reason.

        The ends are held back until here because text may follow a finish reason.
        """
        if self.error:
            raise self.error
        finished = [finish for finish in self._choices.values() if finish is not None]
        if not finished or len(finished) < len(self._choices) or not (self.done or self.complete):
            raise IncompleteAnswer("The provider's answer ended without a finish reason.")
        surrogates: list[Event] = [
            TextDelta(
                finish.choice, "\ufffd", _replace_choice(finish.chunk, finish.choice, {"content": "\ufffd"}, None)
            )
            for finish in finished
            if self._surrogates and self._surrogates.get(finish.choice)
        ]
        ends = [*(replace(finish, last=False) for finish in finished[:-1]), finished[-1]]
        return [*surrogates, *ends, *([Usage(self._usage)] if self._usage else [])]

    def _choice(self, chunk: Chunk, choice: Fields) -> list[Event]:
        if not isinstance(choice, dict):
            return []
        index = choice.get("index")
        if not isinstance(index, int):
            index = choice["index"] = 0
        if index not in self._choices and len(self._choices) >= MAX_CHOICES:
            raise ValueError("an answer has too many choices")
        delta = choice.get("delta")
        message = choice.pop("message", None)  # Perplexity repeats the whole answer so far in every chunk
        if not isinstance(delta, dict):
            delta = choice["delta"] = _from_message(chunk, message)
        if len(choice) > MAX_FIELDS or len(delta) > MAX_FIELDS:
            raise ValueError("a choice has too many fields")
        text = delta.get("content")
        reason = choice.get("finish_reason")
        seen = index in self._choices and self._surrogates is None
        if seen and not reason and len(delta) == 1 and isinstance(text, str) and text:
            return [TextDelta(index, text, chunk)]  # nearly every chunk of every provider takes this path
        return self._split(chunk, index, delta, reason)

    def _split(self, chunk: Chunk, index: int, delta: Fields, reason: object) -> list[Event]:
        """Split a chunk that contains more than text into one event for each part."""
        pieces: list[_Piece] = []
        if index not in self._choices:
            self._choices[index] = None
            if delta.get("role"):
                pieces.append(_Piece({key: _opening(key, value) for key, value in delta.items() if _opens(key, value)}))
        fields = {key: value for key, value in delta.items() if key not in {"role", "content"} and not _is_empty(value)}
        before = {key: fields.pop(key) for key in BEFORE_TEXT if key in fields}
        after = {key: fields.pop(key) for key in AFTER_TEXT if key in fields}
        if before:
            pieces.append(_Piece(before))
        text = self._text_pieces(index, delta.get("content"), scored=bool(chunk["choices"][0].get("logprobs")))
        pieces += text
        if after or fields:
            pieces.append(_Piece({**after, **fields}, visible=bool(after) or _is_visible(fields)))
        if isinstance(reason, str) and reason:
            pieces.append(_Piece({}, reason=reason))
        elif not pieces:
            delta.pop("role", None)  # clients that concatenate deltas would show "assistantassistant"
            pieces.append(_Piece(delta, visible=False))
        for piece in pieces:
            self._numbers.number(index, piece.delta)
        return [event for piece in _with_chunks(pieces, chunk, index) if (event := self._event(index, piece))]

    def _text_pieces(self, index: int, content: object, *, scored: bool) -> list["_Piece"]:
        """Return the pieces of text or content parts. `scored`: with log-probabilities, even if the text is empty."""
        if isinstance(content, str):
            return [self._text(index, content)] if content or scored else []
        pieces = []
        if isinstance(content, list) and len(content) > MAX_ENTRIES:
            raise ValueError("a delta has too many parts")
        for part in content if isinstance(content, list) else ():
            text = part.get("text") if isinstance(part, Mapping) else part
            if isinstance(text, str):
                pieces.append(self._text(index, text))
            elif isinstance(part, Mapping) and part.get("type") == "thinking":
                pieces.append(_Piece({"reasoning_content": _thinking_text(part.get("thinking"))}))
            else:
                pieces.append(_Piece({"content_parts": [part]}, visible=False))
        return pieces

    def _text(self, index: int, text: str) -> "_Piece":
        """Return the piece of a text without lone surrogates. A pair that is split between deltas is joined."""
        if self._surrogates is not None:
            text, self._surrogates[index] = whole_characters(self._surrogates.get(index, "") + text)
        return _Piece({"content": text}, text=True)

    def _event(self, index: int, piece: "_Piece") -> Event | None:
        if piece.reason is not None:
            self._finish(index, piece.reason, piece.chunk)
            return None
        if piece.text:
            return TextDelta(index, piece.delta["content"], piece.chunk)
        return OtherDelta(piece.chunk, (index,) if piece.visible else ())

    def _finish(self, index: int, reason: str, chunk: Chunk) -> None:
        earlier = self._choices[index]
        if reason == "error":  # OpenRouter sends an error object, too, which has more detail
            self.error = self.error or reported(None)
        elif earlier is None:
            self._choices[index] = Finish(index, reason, chunk)
        else:  # the first reason counts; new fields of the second chunk are kept
            (first,), (second,) = earlier.chunk["choices"], chunk["choices"]
            merged = {**second, **{key: value for key, value in first.items() if value is not None}}
            self._choices[index] = Finish(index, earlier.reason, {**chunk, **earlier.chunk, "choices": [merged]})


@dataclass(slots=True)
class _Piece:
    """One part of a chunk, which gets a chunk of its own."""

    delta: Fields
    text: bool = False
    visible: bool = True  # whether a reader sees it, at its place between texts
    reason: str | None = None
    chunk: Chunk = field(default_factory=dict)


def _with_chunks(pieces: list[_Piece], chunk: Chunk, index: int) -> list[_Piece]:
    """Set the chunk of each piece. Log-probabilities stay with the text, other fields go to the last piece."""
    (choice,) = chunk["choices"]
    fields = {key: value for key, value in choice.items() if key not in {"index", "delta", "finish_reason"}}
    logprobs = {key: fields.pop(key) for key in ("logprobs",) if key in fields}
    scored = next((piece for piece in pieces if piece.text), pieces[-1])
    for piece in pieces:
        piece.chunk = _replace_choice(
            chunk,
            index,
            piece.delta,
            piece.reason,
            **(logprobs if piece is scored else dict.fromkeys(logprobs)),
            **(fields if piece is pieces[-1] else {}),
        )
    return pieces


def _replace_choice(chunk: Chunk, index: int, delta: Fields, reason: str | None, **fields: Any) -> Chunk:
    """Return the chunk with this choice instead of its own."""
    return {**chunk, "choices": [{"index": index, "delta": delta, **fields, "finish_reason": reason}]}


def _from_message(chunk: Chunk, message: object) -> Fields:
    """Return the message of an answer that is not streamed as a delta, with numbered tool calls; {} without one."""
    if not isinstance(message, dict):
        return {}
    chunk["object"] = "chat.completion.chunk"
    if isinstance(calls := message.get("tool_calls"), list):
        message["tool_calls"] = [
            {"index": index, **call} if isinstance(call, dict) else call for index, call in enumerate(calls)
        ]
    return message


def _is_visible(fields: Fields) -> bool:
    """Return whether other fields contain a part of the answer, such as the call of a tool by Anthropic."""
    if not PARTS.isdisjoint(fields):
        return True
    native_fields = fields.get("anthropic")
    blocks = native_fields.get("content") if isinstance(native_fields, dict) else None
    return isinstance(blocks, list) and any(isinstance(block, dict) and "type" in block for block in blocks)


def _is_empty(value: object) -> bool:
    return value is None or value == "" or value == [] or value == {}


def _opens(key: str, value: object) -> bool:
    """Return whether a field belongs to the role chunk, which contains no text yet."""
    return key in {"role", "content"} or _is_empty(value)


def _opening(key: str, value: object) -> object:
    return "" if key == "content" and value is not None else value


def _thinking_text(parts: object) -> str:
    """Return the text of Mistral's `thinking` part: a string or a list of text parts."""
    if isinstance(parts, str):
        return parts
    texts = (part.get("text") for part in parts if isinstance(part, Mapping)) if isinstance(parts, list) else ()
    return "".join(text for text in texts if isinstance(text, str))
