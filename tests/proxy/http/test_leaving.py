"""If a client disconnects, everything that runs for it ends: provider, embedder, judge and retriever."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.http.error_responses import errors_as_json
from citestream.proxy.observability.logs import access_log
from tests.faults.clients import CLIENTS, EVIDENCE, PASSED, Client
from tests.faults.dialects import DIALECTS, Dialect
from tests.faults.framing import chunked
from tests.upstreams.wire import Break, Request, Server, Step

Start = Callable[..., str]

# 0.1 s on an idle machine. A keep-alive is sent after 15 s, and its write would fail too.
DISCONNECT_SECONDS = 10.0
TIMEOUT_SECONDS = 100.0  # for a machine under load
SEARCH = {"query": "{query}"}

# The output of a provider when the client disconnects.
MOMENTS: dict[str, Callable[[Dialect], Sequence[Step]]] = {
    "before the provider answers": lambda _: [],
    "after its headers": lambda d: chunked(d, [])[:1],
    "while a sentence is held": lambda d: chunked(d, [d.text("Half a sentence that")])[:-1],
    "after a sentence": lambda d: chunked(d, [d.text("It is red. "), d.text("And then")])[:-1],
    "after the finish reason": lambda d: chunked(d, [d.text("It is red."), d.finish()])[:-1],
}


class Silent:
    """A server that sends the configured bytes and then waits until the client disconnects."""

    def __init__(self) -> None:
        self.steps: Sequence[Step] = ()
        self.reached = asyncio.Event()

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        for step in self.steps:
            yield step
        self.reached.set()
        yield Break.STALL


async def disconnect(url: str, client: Client, body: dict[str, Any], *silent: tuple[Silent, Server]) -> None:
    """Send a request, disconnect when all of these servers wait, and check that their connections are closed."""
    for one, server in silent:
        one.reached.clear()
        server.left.clear()
    async with aiohttp.ClientSession() as session:
        posting = asyncio.get_running_loop().create_task(
            session.post(url + client.path.format(model="silent/m"), json=client.body("silent/m", 1) | body)
        )
        async with asyncio.timeout(TIMEOUT_SECONDS):
            for one, _ in silent:
                await one.reached.wait()
        posting.cancel()  # the end of the session closes a connection that has received headers
        with suppress(asyncio.CancelledError):
            (await posting).close()
    async with asyncio.timeout(DISCONNECT_SECONDS):
        for _, server in silent:
            await server.left.wait()


@pytest.mark.parametrize("kind", DIALECTS)
async def test_a_disconnect_closes_the_connection_to_the_provider(kind: str, citestream_server: Start) -> None:
    silent = Silent()
    async with Server(silent) as provider:
        url = citestream_server({"providers": {"silent": settings(kind, provider.url)}})
        for moment, steps in MOMENTS.items():
            silent.steps = steps(DIALECTS[kind])
            for name, client in {**CLIENTS, "passed through": PASSED[kind]}.items():
                try:
                    await disconnect(url, client, {"evidence": EVIDENCE} if client.evidence else {}, (silent, provider))
                except TimeoutError:
                    pytest.fail(f"the connection to the provider stayed open: {name}, disconnected {moment}")


async def test_a_disconnect_closes_the_connection_to_the_embedder(citestream_server: Start) -> None:
    silent, embedding = Silent(), Silent()
    async with Server(silent) as provider, Server(embedding) as embedder:
        providers = {"silent": settings("openai", provider.url), "vectors": settings("openai", embedder.url)}
        scoring = {"embedder": "vectors/m", "deadline_seconds": 10}
        url = citestream_server({"providers": providers, "scoring": scoring, "citations": {"scorer": "hybrid"}})
        silent.steps = MOMENTS["after a sentence"](DIALECTS["openai"])
        for client in CLIENTS.values():
            await disconnect(url, client, {"evidence": EVIDENCE}, (silent, provider), (embedding, embedder))


async def test_a_disconnect_closes_the_connection_to_the_judge(citestream_server: Start) -> None:
    silent, judging = Silent(), Silent()
    async with Server(silent) as provider, Server(judging) as judge:
        providers = {"silent": settings("openai", provider.url), "judge": settings("openai", judge.url)}
        scoring = {"judge": "judge/m", "judge_band": "all", "judge_deadline_seconds": 10}
        url = citestream_server({"providers": providers, "scoring": scoring})
        dialect = DIALECTS["openai"]
        silent.steps = chunked(dialect, [dialect.text("The bridge was opened in 1932. And then")])[:-1]
        for client in CLIENTS.values():
            await disconnect(url, client, {"evidence": EVIDENCE}, (silent, provider), (judging, judge))


async def test_a_disconnect_closes_the_connection_to_the_retriever(citestream_server: Start) -> None:
    searching = Silent()
    async with Server(searching) as retriever:
        found = {"kind": "http", "url": retriever.url, "body": SEARCH, "timeout": TIMEOUT_SECONDS}
        url = citestream_server(
            {"providers": {"silent": settings("openai", "http://127.0.0.1:1")}, "retrievers": {"docs": found}}
        )
        for client in CLIENTS.values():
            await disconnect(url, client, {"retrieval": {"source": "docs"}}, (searching, retriever))


def settings(kind: str, url: str) -> dict[str, Any]:
    base = f"{url}/v1" if kind == "openai" else url
    return {"kind": kind, "base_url": base, "api_key": "sk-none-0123456789", "retries": {"most": 0}}


async def test_a_disconnect_between_two_writes_is_not_logged_as_an_error(caplog: pytest.LogCaptureFixture) -> None:
    ended = asyncio.Event()

    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            await response.write(b"some")
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            await response.write(b"more")  # fails, because the client has disconnected
            return response
        finally:
            ended.set()

    app = web.Application(middlewares=[access_log(enabled=True), errors_as_json(lambda _: lambda error, _: error)])
    app.router.add_get("/", handler)
    with caplog.at_level("INFO"):
        async with TestClient(TestServer(app)) as client:
            answer = await client.get("/")
            await answer.content.readany()
            answer.close()
            await ended.wait()
    assert any(" 499 " in record.getMessage() for record in caplog.records)
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
