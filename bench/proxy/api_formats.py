"""The formats of the APIs: path and body of a request, frames of an answer, and text of a frame."""

from collections.abc import Sequence
from typing import Any, Literal

import orjson

Kind = Literal["openai", "ollama", "gemini"]
KINDS: tuple[Kind, ...] = ("openai", "ollama", "gemini")

CONTENT_TYPES = {"openai": "text/event-stream", "ollama": "application/x-ndjson", "gemini": "text/event-stream"}
BEFORE_TOKENS = {"openai": 1, "ollama": 0, "gemini": 0}  # number of frames; the first of OpenAI contains the role
QUESTION = "What do the excerpts say about units of measure, the flights to the moon, and event streams?"


def path(kind: Kind, model: str) -> str:
    """Return the path of streaming requests."""
    match kind:
        case "openai":
            return "/v1/chat/completions"
        case "ollama":
            return "/api/chat"
        case "gemini":
            return f"/v1beta/models/{model}:streamGenerateContent?alt=sse"


def body(kind: Kind, model: str, question: str, **more: Any) -> bytes:
    """Return a request body with additional fields `more`."""
    if kind == "gemini":
        return orjson.dumps({"contents": [{"role": "user", "parts": [{"text": question}]}], **more})
    messages = [{"role": "user", "content": question}]
    return orjson.dumps({"model": model, "messages": messages, "stream": True, **more})


def frames(kind: Kind, tokens: Sequence[str]) -> list[bytes]:
    """Return the stream with a frame per token: 330 bytes for OpenAI, 150 for Ollama, 300 for Gemini, and the end."""
    match kind:
        case "openai":
            return _openai(tokens)
        case "ollama":
            return _ollama(tokens)
        case "gemini":
            return _gemini(tokens)


def text(kind: Kind, frame: bytes) -> str:
    """Return the answer text of one event or line of a stream, or ""."""
    if kind != "ollama":
        if not frame.startswith(b"data: {"):
            return ""
        frame = frame[6:]
    try:
        found = orjson.loads(frame)
    except orjson.JSONDecodeError:
        return ""
    match kind:
        case "openai":
            return "".join(choice["delta"].get("content") or "" for choice in found.get("choices", ()))
        case "ollama":
            return (found.get("message") or {}).get("content") or ""
        case "gemini":
            parts = [
                part for one in found.get("candidates", ()) for part in (one.get("content") or {}).get("parts", ())
            ]
            return "".join(part.get("text") or "" for part in parts)


def separator(kind: Kind) -> bytes:
    """Return the separator between two frames, without carriage returns."""
    return b"\n" if kind == "ollama" else b"\n\n"


def _openai(tokens: Sequence[str]) -> list[bytes]:
    made = {
        "id": "chatcmpl-" + "x" * 29,
        "object": "chat.completion.chunk",
        "created": 1763632800,
        "model": "gpt-4.1-2025-04-14",
        "service_tier": "default",
        "system_fingerprint": "fp_b3f1",
        "usage": None,
        "obfuscation": "aB3xYz",
    }
    choice = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": None}
    first = choice | {"delta": {"role": "assistant", "content": "", "refusal": None}}
    last = choice | {"finish_reason": "stop"}
    choices = [first, *(choice | {"delta": {"content": token}} for token in tokens), last]
    return [*(b"data: %s\n\n" % orjson.dumps({**made, "choices": [one]}) for one in choices), b"data: [DONE]\n\n"]


def _ollama(tokens: Sequence[str]) -> list[bytes]:
    made = {"model": "llama3.2", "created_at": "2026-11-20T10:00:00.123456789Z"}
    lines = [{**made, "message": {"role": "assistant", "content": token}, "done": False} for token in tokens]
    end = {"done": True, "done_reason": "stop", "eval_count": len(tokens), "prompt_eval_count": 99}
    last = {**made, "message": {"role": "assistant", "content": ""}, **end}
    return [orjson.dumps(line) + b"\n" for line in [*lines, last]]


def _gemini(tokens: Sequence[str]) -> list[bytes]:
    made = {
        "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 9, "totalTokenCount": 13},
        "modelVersion": "gemini-2.5-flash",
        "responseId": "r" * 22,
    }
    parts = [{"content": {"parts": [{"text": token}], "role": "model"}, "index": 0} for token in tokens]
    last = {"finishReason": "STOP", "index": 0}
    return [b"data: %s\r\n\r\n" % orjson.dumps({"candidates": [one], **made}) for one in [*parts, last]]
