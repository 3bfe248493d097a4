"""Web pages of other origins cannot use a server without keys, unless the configuration names them."""

from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.middleware.origins import host_name

CHAT = "/v1/chat/completions"
ASKED = b'{"model": "extractive", "messages": [{"role": "user", "content": "What is red?"}], "evidence": ["x"]}'
ASKED = ASKED.replace(b'["x"]', b'[{"text": "The house is red."}]')


def client(**server: Any) -> TestClient[Any, Any]:
    return TestClient(TestServer(make_app(parse({"server": server, "providers": {"extractive": None}}))))


async def send_request(client: TestClient[Any, Any], headers: dict[str, str]) -> tuple[int, str | None]:
    """Status and error code of a request as any page can send it without asking first."""
    answer = await client.post(CHAT, data=ASKED, headers={"Content-Type": "text/plain", **headers})
    return answer.status, (await answer.json()).get("error", {}).get("code")


REFUSED_ORIGINS = ["https://evil.example", "http://127.0.0.1", "http://localhost:1", "null", "", "file://", "http://["]


@pytest.mark.parametrize("origin", REFUSED_ORIGINS)
async def test_a_page_may_not_ask_a_server_without_keys(origin: str) -> None:
    async with client() as asking:
        assert await send_request(asking, {"Origin": origin}) == (403, "origin_not_allowed")


async def test_a_programme_a_named_page_and_our_own_page_may() -> None:
    async with client(cors_origins=["https://app.example"]) as asking:
        own = f"http://{asking.host}:{asking.port}"
        for headers in ({}, {"Origin": "https://app.example"}, {"Origin": own}):
            assert await send_request(asking, headers) == (200, None)
    async with client(cors_origins=["file://", "app://.", "null"]) as asking:  # desktop applications
        for origin in ("file://", "app://.", "null"):
            assert await send_request(asking, {"Origin": origin}) == (200, None)
    async with client(cors_origins=["*"]) as asking:
        assert await send_request(asking, {"Origin": "https://any.example"}) == (200, None)


async def test_where_keys_are_asked_for_a_page_needs_one_as_everybody() -> None:
    async with client(keys=[{"key": "k"}]) as asking:
        assert await send_request(asking, {"Origin": "https://evil.example"}) == (401, "invalid_api_key")
        assert await send_request(asking, {"Origin": "null", "Authorization": "Bearer k"}) == (200, None)


async def test_a_page_whose_name_was_rebound_to_this_machine_is_refused() -> None:
    async with client() as asking:
        for name in (
            "evil.example",
            f"evil.example:{asking.port}",
            "127.0.0.1.evil.example",
            "localhost.evil",
            "2130706433",
        ):
            assert await send_request(asking, {"Host": name, "Origin": f"http://{name}"}) == (403, "host_not_allowed")


OWN_NAMES = ["127.0.0.1", "localhost", "LOCALHOST:8787", "localhost.", "app.localhost:1", "[::1]:8787", "10.0.0.7:80"]


@pytest.mark.parametrize("name", OWN_NAMES)
async def test_addresses_and_localhost_are_its_own_names(name: str) -> None:
    async with client() as asking:
        assert await send_request(asking, {"Host": name}) == (200, None)


async def test_further_names_are_named() -> None:
    async with client(hosts=["Llm.Example"]) as asking:
        assert await send_request(asking, {"Host": "llm.example:8787", "Origin": "http://llm.example:8787"}) == (
            200,
            None,
        )
        assert await send_request(asking, {"Host": "evil.example"}) == (403, "host_not_allowed")
    for server in ({"host": "0.0.0.0", "allow_anonymous": True}, {"keys": [{"key": "k"}]}):
        async with client(**server) as asking:
            assert await send_request(asking, {"Host": "any.example", "Authorization": "Bearer k"}) == (200, None)
        async with client(**server, hosts=["llm.example"]) as asking:
            assert (await send_request(asking, {"Host": "any.example"}))[0] == 403


async def test_a_load_balancer_may_use_any_name_to_ask_for_health() -> None:
    async with client() as asking:
        assert (await asking.get("/healthz", headers={"Host": "pod-7.svc"})).status == 200


NAMES = {"a.b": "a.b", "a.b:80": "a.b", "A.B.": "a.b", "[::1]": "::1", "[::1]:80": "::1", "": "", ":80": "", "[": ""}


@pytest.mark.parametrize("host", NAMES)
def test_the_name_in_a_host_header(host: str) -> None:
    assert host_name(host) == NAMES[host]
