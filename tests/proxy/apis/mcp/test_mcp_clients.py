"""The Model Context Protocol with the official Python client, over standard input and output, and over HTTP."""

import json
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.conftest import Start

BRIDGE = "The Harlan bridge was opened on 4 May 1932.\n\nIt carries two lanes of traffic.\n"
FERRY = "The ferry of Harlan stopped in 1933, a year after the bridge had been opened.\n"
LANES = "The Harlan bridge carries two lanes of traffic."
PASSAGES = ["The Harlan bridge was opened on 4 May 1932.", {"text": LANES, "title": "Lanes"}]
TEXT = (
    "The Harlan bridge was opened on 4 May 1932. The Harlan bridge does not carry two lanes of traffic. "
    'It "carries four lanes of traffic".'
)

Connect = Callable[[str], AbstractAsyncContextManager[Any]]
MODES = ("auto", "legacy")  # the revision 2026-07-28, and the handshake of earlier ones


@pytest.fixture
def config(tmp_path: Path) -> dict[str, Any]:
    """Return a configuration with an index of two files."""
    from citestream.proxy.cli.commands import main

    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "bridge.md").write_text(BRIDGE)
    (folder / "ferry.md").write_text(FERRY)
    store = tmp_path / "evidence.db"
    main(["index", str(folder), "--store", str(store), "--embedder", "none"], standalone_mode=False)
    retrievers = {"folder": {"kind": "folder", "store": str(store)}}
    return {
        "retrievers": retrievers,
        "default_retriever": "folder",
        "providers": {"extractive": {"kind": "extractive"}},
    }


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, config: dict[str, Any], tmp_path: Path) -> Connect:
    """Return a function (mode) that connects the client to Citestream."""
    target: Any
    if request.param == "http":
        start: Start = request.getfixturevalue("citestream_server")
        target = f"{start(config)}/mcp"
    else:
        written = tmp_path / "mcp.yaml"
        written.write_text(yaml.safe_dump(config))
        command = ["-m", "citestream", "mcp", "--config", str(written)]
        target = StdioServerParameters(command=sys.executable, args=command, cwd=str(Path(__file__).parents[4]))

    @asynccontextmanager
    async def connected(mode: str) -> AsyncIterator[Any]:
        async with Client(target, mode=mode) as client:
            yield client

    return connected


@pytest.mark.parametrize("mode", MODES)
async def test_the_client_lists_the_tools(connect: Connect, mode: str) -> None:
    async with connect(mode) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["cite", "verify_citations", "search", "fetch"]
    assert all(tool.annotations.read_only_hint for tool in tools)


@pytest.mark.parametrize("mode", MODES)
async def test_verify_citations_returns_a_verdict_for_each_sentence(connect: Connect, mode: str) -> None:
    async with connect(mode) as client:
        result = await client.call_tool("verify_citations", {"text": TEXT, "evidence": PASSAGES})
    data = result.structured_content
    assert [(one["sentence"], one["verdict"]) for one in data["sentences"][:2]] == [
        ("The Harlan bridge was opened on 4 May 1932.", "supported"),
        ("The Harlan bridge does not carry two lanes of traffic.", "contradicted"),
    ]
    assert data["sentences"][0]["evidence"][0]["quote"] == PASSAGES[0]
    assert data["sentences"][1]["conflict"]["quote"] == LANES
    assert [(one["text"], one["status"]) for one in data["quotations"]] == [
        ("carries four lanes of traffic", "altered")
    ]
    (content,) = result.content
    assert "CONTRADICTED: The Harlan bridge does not carry two lanes of traffic." in content.text
    assert "QUOTATION ALTERED" in content.text


async def test_verify_citations_searches_the_index_without_passages(connect: Connect) -> None:
    async with connect("auto") as client:
        result = await client.call_tool("verify_citations", {"text": "The ferry of Harlan stopped in 1933."})
    (sentence,) = result.structured_content["sentences"]
    assert sentence["verdict"] == "supported"
    assert sentence["evidence"][0]["title"] == "ferry.md"


async def test_cite_adds_markers_and_annotations(connect: Connect) -> None:
    text = f"{PASSAGES[0]} {LANES}"
    async with connect("auto") as client:
        result = await client.call_tool("cite", {"text": text, "evidence": PASSAGES})
    data = result.structured_content
    assert data["text"] == f"{PASSAGES[0]} [1] {LANES} [2]"
    assert [one["evidence_number"] for one in data["references"]] == [1, 2]
    assert result.content[0].text.startswith(data["text"])


async def test_search_and_fetch_have_the_form_that_chatgpt_expects(connect: Connect) -> None:
    async with connect("auto") as client:
        found = await client.call_tool("search", {"query": "When was the Harlan bridge opened?"})
        (content,) = found.content
        results = json.loads(content.text)["results"]
        fetched = await client.call_tool("fetch", {"id": results[0]["id"]})
    assert results[0]["title"] == "bridge.md"
    assert all({"id", "title", "url"} <= one.keys() and one["url"] for one in results)
    (content,) = fetched.content
    document = json.loads(content.text)
    assert {"id", "title", "text", "url", "metadata"} == document.keys()
    assert document["text"] == BRIDGE.strip()
    assert document == fetched.structured_content


ERRORS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a text is missing": ("cite", {}, "text: must be a text that is not empty"),
    "a passage has no text": ("cite", {"text": "It is red.", "evidence": [{"id": "e1"}]}, "evidence[0].text"),
    "an argument is unknown": ("cite", {"text": "It is red.", "passages": []}, "passages: is not an argument of cite"),
    "a source is unknown": ("search", {"query": "bridge", "source": "web"}, "there is no source 'web'"),
    "a document does not exist": ("fetch", {"id": "folder/docs/none.md"}, "there is no such document"),
    "an id has another form": ("fetch", {"id": "../../etc/passwd"}, "there is no source '..'"),
}


async def test_errors_tell_the_model_what_to_correct(connect: Connect) -> None:
    async with connect("auto") as client:
        for name, arguments, message in ERRORS.values():
            result = await client.call_tool(name, arguments)
            assert result.is_error
            assert message in result.content[0].text


PAGE = Path(__file__).parents[4] / "docs/mcp.md"


def blocks() -> list[dict[str, Any]]:
    return [json.loads(code) for code in re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)]


async def test_the_configurations_of_the_page_connect_a_client(
    config: dict[str, Any], tmp_path: Path, citestream_server: Start
) -> None:
    local, remote, _ = blocks()
    settings = local["mcpServers"]["citestream"]
    assert settings["command"] == "citestream"
    written = tmp_path / "ada.yaml"
    written.write_text(yaml.safe_dump(config))
    arguments = ["-m", "citestream", *settings["args"][:-1], str(written)]
    command = StdioServerParameters(command=sys.executable, args=arguments, cwd=str(PAGE.parents[1]))
    key = "a-client-key-of-20-characters"
    settings = remote["mcpServers"]["citestream"]
    address = citestream_server({**config, "server": {"keys": [{"key": key}]}})
    headers = {name: value.replace("KEY", key) for name, value in settings["headers"].items()}
    async with httpx2.AsyncClient(headers=headers) as http_client:
        over_http = streamable_http_client(
            address + settings["url"].partition("example.org")[2], http_client=http_client
        )
        for target in (command, over_http):
            async with Client(target) as client:
                assert len((await client.list_tools()).tools) == 4


async def test_the_result_of_the_page_is_returned(connect: Connect) -> None:
    documented = blocks()[-1]
    text = "The bridge was opened in 1932. The bridge does not carry two lanes."
    passages = [
        {"text": "The bridge was opened in 1932.", "file_name": "bridge.md"},
        {"text": "The bridge carries two lanes.", "file_name": "lanes.md"},
    ]
    async with connect("auto") as client:
        data = (await client.call_tool("verify_citations", {"text": text, "evidence": passages})).structured_content
    assert {key: data[key] for key in documented} == documented
