"""Web pages of other origins cannot use a server without keys, unless the configuration names them."""

from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.middleware.origins import host_name

CHAT = "/v1/chat/completions"
REQUEST = (
    b'{"model": "extractive", "messages": [{"role": "user", "content": "What is red?"}], '
    b'"evidence": [{"text": "The house is red."}]}'
)


def make_client(**server: Any) -> TestClient[Any, Any]:
    return TestClient(TestServer(make_app(parse({"server": server, "providers": {"extractive": None}}))))


async def send_request(client: TestClient[Any, Any], headers: dict[str, str]) -> tuple[int, str | None]:
    """Send a request that needs no preflight request. Return its status and error code."""
    answer = await client.post(CHAT, data=REQUEST, headers={"Content-Type": "text/plain", **headers})
    return answer.status, (await answer.json()).get("error", {}).get("code")


REFUSED_ORIGINS = ["https://evil.example", "http://127.0.0.1", "http://localhost:1", "null", "", "file://", "http://["]


@pytest.mark.parametrize("origin", REFUSED_ORIGINS)
async def test_a_page_of_another_origin_is_refused_by_a_server_without_keys(origin: str) -> None:
    async with make_client() as client:
        assert await send_request(client, {"Origin": origin}) == (403, "origin_not_allowed")


@pytest.mark.parametrize("scheme", ["evil", "file", "app", "ws", "", "httpx", "http://127.0.0.1@"])
async def test_a_page_at_the_own_address_with_another_scheme_is_refused(scheme: str) -> None:
    async with make_client() as client:
        origin = f"{scheme}://{client.host}:{client.port}"
        assert await send_request(client, {"Origin": origin}) == (403, "origin_not_allowed")
        for own in ("http", "HTTP", "https"):  # a proxy in front may add HTTPS
            assert (await send_request(client, {"Origin": f"{own}://{client.host}:{client.port}"}))[0] == 200


async def test_dns_rebinding_is_refused_by_a_server_that_other_machines_reach() -> None:
    async with make_client(host="0.0.0.0", allow_anonymous=True) as client:
        for name in ("evil.example", f"evil.example:{client.port}", "10.0.0.7.evil.example"):
            headers = {"Host": name, "Origin": f"http://{name}"}
            assert await send_request(client, headers) == (403, "origin_not_allowed")
            assert await send_request(client, {"Host": name}) == (200, None)  # a program sends no origin
        for name in OWN_NAMES:
            assert await send_request(client, {"Host": name, "Origin": f"http://{name}"}) == (200, None)
    async with make_client(host="0.0.0.0", allow_anonymous=True, hosts=["llm.example"]) as client:
        assert (await send_request(client, {"Host": "llm.example", "Origin": "http://llm.example"}))[0] == 200


async def test_programs_configured_pages_and_the_own_page_are_allowed() -> None:
    async with make_client(cors_origins=["https://app.example"]) as client:
        own = f"http://{client.host}:{client.port}"
        for headers in ({}, {"Origin": "https://app.example"}, {"Origin": own}):
            assert await send_request(client, headers) == (200, None)
    async with make_client(cors_origins=["file://", "app://.", "null"]) as client:  # desktop applications
        for origin in ("file://", "app://.", "null"):
            assert await send_request(client, {"Origin": origin}) == (200, None)
    async with make_client(cors_origins=["*"]) as client:
        assert await send_request(client, {"Origin": "https://any.example"}) == (200, None)


async def test_with_keys_a_page_needs_a_key_like_any_client() -> None:
    async with make_client(keys=[{"key": "client-key-0123456789"}]) as client:
        assert await send_request(client, {"Origin": "https://evil.example"}) == (401, "invalid_api_key")
        assert await send_request(client, {"Origin": "null", "Authorization": "Bearer client-key-0123456789"}) == (
            200,
            None,
        )


async def test_dns_rebinding_is_refused() -> None:
    async with make_client() as client:
        for name in (
            "evil.example",
            f"evil.example:{client.port}",
            "127.0.0.1.evil.example",
            "localhost.evil",
            "2130706433",
        ):
            assert await send_request(client, {"Host": name, "Origin": f"http://{name}"}) == (403, "host_not_allowed")


OWN_NAMES = ["127.0.0.1", "localhost", "LOCALHOST:8787", "localhost.", "app.localhost:1", "[::1]:8787", "10.0.0.7:80"]


@pytest.mark.parametrize("name", OWN_NAMES)
async def test_addresses_and_localhost_are_accepted_as_host_names(name: str) -> None:
    async with make_client() as client:
        assert await send_request(client, {"Host": name}) == (200, None)


async def test_further_host_names_can_be_configured() -> None:
    async with make_client(hosts=["Llm.Example"]) as client:
        assert await send_request(client, {"Host": "llm.example:8787", "Origin": "http://llm.example:8787"}) == (
            200,
            None,
        )
        assert await send_request(client, {"Host": "evil.example"}) == (403, "host_not_allowed")
    for server in ({"host": "0.0.0.0", "allow_anonymous": True}, {"keys": [{"key": "client-key-0123456789"}]}):
        async with make_client(**server) as client:
            assert await send_request(
                client, {"Host": "any.example", "Authorization": "Bearer client-key-0123456789"}
            ) == (200, None)
        async with make_client(**server, hosts=["llm.example"]) as client:
            assert (await send_request(client, {"Host": "any.example"}))[0] == 403


async def test_a_health_check_can_use_any_host_name() -> None:
    async with make_client() as client:
        assert (await client.get("/healthz", headers={"Host": "pod-7.svc"})).status == 200


NAMES = {"a.b": "a.b", "a.b:80": "a.b", "A.B.": "a.b", "[::1]": "::1", "[::1]:80": "::1", "": "", ":80": "", "[": ""}


@pytest.mark.parametrize("host", NAMES)
def test_the_port_is_removed_from_a_host_header(host: str) -> None:
    assert host_name(host) == NAMES[host]
