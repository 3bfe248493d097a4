"""Limit of simultaneous requests: more are rejected with a time to retry, until a request ends."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.middleware.admission import Admission
from tests.faults.clients import CLIENTS, EVIDENCE, Client, Fields, failed
from tests.faults.dialects import OPENAI
from tests.faults.framing import chunked
from tests.faults.scenarios import full
from tests.upstreams.wire import Request, Server, Step

MOST = 2


class Halting:
    """A provider that says its answer once it may."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        first, *rest = chunked(OPENAI, full(OPENAI))
        yield first
        await self.go_on.wait()
        for step in rest:
            yield step


@pytest.mark.parametrize("name", CLIENTS)
async def test_one_too_many_is_told_when_to_come_back(name: str) -> None:
    halting = Halting()
    async with Server(halting) as upstream:
        providers = {"halting": {"kind": "openai", "base_url": f"{upstream.url}/v1"}}
        app = make_app(parse({"server": {"max_streams": MOST}, "providers": providers}))
        async with TestClient(TestServer(app)) as client, asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(send_request(client, CLIENTS["chat"])) for _ in range(MOST)]
            while len(upstream.requests) < MOST:
                async with client.get("/healthz") as healthy:  # this path is never rejected
                    assert healthy.status == 200
            async with client.post(path(CLIENTS[name]), json=body(CLIENTS[name])) as refused:
                assert refused.status == 503
                assert int(refused.headers["Retry-After"]) >= 1
                assert "too many requests" in failed(await refused.json())
            halting.go_on.set()
            assert [await one for one in running] == [200] * MOST
            assert await send_request(client, CLIENTS[name]) == 200
        assert len(upstream.requests) == MOST + 1


async def test_the_limit_is_that_of_all_workers_together_however_requests_are_spread() -> None:
    halting, counts = Halting(), [0, 0]
    async with Server(halting) as upstream:
        providers = {"halting": {"kind": "openai", "base_url": f"{upstream.url}/v1"}}
        config = parse({"server": {"max_streams": MOST}, "providers": providers})
        one, other = (make_app(config, Admission(MOST, counts, worker)) for worker in range(2))
        async with TestClient(TestServer(one)) as first, TestClient(TestServer(other)) as second:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(send_request(first, CLIENTS["chat"])) for _ in range(MOST)]
                while len(upstream.requests) < MOST:
                    assert await health(second) == 200  # gives way to the requests
                assert counts == [MOST, 0]
                assert await send_request(second, CLIENTS["chat"]) == 503
                halting.go_on.set()
                assert [await one for one in running] == [200] * MOST
            assert counts == [0, 0]
            assert await send_request(second, CLIENTS["chat"]) == 200


async def health(client: Any) -> int:
    async with client.get("/healthz") as answer:
        status: int = answer.status
        return status


async def send_request(client: Any, api: Client) -> int:
    async with client.post(path(api), json=body(api)) as answer:
        await answer.read()
        status: int = answer.status
        return status


def path(api: Client) -> str:
    return api.path.format(model="halting/m")


def body(api: Client) -> Fields:
    return api.body("halting/m", 1) | {"evidence": EVIDENCE}
