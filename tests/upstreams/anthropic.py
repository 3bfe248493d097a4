"""An upstream that imitates api.anthropic.com byte for byte."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from tests.upstreams.wire import Request, Step, chunk, head, whole

KEY = "sk-ant-api03-Upstream0123456789"
MODEL = "claude-sonnet-4-5-20250929"
ANSWER = ("Water boils", " at 100 °C", " [1].")
SIGNATURE = "EqQBCgIYAhIM1gbcDa9GJwZA2b3h"
HEADERS = (
    *("Date: Fri, 20 Nov 2026 10:00:00 GMT", "request-id: req_011CSHoEeqs5C35K2UUqR7Fy", "Server: cloudflare"),
    *("anthropic-ratelimit-requests-remaining: 49", "anthropic-organization-id: 0d2c0b4e", "CF-RAY: 98a1-ZRH"),
)
FIELDS = frozenset(
    {
        *("model", "messages", "max_tokens", "system", "stream", "temperature", "top_p", "top_k", "stop_sequences"),
        *("tools", "tool_choice", "thinking", "metadata", "service_tier", "output_config"),
    }
)
USAGE = {
    "input_tokens": 12,
    "cache_creation_input_tokens": 4,
    "cache_read_input_tokens": 8,
    "cache_creation": {"ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 0},
    "output_tokens": 1,
    "service_tier": "standard",
}
THINKING = {"type": "thinking", "thinking": "They ask.", "signature": SIGNATURE}
REDACTED = {"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_01", "name": "web_search", "input": {"query": "boiling point"}}
FOUND = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_01",
    "content": [
        {
            "type": "web_search_result",
            "url": "https://example.org/water",
            "title": "Water",
            "encrypted_content": "EqgfCioIARgBIiQ",
            "page_age": None,
        }
    ],
}
CALL = {"type": "tool_use", "id": "toolu_01T1x1fJ34qAmk2tNTrN7Up6", "name": "weather", "input": {"city": "Zürich"}}


def compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def event(kind: str, **fields: Any) -> bytes:
    """Return an event as the API writes it: compact, and some events are padded with spaces before the last brace."""
    data = compact({"type": kind, **fields})
    padded = data[:-1] + b" " * (len(data) % 7) + b"}" if kind.startswith("content_block") else data
    return f"event: {kind}\ndata: ".encode() + padded + b"\n\n"


def text(*pieces: str) -> list[dict[str, Any]]:
    """Return a text block that is sent in these deltas."""
    return [{"type": "text", "text": "".join(pieces), "pieces": pieces}]


class Anthropic:
    """`/v1/messages`, `/v1/messages/count_tokens` and the list of models."""

    def __init__(
        self, blocks: Sequence[dict[str, Any]] | None = None, *, stop: str = "end_turn", sequence: str | None = None
    ) -> None:
        self.blocks = text(*ANSWER) if blocks is None else blocks
        self.stop = stop
        self.sequence = sequence

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        path = request.target.partition("?")[0]
        if request.headers.get("x-api-key") != KEY:
            yield error(401, "authentication_error", "invalid x-api-key")
        elif "anthropic-version" not in request.headers:
            yield error(400, "invalid_request_error", "anthropic-version: header is required")
        elif path == "/v1/models":
            yield self._models(request.target)
        elif unknown := request.json.keys() - FIELDS:
            yield error(400, "invalid_request_error", f"{min(unknown)}: Extra inputs are not permitted")
        elif path == "/v1/messages/count_tokens":
            yield json_answer({"input_tokens": 2095})
        elif "max_tokens" not in request.json:
            yield error(400, "invalid_request_error", "max_tokens: Field required")
        elif not request.json.get("stream"):
            yield json_answer(self.message())
        else:
            yield head(
                "200 OK",
                "Content-Type: text/event-stream; charset=utf-8",
                "Cache-Control: no-cache",
                *HEADERS,
                "Transfer-Encoding: chunked",
            )
            for one in self.events():
                yield chunk(one)
                await asyncio.sleep(0)
            yield chunk(b"")

    def message(self) -> dict[str, Any]:
        """Return the complete message."""
        content = [{key: value for key, value in block.items() if key != "pieces"} for block in self.blocks]
        ends = {"stop_reason": self.stop, "stop_sequence": self.sequence, "usage": USAGE | {"output_tokens": 30}}
        return _message(content) | ends

    def events(self) -> list[bytes]:
        """Return the events of a stream."""
        started = _message([]) | {"stop_reason": None, "stop_sequence": None, "usage": USAGE}
        written = [event("message_start", message=started)]
        for index, block in enumerate(self.blocks):
            written += _block(index, block)
            written += [event("ping")] if index == 0 else []
        ends = {"stop_reason": self.stop, "stop_sequence": self.sequence}
        usage = {key: USAGE[key] for key in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")}
        written.append(event("message_delta", delta=ends, usage={**usage, "output_tokens": 30}))
        return [*written, event("message_stop")]

    def _models(self, target: str) -> bytes:
        """Return one of two pages."""
        later = "after_id=" in target
        name = "claude-opus-4-1-20250805" if later else MODEL
        model = {"type": "model", "id": name, "display_name": "Claude", "created_at": "2025-09-29T00:00:00Z"}
        return json_answer({"data": [model], "has_more": not later, "first_id": name, "last_id": name})


def _message(content: list[dict[str, Any]]) -> dict[str, Any]:
    fields = {"model": MODEL, "id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant"}
    return {**fields, "content": content}


def _block(index: int, block: dict[str, Any]) -> list[bytes]:
    deltas: list[dict[str, Any]] = []
    begun = {key: value for key, value in block.items() if key != "pieces"}
    match block["type"]:
        case "text":
            begun["text"] = ""
            deltas = [{"type": "text_delta", "text": piece} for piece in block.get("pieces", (block["text"],))]
            deltas += [{"type": "citations_delta", "citation": one} for one in begun.pop("citations", ())]
        case "thinking":
            begun |= {"thinking": "", "signature": ""}
            half = len(block["thinking"]) // 2
            pieces = (block["thinking"][:half], block["thinking"][half:])
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        case "tool_use" | "server_tool_use":
            begun["input"] = {}
            written = json.dumps(block["input"], ensure_ascii=False)
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", written[:5], written[5:])]
    return [
        event("content_block_start", index=index, content_block=begun),
        *(event("content_block_delta", index=index, delta=delta) for delta in deltas),
        event("content_block_stop", index=index),
    ]


def json_answer(value: object) -> bytes:
    return whole("200 OK", compact(value), "Content-Type: application/json", *HEADERS)


def error(code: int, kind: str, message: str, *lines: str) -> bytes:
    """Return an error in the format of the API."""
    reasons = {400: "Bad Request", 401: "Unauthorized", 413: "Content Too Large", 429: "Too Many Requests", 529: ""}
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"}
    return whole(
        f"{code} {reasons.get(code, 'Error')}", compact(body), "Content-Type: application/json", *HEADERS, *lines
    )
