"""Limit of concurrent requests: further ones are rejected with a time to retry until a request ends."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.error_responses import RequestError
from citestream.proxy.http.middleware.admission import Admission
from citestream.proxy.http.middleware.client_shares import ClientShares, max_per_client
from tests.faults.clients import CLIENTS, EVIDENCE, Client, Fields, error_message
from tests.faults.dialects import OPENAI
from tests.faults.framing import chunked
from tests.faults.scenarios import full
from tests.upstreams.wire import Request, Server, Step

MAX_STREAMS = 2
BUSY_KEY, OTHER_KEY = "ck-" + "b" * 43, "ck-" + "o" * 43


class WaitingProvider:
    """A provider that sends the rest of its answer when `finish` is set."""

    def __init__(self) -> None:
        self.finish = asyncio.Event()

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        first, *rest = chunked(OPENAI, full(OPENAI))
        yield first
        await self.finish.wait()
        for step in rest:
            yield step


@pytest.mark.parametrize("name", CLIENTS)
async def test_a_request_above_the_limit_is_rejected_with_a_time_to_retry(name: str) -> None:
    waiting = WaitingProvider()
    async with Server(waiting) as upstream:
        providers = {"waiting": {"kind": "openai", "base_url": f"{upstream.url}/v1"}}
        app = make_app(parse({"server": {"max_streams": MAX_STREAMS}, "providers": providers}))
        async with TestClient(TestServer(app)) as client, asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(send_request(client, CLIENTS["chat"])) for _ in range(MAX_STREAMS)]
            while len(upstream.requests) < MAX_STREAMS:
                async with client.get("/healthz") as healthy:  # this path is never rejected
                    assert healthy.status == 200
            async with client.post(path(CLIENTS[name]), json=body(CLIENTS[name])) as refused:
                assert refused.status == 503
                assert int(refused.headers["Retry-After"]) >= 1
                assert "too many requests" in error_message(await refused.json())
            waiting.finish.set()
            assert [await one for one in running] == [200] * MAX_STREAMS
            assert await send_request(client, CLIENTS[name]) == 200
        assert len(upstream.requests) == MAX_STREAMS + 1


async def test_all_workers_share_one_limit() -> None:
    waiting, counts = WaitingProvider(), [0, 0]
    async with Server(waiting) as upstream:
        providers = {"waiting": {"kind": "openai", "base_url": f"{upstream.url}/v1"}}
        config = parse({"server": {"max_streams": MAX_STREAMS}, "providers": providers})
        one, other = (make_app(config, Admission(MAX_STREAMS, counts, worker)) for worker in range(2))
        async with TestClient(TestServer(one)) as first, TestClient(TestServer(other)) as second:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(send_request(first, CLIENTS["chat"])) for _ in range(MAX_STREAMS)]
                while len(upstream.requests) < MAX_STREAMS:
                    assert await health(second) == 200  # also lets the requests run
                assert counts == [MAX_STREAMS, 0]
                assert await send_request(second, CLIENTS["chat"]) == 503
                waiting.finish.set()
                assert [await one for one in running] == [200] * MAX_STREAMS
            assert counts == [0, 0]
            assert await send_request(second, CLIENTS["chat"]) == 200


async def health(client: Any) -> int:
    async with client.get("/healthz") as answer:
        status: int = answer.status
        return status


async def send_request(client: Any, api: Client, key: str = "") -> int:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with client.post(path(api), json=body(api), headers=headers) as answer:
        await answer.read()
        status: int = answer.status
        return status


def path(api: Client) -> str:
    return api.path.format(model="waiting/m")


def body(api: Client) -> Fields:
    return api.body("waiting/m", 1) | {"evidence": EVIDENCE}


async def test_one_client_leaves_room_for_the_others() -> None:
    waiting = WaitingProvider()
    async with Server(waiting) as upstream:
        providers = {"waiting": {"kind": "openai", "base_url": f"{upstream.url}/v1"}}
        limits = {"max_streams": 4, "keys": [{"key": BUSY_KEY}, {"key": OTHER_KEY}]}
        app = make_app(parse({"server": limits, "providers": providers}))
        async with TestClient(TestServer(app)) as client, asyncio.TaskGroup() as tasks:
            chat = CLIENTS["chat"]
            running = [tasks.create_task(send_request(client, chat, BUSY_KEY)) for _ in range(3)]
            while len(upstream.requests) < 3:
                assert await health(client) == 200
            assert await send_request(client, chat, BUSY_KEY) == 429
            other = tasks.create_task(send_request(client, chat, OTHER_KEY))
            while len(upstream.requests) < 4:
                assert await health(client) == 200
            waiting.finish.set()
            assert [await one for one in [*running, other]] == [200] * 4
            assert await send_request(client, chat, BUSY_KEY) == 200


LIMITS = {
    "one client has all": (0, 100, 1, 100),
    "anonymous clients have all": (0, 100, 0, 100),
    "several clients have three quarters each": (0, 100, 2, 75),
    "a client may always send one request": (0, 1, 2, 1),
    "the configured limit counts": (10, 100, 2, 10),
}


@pytest.mark.parametrize(("configured", "max_streams", "clients", "expected"), LIMITS.values(), ids=LIMITS)
def test_the_limit_of_one_client(configured: int, max_streams: int, clients: int, expected: int) -> None:
    assert max_per_client(configured, max_streams, clients) == expected


def test_all_workers_share_the_limit_of_a_client() -> None:
    counts = [0] * 4
    one, other = (ClientShares(["a", "b"], 1, counts, worker) for worker in range(2))
    one.begin("a")
    with pytest.raises(RequestError):
        other.begin("a")
    other.begin("b")
    assert counts == [1, 0, 0, 1]
    one.end("a")
    other.begin("a")
    other.begin("a key that is not configured")
