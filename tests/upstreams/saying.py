"""Upstreams of every API that say whatever a test wants them to say."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

from .wire import Request, Step, chunk, head

Fields = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a model says."""

    deltas: tuple[tuple[str, str], ...]  # ("text" or "thought", piece)
    calls: tuple[tuple[str, dict[str, Any]], ...]
    reason: str
    usage: tuple[int, int] | None


def of_openai(answer: Answer) -> Iterator[Fields]:
    envelope = {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m"}

    def said(delta: Fields, reason: str | None = None) -> Fields:
        return {**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield said({"role": "assistant", "content": ""})
    for kind, piece in answer.deltas:
        yield said({"content" if kind == "text" else "reasoning": piece})
    for index, (name, arguments) in enumerate(answer.calls):
        text = json.dumps(arguments)
        function = {"name": name, "arguments": text[:1]}
        yield said({"tool_calls": [{"index": index, "id": f"c{index}", "type": "function", "function": function}]})
        yield said({"tool_calls": [{"index": index, "function": {"arguments": text[1:]}}]})
    yield said({}, answer.reason)
    if answer.usage:
        prompt, written = answer.usage
        counts = {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}
        yield {**envelope, "choices": [], "usage": counts}


def of_ollama(answer: Answer) -> Iterator[Fields]:
    head = {"model": "m", "created_at": "2026-11-20T10:00:00Z"}
    for kind, piece in answer.deltas:
        message = {"content": piece} if kind == "text" else {"content": "", "thinking": piece}
        yield {**head, "message": {"role": "assistant", **message}, "done": False}
    for name, arguments in answer.calls:
        called = {"function": {"name": name, "arguments": arguments}}
        yield {**head, "message": {"role": "assistant", "content": "", "tool_calls": [called]}, "done": False}
    counts = dict(zip(("prompt_eval_count", "eval_count"), answer.usage or (), strict=False))
    reason = answer.reason.replace("tool_calls", "stop")
    yield {**head, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": reason, **counts}


def of_gemini(answer: Answer) -> Iterator[Fields]:
    parts: list[Fields] = [
        {"text": piece, **({"thought": True} if kind == "thought" else {})} for kind, piece in answer.deltas
    ]
    parts += [{"functionCall": {"name": name, "args": arguments}} for name, arguments in answer.calls]
    ends: Fields = {"modelVersion": "m", "responseId": "r1"}
    for part in parts:
        yield {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}], **ends}
    reasons = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}
    if answer.usage:
        prompt, written = answer.usage
        counts = {"promptTokenCount": prompt, "candidatesTokenCount": written, "totalTokenCount": prompt + written}
        ends["usageMetadata"] = counts
    yield {"candidates": [{"finishReason": reasons[answer.reason], "index": 0}], **ends}


WRITERS = {"openai": of_openai, "ollama": of_ollama, "gemini": of_gemini}


@dataclass
class Upstream:
    """Says the same to everybody, until it is given another answer."""

    kind: str
    answer: Answer = field(default_factory=lambda: Answer((), (), "stop", None))

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        lines = self.kind == "ollama"
        kind = "application/x-ndjson" if lines else "text/event-stream"
        yield head("200 OK", f"Content-Type: {kind}", "Transfer-Encoding: chunked")
        for event in WRITERS[self.kind](self.answer):
            data = json.dumps(event).encode()
            yield chunk(data + b"\n" if lines else b"data: " + data + b"\n\n")
        if self.kind == "openai":
            yield chunk(b"data: [DONE]\n\n")
        yield chunk(b"")
