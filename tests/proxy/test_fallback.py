"""If a model cannot answer, the configured fallback answers, but not after a chunk has been sent."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import ConfigError, parse
from citestream.proxy.http.application import make_app
from citestream.proxy.model_routes import Routes
from tests.upstreams.ollama import line
from tests.upstreams.wire import Break, Request, Server, Step, chunk, head, whole

FALLBACK_ANSWER = "The bridge was opened in 1932."
REQUEST: dict[str, Any] = {"model": "first/m", "messages": [{"role": "user", "content": "When?"}]}
EVIDENCE = {"evidence": [{"text": "The bridge was opened in 1932 by the mayor."}]}
HEADERS = head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
ROLE = b'data: {"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n'
TIMEOUTS = {"first_token": 0.3, "idle": 0.3}
TEXT = b'data: {"model":"m","choices":[{"index":0,"delta":{"content":"Well, it"}}]}\n\n'


async def fallback_server(_: Request) -> AsyncIterator[Step]:
    """The fallback, an Ollama server."""
    message = {"model": "llama", "created_at": "2026-01-01T00:00:00Z"}
    text = {"role": "assistant", "content": FALLBACK_ANSWER}
    yield head("200 OK", "Content-Type: application/x-ndjson", "Transfer-Encoding: chunked")
    yield chunk(line({**message, "message": text, "done": False}))
    yield chunk(line({**message, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}))
    yield chunk(b"")


@asynccontextmanager
async def proxy(
    steps: list[Step], first: Mapping[str, Any] | None = None, **config: Any
) -> AsyncIterator[tuple[TestClient[Any, Any], Server]]:
    """Yield a client of a proxy whose first provider takes these steps, and the server of the fallback."""

    async def answer(_: Request) -> AsyncIterator[Step]:
        for step in steps:
            yield step

    async with Server(answer) as faulty, Server(fallback_server) as other:
        providers = {
            "first": {
                "kind": "openai",
                "base_url": f"{faulty.url}/v1",
                "retries": {"most": 0},
                "timeouts": TIMEOUTS if Break.STALL in steps else {},
                "fallback": "other/llama",
                **(first or {}),
            },
            "other": {"kind": "ollama", "base_url": other.url},
        }
        app = make_app(parse({"providers": providers, **config}))
        async with TestClient(TestServer(app)) as client:
            yield client, other


def read(stream: bytes) -> list[Any]:
    return [json.loads(event[6:]) for event in stream.decode().split("\n\n") if event.startswith("data: {")]


def text_of(chunks: list[Any]) -> str:
    return "".join(c["choices"][0]["delta"].get("content") or "" for c in chunks if c.get("choices"))


FAILURES: dict[str, list[Step]] = {
    "503": [whole("503 Service Unavailable", b"{}")],
    "500": [whole("500 Internal Server Error", b"{}")],
    "429": [whole("429 Too Many Requests", b"{}", "Retry-After: 60")],
    "401": [whole("401 Unauthorized", b"{}")],
    "404, a model that it does not have": [whole("404 Not Found", b'{"error":{"message":"no such model"}}')],
    "an HTML page": [whole("200 OK", b"<html>", "Content-Type: text/html")],
    "a closed connection": [Break.CLOSE],
    "no answer": [Break.STALL],
}
# Without evidence, the client has received the headers in these cases, so the fallback cannot answer.
FAILURES_AFTER_HEADERS: dict[str, list[Step]] = {
    "no data after the headers": [HEADERS, Break.STALL],
    "end of file after the headers": [HEADERS, chunk(b"")],
    "an error as its first event": [HEADERS, chunk(b'data: {"error":{"message":"Overloaded"}}\n\n'), chunk(b"")],
}


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("case", FAILURES | FAILURES_AFTER_HEADERS)
async def test_the_fallback_answers_after_a_failure(case: str, streamed: bool) -> None:
    async with proxy((FAILURES | FAILURES_AFTER_HEADERS)[case]) as (client, _):
        answer = await client.post("/v1/chat/completions", json={**REQUEST, **EVIDENCE, "stream": streamed})
        body = await answer.read()
    assert answer.status == 200
    if streamed:
        chunks = read(body)
        assert body.endswith(b"data: [DONE]\n\n")
        assert text_of(chunks) == f"{FALLBACK_ANSWER} [1]"
        assert {chunk["model"] for chunk in chunks} == {"llama"}
    else:
        completion = json.loads(body)
        assert completion["choices"][0]["message"]["content"] == f"{FALLBACK_ANSWER} [1]"
        assert completion["model"] == "llama"


@pytest.mark.parametrize("case", FAILURES)
async def test_the_fallback_answers_a_request_without_evidence(case: str) -> None:
    async with proxy(FAILURES[case]) as (client, _):
        answer = await client.post("/v1/chat/completions", json={**REQUEST, "stream": True})
        chunks = read(await answer.read())
    assert (answer.status, text_of(chunks)) == (200, FALLBACK_ANSWER)


@pytest.mark.parametrize("sent", [ROLE, ROLE + TEXT])
async def test_the_fallback_is_not_used_after_a_chunk_was_sent(sent: bytes) -> None:
    async with proxy([HEADERS, chunk(sent), Break.CLOSE]) as (client, other):
        answer = await client.post("/v1/chat/completions", json={**REQUEST, **EVIDENCE, "stream": True})
        chunks = read(await answer.read())
    assert text_of(chunks) == ("Well, it" if sent is not ROLE else "")
    assert chunks[-1]["error"]["code"] == "incomplete_answer"
    assert other.requests == []


async def test_the_fallback_gives_the_complete_answer_if_the_first_model_breaks_off() -> None:
    async with proxy([HEADERS, chunk(ROLE + TEXT), Break.CLOSE]) as (client, _):
        answer = await client.post("/v1/chat/completions", json={**REQUEST, **EVIDENCE})
        assert (await answer.json())["choices"][0]["message"]["content"] == f"{FALLBACK_ANSWER} [1]"


@pytest.mark.parametrize("status", ["400 Bad Request", "413 Content Too Large", "422 Unprocessable Entity"])
async def test_the_fallback_is_not_used_after_a_client_error(status: str) -> None:
    async with proxy([whole(status, b'{"error":{"message":"Too long"}}')]) as (client, other):
        answer = await client.post("/v1/chat/completions", json={**REQUEST, **EVIDENCE})
        assert (answer.status, (await answer.json())["error"]["message"]) == (int(status[:3]), "Too long")
    assert other.requests == []


async def test_the_last_failure_is_returned_if_no_model_can_answer() -> None:
    async with proxy([Break.CLOSE], {"fallback": "first/n"}) as (client, _):
        answer = await client.post("/v1/chat/completions", json={**REQUEST, **EVIDENCE, "stream": True})
        assert (answer.status, (await answer.json())["error"]["code"]) == (502, "provider_unreachable")


async def test_keep_alives_are_sent_until_the_fallback_answers() -> None:
    for evidence in ({}, EVIDENCE):
        async with proxy([Break.STALL], server={"keepalive_seconds": 0.1}) as (client, _):
            answer = await client.post("/v1/chat/completions", json={**REQUEST, **evidence, "stream": True})
            body = await answer.read()
        assert body.startswith(b": keep-alive\n\n")
        assert text_of(read(body)).startswith(FALLBACK_ANSWER)
        assert body.endswith(b"data: [DONE]\n\n")


async def test_the_key_of_the_client_is_not_sent_to_the_fallback() -> None:
    async with proxy([Break.CLOSE], {"pass_client_key": True}) as (client, other):
        headers = {"Authorization": "Bearer sk-mine"}
        await client.post("/v1/chat/completions", json={**REQUEST, **EVIDENCE}, headers=headers)
    (request,) = other.requests
    assert "authorization" not in request.headers
    assert request.json["model"] == "llama"


async def test_the_name_of_a_fallback_has_the_same_meaning_in_every_client_api() -> None:
    providers = {
        "first": {
            "kind": "openai",
            "base_url": "http://127.0.0.1:9/v1",
            "fallback": "claude-x",
            "retries": {"most": 0},
        },
        "claude": {"kind": "anthropic", "base_url": "http://127.0.0.1:9", "api_key": "k", "retries": {"most": 0}},
    }
    async with Server(fallback_server) as other:
        providers["other"] = {"kind": "ollama", "base_url": other.url}
        app = make_app(parse({"providers": providers, "default_provider": "other"}))
        async with TestClient(TestServer(app)) as client:
            for path in ("/v1/chat/completions", "/v1/messages"):
                answer = await client.post(path, json={**REQUEST, "max_tokens": 9})
                assert (answer.status, other.requests[-1].json["model"]) == (200, "claude-x")


def chain(model: str, **config: Any) -> tuple[str, ...]:
    providers = {"a": {"kind": "openai", "fallback": "b/y"}, "b": {"kind": "ollama"}}
    return Routes(parse({"providers": providers, **config})).chain(model)


def test_the_order_in_which_models_are_tried() -> None:
    assert chain("a/x") == ("a/x", "b/y")
    assert chain("b/x") == ("b/x",)
    assert chain("unknown/x") == ("unknown/x",)
    fast = {"model": "a/x"}
    assert chain("fast", models={"fast": fast}) == ("fast", "b/y")
    assert chain("fast", models={"fast": {**fast, "fallback": "b/z"}}) == ("fast", "b/z")
    assert chain("bare", default_provider="a") == ("bare", "b/y")


def test_no_model_is_tried_twice() -> None:
    models = {"x": {"model": "b/x", "fallback": "y"}, "y": {"model": "b/y", "fallback": "x"}}
    assert chain("x", models=models) == ("x", "y")
    assert chain("a/x", models=models) == ("a/x", "b/y")


@pytest.mark.parametrize("where", ["providers", "models"])
def test_the_error_names_a_fallback_that_does_not_exist(where: str) -> None:
    raw: dict[str, Any] = {"providers": {"ollama": {"fallback": "olama/x"}}}
    if where == "models":
        raw = {"providers": {"ollama": None}, "models": {"fast": {"model": "ollama/x", "fallback": "olama/x"}}}
    with pytest.raises(ConfigError, match="fallback: there is no provider 'olama'; did you mean ollama"):
        parse(raw)
