"""Responses that Citestream builds have the right values. conftest.py checks that no field is missing."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from aiohttp.test_utils import TestServer
from openai import AsyncOpenAI, BadRequestError

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.scripted import WRITERS, Answer, Upstream
from tests.upstreams.wire import Server

EVIDENCE = [{"text": "The Harlan bridge was opened on 4 May 1932."}]
TEXT = "The Harlan bridge was opened on 4 May 1932."
FUNCTION = {"type": "function", "name": "weather", "parameters": {"type": "object"}}
ANSWERS = {
    "an answer": Answer((("text", TEXT),), (), "stop", (9, 7)),
    "thoughts and an answer": Answer((("thought", "Hm."), ("text", TEXT)), (), "stop", None),
    "a call": Answer((), (("weather", {"city": "Bern"}),), "tool_calls", None),
    "text and calls": Answer((("text", TEXT),), (("weather", {"city": "Bern"}),) * 2, "tool_calls", (9, 7)),
    "an answer that was cut off": Answer((("text", TEXT),), (), "length", None),
    "an answer with log-probabilities": Answer((("text", TEXT),), (), "stop", None, scored=True),
}
DEFAULTS = {"background": False, "temperature": 1.0, "top_p": 1.0, "truncation": "disabled", "service_tier": "default"}
# A request, and what its response has in addition to, or instead of, the defaults.
REPEATED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing but a question": ({}, {**DEFAULTS, "store": True, "tools": [], "tool_choice": "auto"}),
    "parameters that are null": (
        {"temperature": None, "metadata": None, "reasoning": None, "text": None, "store": None, "tools": None},
        {**DEFAULTS, "metadata": {}, "text": {"format": {"type": "text"}}, "store": True, "tools": []},
    ),
    "a request that is not stored": ({"store": False}, {"store": False}),
    "parameters of sampling": (
        {"temperature": 0.5, "top_p": 0.25, "presence_penalty": 0.5, "frequency_penalty": 1, "max_output_tokens": 99},
        {"temperature": 0.5, "top_p": 0.25, "presence_penalty": 0.5, "frequency_penalty": 1, "max_output_tokens": 99},
    ),
    "an effort without a summary": (
        {"reasoning": {"effort": "low"}},
        {"reasoning": {"effort": "low", "summary": None}},
    ),
    "a function, which is not strict for a chat model by default": (
        {"tools": [FUNCTION]},
        {"tools": [{**FUNCTION, "description": None, "strict": False}]},
    ),
    "a strict function": (
        {"tools": [{"type": "function", "name": "weather", "description": "d", "strict": True}]},
        {"tools": [{"type": "function", "name": "weather", "description": "d", "strict": True, "parameters": None}]},
    ),
    "a schema": (
        {"text": {"format": {"type": "json_schema", "name": "a", "schema": {"type": "object"}}}},
        {
            "text": {
                "format": {
                    "type": "json_schema",
                    "name": "a",
                    "schema": {"type": "object"},
                    "description": None,
                    "strict": False,
                }
            }
        },
    ),
    "a choice of a function": (
        {"tools": [FUNCTION], "tool_choice": {"type": "function", "name": "weather"}},
        {"tool_choice": {"type": "function", "name": "weather"}},
    ),
}


@asynccontextmanager
async def running(upstream: Upstream, **config: Any) -> AsyncIterator[tuple[AsyncOpenAI, Server]]:
    """Run a server with one provider."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(Server(upstream))
        settings = {"kind": upstream.kind, "base_url": server.url, "api_key": "k"}
        settings |= {"responses": "off"} if upstream.kind == "openai" else {}
        proxy = TestServer(make_app(parse({"providers": {"up": settings}, **config})))
        url = str((await stack.enter_async_context(proxy)).make_url("/v1"))
        yield await stack.enter_async_context(AsyncOpenAI(base_url=url, api_key="none", max_retries=0)), server


async def final(client: AsyncOpenAI, *, stream: bool, **request: Any) -> dict[str, Any]:
    """Return the complete response, streamed or not."""
    body = {"model": "up/m", "input": "When was the bridge opened?", **request}
    if not stream:
        return (await client.responses.create(extra_body=body)).to_dict()
    *_, last = [event async for event in await client.responses.create(stream=True, extra_body=body)]
    response: dict[str, Any] = last.to_dict()["response"]  # type: ignore[assignment]
    return response


@pytest.mark.parametrize("kind", WRITERS)
async def test_a_response_is_complete_with_every_provider(
    kind: str, answers_of_the_responses_api: list[bytearray]
) -> None:
    upstream = Upstream(kind)
    async with running(upstream) as (client, _):
        for name, upstream.answer in ANSWERS.items():
            for stream in (False, True):
                response = await final(client, stream=stream, tools=[FUNCTION], evidence=EVIDENCE)
                types = {item["type"] for item in response["output"]}
                called, answered = bool(upstream.answer.calls), bool(upstream.answer.deltas)
                assert ("function_call" in types, "message" in types) == (called, answered), name
                cut_off = upstream.answer.reason == "length"
                assert response["status"] == ("incomplete" if cut_off else "completed"), name
    assert len(answers_of_the_responses_api) == 2 * len(ANSWERS)  # the fixture compares them with the schema


@pytest.mark.parametrize(("request_fields", "fields"), REPEATED.values(), ids=REPEATED)
async def test_a_response_states_the_parameters_of_its_request(
    request_fields: dict[str, Any], fields: dict[str, Any]
) -> None:
    async with running(Upstream("ollama", ANSWERS["an answer"])) as (client, _):
        for stream in (False, True):
            response = await final(client, stream=stream, **request_fields)
            assert {name: response[name] for name in fields} == fields


async def test_a_response_of_a_server_that_stores_none_is_not_stored() -> None:
    async with running(Upstream("ollama", ANSWERS["an answer"]), references={"conversations": "none"}) as (client, _):
        for stream in (False, True):
            assert (await final(client, stream=stream))["store"] is False


ALLOWED: dict[str, tuple[Any, Any, Any]] = {
    "one of two functions": (
        {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "weather"}]},
        ["weather"],
        "required",
    ),
    "no mode, which means auto": (
        {"type": "allowed_tools", "tools": [{"type": "function", "name": "time"}]},
        ["time"],
        "auto",
    ),
    "none of the functions": ({"type": "allowed_tools", "mode": "auto", "tools": []}, None, None),
}


@pytest.mark.parametrize(("choice", "names", "mode"), ALLOWED.values(), ids=ALLOWED)
async def test_a_chat_model_receives_only_the_allowed_tools(choice: Any, names: Any, mode: Any) -> None:
    async with running(Upstream("openai", ANSWERS["an answer"])) as (client, server):
        tools = [FUNCTION, {**FUNCTION, "name": "time"}]
        response = await final(client, stream=False, tools=tools, tool_choice=choice)
        assert [tool["name"] for tool in response["tools"]] == ["weather", "time"]
        sent = server.requests[0].json
        assert sent.get("tool_choice") == mode
        assert (sent.get("tools") and [tool["function"]["name"] for tool in sent["tools"]]) == names
        nothing = {"type": "allowed_tools", "mode": "required", "tools": [{"type": "web_search"}]}
        with pytest.raises(BadRequestError, match="names none"):
            await final(client, stream=False, tools=tools, tool_choice=nothing)
