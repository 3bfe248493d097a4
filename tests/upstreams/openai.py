"""Upstreams that imitate OpenAI's API and vLLM byte for byte."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from tests.upstreams.wire import Request, Step, chunk, head, whole

KEY = "sk-upstream-0123456789abcdef"
MODEL = "gpt-4.1-2025-04-14"
ANSWER = ("Water", " boils", " at", " 100", " °C", " [1].")
CALLS: list[dict[str, Any]] = [
    {"index": 0, "id": "call_a", "type": "function", "function": {"name": "weather", "arguments": ""}},
    {"index": 0, "function": {"arguments": '{"city":'}},
    {"index": 0, "function": {"arguments": '"Zürich"}'}},
]

# Parameters of the real API. It rejects others with status 400.
_PARAMETERS = """
    messages model n stop stream stream_options logprobs top_logprobs response_format tools tool_choice
    parallel_tool_calls web_search_options reasoning_effort verbosity metadata moderation modalities prediction
    service_tier prompt_cache_key safety_identifier store temperature top_p max_tokens max_completion_tokens
    presence_penalty frequency_penalty logit_bias seed user audio functions function_call
"""
PARAMETERS = frozenset(_PARAMETERS.split())
HEADERS = (
    "Date: Fri, 20 Nov 2026 10:00:00 GMT",
    "Connection: keep-alive",
    "x-request-id: req_1",
    "Server: cloudflare",
)
COOKIE = "set-cookie: __cf_bm=secret; path=/; HttpOnly"


def compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


class OpenAI:
    """api.openai.com: `/v1/chat/completions` and `/v1/models`."""

    def __init__(self, answer: Sequence[str] = ANSWER, *, calls: bool = False, choices: int | None = None) -> None:
        """`calls`: the answer has a tool call after the text."""
        self.answer = answer
        self.calls = calls
        self.choices = choices

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            yield error(
                401, f"Incorrect API key provided: {KEY[:8]}********cdef.", "invalid_request_error", "invalid_api_key"
            )
        elif request.target.endswith("/models"):
            names = [MODEL, "gpt-4.1-mini-2025-04-14"]
            listed = [{"id": name, "object": "model", "created": 1744000000, "owned_by": "system"} for name in names]
            yield whole(
                "200 OK", compact({"object": "list", "data": listed}), *HEADERS, "Content-Type: application/json"
            )
        elif unknown := request.json.keys() - PARAMETERS:
            message = f"Unrecognized request argument supplied: {min(unknown)}"
            yield error(400, message, "invalid_request_error", None)
        elif request.json.get("stream"):
            kind = "Content-Type: text/event-stream; charset=utf-8"
            yield head("200 OK", *HEADERS, COOKIE, kind, "Transfer-Encoding: chunked")
            for event in self.events(request.json):
                yield chunk(b"data: " + event + b"\n\n")
                await asyncio.sleep(0)
            yield chunk(b"")
        else:
            yield whole("200 OK", compact(self.completion(request.json)), *HEADERS, "Content-Type: application/json")

    def events(self, body: dict[str, Any]) -> list[bytes]:
        """Return the data of all events."""
        usage = bool((body.get("stream_options") or {}).get("include_usage"))
        choices = range(self.choices or body.get("n") or 1)
        found = [self._chunk(usage, at, {"role": "assistant", "content": "", "refusal": None}) for at in choices]
        found += [self._chunk(usage, at, {"content": text}) for text in self.answer for at in choices]
        if self.calls:
            found += [self._chunk(usage, at, {"tool_calls": [call]}) for call in CALLS for at in choices]
        found += [self._chunk(usage, at, {}, "tool_calls" if self.calls else "stop") for at in choices]
        if usage:
            found.append({**self._envelope(), "choices": [], "usage": self._usage(), "obfuscation": ""})
        return [*map(compact, found), b"[DONE]"]

    def completion(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the complete answer without streaming."""
        message: dict[str, Any] = {
            "role": "assistant",
            "content": "".join(self.answer),
            "refusal": None,
            "annotations": [],
        }
        choices = [
            {"index": at, "message": message, "logprobs": None, "finish_reason": "stop"}
            for at in range(body.get("n") or 1)
        ]
        return {**self._envelope(), "object": "chat.completion", "choices": choices, "usage": self._usage()}

    def _chunk(self, usage: bool, index: int, delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}
        more: dict[str, Any] = {"usage": None} if usage else {}
        return {**self._envelope(), "choices": [choice], **more, "obfuscation": "aB3xY"}

    def _envelope(self) -> dict[str, Any]:
        return {
            "id": "chatcmpl-BxYz",
            "object": "chat.completion.chunk",
            "created": 1763632800,
            "model": MODEL,
            "service_tier": "default",
            "system_fingerprint": "fp_b3f1",
        }

    def _usage(self) -> dict[str, Any]:
        return {
            "prompt_tokens": 20,
            "completion_tokens": len(self.answer),
            "total_tokens": 20 + len(self.answer),
            "prompt_tokens_details": {"cached_tokens": 16, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 3, "audio_tokens": 0},
        }


class VLLM(OpenAI):
    """A vLLM server: only fields that are set, reasoning, the last text in the finish chunk, usage on every chunk.

    It has no Responses API, as versions before 0.10.
    """

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        if request.target.endswith("/responses"):
            yield whole("404 Not Found", b'{"detail":"Not Found"}', "server: uvicorn", "content-type: application/json")
            return
        yield head(
            "200 OK", "server: uvicorn", "content-type: text/event-stream; charset=utf-8", "transfer-encoding: chunked"
        )
        for event in self.events(request.json):
            yield chunk(b"data: " + event + b"\n\n")
            await asyncio.sleep(0)
        yield chunk(b"")

    def events(self, body: dict[str, Any]) -> list[bytes]:
        continuous = bool((body.get("stream_options") or {}).get("include_usage"))
        deltas: list[dict[str, Any]] = [
            {"role": "assistant", "content": ""},
            {"reasoning": "They ask "},
            {"reasoning": "about water."},
        ]
        deltas += [{"content": text} for text in self.answer]
        found = []
        for at, delta in enumerate(deltas):
            last = at == len(deltas) - 1
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": "stop" if last else None}
            choice |= {"stop_reason": None} if last else {}
            one = {"id": "chatcmpl-v", "object": "chat.completion.chunk", "created": 1763632800, "model": "qwen3"}
            usage = {"prompt_tokens": 9, "total_tokens": 9 + at, "completion_tokens": at}
            found.append({**one, "choices": [choice], **({"usage": usage} if continuous else {})})
        if continuous:
            found.append({**found[-1], "choices": []})
        return [*map(compact, found), b"[DONE]"]


def error(status: int, message: str, kind: str, code: str | None, *lines: str) -> bytes:
    """Return an error in the format of OpenAI."""
    reasons = {400: "Bad Request", 401: "Unauthorized", 429: "Too Many Requests", 500: "Internal Server Error"}
    body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return whole(
        f"{status} {reasons[status]}",
        json.dumps(body, indent=4).encode(),
        *HEADERS,
        "Content-Type: application/json",
        *lines,
    )
