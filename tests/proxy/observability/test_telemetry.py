"""Telemetry: provider calls and searches are counted by outcome, for all kinds of requests."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.observability.telemetry import WaitTime
from tests.proxy.observability.test_metrics import EVIDENCE, read
from tests.proxy.pipeline.test_retrieval import TEXTS, fill
from tests.upstreams.wire import Break, Request, Server, Step, head

SSE = head("200 OK", "Content-Type: text/event-stream", "Connection: close")
SAID = b'data: {"choices":[{"index":0,"delta":{"content":"It was opened in 1932. It has"},"finish_reason":null}]}\n\n'
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
WHOLE = (SSE + SAID + END, Break.CLOSE)
ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "When was it opened?"}], "model": "up/m"}
CITED = {**ASKED, "evidence": EVIDENCE}

OUTCOMES: dict[str, tuple[tuple[Step, ...], str]] = {
    "complete response": (WHOLE, "complete"),
    "incomplete response": ((SSE + SAID, Break.CLOSE), "incomplete_answer"),
    "error response": ((b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", Break.CLOSE), "rejected"),
    "closed connection": ((Break.CLOSE,), "unreachable"),
}
WAYS = {
    "cited, streamed": CITED | {"stream": True},
    "cited, whole": CITED,
    "passed through, streamed": ASKED | {"stream": True},
    "parsed for the link policy": ASKED | {"stream": True, "citations": {"enabled": False}},
}


def configured(url: str, **more: Any) -> Any:
    provider = {"kind": "openai", "base_url": f"{url}/v1", "api_key": "sk-canary", "retries": {"most": 0}}
    return make_app(parse({"providers": {"up": provider}, **more}))


async def counted(client: TestClient[Any, Any]) -> dict[str, float]:
    return read(await (await client.get("/metrics")).text())


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize(("steps", "outcome"), OUTCOMES.values(), ids=OUTCOMES)
async def test_a_call_is_counted_once_by_how_it_ended(
    steps: tuple[Step, ...], outcome: str, way: dict[str, Any]
) -> None:
    async def answer(_: Request) -> AsyncIterator[Step]:
        for step in steps:
            yield step

    policy = {"output": {"links": "none"}} if "citations" in way else {}
    async with Server(answer) as upstream, TestClient(TestServer(configured(upstream.url, **policy))) as client:
        async with client.post("/v1/chat/completions", json=way) as answered:
            await answered.read()
        found = await counted(client)
    calls = {name: count for name, count in found.items() if name.startswith("citestream_provider_seconds_count")}
    assert calls == {f"citestream_provider_seconds_count outcome={outcome} provider=up": 1}
    first = found.get("citestream_first_token_seconds_count provider=up", 0)
    assert first == (outcome in {"complete", "incomplete_answer"})
    assert "citestream_streams_in_flight" not in found, "back at zero"


async def test_time_of_the_provider_is_not_overhead_and_streams_in_flight_are_counted() -> None:
    go_on, begun = asyncio.Event(), asyncio.Event()

    async def answer(_: Request) -> AsyncIterator[Step]:
        yield SSE + SAID
        begun.set()
        await go_on.wait()
        yield END
        yield Break.CLOSE

    async with Server(answer) as upstream, TestClient(TestServer(configured(upstream.url))) as client:
        async with client.post("/v1/chat/completions", json={**CITED, "stream": True}) as answered:
            await answered.content.readline()
            await begun.wait()
            during = await counted(client)
            go_on.set()
            await answered.read()
        after = await counted(client)
    assert during["citestream_streams_in_flight"] == 1
    assert "citestream_streams_in_flight" not in after
    waited = after["citestream_provider_seconds_sum outcome=complete provider=up"]
    whole = after["citestream_request_seconds_sum endpoint=/v1/chat/completions"]
    ours = after["citestream_overhead_seconds_sum endpoint=/v1/chat/completions"]
    assert 0 < ours < whole
    assert 0 < waited < whole


def test_a_wait_inside_another_is_counted_once() -> None:
    spent = WaitTime(since=1.0)
    spent.add(1000.0)
    assert spent.others == 0
    spent.since = 0.0
    spent.add(1000.0)
    assert spent.others == 1000


async def test_a_client_disconnect_is_not_counted_as_a_provider_failure() -> None:
    async def answer(_: Request) -> AsyncIterator[Step]:
        yield SSE + SAID
        yield Break.STALL

    async with Server(answer) as upstream, TestClient(TestServer(configured(upstream.url))) as client:
        answered = await client.post("/v1/chat/completions", json={**CITED, "stream": True})
        await answered.content.readline()
        answered.close()
        await upstream.left.wait()
        found = await counted(client)
    assert found["citestream_provider_seconds_count outcome=left provider=up"] == 1
    assert not any(name.startswith("citestream_overhead_seconds") for name in found)


async def test_searches_are_counted_by_how_they_ended(tmp_path: Path) -> None:
    docs = {"kind": "folder", "store": str(await fill(tmp_path, TEXTS))}
    gone = {"kind": "folder", "store": str(tmp_path / "gone.db")}
    config = parse({"providers": {"extractive": {}}, "retrievers": {"docs": docs, "gone": gone}})
    async with TestClient(TestServer(make_app(config))) as client:
        for source in ("docs", "gone"):
            body = {**ASKED, "model": "extractive", "retrieval": {"source": source}}
            await client.post("/v1/chat/completions", json=body)
        found = await counted(client)
    searches = {name: count for name, count in found.items() if name.startswith("citestream_retrieval_seconds_count")}
    assert searches == {
        "citestream_retrieval_seconds_count outcome=complete retriever=docs": 1,
        "citestream_retrieval_seconds_count outcome=provider_error retriever=gone": 1,
    }
