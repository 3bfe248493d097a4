"""Answers that pass through without a stream: errors, and clients that disconnect."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.pass_through import HELD_BYTES
from tests.upstreams.wire import Break, Request, Server, Step, head, script, sse, whole

TIMEOUT_SECONDS = 100.0  # for a machine under load
BODY = {"model": "up/m", "messages": [{"role": "user", "content": "When does water boil?"}]}
JSON = "Content-Type: application/json"
PART = b'{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"Water boils'


@asynccontextmanager
async def running_proxy(provider: Server) -> AsyncIterator[TestClient[Any, Any]]:
    settings = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "k", "retries": {"most": 0}}
    async with TestClient(TestServer(make_app(parse({"providers": {"up": settings}})))) as client:
        yield client


BROKEN: dict[str, list[Step]] = {
    "a truncated answer": [head("200 OK", JSON, "Content-Length: 5000"), PART, Break.CLOSE],
    "an empty answer": [whole("200 OK", b"", JSON)],
    "an empty stream": [head("200 OK", "Content-Type: text/event-stream"), Break.CLOSE],
}


@pytest.mark.parametrize("name", BROKEN)
async def test_an_incomplete_answer_is_an_error_with_a_status(name: str) -> None:
    async with Server(script(*BROKEN[name])) as provider, running_proxy(provider) as client:
        answer = await client.post("/v1/chat/completions", json=BODY)
        assert answer.status == 502
        assert (await answer.json())["error"].keys() == {"message", "type", "param", "code"}


@pytest.mark.parametrize("count", [2, 2.0])
async def test_a_stream_in_which_a_choice_has_no_end_ends_with_an_error(count: float) -> None:
    first = b'data: {"choices":[{"index":0,"delta":{"content":"Water"},"finish_reason":"stop"}]}\n\n'
    second = b'data: {"choices":[{"index":1,"delta":{"content":"Wat"},"finish_reason":null}]}\n\n'
    async with Server(sse(first, second)) as provider, running_proxy(provider) as client:
        answer = await client.post("/v1/chat/completions", json={**BODY, "stream": True, "n": count})
        assert b'"code":"incomplete_answer"' in await answer.read()


async def test_a_large_answer_is_passed_through_unchanged() -> None:
    large = b'{"id":"c","pad":"%b"}' % (b"x" * 3 * HELD_BYTES)
    async with Server(script(whole("200 OK", large, JSON))) as provider, running_proxy(provider) as client:
        answer = await client.post("/v1/chat/completions", json=BODY)
        assert (answer.status, await answer.read()) == (200, large)


async def test_a_disconnect_before_the_end_closes_the_connection_to_the_provider() -> None:
    reached = asyncio.Event()

    async def stalling(_: Request) -> AsyncIterator[Step]:
        yield head("200 OK", JSON, "Content-Length: 5000")
        yield PART
        reached.set()
        yield Break.STALL

    async with Server(stalling) as provider, running_proxy(provider) as client, asyncio.timeout(TIMEOUT_SECONDS):
        async with ClientSession() as session:
            request = session.post(client.make_url("/v1/chat/completions"), json=BODY)
            posting = asyncio.get_running_loop().create_task(request)
            await reached.wait()
            posting.cancel()
            await asyncio.gather(posting, return_exceptions=True)
        await provider.left.wait()
