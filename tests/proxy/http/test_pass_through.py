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


# Bodies of errors as vendors write them, with spaces and fields that no client API of Citestream has.
UNCHANGED_ERRORS: dict[str, tuple[str, str, dict[str, Any], int, bytes]] = {
    "openai": (
        "openai",
        "/v1/chat/completions",
        BODY,
        400,
        b'{\n  "error": {\n    "message": "Bad value.", "type": "invalid_request_error", "code": null\n  }\n}',
    ),
    "vLLM": (
        "openai",
        "/v1/chat/completions",
        BODY,
        404,
        b'{"object":"error","message":"There is no such model.","type":"NotFoundError","param":"model","code":404}',
    ),
    "anthropic": (
        "anthropic",
        "/v1/messages",
        {**BODY, "max_tokens": 9},
        400,
        b'{"type":"error","error":{"type":"invalid_request_error","message":"Bad."},"request_id":"req_011CSHoEeqs5C35K"}',
    ),
    "gemini": (
        "gemini",
        "/v1beta/models/up/m:generateContent",
        {"contents": [{"parts": [{"text": "Hi"}]}]},
        400,
        b'{\n  "error": {\n    "code": 400, "message": "Bad.", "status": "INVALID_ARGUMENT", "details": [{}]\n}}\n',
    ),
    "ollama": ("ollama", "/api/chat", BODY, 404, b'{"error":"model \\"m\\" not found"}'),
}


@asynccontextmanager
async def refusing(kind: str, status: int, data: bytes) -> AsyncIterator[TestClient[Any, Any]]:
    async with Server(script(whole(f"{status} No", data, JSON))) as provider:
        base_url = f"{provider.url}/v1" if kind == "openai" else provider.url
        settings = {"kind": kind, "base_url": base_url, "api_key": "k", "retries": {"most": 0}}
        async with TestClient(TestServer(make_app(parse({"providers": {"up": settings}})))) as client:
            yield client


@pytest.mark.parametrize("name", UNCHANGED_ERRORS)
async def test_the_body_of_an_error_passes_through_unchanged_without_evidence(name: str) -> None:
    kind, path, body, status, data = UNCHANGED_ERRORS[name]
    async with refusing(kind, status, data) as client:
        answer = await client.post(path, json=body)
        assert (answer.status, await answer.read(), answer.content_type) == (status, data, "application/json")
        evidence = {**body, "evidence": [{"text": "Water boils at 100 °C."}]}
        cited = await client.post(path, json=evidence)
        assert (cited.status, (await cited.read()) == data) == (status, kind == "ollama")  # its own form is the same


SECRET_ERRORS = {
    "a key": b'{"error": {"message": "Incorrect API key provided: sk-proj-4f7b9c1d2e3f"}, "more": 1}',
    "a key in another field": b'{"error": {"message": "Wrong."}, "request": {"header": "Bearer sk-4f7b9c1d2e3f5a"}}',
    "an address of the operator": b'{"error": {"message": "http://10.0.0.7:8000/v1 is overloaded."}, "more": 1}',
    "an escaped key": b'{"error": {"message": "\\u0073k-proj-4f7b9c1d2e3f is wrong."}, "more": 1}',
    "a page": b"<html>gpu-7.internal</html>",
}


@pytest.mark.parametrize("name", SECRET_ERRORS)
async def test_the_body_of_an_error_that_has_to_be_masked_does_not_pass_through(name: str) -> None:
    async with refusing("openai", 401, SECRET_ERRORS[name]) as client:
        answer = await client.post("/v1/chat/completions", json=BODY)
        text = await answer.text()
        assert answer.status == 401
        assert (await answer.json())["error"].keys() == {"message", "type", "param", "code"}
        for secret in ("4f7b9c1d", "10.0.0.7", "internal", "more"):
            assert secret not in text


async def test_an_error_in_another_api_is_translated() -> None:
    _, _, _, status, data = UNCHANGED_ERRORS["openai"]
    async with refusing("openai", status, data) as client:
        answer = await client.post("/v1/messages", json={**BODY, "max_tokens": 9})
        expected = {"type": "error", "error": {"type": "invalid_request_error", "message": "Bad value."}}
        assert (answer.status, await answer.json()) == (status, expected)
