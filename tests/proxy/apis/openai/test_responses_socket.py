"""The WebSocket at `/v1/responses`, through the official client and as plain messages."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientWebSocketResponse, WSMsgType
from aiohttp.test_utils import TestServer
from openai import AsyncOpenAI

from citestream.proxy.apis.responses import responses_socket
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.middleware.admission import ADMISSION, Admission
from tests.proxy.open_responses import FINAL, WebSocketError, check_events
from tests.upstreams.scripted import Answer, Upstream
from tests.upstreams.wire import Break, Request, Server, Step, chunk, head

TEXT = "The Harlan bridge was opened on 4 May 1932. It carries two lanes."
EVIDENCE = [{"text": "The Harlan bridge was opened on 4 May 1932.", "url": "https://ex.org/a"}]
CREATE: dict[str, Any] = {"type": "response.create", "model": "up/m", "store": False, "input": "When was it opened?"}
SSE = head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
NATIVE = {"id": "resp_of_the_provider", "object": "response", "status": "completed", "output": []}
MESSAGE = {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "1932"}]}


@dataclass
class Running:
    """A server with one provider, and a client of it."""

    url: str
    http: aiohttp.ClientSession
    upstream: Server
    admission: Admission

    def connect(self, **options: Any) -> Any:
        """Return a WebSocket, as an asynchronous context manager."""
        return self.http.ws_connect(f"{self.url}/responses", **options)

    def sent(self, number: int = -1) -> list[dict[str, Any]]:
        """Return the messages that the provider has received."""
        messages: list[dict[str, Any]] = self.upstream.requests[number].json["messages"]
        return messages


@asynccontextmanager
async def running(answer: Any = None, *, responses: str = "off", **server: Any) -> AsyncIterator[Running]:
    """Run a server with a provider that answers every request with this answer, by default with TEXT."""
    async with AsyncExitStack() as stack:
        pieces = tuple(("text", f"{word} ") for word in TEXT.split())
        scripted = answer or Upstream("openai", Answer(pieces, (), "stop", (9, 7)))
        upstream = await stack.enter_async_context(Server(scripted))
        provider = {"kind": "openai", "base_url": upstream.url, "api_key": "k", "responses": responses}
        app = make_app(parse({"providers": {"up": provider}, "server": server}))
        proxy = await stack.enter_async_context(TestServer(app))
        http = await stack.enter_async_context(aiohttp.ClientSession())
        yield Running(str(proxy.make_url("/v1")), http, upstream, app[ADMISSION])


async def response(socket: ClientWebSocketResponse) -> list[dict[str, Any]]:
    """Return the events of the next response, or an error, after a comparison with the schema."""
    events: list[dict[str, Any]] = []
    while True:
        event = await socket.receive_json()
        events.append(event)
        if event["type"] == "error":
            WebSocketError.model_validate(event)
            return events
        if event["type"] in FINAL:
            check_events(events)
            return events


async def turn(socket: ClientWebSocketResponse, **fields: Any) -> dict[str, Any]:
    """Return the last event of a response to CREATE with these fields."""
    await socket.send_json(CREATE | fields)
    return (await response(socket))[-1]


async def test_the_official_client_receives_the_events_of_a_stream() -> None:
    async with running() as server, AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
        body = {"model": "up/m", "input": "When was it opened?", "evidence": EVIDENCE}
        streamed = [event async for event in await client.responses.create(stream=True, extra_body=body)]
        async with client.responses.connect() as connection:
            await connection.send_raw(json.dumps({"type": "response.create", **body}))
            received: list[Any] = [await connection.recv()]
            while received[-1].type not in FINAL:
                received.append(await connection.recv())
            previous = received[-1].response.id
            await connection.response.create(model="up/m", input="Why?", previous_response_id=previous)
            while (await connection.recv()).type not in FINAL:
                pass
        assert [event.type for event in received] == [event.type for event in streamed]
        assert "response.output_text.annotation.added" in {event.type for event in received}
        last, expected = received[-1].response, streamed[-1].response  # type: ignore[union-attr]
        assert last.output_text == expected.output_text
        assert last.to_dict()["references"] == expected.to_dict()["references"]
        assert [message["role"] for message in server.sent()] == ["user", "assistant", "user"]


async def test_responses_follow_each_other_in_the_order_of_their_requests() -> None:
    async with running() as server, server.connect() as socket:
        for number in range(3):
            await socket.send_json(CREATE | {"input": f"Question {number}?", "metadata": {"number": str(number)}})
        for number in range(3):
            events = await response(socket)
            assert events[0]["type"] == "response.created"
            assert {e["response"]["metadata"]["number"] for e in events if "response" in e} == {str(number)}
        assert [server.sent(number)[-1]["content"] for number in range(3)] == [f"Question {n}?" for n in range(3)]


async def test_the_latest_response_is_continued_on_its_connection_only() -> None:
    async with running() as server:
        async with server.connect() as socket:
            first = (await turn(socket))["response"]
            second = (await turn(socket, previous_response_id=first["id"], input="And how many lanes?"))["response"]
            assert second["previous_response_id"] == first["id"]
            assert (first["store"], second["store"]) == (False, False)
            roles = [message["role"] for message in server.sent()]
            assert roles == ["user", "assistant", "user"]
            older = await turn(socket, previous_response_id=first["id"])
            assert older["error"]["code"] == "previous_response_not_found"
            assert (await turn(socket, type="nothing"))["error"]["param"] == "type"  # continues no response
            third = await turn(socket, previous_response_id=second["id"], input="Why?")
            assert third["type"] == "response.completed"
        async with server.connect() as socket:
            lost = await turn(socket, previous_response_id=third["response"]["id"])
            assert (lost["status"], lost["error"]["code"]) == (400, "previous_response_not_found")
            assert (await turn(socket))["type"] == "response.completed"


async def test_a_stored_response_is_continued_on_another_connection_and_over_http() -> None:
    async with running() as server:
        async with server.connect() as socket:
            first = (await turn(socket, store=True))["response"]
        assert first["store"] is True
        async with server.connect() as socket:
            second = (await turn(socket, store=True, previous_response_id=first["id"]))["response"]
        body = {"model": "up/m", "input": "Why?", "previous_response_id": second["id"]}
        async with server.http.post(f"{server.url}/responses", json=body) as answer:
            assert answer.status == 200
        assert [message["role"] for message in server.sent()] == ["user", "assistant"] * 2 + ["user"]


async def test_a_failed_continuation_evicts_the_response() -> None:
    async with running() as server, server.connect() as socket:
        first = (await turn(socket))["response"]
        result = {"type": "function_call_output", "call_id": "c1", "output": "None."}
        failed = await turn(socket, previous_response_id=first["id"], input=[result])
        assert (failed["status"], failed["error"]["param"]) == (400, "input[0].call_id")
        evicted = await turn(socket, previous_response_id=first["id"])
        assert evicted["error"]["code"] == "previous_response_not_found"


async def test_the_result_of_a_call_continues_it() -> None:
    upstream = Upstream("openai", Answer((), (("weather", {"city": "Bern"}),), "tool_calls", None))
    async with running(upstream) as server, server.connect() as socket:
        tools = [{"type": "function", "name": "weather", "parameters": {"type": "object"}}]
        called = (await turn(socket, tools=tools))["response"]
        (call,) = called["output"]
        upstream.answer = Answer((("text", "It is grey."),), (), "stop", None)
        result = {"type": "function_call_output", "call_id": call["call_id"], "output": "grey"}
        last = await turn(socket, tools=tools, previous_response_id=called["id"], input=[result])
        assert last["response"]["output"][0]["content"][0]["text"] == "It is grey."
        assert [message["role"] for message in server.sent()] == ["user", "assistant", "tool"]


async def test_a_response_that_generates_nothing_is_continued() -> None:
    async with running() as server, server.connect() as socket:
        prepared = (await turn(socket, generate=False))["response"]
        assert (prepared["status"], prepared["output"], server.upstream.requests) == ("completed", [], [])
        await turn(socket, previous_response_id=prepared["id"], input="And why?")
        assert [message["content"] for message in server.sent()] == ["When was it opened?", "And why?"]


WRONG: dict[str, tuple[str | bytes, int, str]] = {
    "text that is not JSON": ("{", 400, "invalid_json"),
    "bytes that are not JSON": (b"\xff", 400, "invalid_json"),
    "an empty message": ("", 400, "invalid_json"),
    "a list": ("[]", 400, "invalid_json"),
    "another type": ('{"type": "response.cancel"}', 400, "invalid_value"),
    "a response in background": (json.dumps(CREATE | {"background": True}), 400, "invalid_value"),
    "no model": ('{"type": "response.create", "input": "a"}', 400, "invalid_value"),
    "an unknown model": (json.dumps(CREATE | {"model": "nothing/m"}), 404, "model_not_found"),
    "a field of a wrong type": (json.dumps(CREATE | {"tools": 1}), 400, "invalid_value"),
    "an unknown response": (
        json.dumps(CREATE | {"previous_response_id": f"resp_{'0' * 32}"}),
        400,
        "previous_response_not_found",
    ),
}


@pytest.mark.parametrize(("message", "status", "code"), WRONG.values(), ids=WRONG)
async def test_an_error_is_a_message_and_the_connection_stays_open(
    message: str | bytes, status: int, code: str
) -> None:
    async with running() as server, server.connect() as socket:
        await (socket.send_bytes(message) if isinstance(message, bytes) else socket.send_str(message))
        (event,) = await response(socket)
        assert (event["status"], event["error"]["code"]) == (status, code)
        assert (await turn(socket))["type"] == "response.completed"


async def test_a_response_that_breaks_off_ends_with_one_event() -> None:
    async def broken(_: Request) -> AsyncIterator[Step]:
        yield SSE
        yield chunk(b'data: {"choices": [{"index": 0, "delta": {"content": "It is a long "}}]}\n\n')
        yield Break.CLOSE

    async with running(broken) as server, server.connect() as socket:
        for _ in range(2):
            await socket.send_json(CREATE)
            events = await response(socket)
            assert [event["type"] for event in events[:1] + events[-1:]] == ["response.created", "response.failed"]
            assert events[-1]["response"]["output"][0]["content"][0]["text"] == "It is a long "


async def test_the_events_of_a_provider_with_this_api_are_passed_on() -> None:
    asked: list[Any] = []

    async def native(request: Request) -> AsyncIterator[Step]:
        asked.append(request.json)
        last = {"type": "response.completed", "response": {**NATIVE, "output": [MESSAGE]}}
        data = b"".join(
            b"event: %b\ndata: %b\n\n" % (event["type"].encode(), json.dumps(event).encode())  # type: ignore[attr-defined]
            for event in ({"type": "response.created", "response": NATIVE}, last)
        )
        yield SSE
        for start in range(0, len(data), 7):  # events arrive in pieces
            yield chunk(data[start : start + 7])
        yield chunk(b"")

    async with running(native, responses="on") as server, server.connect() as socket:
        await socket.send_json(CREATE)
        assert [event["type"] for event in await response(socket)] == ["response.created", "response.completed"]
        assert asked[0] == {"model": "m", "store": False, "input": CREATE["input"], "stream": True}
        await turn(socket, previous_response_id=NATIVE["id"], input="Why?")
        assert [item["content"] for item in asked[1]["input"]] == [CREATE["input"], MESSAGE["content"], "Why?"]
        assert "previous_response_id" not in asked[1]


@pytest.mark.parametrize("how", ["closes", "disconnects"])
async def test_a_client_that_leaves_ends_the_stream_of_its_provider(how: str) -> None:
    async def stalled(_: Request) -> AsyncIterator[Step]:
        yield SSE
        yield chunk(b'data: {"choices": [{"index": 0, "delta": {"content": "It is a fact. And"}}]}\n\n')
        yield Break.STALL

    async with running(stalled) as server, server.connect() as socket:
        await socket.send_json(CREATE)
        await socket.receive_json()
        if how == "closes":
            await socket.close()
        else:
            await server.http.close()
        async with asyncio.timeout(5):
            await server.upstream.left.wait()


async def test_messages_above_the_limit_of_bodies_close_the_connection() -> None:
    async with running(max_body_bytes=2048) as server, server.connect() as socket:
        await socket.send_json(CREATE | {"input": "a" * 4096})
        message = await socket.receive()
        assert (message.type, socket.close_code) == (WSMsgType.CLOSE, 1009)


async def test_a_conversation_above_the_limit_of_bodies_is_not_kept() -> None:
    async with running(max_body_bytes=1024) as server, server.connect() as socket:
        first = (await turn(socket, input="a" * 900))["response"]
        assert (await turn(socket, previous_response_id=first["id"]))["error"]["code"] == "previous_response_not_found"


async def test_memory_is_reserved_for_the_latest_response_until_the_connection_closes() -> None:
    async with running() as server:
        bodies = server.admission.bodies
        assert bodies is not None
        async with server.connect() as socket:
            await turn(socket, input="a" * 100_000)
            await turn(socket, type="nothing")  # the conversation is kept before the next message is read
            assert bodies.used > 100_000
            await turn(socket)
            await turn(socket, type="nothing")
            assert 0 < bodies.used < 100_000
        async with server.connect() as socket:
            await turn(socket, type="nothing")
            assert bodies.used == 0


HANDSHAKES: dict[str, tuple[dict[str, Any], dict[str, str], int]] = {
    "no key": ({"keys": [{"key": "client-key-0123456789"}]}, {}, 401),
    "a page of another origin": ({}, {"Origin": "https://evil.example"}, 403),
    "another host name": ({}, {"Host": "evil.example"}, 403),
}


@pytest.mark.parametrize(("config", "headers", "status"), HANDSHAKES.values(), ids=HANDSHAKES)
async def test_keys_and_origins_are_checked_when_a_connection_opens(
    config: dict[str, Any], headers: dict[str, str], status: int
) -> None:
    async with running(**config) as server:
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await server.connect(headers=headers)
        assert caught.value.status == status


async def test_a_client_with_a_key_and_a_page_of_an_allowed_origin_connect() -> None:
    key, origin = "client-key-0123456789", "https://app.example"
    headers = {"Authorization": f"Bearer {key}"}
    async with running(keys=[{"key": key}]) as server, server.connect(headers=headers) as socket:
        assert (await turn(socket))["type"] == "response.completed"
    headers = {"Origin": origin}
    async with running(cors_origins=[origin]) as server, server.connect(headers=headers) as socket:
        assert (await turn(socket))["type"] == "response.completed"


async def test_another_request_than_a_websocket_is_refused() -> None:
    async with running() as server, server.http.get(f"{server.url}/responses") as answer:
        assert (answer.status, answer.headers["Allow"]) == (405, "POST")


async def test_the_number_of_connections_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses_socket, "MAX_CONNECTIONS", 1)
    async with running() as server, server.connect() as socket:
        with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
            await server.connect()
        assert caught.value.status == 503
        assert (await turn(socket))["type"] == "response.completed"


async def test_a_response_counts_as_a_request_and_an_open_connection_does_not() -> None:
    async with running(max_streams=1) as server, server.connect() as first, server.connect() as second:
        assert server.admission.idle
        with server.admission.admit(""):
            refused = await turn(first)
        assert (refused["status"], refused["error"]["code"]) == (503, "over_capacity")
        for socket in (first, second):
            assert (await turn(socket))["type"] == "response.completed"


async def test_the_duration_of_a_connection_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses_socket, "MAX_SECONDS", 0.0)
    async with running() as server, server.connect() as socket:
        (event,) = await response(socket)
        assert event["error"]["code"] == "websocket_connection_limit_reached"
        assert (await socket.receive()).type == WSMsgType.CLOSE


async def test_idle_connections_close_when_the_server_stops() -> None:
    async with running() as server, server.connect() as socket:
        await turn(socket)
        await server.admission.drain(5)
        message = await socket.receive()
        assert (message.type, message.data) == (WSMsgType.CLOSE, 1001)
