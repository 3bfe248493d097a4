"""Tools of the Responses API with providers that have only chat: groups are expanded, others are left out and named."""

import json
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app

# As Codex sends them.
TOOLS = [
    {"type": "function", "name": "exec_command", "parameters": {"type": "object"}},
    {
        "type": "namespace",
        "name": "multi_agent_v1",
        "description": "Agents.",
        "tools": [{"type": "function", "name": "close_agent", "parameters": {"type": "object"}}],
    },
    {"type": "web_search", "external_web_access": False},
]
EVIDENCE = {"evidence": [{"text": "The house is red."}]}
REQUEST: dict[str, Any] = {"model": "up/m", "input": "Close it.", "tools": TOOLS, "tool_choice": "auto"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "close_agent", "arguments": '{"target": "a"}'}}


async def answered(body: dict[str, Any], settings: dict[str, Any]) -> tuple[dict[str, str], list[Any], dict[str, Any]]:
    """Return the headers, the events and the last response of an answer that calls a tool of a namespace.

    The provider's latest request is in `settings["received"]`.
    """
    choices = ({"delta": {"tool_calls": [{"index": 0, **CALL}]}}, {"delta": {}, "finish_reason": "tool_calls"})
    events = "".join(f"data: {json.dumps({'choices': [{'index': 0, **choice}]})}\n\n" for choice in choices)

    async def provider(request: web.Request) -> web.Response:
        settings["received"] = request.path, await request.json()
        if request.path.endswith("/responses"):
            return web.json_response({"id": "resp_native", "object": "response", "output": []})
        return web.Response(text=events, content_type="text/event-stream")

    application = web.Application()
    application.add_routes([web.post("/v1/{path:.+}", provider)])
    async with TestServer(application) as upstream:
        openai = {"kind": "openai", "base_url": str(upstream.make_url("/v1")), "responses": settings["responses"]}
        config = {"providers": {"up": openai}, **settings.get("config", {})}
        async with TestClient(TestServer(make_app(parse(config)))) as client:
            answer = await client.post("/v1/responses", json=body)
            text = await answer.text()
            assert answer.status == 200, text
            if not body.get("stream"):
                return dict(answer.headers), [], json.loads(text)
            sent = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
            return dict(answer.headers), sent, sent[-1]["response"]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("extra", [{}, EVIDENCE], ids=["plain", "with evidence"])
async def test_a_call_of_a_tool_in_a_namespace_comes_back_with_its_namespace(
    stream: bool, extra: dict[str, Any]
) -> None:
    settings: dict[str, Any] = {"responses": False}
    headers, events, response = await answered({**REQUEST, **extra, "stream": stream}, settings)
    (item,) = response["output"]
    expected = {"type": "function_call", "call_id": "call_1", "name": "close_agent", "namespace": "multi_agent_v1"}
    assert expected.items() <= item.items()
    assert headers["x-citestream-omitted-tools"] == "web_search"
    assert response.get("grounding", {}).get("omitted_tools") == (["web_search"] if extra else None)
    _, sent = settings["received"]
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["exec_command", "close_agent"]
    announced = [event["item"] for event in events if event["type"] == "response.output_item.added"]
    assert [item.get("namespace") for item in announced] == (["multi_agent_v1"] if stream else [])
    done = [event["name"] for event in events if event["type"] == "response.function_call_arguments.done"]
    assert done == (["close_agent"] if stream else [])


async def test_an_answer_names_no_omitted_tools_if_there_are_none() -> None:
    headers, _, response = await answered({**REQUEST, **EVIDENCE, "tools": TOOLS[:2]}, {"responses": False})
    assert "x-citestream-omitted-tools" not in headers
    assert "omitted_tools" not in response["grounding"]


@pytest.mark.parametrize(
    ("retrieval", "path", "response_id"),
    [({}, "/v1/responses", "resp_native"), ({"retrieval": {"source": "docs"}}, "/v1/chat/completions", "resp_")],
    ids=["the default source", "a source that the request names"],
)
async def test_a_provider_keeps_its_own_tools_if_the_default_source_finds_nothing(
    tmp_path: Any, retrieval: dict[str, Any], path: str, response_id: str
) -> None:
    source = {"docs": {"kind": "folder", "store": str(tmp_path / "store.db"), "on_failure": "answer"}}
    settings: dict[str, Any] = {"responses": True, "config": {"retrievers": source, "default_retriever": "docs"}}
    _, _, response = await answered({**REQUEST, **retrieval}, settings)
    assert settings["received"][0] == path
    assert response["id"].startswith(response_id)
