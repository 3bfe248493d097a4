"""Answers of Ollama's `/api/chat` and chunks of the OpenAI API: streams, messages, finish reasons and usage."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from time import time
from typing import Any

from ...errors import reported
from ...events import Chunk, Event
from ..json_text import as_object, without_none
from ..openai_messages import (
    detect_image_type,
    function_call,
    image_part,
    image_url,
    parse_data_url,
    parse_tool_calls,
    usage_of,
)
from ..translating_reader import TranslatingReader

Fields = dict[str, Any]

# Ollama's reason -> OpenAI's. `load` and `unload` end a request that only moved a model into or out of memory.
FINISH_REASONS = {"stop": "stop", "length": "length", "load": "stop", "unload": "stop"}
TO_OLLAMA = {"tool_calls": "stop", "function_call": "stop"}  # Ollama has no reason of its own for calls
COUNTS = {"prompt_eval_count": "prompt_tokens", "eval_count": "completion_tokens"}
# Fields that have a counterpart in a chunk. All others (counts, durations) go into the `ollama` of chunk or delta.
LINE_FIELDS = frozenset({"model", "created_at", "message", "done", "done_reason", "logprobs", "error"})
MESSAGE_FIELDS = frozenset({"role", "content", "thinking", "tool_calls", "images"})


class OllamaReader(TranslatingReader):
    """Translates the lines of one stream. Ollama always sends one choice."""

    ignored = re.compile(rb'"created_at": ?"([^"\\]*)"')  # only the time of the first line is used

    def __init__(self, model: str) -> None:
        """`model`: the requested model, for lines that do not name it."""
        super().__init__(model)
        self._begun = False
        self._calls = 0

    @property
    def text_field(self) -> bytes:
        """The JSON name of the field with a delta's text; empty after the last line."""
        return b"" if self.done else self._chunks.text_field

    def _translate(self, line: Fields) -> list[Event]:
        if line.get("error"):
            self.error = reported(line)
            return []
        if "created" not in self._envelope:
            self._envelope["created"] = _seconds(line.get("created_at"))
        self._envelope["model"] = line.get("model") or self._envelope["model"]
        events = self._chunks.take(self._chunk(line))
        if line.get("done"):
            self.done = True
            if usage := _usage(line):
                events += self._chunks.take({**self._envelope, "choices": [], "usage": usage})
        return events

    def _chunk(self, line: Fields) -> Chunk:
        message = as_object(line.get("message"))
        delta: Fields = {}
        if not self._begun:
            delta["role"] = message.get("role") or "assistant"
            self._begun = True
        delta["content"] = message.get("content") or ""
        if message.get("thinking"):
            delta["reasoning"] = message["thinking"]
        if message.get("tool_calls"):
            delta["tool_calls"] = [self._call(call) for call in message["tool_calls"] if isinstance(call, Mapping)]
        if images := message.get("images"):
            delta["images"] = [
                image_part(detect_image_type(image), image) for image in images if isinstance(image, str)
            ]
        if extra := {key: value for key, value in message.items() if key not in MESSAGE_FIELDS}:
            delta["ollama"] = extra
        choice: Fields = {"index": 0, "delta": delta, "finish_reason": self._reason(line)}
        if line.get("logprobs"):
            choice["logprobs"] = {"content": line["logprobs"], "refusal": None}
        extra = {name: value for name, value in line.items() if name not in LINE_FIELDS}
        return {**self._envelope, "choices": [choice], **({"ollama": extra} if extra else {})}

    def _call(self, call: Mapping[str, Any]) -> Fields:
        function = call.get("function") or {}
        index = self._calls  # Ollama may give all calls the index 0
        self._calls += 1
        return function_call(function.get("name", ""), function.get("arguments"), call_id=call.get("id"), index=index)

    def _reason(self, line: Fields) -> str | None:
        """Return the finish reason. A last line without reason and counts comes from a crashed runner: None."""
        if not line.get("done"):
            return None
        native = line.get("done_reason")
        if not native and "eval_count" not in line:
            return None
        reason = FINISH_REASONS.get(native or "stop", native)
        return "tool_calls" if self._calls and reason == "stop" else reason


def _usage(line: Fields) -> Fields | None:
    """Return token counts. Ollama leaves out the prompt's if all of it was cached."""
    if not line.keys() & COUNTS.keys():
        return None
    return usage_of(line.get("prompt_eval_count") or 0, line.get("eval_count") or 0)


def _seconds(created_at: object) -> int:
    """Return the Unix time of a time like `2026-01-01T00:00:00.123456789Z`, or now if it is none."""
    try:
        return int(datetime.fromisoformat(f"{str(created_at)[:19]}+00:00").timestamp())
    except ValueError:
        return int(time())


def message_of(pieces: Iterable[tuple[str, Any]]) -> Fields:
    """Return thoughts, text and images as a message. `pieces`: (kind, value) in order; a refusal is text."""
    message: Fields = {}
    for kind, value in pieces:
        match kind:
            case "reasoning":
                message.setdefault("thinking", []).append(value)
            case "content" | "refusal":
                message.setdefault("content", []).append(value)
            case "images":
                inline = [parse_data_url(image_url(image)) for image in value if isinstance(image, dict)]
                message.setdefault("images", []).extend(image[1] for image in inline if image)
    return {name: value if name == "images" else "".join(value) for name, value in message.items()}


def tool_calls_of(message: Mapping[str, Any], *, truncated: bool = False) -> Fields:
    """Return the tool calls of OpenAI's message as the field of Ollama's. `truncated`: see `parse_tool_calls`."""
    calls = [
        without_none(id=call.id, function={"index": index, "name": call.name, "arguments": call.arguments})
        for index, call in enumerate(parse_tool_calls(message, truncated=truncated))
    ]
    return {"tool_calls": calls} if calls else {}


def counts_of_usage(usage: Mapping[str, Any]) -> Fields:
    """Return the token counts of the last line."""
    return without_none(**{native_name: usage.get(name) for native_name, name in COUNTS.items()})


def done_reason(reason: str | None) -> Fields:
    """Return OpenAI's finish reason as the field of the last line."""
    return {"done_reason": TO_OLLAMA.get(reason, reason)} if reason else {}


def logprobs_of(choice: Mapping[str, Any]) -> Fields:
    """Return the log-probabilities of OpenAI's choice as the field of a line."""
    content = (choice.get("logprobs") or {}).get("content")
    return {"logprobs": content} if content else {}
