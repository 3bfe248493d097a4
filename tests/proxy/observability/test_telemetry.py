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
TEXT = b'data: {"choices":[{"index":0,"delta":{"content":"It was opened in 1932. It has"},"finish_reason":null}]}\n\n'
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
COMPLETE = (SSE + TEXT + END, Break.CLOSE)
REQUEST: dict[str, Any] = {"messages": [{"role": "user", "content": "When was it opened?"}], "model": "up/m"}
REQUEST_WITH_EVIDENCE = {**REQUEST, "evidence": EVIDENCE}

OUTCOMES: dict[str, tuple[tuple[Step, ...], str]] = {
    "complete response": (COMPLETE, "complete"),
    "incomplete response": ((SSE + TEXT, Break.CLOSE), "incomplete_answer"),
    "error response": ((b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", Break.CLOSE), "rejected"),
    "closed connection": ((Break.CLOSE,), "unreachable"),
}
REQUESTS = {
    "cited, streamed": REQUEST_WITH_EVIDENCE | {"stream": True},
    "cited, not streamed": REQUEST_WITH_EVIDENCE,
    "passed through, streamed": REQUEST | {"stream": True},
    "parsed for the link policy": REQUEST | {"stream": True, "citations": {"enabled": False}},
}


def configured(url: str, **more: Any) -> Any:
    provider = {"kind": "openai", "base_url": f"{url}/v1", "api_key": "sk-canary", "retries": {"most": 0}}
    return make_app(parse({"providers": {"up": provider}, **more}))


async def metrics_of(client: TestClient[Any, Any]) -> dict[str, float]:
    return read(await (await client.get("/metrics")).text())


@pytest.mark.parametrize("request_body", REQUESTS.values(), ids=REQUESTS)
@pytest.mark.parametrize(("steps", "outcome"), OUTCOMES.values(), ids=OUTCOMES)
async def test_a_call_is_counted_once_by_its_outcome(
    steps: tuple[Step, ...], outcome: str, request_body: dict[str, Any]
) -> None:
    async def answer(_: Request) -> AsyncIterator[Step]:
        for step in steps:
            yield step

    policy = {"output": {"links": "none"}} if "citations" in request_body else {}
    async with Server(answer) as upstream, TestClient(TestServer(configured(upstream.url, **policy))) as client:
        async with client.post("/v1/chat/completions", json=request_body) as answered:
            await answered.read()
        found = await metrics_of(client)
    calls = {name: count for name, count in found.items() if name.startswith("citestream_provider_seconds_count")}
    assert calls == {f"citestream_provider_seconds_count outcome={outcome} provider=up": 1}
    first = found.get("citestream_first_token_seconds_count provider=up", 0)
    assert first == (outcome in {"complete", "incomplete_answer"})
    assert "citestream_streams_in_flight" not in found, "the gauge is zero again"


async def test_the_time_of_the_provider_is_not_overhead_and_streams_in_flight_are_counted() -> None:
    finish, text_sent = asyncio.Event(), asyncio.Event()

    async def answer(_: Request) -> AsyncIterator[Step]:
        yield SSE + TEXT
        text_sent.set()
        await finish.wait()
        yield END
        yield Break.CLOSE

    async with Server(answer) as upstream, TestClient(TestServer(configured(upstream.url))) as client:
        async with client.post("/v1/chat/completions", json={**REQUEST_WITH_EVIDENCE, "stream": True}) as answered:
            await answered.content.readline()
            await text_sent.wait()
            during = await metrics_of(client)
            finish.set()
            await answered.read()
        after = await metrics_of(client)
    assert during["citestream_streams_in_flight"] == 1
    assert "citestream_streams_in_flight" not in after
    waited = after["citestream_provider_seconds_sum outcome=complete provider=up"]
    whole = after["citestream_request_seconds_sum endpoint=/v1/chat/completions"]
    ours = after["citestream_overhead_seconds_sum endpoint=/v1/chat/completions"]
    assert 0 < ours < whole
    assert 0 < waited < whole


def test_nested_waits_are_counted_once() -> None:
    spent = WaitTime(since=1.0)
    spent.add(1000.0)
    assert spent.waited_seconds == 0
    spent.since = 0.0
    spent.add(1000.0)
    assert spent.waited_seconds == 1000


async def test_a_client_disconnect_is_not_counted_as_a_provider_failure() -> None:
    async def answer(_: Request) -> AsyncIterator[Step]:
        yield SSE + TEXT
        yield Break.STALL

    async with Server(answer) as upstream, TestClient(TestServer(configured(upstream.url))) as client:
        answered = await client.post("/v1/chat/completions", json={**REQUEST_WITH_EVIDENCE, "stream": True})
        await answered.content.readline()
        answered.close()
        await upstream.left.wait()
        found = await metrics_of(client)
    assert found["citestream_provider_seconds_count outcome=left provider=up"] == 1
    assert not any(name.startswith("citestream_overhead_seconds") for name in found)


async def test_searches_are_counted_by_their_outcome(tmp_path: Path) -> None:
    docs = {"kind": "folder", "store": str(await fill(tmp_path, TEXTS))}
    gone = {"kind": "folder", "store": str(tmp_path / "gone.db")}
    config = parse({"providers": {"extractive": {}}, "retrievers": {"docs": docs, "gone": gone}})
    async with TestClient(TestServer(make_app(config))) as client:
        for source in ("docs", "gone"):
            body = {**REQUEST, "model": "extractive", "retrieval": {"source": source}}
            await client.post("/v1/chat/completions", json=body)
        found = await metrics_of(client)
    searches = {name: count for name, count in found.items() if name.startswith("citestream_retrieval_seconds_count")}
    assert searches == {
        "citestream_retrieval_seconds_count outcome=complete retriever=docs": 1,
        "citestream_retrieval_seconds_count outcome=provider_error retriever=gone": 1,
    }
