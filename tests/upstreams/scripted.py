"""Upstreams of every API that send an answer given by the test."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.upstreams.wire import Request, Step, chunk, head

Fields = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """The answer of a model. A second choice has the same parts in reverse order."""

    deltas: tuple[tuple[str, str], ...]  # ("text", "thought" or "refusal", piece)
    calls: tuple[tuple[str, dict[str, Any]], ...]
    reason: str
    usage: tuple[int, int] | None
    scored: bool = False  # with log-probabilities
    choices: int = 1

    def interleaved(self) -> Iterator[tuple[int, str, str]]:
        """Yield (choice, kind, piece) of all choices, interleaved."""
        for pieces in zip(self.deltas, self.deltas[::-1], strict=True):
            for index in range(self.choices):
                yield index, *pieces[index]


def of_openai(answer: Answer) -> Iterator[Fields]:
    envelope = {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m"}

    def chunk(index: int, delta: Fields, reason: str | None = None, more: Any = None) -> Fields:
        return {**envelope, "choices": [{"index": index, "delta": delta, "finish_reason": reason, **(more or {})}]}

    for index in range(answer.choices):
        yield chunk(index, {"role": "assistant", "content": ""})
    for index, kind, piece in answer.interleaved():
        scored = {"logprobs": {"content": [_token(piece)], "refusal": None}} if answer.scored and kind == "text" else {}
        yield chunk(index, {{"text": "content", "thought": "reasoning"}.get(kind, kind): piece}, None, scored)
    for index in range(answer.choices):
        for at, (name, arguments) in enumerate(answer.calls):
            text = json.dumps(arguments)
            function = {"name": name, "arguments": text[:1]}
            yield chunk(
                index, {"tool_calls": [{"index": at, "id": f"c{at}", "type": "function", "function": function}]}
            )
            yield chunk(index, {"tool_calls": [{"index": at, "function": {"arguments": text[1:]}}]})
        yield chunk(index, {}, answer.reason)
    if answer.usage:
        prompt, written = answer.usage
        counts = {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}
        yield {**envelope, "choices": [], "usage": counts}


def of_ollama(answer: Answer) -> Iterator[Fields]:
    head = {"model": "m", "created_at": "2026-11-20T10:00:00Z"}
    for _, kind, piece in answer.interleaved():
        message = {"content": "", "thinking": piece} if kind == "thought" else {"content": piece}
        scored = {"logprobs": [_token(piece)]} if answer.scored and kind != "thought" else {}
        yield {**head, "message": {"role": "assistant", **message}, "done": False, **scored}
    for name, arguments in answer.calls:
        called = {"function": {"name": name, "arguments": arguments}}
        yield {**head, "message": {"role": "assistant", "content": "", "tool_calls": [called]}, "done": False}
    counts = dict(zip(("prompt_eval_count", "eval_count"), answer.usage or (), strict=False))
    reason = answer.reason.replace("tool_calls", "stop")
    yield {**head, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": reason, **counts}


def of_gemini(answer: Answer) -> Iterator[Fields]:
    ends: Fields = {"modelVersion": "m", "responseId": "r1"}
    for index, kind, piece in answer.interleaved():
        part: Fields = {"text": piece, **({"thought": True} if kind == "thought" else {})}
        chosen = {"chosenCandidates": [{"token": piece, "logProbability": -0.5}]}
        scored = {"logprobsResult": chosen} if answer.scored and kind != "thought" else {}
        yield {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": index, **scored}], **ends}
    calls = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in answer.calls]
    reasons = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}
    if answer.usage:
        prompt, written = answer.usage
        counts = {"promptTokenCount": prompt, "candidatesTokenCount": written, "totalTokenCount": prompt + written}
        ends["usageMetadata"] = counts
    for index in range(answer.choices):
        content = {"content": {"role": "model", "parts": calls}} if calls else {}
        yield {"candidates": [{**content, "finishReason": reasons[answer.reason], "index": index}], **ends}


def of_anthropic(answer: Answer) -> Iterator[Fields]:
    prompt, written = answer.usage or (0, 0)
    counts = {"input_tokens": prompt, "output_tokens": 1} if answer.usage else {}
    yield {"type": "message_start", "message": {"id": "msg_1", "model": "m", "content": [], "usage": counts}}
    index = -1
    open_kind = ""
    for _, kind, piece in answer.interleaved():
        field = "thinking" if kind == "thought" else "text"
        if field != open_kind:
            if open_kind:
                yield {"type": "content_block_stop", "index": index}
            index, open_kind = index + 1, field
            text_block = {"type": field, field: "", **({"signature": ""} if field == "thinking" else {})}
            yield {"type": "content_block_start", "index": index, "content_block": text_block}
        yield {"type": "content_block_delta", "index": index, "delta": {"type": f"{field}_delta", field: piece}}
    if open_kind:
        yield {"type": "content_block_stop", "index": index}
    for at, (name, arguments) in enumerate(answer.calls):
        index += 1
        begun: Fields = {"type": "tool_use", "id": f"c{at}", "name": name, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reasons = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}
    ends = {"stop_reason": reasons[answer.reason], "stop_sequence": None}
    usage = {"output_tokens": written} if answer.usage else {}
    yield {"type": "message_delta", "delta": ends, "usage": usage}
    yield {"type": "message_stop"}


def _token(piece: str) -> Fields:
    return {"token": piece, "logprob": -0.5, "bytes": list(piece.encode()), "top_logprobs": []}


WRITERS = {"openai": of_openai, "ollama": of_ollama, "gemini": of_gemini, "anthropic": of_anthropic}


@dataclass
class Upstream:
    """Sends `answer` to every request. Tests can replace it."""

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
