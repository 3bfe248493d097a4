"""`GET /readyz` checks the services that the server uses, with a time limit and a cache, and hides their messages."""

import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import ConfigError, parse
from citestream.proxy.http.application import make_app
from tests.proxy.pipeline.test_retrieval import TEXTS, fill
from tests.upstreams.wire import Break, Request, Server, Step, whole

PROBE_SECONDS = 1.0  # default timeout of a probe in Kubernetes
KEY = "sk-canary-key"
LISTED = whole("200 OK", b'{"data":[]}', "Content-Type: application/json")


def refusing(status: str) -> tuple[Step, ...]:
    return (whole(status, b'{"error":{"message":"canary-words"}}', "Content-Type: application/json"),)


async def send_request(config: dict[str, Any], times: int = 1, **headers: str) -> tuple[int, Any]:
    """Return the status and body of the last response."""
    async with TestClient(TestServer(make_app(parse(config)))) as client:
        for _ in range(times):
            async with client.get("/readyz", headers=headers) as answer:
                status, body = answer.status, await answer.json()
    return status, body


def provider(kind: str, url: str) -> dict[str, Any]:
    return {"kind": kind, "base_url": url, "api_key": KEY}


# Behaviour of a provider -> its reported status
PROVIDERS: dict[str, tuple[tuple[Step, ...], str]] = {
    "complete response": ((LISTED,), "ok"),
    "unknown path": (refusing("404 Not Found"), "ok"),
    "rejected key": (refusing("401 Unauthorized"), "rejected"),
    "server error": (refusing("503 Unavailable"), "rejected"),
    "closed connection": ((Break.CLOSE,), "unreachable"),
    "no response": ((Break.STALL,), "timed_out"),
}


@pytest.mark.parametrize("kind", ["openai", "ollama", "gemini"])
@pytest.mark.parametrize(("steps", "expected"), PROVIDERS.values(), ids=PROVIDERS)
async def test_a_provider_is_checked_with_a_free_request(steps: tuple[Step, ...], expected: str, kind: str) -> None:
    async def answer(_: Request) -> AsyncIterator[Step]:
        for step in steps:
            yield step

    seconds = 1 if expected == "timed_out" else 10  # a request may take long on a busy machine
    async with Server(answer) as upstream:
        config = {"providers": {"up": provider(kind, upstream.url)}, "readiness": {"seconds": seconds}}
        status, body = await send_request(config)
    assert {request.method for request in upstream.requests} == {"GET"}
    assert (status, body["status"]) == (200, "ok" if expected == "ok" else "degraded")
    assert {name: check["status"] for name, check in body["checks"].items()} == {
        "providers.up": expected,
        "references": "ok",
    }
    assert not any(secret in json.dumps(body) for secret in ("canary", "127.0.0.1"))


async def test_by_default_the_check_ends_before_the_timeout_of_a_probe() -> None:
    async def answer(_: Request) -> AsyncIterator[Step]:
        yield Break.STALL

    async with Server(answer) as upstream:
        config: dict[str, Any] = {"providers": {"up": provider("openai", upstream.url)}}
        status, body = await send_request(config)
    assert (status, body["checks"]["providers.up"]["status"]) == (200, "timed_out")
    assert parse(config).readiness.seconds <= PROBE_SECONDS / 2, "leaves time for the connection and for a busy machine"


async def test_the_server_is_not_ready_while_a_required_service_is_down(tmp_path: Path) -> None:
    store = await fill(tmp_path, TEXTS)
    config: dict[str, Any] = {
        "providers": {"extractive": {}, "down": provider("openai", "http://127.0.0.1:9")},
        "retrievers": {"docs": {"kind": "folder", "store": str(store)}},
        "readiness": {"required": ["retrievers.docs"]},
    }
    assert (await send_request(config))[0] == 200
    renamed = store.rename(tmp_path / "gone.db")
    status, body = await send_request(config)
    assert (status, body["status"]) == (503, "failing")
    assert body["checks"]["retrievers.docs"]["required"]
    assert body["checks"]["providers.down"] == {**body["checks"]["providers.down"], "status": "unreachable"}
    renamed.rename(store)
    assert (await send_request(config))[0] == 200


async def test_a_search_service_is_checked_without_its_key() -> None:
    async def answer(_: Request) -> AsyncIterator[Step]:
        yield whole("401 Unauthorized", b"{}")

    async with Server(answer) as upstream:
        search = {"kind": "http", "preset": "elasticsearch", "url": upstream.url, "index": "i", "api_key": KEY}
        gone = search | {"url": "http://127.0.0.1:9"}
        config = {"providers": {"extractive": {}}, "retrievers": {"search": search, "gone": gone}}
        _, body = await send_request(config)
    statuses = {name: check["status"] for name, check in body["checks"].items()}
    assert statuses == {"retrievers.search": "ok", "retrievers.gone": "unreachable", "references": "ok"}
    assert not any(KEY in str(request.headers) for request in upstream.requests)


async def test_a_store_that_fails_after_the_start_is_reported(tmp_path: Path) -> None:
    store = await fill(tmp_path, TEXTS)
    config = {"providers": {"extractive": {}}, "retrievers": {"docs": {"kind": "folder", "store": str(store)}}}
    async with TestClient(TestServer(make_app(parse(config)))) as client:
        with sqlite3.connect(store) as database:
            database.execute("DROP TABLE vectors")
        body = await (await client.get("/readyz")).json()
    assert body["checks"]["retrievers.docs"]["status"] == "provider_error"


async def test_concurrent_requests_share_one_check() -> None:
    async def answer(_: Request) -> AsyncIterator[Step]:
        yield LISTED

    async with Server(answer) as upstream:
        status, body = await send_request({"providers": {"up": provider("openai", upstream.url)}}, times=5)
    assert (status, body["status"]) == (200, "ok")
    assert len(upstream.requests) == 1


async def test_without_a_client_key_no_names_are_shown() -> None:
    config = {"providers": {"extractive": {}}, "server": {"keys": [{"key": "sesame-open-0123"}]}}
    assert (await send_request(config))[1] == {"status": "ok"}
    assert (await send_request(config, Authorization="Bearer wrong"))[1] == {"status": "ok"}
    assert "references" in (await send_request(config, Authorization="Bearer sesame-open-0123"))[1]["checks"]


def test_required_services_must_exist() -> None:
    with pytest.raises(ConfigError, match=r"no service 'providers.opnai'.*providers\.openai"):
        parse({"providers": {"openai": {}}, "readiness": {"required": ["providers.opnai"]}})
