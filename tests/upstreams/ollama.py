"""An upstream that imitates an Ollama server byte for byte: JSON as Go writes it, one object per line."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from tests.upstreams.wire import Request, Step, chunk, head, whole

MODEL = "llama3.2"
ANSWER = ("Water", " boils", " at", " 100", " °C", " [1].")
DATE = "Date: Fri, 20 Nov 2026 10:00:00 GMT"
CREATED = "2026-11-20T10:00:00.123456789Z"
CALL = {"id": "call_x1", "function": {"index": 0, "name": "weather", "arguments": {"city": "Zürich"}}}


def line(value: object) -> bytes:
    """Serialize JSON as Go does: compact, with <, > and & escaped."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode() + b"\n"


class Ollama:
    """`/api/chat`, `/api/show`, `/api/tags` and `/api/ps`."""

    def __init__(self, answer: Sequence[str] = ANSWER, *, thinking: Sequence[str] = (), calls: int = 0) -> None:
        self.answer = answer
        self.thinking = thinking
        self.calls = calls

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        if request.target == "/api/tags":
            models = [self._listed("qwen3:4b"), self._listed("llama3.2:latest")]
            yield whole(
                "200 OK", line({"models": models}).rstrip(), "Content-Type: application/json; charset=utf-8", DATE
            )
        elif request.target == "/api/ps":
            loaded = {"expires_at": CREATED, "size_vram": 2019393189, "context_length": 4096}
            running = {"models": [{**self._listed("llama3.2:latest"), **loaded}]}
            yield whole("200 OK", line(running).rstrip(), "Content-Type: application/json; charset=utf-8", DATE)
        elif request.target == "/api/show":
            details = self._listed("llama3.2:latest")["details"]
            described = {
                "details": details,
                "model_info": {"llama.context_length": 131072},
                "capabilities": ["completion"],
            }
            yield whole("200 OK", line(described).rstrip(), "Content-Type: application/json; charset=utf-8", DATE)
        elif request.target != "/api/chat":
            yield whole("404 Not Found", b"404 page not found", "Content-Type: text/plain", DATE)
        elif request.json["model"] != MODEL:
            missing = {"error": f"model '{request.json['model']}' not found"}
            yield whole("404 Not Found", line(missing).rstrip(), "Content-Type: application/json; charset=utf-8", DATE)
        elif request.json.get("stream") is False:
            yield whole("200 OK", line(self.lines()[-1]), "Content-Type: application/json; charset=utf-8", DATE)
        else:
            yield head("200 OK", "Content-Type: application/x-ndjson", DATE, "Transfer-Encoding: chunked")
            for one in self.lines():
                yield chunk(line(one))
                await asyncio.sleep(0)
            yield chunk(b"")

    def lines(self) -> list[dict[str, Any]]:
        """Return the objects of a stream."""
        found = [self._line({"content": "", "thinking": text}) for text in self.thinking]
        found += [self._line({"content": text}) for text in self.answer]
        found += [self._line({"content": "", "tool_calls": [CALL]}) for _ in range(self.calls)]
        counts = {
            "done_reason": "stop",
            "total_duration": 4883583458,
            "load_duration": 1334875,
            "prompt_eval_count": 26,
            "prompt_eval_duration": 342546000,
            "eval_count": len(self.answer),
            "eval_duration": 4535599000,
        }
        return [*found, {**self._line({"content": ""}), "done": True, **counts}]

    def _line(self, message: dict[str, Any]) -> dict[str, Any]:
        return {"model": MODEL, "created_at": CREATED, "message": {"role": "assistant", **message}, "done": False}

    def _listed(self, name: str) -> dict[str, Any]:
        details = {
            "parent_model": "",
            "format": "gguf",
            "family": "llama",
            "families": ["llama"],
            "parameter_size": "3.2B",
            "quantization_level": "Q4_K_M",
        }
        return {
            "name": name,
            "model": name,
            "modified_at": CREATED,
            "size": 2019393189,
            "digest": "a80c4f17",
            "details": details,
        }
