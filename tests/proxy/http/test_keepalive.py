"""Keep-alives of a silent stream in each client API, with a clock that the test moves."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.clock import Clock
from tests.faults.clients import CLIENTS, EVIDENCE, PASSED, Client
from tests.faults.dialects import DIALECTS
from tests.faults.framing import chunked
from tests.faults.scenarios import full
from tests.upstreams.wire import Request, Server, Step

# Client APIs, each with the kind of its provider
CLIENT_APIS: dict[str, tuple[Client, str]] = {
    **{name: (client, "openai") for name, client in CLIENTS.items() if client.streamed},
    **{f"{kind}, passed through": (client, kind) for kind, client in PASSED.items()},
}


def comment(data: bytes) -> bool:
    return data == b": keep-alive\n\n"


def newline(data: bytes) -> bool:
    return data == b"\n"


def ping(data: bytes) -> bool:
    return data == b'event: ping\ndata: {"type": "ping"}\n\n'


def line_without_text(data: bytes) -> bool:
    line: dict[str, Any] = json.loads(data)
    text = line["message"]["content"] if "message" in line else line["response"]
    return (text, line["done"], data[-1:]) == ("", False, b"\n")


# Beginning of a path -> whether these bytes are a keep-alive of its API
KEEP_ALIVES: dict[str, Callable[[bytes], bool]] = {
    "/v1/chat": comment,
    "/v1/responses": comment,
    "/v2/chat": comment,
    "/v1beta": newline,
    "/v1/messages": ping,
    "/api": line_without_text,
}


@pytest.mark.parametrize(("api", "kind"), CLIENT_APIS.values(), ids=CLIENT_APIS)
async def test_a_silent_stream_gets_a_keep_alive_every_15_seconds(
    api: Client, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested, may_answer = asyncio.Event(), asyncio.Event()

    async def answer(_: Request) -> AsyncIterator[Step]:
        requested.set()
        await may_answer.wait()
        for step in chunked(DIALECTS[kind], full(DIALECTS[kind])):
            yield step

    clock = Clock(monkeypatch)
    async with Server(answer) as provider:
        address = provider.url + ("/v1" if kind == "openai" else "")
        app = make_app(parse({"providers": {"slow": {"kind": kind, "base_url": address, "api_key": "k"}}}))
        async with TestClient(TestServer(app)) as client, asyncio.TaskGroup() as tasks:
            received: list[bytes] = []
            reading = tasks.create_task(read_answer(client, api, received))
            await requested.wait()
            counts = []
            for seconds in (14.9, 0.2, 14.9, 0.2):
                clock.advance(seconds)
                await run_waiting_tasks(client)
                counts.append(len(received))
            may_answer.set()
            await reading
    assert counts == [0, 1, 1, 2]
    first, second, *rest = received
    (is_keepalive,) = (check for beginning, check in KEEP_ALIVES.items() if api.path.startswith(beginning))
    assert (is_keepalive(first), is_keepalive(second)) == (True, True)
    assert b"1932" in b"".join(rest)


async def read_answer(client: TestClient[Any, Any], api: Client, received: list[bytes]) -> None:
    """Add each HTTP chunk of an answer to `received`."""
    body = api.body("slow/m", 1) | ({"evidence": EVIDENCE} if api.evidence else {})
    async with client.post(api.path.format(model="slow/m"), json=body) as response:
        data = b""
        async for part, ends in response.content.iter_chunks():
            data += part
            if ends:
                received.append(data)
                data = b""


async def run_waiting_tasks(client: TestClient[Any, Any]) -> None:
    """Let the tasks of the server and of other clients run until they wait."""
    for _ in range(5):
        async with client.get("/healthz") as healthy:
            assert healthy.status == 200
