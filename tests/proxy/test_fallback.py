"""If a model cannot answer, the configured fallback answers, but not after text has been sent."""

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

STANDS_IN = "The bridge was opened in 1932."
ASKED: dict[str, Any] = {"model": "first/m", "messages": [{"role": "user", "content": "When?"}]}
EVIDENCE = {"evidence": [{"text": "The bridge was opened in 1932 by the mayor."}]}
HEADERS = head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
ROLE = b'data: {"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n'
TEXT = b'data: {"model":"m","choices":[{"index":0,"delta":{"content":"Well, it"}}]}\n\n'


async def stands_in(_: Request) -> AsyncIterator[Step]:
    """An Ollama server."""
    message = {"model": "llama", "created_at": "2026-01-01T00:00:00Z"}
    text = {"role": "assistant", "content": STANDS_IN}
    yield head("200 OK", "Content-Type: application/x-ndjson", "Transfer-Encoding: chunked")
    yield chunk(line({**message, "message": text, "done": False}))
    yield chunk(line({**message, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}))
    yield chunk(b"")


@asynccontextmanager
async def proxy(
    steps: list[Step], first: Mapping[str, Any] | None = None, **config: Any
) -> AsyncIterator[tuple[TestClient[Any, Any], Server]]:
    """A proxy whose first provider takes these steps; a client of it, and the server that stands in."""

    async def answer(_: Request) -> AsyncIterator[Step]:
        for step in steps:
            yield step

    async with Server(answer) as faulty, Server(stands_in) as other:
        providers = {
            "first": {
                "kind": "openai",
                "base_url": f"{faulty.url}/v1",
                "retries": {"most": 0},
                "timeouts": {"first_token": 0.3, "idle": 0.3},
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
    "a web page": [whole("200 OK", b"<html>", "Content-Type: text/html")],
    "a close": [Break.CLOSE],
    "silence": [Break.STALL],
}
# Where bytes pass through, what follows the headers has been sent on.
LATER: dict[str, list[Step]] = {
    "silence after the headers": [HEADERS, Break.STALL],
    "the end after the headers": [HEADERS, chunk(b"")],
    "an error as its first event": [HEADERS, chunk(b'data: {"error":{"message":"Overloaded"}}\n\n'), chunk(b"")],
}


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("case", FAILURES | LATER)
async def test_another_model_answers_after_a_failure(case: str, streamed: bool) -> None:
    async with proxy((FAILURES | LATER)[case]) as (client, _):
        answer = await client.post("/v1/chat/completions", json={**ASKED, **EVIDENCE, "stream": streamed})
        body = await answer.read()
    assert answer.status == 200
    if streamed:
        chunks = read(body)
        assert body.endswith(b"data: [DONE]\n\n")
        assert text_of(chunks) == f"{STANDS_IN} [1]"
        assert {chunk["model"] for chunk in chunks} == {"llama"}
    else:
        whole_answer = json.loads(body)
        assert whole_answer["choices"][0]["message"]["content"] == f"{STANDS_IN} [1]"
        assert whole_answer["model"] == "llama"


@pytest.mark.parametrize("case", FAILURES)
async def test_what_would_have_passed_through_is_answered_by_another_too(case: str) -> None:
    async with proxy(FAILURES[case]) as (client, _):
        answer = await client.post("/v1/chat/completions", json={**ASKED, "stream": True})
        chunks = read(await answer.read())
    assert (answer.status, text_of(chunks)) == (200, STANDS_IN)


@pytest.mark.parametrize("sent", [ROLE, ROLE + TEXT])
async def test_no_other_is_asked_once_anything_was_sent(sent: bytes) -> None:
    async with proxy([HEADERS, chunk(sent), Break.CLOSE]) as (client, other):
        answer = await client.post("/v1/chat/completions", json={**ASKED, **EVIDENCE, "stream": True})
        chunks = read(await answer.read())
    assert text_of(chunks) == ("Well, it" if sent is not ROLE else "")
    assert chunks[-1]["error"]["code"] == "incomplete_answer"
    assert other.requests == []


async def test_a_whole_answer_may_come_from_another_although_half_of_the_first_had_arrived() -> None:
    async with proxy([HEADERS, chunk(ROLE + TEXT), Break.CLOSE]) as (client, _):
        answer = await client.post("/v1/chat/completions", json={**ASKED, **EVIDENCE})
        assert (await answer.json())["choices"][0]["message"]["content"] == f"{STANDS_IN} [1]"


@pytest.mark.parametrize("status", ["400 Bad Request", "413 Content Too Large", "422 Unprocessable Entity"])
async def test_a_wrong_request_is_the_clients_to_mend(status: str) -> None:
    async with proxy([whole(status, b'{"error":{"message":"Too long"}}')]) as (client, other):
        answer = await client.post("/v1/chat/completions", json={**ASKED, **EVIDENCE})
        assert (answer.status, (await answer.json())["error"]["message"]) == (int(status[:3]), "Too long")
    assert other.requests == []


async def test_the_last_failure_is_told_where_nobody_can_answer() -> None:
    async with proxy([Break.CLOSE], {"fallback": "first/n"}) as (client, _):
        answer = await client.post("/v1/chat/completions", json={**ASKED, **EVIDENCE, "stream": True})
        assert (answer.status, (await answer.json())["error"]["code"]) == (502, "provider_unreachable")


async def test_signs_of_life_while_the_first_is_silent_and_then_the_answer_of_another() -> None:
    for evidence in ({}, EVIDENCE):
        async with proxy([Break.STALL], server={"keepalive_seconds": 0.1}) as (client, _):
            answer = await client.post("/v1/chat/completions", json={**ASKED, **evidence, "stream": True})
            body = await answer.read()
        assert body.startswith(b": keep-alive\n\n")
        assert text_of(read(body)).startswith(STANDS_IN)
        assert body.endswith(b"data: [DONE]\n\n")


async def test_clients_keys_and_fields_of_one_api_only_go_to_whom_they_are_for() -> None:
    async with proxy([Break.CLOSE], {"pass_client_key": True}) as (client, other):
        headers = {"Authorization": "Bearer sk-mine"}
        await client.post("/v1/chat/completions", json={**ASKED, **EVIDENCE}, headers=headers)
    (request,) = other.requests
    assert "authorization" not in request.headers
    assert request.json["model"] == "llama"


async def test_a_configured_name_means_the_same_for_clients_of_every_api() -> None:
    providers = {
        "first": {
            "kind": "openai",
            "base_url": "http://127.0.0.1:9/v1",
            "fallback": "claude-x",
            "retries": {"most": 0},
        },
        "claude": {"kind": "anthropic", "base_url": "http://127.0.0.1:9", "api_key": "k", "retries": {"most": 0}},
    }
    async with Server(stands_in) as other:
        providers["other"] = {"kind": "ollama", "base_url": other.url}
        app = make_app(parse({"providers": providers, "default_provider": "other"}))
        async with TestClient(TestServer(app)) as client:
            for path in ("/v1/chat/completions", "/v1/messages"):
                answer = await client.post(path, json={**ASKED, "max_tokens": 9})
                assert (answer.status, other.requests[-1].json["model"]) == (200, "claude-x")


def chain(model: str, **config: Any) -> tuple[str, ...]:
    providers = {"a": {"kind": "openai", "fallback": "b/y"}, "b": {"kind": "ollama"}}
    return Routes(parse({"providers": providers, **config})).chain(model)


def test_who_is_asked_in_turn() -> None:
    assert chain("a/x") == ("a/x", "b/y")
    assert chain("b/x") == ("b/x",)
    assert chain("nobody/x") == ("nobody/x",)
    fast = {"model": "a/x"}
    assert chain("fast", models={"fast": fast}) == ("fast", "b/y")
    assert chain("fast", models={"fast": {**fast, "fallback": "b/z"}}) == ("fast", "b/z")
    assert chain("bare", default_provider="a") == ("bare", "b/y")


def test_no_model_is_asked_twice() -> None:
    models = {"x": {"model": "b/x", "fallback": "y"}, "y": {"model": "b/y", "fallback": "x"}}
    assert chain("x", models=models) == ("x", "y")
    assert chain("a/x", models=models) == ("a/x", "b/y")


@pytest.mark.parametrize("where", ["providers", "models"])
def test_a_fallback_that_does_not_exist_is_named(where: str) -> None:
    wrong: dict[str, Any] = {"providers": {"ollama": {"fallback": "olama/x"}}}
    if where == "models":
        wrong = {"providers": {"ollama": None}, "models": {"fast": {"model": "ollama/x", "fallback": "olama/x"}}}
    with pytest.raises(ConfigError, match="fallback: there is no provider 'olama'; did you mean ollama"):
        parse(wrong)
