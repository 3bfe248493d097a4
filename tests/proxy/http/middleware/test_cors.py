"""CORS: off unless origins are configured; pages of these origins can send requests and read streams."""

from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app

PAGE = "https://app.example"
PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization,content-type,x-stainless-lang, x-evil",
}
REQUEST: dict[str, Any] = {
    "model": "extractive",
    "messages": [{"role": "user", "content": "What is red?"}],
    "evidence": [{"text": "The house is red."}],
}
CHAT = "/v1/chat/completions"


def make_client(*origins: str, **server: Any) -> TestClient[Any, Any]:
    config = parse({"server": {"cors_origins": list(origins), **server}, "providers": {"extractive": None}})
    return TestClient(TestServer(make_app(config)))


async def test_without_configured_origins_no_page_can_read_answers() -> None:
    async with make_client() as client:
        answer = await client.get("/v1/models", headers={"Origin": PAGE})
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert (await client.options(CHAT, headers={"Origin": PAGE, **PREFLIGHT})).status == 403
        assert (await client.options(CHAT)).status == 405


async def test_a_preflight_request_needs_no_key_but_a_request_does() -> None:
    async with make_client(f"{PAGE}/", keys=[{"key": "client-key-0123456789"}]) as client:
        preflight = await client.options(CHAT, headers={"Origin": PAGE, **PREFLIGHT})
        assert preflight.status == 204
        assert preflight.headers["Access-Control-Allow-Origin"] == PAGE
        allowed = preflight.headers["Access-Control-Allow-Headers"]
        assert "Authorization" in allowed
        assert "x-stainless-lang" in allowed
        assert "x-evil" not in allowed
        refused = await client.post(CHAT, json=REQUEST, headers={"Origin": PAGE})
        assert refused.status == 401
        assert refused.headers["Access-Control-Allow-Origin"] == PAGE


@pytest.mark.parametrize("stream", [False, True])
async def test_an_answer_to_an_allowed_page_has_the_headers(stream: bool) -> None:
    async with make_client(PAGE) as client:
        answer = await client.post(CHAT, json={**REQUEST, "stream": stream}, headers={"Origin": PAGE})
        assert answer.status == 200
        assert answer.headers["Access-Control-Allow-Origin"] == PAGE
        assert "x-request-id" in answer.headers["Access-Control-Expose-Headers"]
        assert answer.headers["x-request-id"].startswith("req_")
        assert answer.headers["Vary"] == "Origin"
        assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize("origin", ["https://app.example.evil", "http://app.example", "null", "https://evil"])
async def test_an_answer_to_another_page_has_no_headers(origin: str) -> None:
    async with make_client(PAGE) as client:
        answer = await client.get("/v1/models", headers={"Origin": origin})
        assert "Access-Control-Allow-Origin" not in answer.headers
        preflight = await client.options(CHAT, headers={"Origin": origin, **PREFLIGHT})
        assert "Access-Control-Allow-Origin" not in preflight.headers
        assert "Access-Control-Allow-Methods" not in preflight.headers


async def test_a_wildcard_allows_all_pages() -> None:
    async with make_client("*") as client:
        answer = await client.get("/v1/models", headers={"Origin": "https://any.example"})
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
