"""The bytes of an answer of each provider, written without the code under test."""

import json
from collections.abc import Callable
from dataclasses import dataclass

CREATED = "2026-01-01T00:00:00Z"


@dataclass(frozen=True)
class Dialect:
    """The parts of a stream of one provider."""

    kind: str
    content_type: str
    text: Callable[..., bytes]  # (text, choice=0, **fields) -> one event with text
    finish: Callable[..., bytes]  # (reason="stop", choice=0) -> the event that ends a choice
    done: bytes  # the end of the stream
    errors: dict[str, bytes]  # errors in the stream, by the server that sends them
    separator: bytes  # the bytes after each event


def compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def _sse(value: object, separator: bytes = b"\n\n") -> bytes:
    return b"data: " + compact(value) + separator


def _chunk(choice: int, delta: object, reason: str | None, **more: object) -> bytes:
    body = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1767225600, "model": "m"}
    return _sse({**body, **more, "choices": [{"index": choice, "delta": delta, "finish_reason": reason}]})


OPENAI = Dialect(
    "openai",
    "text/event-stream",
    lambda text, choice=0, **more: _chunk(choice, {"content": text}, None, **more),
    lambda reason="stop", choice=0: _chunk(choice, {}, reason),
    b"data: [DONE]\n\n",
    {
        "OpenAI": _sse({"error": {"message": "Overloaded", "type": "server_error", "param": None, "code": None}}),
        "vLLM and Mistral": _sse(
            {"object": "error", "message": "Overloaded", "type": "InternalServerError", "code": 500}
        ),
        "Groq": b"event: error\n" + _sse({"error": {"message": "Overloaded", "status_code": 503}}),
        "Anthropic": b"event: error\n"
        + _sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        "TGI": _sse({"error": "Overloaded", "error_type": "overloaded"}),
        "OpenRouter": _chunk(0, {"content": ""}, "error", error={"code": 502, "message": "Overloaded"}),
        "Azure's filter": _sse({"error": {"code": "content_filter", "message": "Overloaded", "status": 400}}),
        "a gateway, without an envelope": b'{"error":{"message":"Overloaded"}}\n\n',
    },
    b"\n\n",
)


def _gemini(choice: int, text: str | None, reason: str | None, **more: object) -> bytes:
    candidate: dict[str, object] = {"content": {"parts": [{"text": text or ""}], "role": "model"}, "index": choice}
    if reason:
        candidate["finishReason"] = reason.upper()
    usage = {"promptTokenCount": 4, "candidatesTokenCount": 2, "totalTokenCount": 6}
    return _sse({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m", **more}, b"\r\n\r\n")


GEMINI = Dialect(
    "gemini",
    "text/event-stream",
    lambda text, choice=0, **more: _gemini(choice, text, None, **more),
    lambda reason="stop", choice=0: _gemini(choice, None, reason),
    b"",
    {
        "Gemini": _sse({"error": {"code": 500, "message": "Overloaded", "status": "INTERNAL"}}, b"\r\n\r\n"),
        "Google's servers, without an envelope": b'{"error":{"code":503,"message":"Overloaded"}}\r\n',
    },
    b"\r\n\r\n",
)


def _line(text: str, **more: object) -> bytes:
    return (
        compact({"model": "m", "created_at": CREATED, "message": {"role": "assistant", "content": text}, **more})
        + b"\n"
    )


OLLAMA = Dialect(
    "ollama",
    "application/x-ndjson",
    lambda text, choice=0, **more: _line(text, done=False, **more),
    lambda reason="stop", choice=0: _line("", done=True, done_reason=reason, prompt_eval_count=4, eval_count=2),
    b"",
    {"Ollama": b'{"error":"Overloaded"}\n'},
    b"\n",
)


def _event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\n".encode() + _sse({"type": kind, **fields})


STOP_REASONS = {"stop": "end_turn", "length": "max_tokens"}
ANTHROPIC = Dialect(
    "anthropic",
    "text/event-stream; charset=utf-8",
    lambda text, choice=0, **more: _event(
        "content_block_delta", index=0, delta={"type": "text_delta", "text": text}, **more
    ),
    lambda reason="stop", choice=0: _event(
        "message_delta",
        delta={"stop_reason": STOP_REASONS[reason], "stop_sequence": None},
        usage={"input_tokens": 4, "output_tokens": 2},
    ),
    _event("message_stop"),
    {
        "Anthropic's own API": _event("error", error={"type": "overloaded_error", "message": "Overloaded"}),
        "a gateway in front of Anthropic": b'{"error":{"message":"Overloaded"}}\n\n',
    },
    b"\n\n",
)

DIALECTS = {"openai": OPENAI, "ollama": OLLAMA, "gemini": GEMINI, "anthropic": ANTHROPIC}
