"""LineReader: the lines of Ollama's `/api/chat` in, events out, by way of the OpenAI chunk."""

import re
from collections.abc import Mapping
from datetime import datetime
from time import time
from typing import Any
from uuid import uuid4

from ..errors import ProviderError, reported
from ..events import Chunk, Event
from .json_text import clean, dumps, loads
from .messages import image_kind, made_id
from .openai_chunks import ChunkReader

Fields = dict[str, Any]

# `load` and `unload` end a request that only moved a model in or out of memory.
REASONS = {"stop": "stop", "length": "length", "load": "stop", "unload": "stop"}
# What has a place in a chunk. All else of a line (counts, durations), of a message, goes into its `ollama`.
OF_LINE = frozenset({"model", "created_at", "message", "done", "done_reason", "logprobs", "error"})
OF_MESSAGE = frozenset({"role", "content", "thinking", "tool_calls", "images"})


class LineReader:
    """One stream of one choice; Ollama knows no others."""

    void: re.Pattern[bytes] | None = re.compile(rb'"created_at": ?"([^"\\]*)"')  # the first one is enough

    def __init__(self, model: str) -> None:
        """`model`: what was asked for, where a line does not name it."""
        self._chunks = ChunkReader()
        self._envelope: Chunk = {"id": f"chatcmpl-{uuid4().hex}", "object": "chat.completion.chunk", "model": model}
        self._begun = False
        self._calls = 0
        self.done = False
        self.skipped = 0
        self.error: ProviderError | None = None

    @property
    def complete(self) -> bool:
        """Whether the last line has come with its reason."""
        return self._chunks.complete

    @property
    def text_field(self) -> bytes:
        """Where text deltas stand; nothing once the last line has come."""
        return b"" if self.done else self._chunks.text_field

    def read(self, payload: bytes) -> list[Event]:
        """The events of one line. One that is not a JSON object is skipped and counted."""
        line, is_clean = loads(payload)
        if self.done:
            return []
        if not isinstance(line, dict):
            self.skipped += 1
            return []
        if not is_clean:
            line = clean(line)
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

    def end(self) -> list[Event]:
        """The end and the usage. Raises IncompleteAnswer without a last line."""
        if self.error:
            raise self.error
        return self._chunks.end()

    def _chunk(self, line: Fields) -> Chunk:
        message = line.get("message")
        message = message if isinstance(message, Mapping) else {}
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
            delta["images"] = [_image(image) for image in images if isinstance(image, str)]
        if beside := {key: value for key, value in message.items() if key not in OF_MESSAGE}:
            delta["ollama"] = beside
        choice: Fields = {"index": 0, "delta": delta, "finish_reason": self._reason(line)}
        if line.get("logprobs"):
            choice["logprobs"] = {"content": line["logprobs"], "refusal": None}
        beside = {name: value for name, value in line.items() if name not in OF_LINE}
        return {**self._envelope, "choices": [choice], **({"ollama": beside} if beside else {})}

    def _call(self, call: Mapping[str, Any]) -> Fields:
        function = call.get("function") or {}
        index = self._calls  # Ollama may call each of them 0
        self._calls += 1
        return {
            "index": index,
            "id": call.get("id") or made_id(),
            "type": "function",
            "function": {
                "name": function.get("name", ""),
                "arguments": dumps(function.get("arguments") or {}).decode(),
            },
        }

    def _reason(self, line: Fields) -> str | None:
        """The finish reason. A last line without reason and counts is what a crashed runner leaves: none."""
        if not line.get("done"):
            return None
        said = line.get("done_reason")
        if not said and "eval_count" not in line:
            return None
        reason = REASONS.get(said or "stop", said)
        return "tool_calls" if self._calls and reason == "stop" else reason


def _image(image: str) -> Fields:
    """As other servers send one: a `data:` URL."""
    return {"type": "image_url", "image_url": {"url": f"data:{image_kind(image)};base64,{image}"}}


def _usage(line: Fields) -> Fields | None:
    """Token counts; the prompt's are missing where it was cached whole."""
    if "eval_count" not in line and "prompt_eval_count" not in line:
        return None
    prompt, completion = line.get("prompt_eval_count") or 0, line.get("eval_count") or 0
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _seconds(created_at: object) -> int:
    """Seconds since 1970 of a time like `2026-01-01T00:00:00.123456789Z`; now, where there is none."""
    try:
        return int(datetime.fromisoformat(f"{str(created_at)[:19]}+00:00").timestamp())
    except ValueError:
        return int(time())
