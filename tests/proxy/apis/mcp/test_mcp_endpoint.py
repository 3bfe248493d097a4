"""`POST /mcp` on the wire: revisions, headers, statuses, keys and origins."""

from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from hypothesis import given
from hypothesis import strategies as st

from citestream.proxy.apis.mcp import McpProtocol
from citestream.proxy.app import App
from citestream.proxy.config import ClientKey, Config, ProviderConfig, Server
from citestream.proxy.http.application import make_app

CONFIG = Config(providers={"extractive": ProviderConfig(kind="extractive")})
KEY = "a-client-key-of-20-characters"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
HEADERS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}


def message(method: str, params: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, **({} if params is None else {"params": params}), **more}


async def posted(body: Any, headers: dict[str, str] | None = None, config: Config = CONFIG) -> tuple[int, Any]:
    async with (
        TestClient(TestServer(make_app(config))) as client,
        client.post("/mcp", json=body, headers=headers) as answer,
    ):
        return answer.status, await answer.json() if answer.content_type == "application/json" else await answer.text()


async def test_a_handshake_agrees_on_a_revision() -> None:
    for asked, expected in [("2025-06-18", "2025-06-18"), ("2026-07-28", "2025-11-25"), ("1.0", "2025-11-25")]:
        status, body = await posted(message("initialize", {"protocolVersion": asked, "capabilities": {}}))
        assert (status, body["result"]["protocolVersion"]) == (200, expected)
        assert body["result"]["serverInfo"]["name"] == "citestream"


async def test_a_client_of_the_stateless_revision_discovers_the_server() -> None:
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"}
    status, body = await posted(message("server/discover", {"_meta": ENVELOPE}), headers)
    result = body["result"]
    assert (status, result["resultType"], result["cacheScope"]) == (200, "complete", "private")
    assert "2026-07-28" in result["supportedVersions"]
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "citestream"


async def test_citations_are_web_annotations_that_the_content_names() -> None:
    passage = "Long ago the Harlan bridge was opened in 1932. It is still there."
    arguments = {
        "text": "The Harlan bridge was opened in 1932.",
        "evidence": [{"text": passage, "url": "https://ex.org/b"}],
    }
    _, body = await posted(message("tools/call", {"name": "cite", "arguments": arguments}))
    result = body["result"]
    (annotation,) = result["citations"]
    (content,) = result["content"]
    assert content["citationRefs"] == [annotation["id"]]
    start, end = annotation["body"]["start"], annotation["body"]["end"]
    assert result["structuredContent"]["text"][start:end] == "The Harlan bridge was opened in 1932."
    target = annotation["target"]
    selector = target["selector"]
    assert selector["prefix"] + selector["exact"] + selector["suffix"] in passage
    assert (target["source"], target["schema:citation"]["url"]) == ("https://ex.org/b", "https://ex.org/b")


# The message, its headers, and the status and the code of the error
REFUSED: dict[str, tuple[Any, dict[str, str], int, int]] = {
    "a message without a method": ({"jsonrpc": "2.0", "id": 1}, {}, 400, -32600),
    "a message of another protocol": ({"id": 1, "method": "tools/list"}, {}, 400, -32600),
    "an id that is an object": (message("tools/list", id={}), {}, 400, -32600),
    "a batch": ([message("ping")], {}, 400, -32700),
    "an unknown method": (message("tools/run"), {}, 200, -32601),
    "an unknown method of the stateless revision": (
        message("tools/run", {"_meta": ENVELOPE}),
        {**HEADERS, "Mcp-Method": "tools/run"},
        404,
        -32601,
    ),
    "params that are a list": ({**message("tools/list"), "params": []}, {}, 200, -32602),
    "an unknown tool": (message("tools/call", {"name": "delete"}), {}, 200, -32602),
    "arguments that are a list": (message("tools/call", {"name": "cite", "arguments": []}), {}, 200, -32602),
    "an unknown revision in the header": (message("tools/list"), {"MCP-Protocol-Version": "1999-01-01"}, 400, -32600),
    "an unknown revision in the message": (
        message("tools/list", {"_meta": {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}}),
        {**HEADERS, "MCP-Protocol-Version": "2099-01-01"},
        400,
        -32022,
    ),
    "a revision that is a number": (
        message("tools/list", {"_meta": {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": 7}}),
        HEADERS,
        400,
        -32020,
    ),
    "no capabilities": (
        message("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}),
        HEADERS,
        400,
        -32602,
    ),
    "another method in the header": (
        message("tools/list", {"_meta": ENVELOPE}),
        {**HEADERS, "Mcp-Method": "tools/call"},
        400,
        -32020,
    ),
    "another tool in the header": (
        message("tools/call", {"_meta": ENVELOPE, "name": "cite"}),
        {**HEADERS, "Mcp-Method": "tools/call", "Mcp-Name": "search"},
        400,
        -32020,
    ),
    "no headers": (message("tools/list", {"_meta": ENVELOPE}), {}, 400, -32020),
}


@pytest.mark.parametrize(("body", "headers", "status", "code"), REFUSED.values(), ids=REFUSED)
async def test_a_message_is_refused(body: Any, headers: dict[str, str], status: int, code: int) -> None:
    answered, reply = await posted(body, headers)
    assert (answered, reply["error"]["code"]) == (status, code)
    assert reply["jsonrpc"] == "2.0"


async def test_a_notification_has_no_reply() -> None:
    assert await posted({"jsonrpc": "2.0", "method": "notifications/initialized"}) == (202, "")


async def test_there_is_no_stream_and_no_session() -> None:
    async with TestClient(TestServer(make_app(CONFIG))) as client:
        for method in ("GET", "DELETE"):
            async with client.request(method, "/mcp") as answer:
                assert (answer.status, answer.headers["Allow"]) == (405, "POST")


async def test_without_a_source_there_is_nothing_to_search() -> None:
    _, body = await posted(message("tools/list"))
    assert [tool["name"] for tool in body["result"]["tools"]] == ["cite", "verify_citations"]
    _, body = await posted(message("tools/call", {"name": "cite", "arguments": {"text": "It is red."}}))
    assert body["result"]["isError"]
    assert "citestream index" in body["result"]["content"][0]["text"]


PROTECTION: dict[str, tuple[dict[str, str], Server, int]] = {
    "a client without a key": ({}, Server(keys=(ClientKey(key=KEY),)), 401),
    "a client with a wrong key": ({"Authorization": "Bearer wrong"}, Server(keys=(ClientKey(key=KEY),)), 401),
    "a client with its key": ({"Authorization": f"Bearer {KEY}"}, Server(keys=(ClientKey(key=KEY),)), 200),
    "a page of another origin": ({"Origin": "https://evil.example"}, Server(), 403),
    "a page of a configured origin": (
        {"Origin": "https://a.example"},
        Server(cors_origins=("https://a.example",)),
        200,
    ),
    "a page whose name is rebound to this address": ({"Host": "evil.example"}, Server(), 403),
}


@pytest.mark.parametrize(("headers", "server", "status"), PROTECTION.values(), ids=PROTECTION)
async def test_the_endpoint_is_protected_like_the_others(headers: dict[str, str], server: Server, status: int) -> None:
    answered, reply = await posted(message("tools/list"), headers, CONFIG.model_copy(update={"server": server}))
    assert answered == status
    assert reply["jsonrpc"] == "2.0"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["jsonrpc", "id", "method", "params"])
METHODS = st.sampled_from(["2.0", "tools/call", "tools/list", "server/discover", "initialize"])


@given(
    st.dictionaries(
        FIELDS, METHODS | JSON | st.fixed_dictionaries({"_meta": JSON, "name": METHODS | JSON, "arguments": JSON})
    )
)
async def test_any_message_gets_a_reply_or_none(body: dict[str, Any]) -> None:
    app = App(CONFIG)
    try:
        reply = await McpProtocol(app).reply(body)
    finally:
        await app.aclose()
    assert reply is None or ("result" in reply) != ("error" in reply)
