"""Answers of Anthropic's API name the model that the client requested, whatever the provider calls it."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.providers.events import Relayed
from citestream.proxy.config import parse
from citestream.proxy.http.answered_model import MAX_HELD_BYTES, renamed
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Server, script, sse, whole

START = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x-2026", "content": [], "usage": {}}
EVENTS = b"".join(
    b"event: %b\ndata: %b\n\n" % (event["type"].encode(), json.dumps(event).encode())  # type: ignore[attr-defined]
    for event in (
        {"type": "message_start", "message": START},
        {"type": "ping"},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": '"model": "other"'}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    )
)
CALL = {"type": "tool_use", "id": "t", "name": "f", "input": {"model": "canary"}}
WHOLE = json.dumps({**START, "content": [CALL]}).encode()
SOURCES: dict[str, tuple[bytes, bytes]] = {
    "a stream": (EVENTS, EVENTS.replace(b"claude-x-2026", b"anthropic/x")),
    "a whole answer": (WHOLE, WHOLE.replace(b"claude-x-2026", b"anthropic/x")),
    "an answer that names the model after its content": (
        last := json.dumps({"content": [CALL], "model": "x"}).encode(),
        last,
    ),
    "an answer without a model": (b'{"id": "msg_1"}', b'{"id": "msg_1"}'),
    "an answer with much before the model": (pad := b'{"pad": "%b", "model": "x"}' % (b"p" * 2 * MAX_HELD_BYTES), pad),
    "a name with quotes": (rb'{"model": "a\"b", "id": 1}', b'{"model": "anthropic/x", "id": 1}'),
}


@pytest.mark.parametrize("name", SOURCES)
async def test_only_the_model_changes(name: str) -> None:
    source, expected = SOURCES[name]
    pieces = [source[at : at + 70_000] for at in range(0, len(source), 70_000)]
    for split in [pieces, [source[at : at + 1] for at in range(len(source))] if len(source) < 5_000 else pieces]:

        async def body(split: list[bytes] = split) -> AsyncGenerator[bytes, None]:
            for piece in split:
                yield piece
                yield b""

        received = [piece async for piece in renamed(Relayed(200, {}, body()), "anthropic/x")]
        assert b"".join(received) == expected
        assert received.count(b"") == len(split)  # ticks pass at once


DELTAS = EVENTS[EVENTS.index(b"event: content_block_delta") :]


async def test_a_stream_that_begins_with_content_is_not_held() -> None:
    async def body() -> AsyncGenerator[bytes, None]:
        yield DELTAS[:120]
        yield DELTAS[120:]

    assert [piece async for piece in renamed(Relayed(200, {}, body()), "up/x")] == [DELTAS[:120], DELTAS[120:]]


async def test_what_was_received_before_an_error_is_passed_on() -> None:
    async def body() -> AsyncGenerator[bytes, None]:
        yield EVENTS[:60]
        raise ConnectionResetError

    pieces = renamed(Relayed(200, {}, body()), "up/x")
    assert await anext(pieces) == EVENTS[:60]
    with pytest.raises(ConnectionResetError):
        await anext(pieces)


REQUESTS: dict[str, tuple[str, str]] = {
    "a prefix": ("up/claude-x", "up/claude-x"),
    "an alias": ("fast", "fast"),
    "a bare name": ("claude-x", "claude-x-2026"),
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", REQUESTS)
async def test_an_answer_names_the_requested_model(name: str, stream: bool) -> None:
    requested, passed = REQUESTS[name]
    upstream = sse(EVENTS) if stream else script(whole("200 OK", WHOLE, "Content-Type: application/json"))
    async with Server(upstream) as provider:
        settings = {"kind": "anthropic", "base_url": provider.url, "api_key": "k"}
        config = {"providers": {"up": settings}, "models": {"fast": {"model": "up/claude-x"}}, "default_provider": "up"}
        async with TestClient(TestServer(make_app(parse(config)))) as client:
            message = {"role": "user", "content": "When?"}
            body: dict[str, Any] = {"model": requested, "max_tokens": 9, "messages": [message], "stream": stream}
            assert await _model(client, body) == passed
    async with Server(sse(EVENTS)) as provider:
        config["providers"] = {"up": {**settings, "base_url": provider.url}}
        async with TestClient(TestServer(make_app(parse(config)))) as client:
            assert await _model(client, {**body, "evidence": [{"text": "The house is red."}]}) == requested
    assert [request.json["model"] for request in provider.requests] == ["claude-x"]


async def _model(client: Any, body: dict[str, Any]) -> str:
    text = await (await client.post("/v1/messages", json=body)).text()
    if not body["stream"]:
        return str(json.loads(text)["model"])
    first = next(line for line in text.splitlines() if line.startswith("data: "))
    return str(json.loads(first[6:])["message"]["model"])
