"""Events of a streamed `/v1/messages` answer, mapped to chunks of the OpenAI API."""

import re
from collections.abc import Mapping
from time import time
from typing import Any

from ...errors import ProviderError, reported
from ...events import Chunk, Event
from ..json_text import as_object, loads, replace_surrogates
from ..openai_chunks import ChunkReader
from ..openai_messages import chat_envelope, usage_of

Fields = dict[str, Any]

FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal"}


class AnthropicReader:
    """Translates the events of one stream. Anthropic sends one choice."""

    ignored: re.Pattern[bytes] | None = None

    def __init__(self, model: str) -> None:
        """`model`: the requested model, until the first event names it."""
        self._chunks = ChunkReader()
        self._envelope: Chunk = chat_envelope(model) | {"created": int(time())}
        self._calls: dict[int, int] = {}  # index of a content block -> index of its tool call
        self._prompt_tokens = 0
        self.done = False
        self.skipped = 0
        self.error: ProviderError | None = None

    @property
    def complete(self) -> bool:
        """Whether the stop reason has come."""
        return self._chunks.complete

    @property
    def text_field(self) -> bytes:
        """The JSON name of the field with a delta's text. A block of another type may carry `text`, so none."""
        return b""

    def read(self, payload: bytes) -> list[Event]:
        """Return the events of one payload. One that is not a JSON object is skipped and counted."""
        event, is_clean = loads(payload)
        if self.done:
            return []
        if not isinstance(event, dict):
            self.skipped += 1
            return []
        return self._take(event if is_clean else replace_surrogates(event))

    def end(self) -> list[Event]:
        """Return the end and the usage. Raise IncompleteAnswer without a stop reason."""
        if self.error:
            raise self.error
        return self._chunks.end()

    def _take(self, event: Fields) -> list[Event]:
        match event.get("type"):
            case "message_start":
                return self._start(as_object(event.get("message")))
            case "content_block_start":
                return self._block(int(event["index"]), as_object(event.get("content_block")))
            case "content_block_delta":
                return self._delta(int(event["index"]), as_object(event.get("delta")))
            case "message_delta":
                return self._finish(as_object(event.get("delta")), as_object(event.get("usage")))
            case "message_stop":
                self.done = True
            case "error":
                self.error = reported(event)
        return []  # ping, content_block_stop, and types that a later version adds

    def _start(self, message: Mapping[str, Any]) -> list[Event]:
        self._envelope["id"] = message.get("id") or self._envelope["id"]
        self._envelope["model"] = message.get("model") or self._envelope["model"]
        self._prompt_tokens = _input_tokens(as_object(message.get("usage")))
        return self._emit({"role": "assistant", "content": ""})

    def _block(self, index: int, block: Mapping[str, Any]) -> list[Event]:
        match block.get("type"):
            case "text":
                return self._emit({"content": block["text"]}) if block.get("text") else []
            case "tool_use":
                self._calls[index] = len(self._calls)
                function = {"name": block.get("name") or "", "arguments": ""}
                call = {"index": self._calls[index], "id": block.get("id"), "type": "function", "function": function}
                return self._emit({"tool_calls": [call]})
            case "thinking":
                return self._emit({"reasoning": block["thinking"]}) if block.get("thinking") else []
            case _:  # redacted thinking, tools that the vendor runs and their results
                return self._emit({"anthropic": {"index": index, "content_block": dict(block)}})

    def _delta(self, index: int, delta: Mapping[str, Any]) -> list[Event]:
        match delta.get("type"):
            case "text_delta":
                return self._emit({"content": delta["text"]})
            case "thinking_delta":
                return self._emit({"reasoning": delta["thinking"]})
            case "input_json_delta" if index in self._calls:
                function = {"arguments": delta["partial_json"]}
                return self._emit({"tool_calls": [{"index": self._calls[index], "function": function}]})
            case _:  # a signature, citations of the vendor's own
                return self._emit({"anthropic": {"index": index, "delta": dict(delta)}})

    def _finish(self, delta: Mapping[str, Any], usage: Mapping[str, Any]) -> list[Event]:
        native = delta.get("stop_reason")
        events = self._emit({}, FINISH_REASONS.get(native, native)) if isinstance(native, str) else []
        if "output_tokens" in usage:
            prompt = _input_tokens(usage) or self._prompt_tokens
            counts = usage_of(prompt, usage["output_tokens"] or 0)
            events += self._chunks.take({**self._envelope, "choices": [], "usage": counts})
        return events

    def _emit(self, delta: Fields, reason: str | None = None) -> list[Event]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return self._chunks.take({**self._envelope, "choices": [choice]})


def _input_tokens(usage: Mapping[str, Any]) -> int:
    """Return all tokens of the prompt. Anthropic counts those of its cache apart."""
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(count for name in names if isinstance(count := usage.get(name), int))
