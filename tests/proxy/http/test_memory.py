"""The memory of request bodies is limited, and returns without the garbage collector when a request ends in any way."""

import asyncio
import gc
import gzip
import json
import tracemalloc
import weakref
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from citestream.providers.scheduler import scheduler
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.middleware.admission import ADMISSION, Admission
from citestream.proxy.http.middleware.body_budget import BodyBudget, memory_of
from citestream.proxy.http.request_body import _release
from citestream.proxy.http.serving.server import _running
from tests.upstreams.wire import Break, Request, Server, Step

MB = 2**20
LONG = "x" * 30 * MB
EVIDENCE = [{"text": "The bridge is red."}]
MAX_KEPT = MB  # memory that remains for other reasons, such as connections
SMALL = {"messages": [{"role": "user", "content": "Is it red?"}]}
HEADERS = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
TIMEOUT_SECONDS = 100.0


class Upstream:
    """A provider that receives a request and is silent, or refuses it."""

    def __init__(self) -> None:
        self.received = asyncio.Event()
        self.refuses = False
        self.requests: list[Request] = []

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        self.received.set()
        if self.refuses:
            yield b"HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
        else:
            yield Break.STALL


@asynccontextmanager
async def running(upstream: Upstream, **server: Any) -> AsyncIterator[tuple[str, Admission]]:
    """Run a server in this process. Yield its URL and its admission."""
    async with Server(upstream) as provider:
        upstream.requests = provider.requests
        providers = {"p": {"kind": "openai", "base_url": f"{provider.url}/v1"}, "extractive": {"kind": "extractive"}}
        app = make_app(parse({"server": server, "providers": providers}))
        async with _running(app) as runner:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            yield f"http://127.0.0.1:{runner.addresses[0][1]}", app[ADMISSION]


@pytest.fixture
def without_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    tracemalloc.start(1)
    yield
    tracemalloc.stop()
    gc.enable()


async def send(url: str, body: dict[str, Any], upstream: Upstream, *, leaves: bool) -> int | None:
    """Send a request. Return its status, or leave when the provider has received it."""
    data = gzip.compress(json.dumps({"model": "p/m", **body}).encode(), 1)
    upstream.received.clear()
    async with aiohttp.ClientSession() as session, asyncio.timeout(TIMEOUT_SECONDS):
        post = asyncio.get_running_loop().create_task(
            session.post(f"{url}/v1/chat/completions", data=data, headers=HEADERS)
        )
        if leaves:
            await upstream.received.wait()
            post.cancel()
            return None
        async with await post as answer:
            await answer.read()
            return answer.status


async def until_idle(admission: Admission) -> None:
    """Wait until no request runs and everything is freed in steps."""
    while not (admission.idle and scheduler().idle):  # noqa: ASYNC110 # it has no event
        await asyncio.sleep(0)


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("leaves", [True, False], ids=["the client leaves", "the provider refuses"])
@pytest.mark.parametrize("fields", [{}, {"evidence": EVIDENCE}, {"evidence": EVIDENCE, "stream": True}], ids=str)
async def test_a_body_of_30_mb_is_freed_when_its_request_ends(fields: dict[str, Any], leaves: bool) -> None:
    upstream = Upstream()
    upstream.refuses = not leaves
    async with running(upstream) as (url, admission):
        await send(url, {**SMALL, **fields}, upstream, leaves=leaves)
        await until_idle(admission)
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(2):
            await send(url, {"messages": [{"role": "user", "content": LONG}], **fields}, upstream, leaves=leaves)
            await until_idle(admission)
        upstream.requests.clear()
        after, peak = tracemalloc.get_traced_memory()
    assert after - before < MAX_KEPT
    assert peak - before > len(LONG)
    assert admission.bodies
    assert admission.bodies.used == 0


async def test_a_request_beyond_the_memory_of_all_bodies_is_refused_until_another_ends() -> None:
    upstream = Upstream()
    body = {"messages": [{"role": "user", "content": "x" * 3 * MB}]}
    async with running(upstream, max_bodies_bytes=8 * MB) as (url, admission), aiohttp.ClientSession() as session:
        data = gzip.compress(json.dumps({"model": "p/m", **body}).encode())
        first = asyncio.get_running_loop().create_task(
            session.post(f"{url}/v1/chat/completions", data=data, headers=HEADERS)
        )
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await upstream.received.wait()
        async with session.post(f"{url}/v1/chat/completions", data=data, headers=HEADERS) as refused:
            assert refused.status == 503
            assert int(refused.headers["Retry-After"]) >= 1
            assert (await refused.json())["error"]["code"] == "over_capacity"
        first.cancel()
        await asyncio.wait([first])
        await until_idle(admission)
        upstream.refuses = True
        assert await send(url, body, upstream, leaves=False) == 400


async def test_a_stored_conversation_counts_as_a_part_of_the_request_that_refers_to_it() -> None:
    upstream = Upstream()
    stored = gzip.compress(json.dumps({"model": "extractive", "input": "x" * 3 * MB}).encode())
    async with running(upstream, max_bodies_bytes=8 * MB) as (url, admission), aiohttp.ClientSession() as session:
        async with session.post(f"{url}/v1/responses", data=stored, headers=HEADERS) as answer:
            response_id = (await answer.json())["id"]
        await until_idle(admission)
        assert admission.bodies
        assert admission.bodies.used == 0
        request = {"model": "p/m", "input": "Hi", "previous_response_id": response_id}
        first = asyncio.get_running_loop().create_task(session.post(f"{url}/v1/responses", json=request))
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await upstream.received.wait()
        assert admission.bodies.used > 6 * MB
        async with session.post(f"{url}/v1/responses", json=request) as refused:
            assert refused.status == 503
            assert (await refused.json())["error"]["code"] == "over_capacity"
        first.cancel()
        await asyncio.wait([first])
        await until_idle(admission)
        assert admission.bodies.used == 0


class Value(list[Any]):
    """A list that can be observed."""


def test_large_values_are_freed_before_the_last_step() -> None:
    inner = Value(range(9))
    observed, held = weakref.ref(inner), [{"items": [inner] * 5_000}]
    del inner
    steps = _release(held, None)
    states = [observed() is None for _ in steps]
    assert states[-1]
    assert not states[0]


async def test_a_request_beyond_the_limit_is_admitted_if_it_is_alone() -> None:
    upstream = Upstream()
    upstream.refuses = True
    body = {"messages": [{"role": "user", "content": "x" * 3 * MB}]}
    async with running(upstream, max_bodies_bytes=MB) as (url, _):
        assert await send(url, body, upstream, leaves=False) == 400


def test_workers_share_the_budget() -> None:
    counts = [0, 0]
    one, other = (BodyBudget(1_000, counts, worker).reservation() for worker in range(2))
    one.add(b"x" * 400)
    with pytest.raises(Exception, match="too much memory"):
        other.add(b"x" * 400)
    assert counts == [800, 0]
    one.release()
    other.add(b"x" * 400)
    assert counts == [0, 800]


@pytest.mark.parametrize("value", [[{}] * 50_000, [[]] * 50_000, {str(n): n for n in range(50_000)}, "é" * 500_000])
def test_the_estimate_is_not_less_than_the_memory_of_the_parsed_values(value: Any) -> None:
    data = json.dumps(value).encode()
    tracemalloc.start(1)
    parsed = json.loads(data)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del parsed
    assert memory_of(data) >= size
