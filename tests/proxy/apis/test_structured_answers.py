"""Structured answers of instructor, pydantic-ai and smolagents: they get references, and their data is unchanged."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any

import openai
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from google import genai
from google.genai import types
from openai.types.chat import ChatCompletion

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.pipeline.request.structured_answers import (
    answer_functions,
    asks_for_data,
    asks_for_fenced_json,
    forced_function,
)
from tests.upstreams.scripted import Answer, Upstream
from tests.upstreams.wire import Server

Fields = dict[str, Any]

HEIGHT = "The Saturn V was 110.6 metres tall."
EVIDENCE = [
    {"id": "moon", "text": f"{HEIGHT} It flew thirteen times.", "url": "https://example.org/moon"},
    {"id": "bananas", "text": "Bananas grow in the tropics."},
]
ARGUMENTS = {"answer": HEIGHT, "confidence": 0.9, "note": "Mice have eaten 40 kilograms of cheese."}
QUESTION: Fields = {"role": "user", "content": "How tall was the Saturn V?"}
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}}
MARKDOWN_PROMPT = "Return the correct JSON response within a ```json codeblock. not the JSON_SCHEMA"


def tool(name: str) -> Fields:
    return {"type": "function", "function": {"name": name, "parameters": SCHEMA}}


def forced(name: str) -> Fields:
    return {"type": "function", "function": {"name": name}}


def call_answer(name: str, *, text: str = "") -> Answer:
    deltas = (("text", text),) if text else ()
    return Answer(deltas, ((name, ARGUMENTS),), "tool_calls", (5, 7))


def text_answer(text: str) -> Answer:
    return Answer(tuple(("text", piece) for piece in (text[:9], text[9:])), (), "stop", (5, 7))


class Proxy:
    """A real server with a provider that sends the answers of the test."""

    def __init__(self, upstream: Upstream, server: Server, url: str) -> None:
        self.upstream = upstream
        self.url = url
        self._server = server

    @property
    def sent(self) -> Fields:
        """Return the body of the last request that the provider received."""
        body: Fields = self._server.requests[-1].json
        return body

    async def ask(self, answer: Answer, **request: Any) -> Fields:
        """Return the completion of the OpenAI client. Check that a stream gives the same."""
        self.upstream.answer = answer
        async with openai.AsyncOpenAI(base_url=f"{self.url}/v1", api_key="none") as client:
            more: Any = {"model": "scripted/m", "messages": [QUESTION], "extra_body": {"evidence": EVIDENCE}, **request}
            whole: ChatCompletion = await client.chat.completions.create(**more)
            async with client.chat.completions.stream(**more) as stream:
                chunks = [event.chunk.model_dump() async for event in stream if event.type == "chunk"]
            streamed = await stream.get_final_completion()
        assert streamed.choices[0].message.content == whole.choices[0].message.content
        (last,) = [chunk for chunk in chunks if "references" in chunk]
        assert references(last) == references(whole.model_dump())
        return whole.model_dump()


def references(completion: Fields) -> list[tuple[str, list[Fields]]]:
    return [(reference["id"], reference["spans"]) for reference in completion["references"]]


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    upstream = Upstream("openai")
    async with Server(upstream) as server:
        provider = {"kind": "openai", "base_url": f"{server.url}/v1", "api_key": "k", "responses": False}
        app: web.Application = make_app(parse({"providers": {"scripted": provider}}))
        async with TestClient(TestServer(app)) as client:
            yield Proxy(upstream, server, str(client.make_url("")))


REQUESTS: dict[str, tuple[str, Fields]] = {
    "instructor's mode for tools": ("Report", {"tools": [tool("Report")], "tool_choice": forced("Report")}),
    "the only tool, which is required": ("Report", {"tools": [tool("Report")], "tool_choice": "required"}),
    "pydantic-ai's tool for the result": (
        "final_result",
        {"tools": [tool("search"), tool("final_result")], "tool_choice": "required"},
    ),
    "pydantic-ai's tools for several types": (
        "final_result_Report",
        {"tools": [tool("final_result_Report"), tool("final_result_Refusal")]},
    ),
    "the last tool of smolagents": ("final_answer", {"tools": [tool("search"), tool("final_answer")]}),
}


@pytest.mark.parametrize(("name", "request_"), REQUESTS.values(), ids=REQUESTS)
async def test_a_call_that_carries_the_answer_is_cited(proxy: Proxy, name: str, request_: Fields) -> None:
    completion = await proxy.ask(call_answer(name), **request_)
    (call,) = completion["choices"][0]["message"]["tool_calls"]
    arguments = call["function"]["arguments"]
    assert json.loads(arguments) == ARGUMENTS
    ((cited, (span,)),) = references(completion)
    assert cited == "moon"
    assert arguments[span["start"] : span["end"]] == HEIGHT
    assert span["tool_call"] == 0
    assert completion["grounding"]["supported"] == 1
    (unsupported,) = completion["grounding"]["unsupported"]
    assert arguments[unsupported["start"] : unsupported["end"]] == ARGUMENTS["note"]
    assert completion["choices"][0]["message"].get("annotations", []) == []


async def test_markers_are_not_requested_for_a_forced_call(proxy: Proxy) -> None:
    await proxy.ask(call_answer("Report"), tools=[tool("Report")], tool_choice=forced("Report"))
    forced_prompt = json.dumps(proxy.sent["messages"])
    await proxy.ask(call_answer("Report"), tools=[tool("Report")])
    assert len(json.dumps(proxy.sent["messages"])) > len(forced_prompt)
    assert HEIGHT in forced_prompt


async def test_the_call_of_an_ordinary_tool_is_not_an_answer(proxy: Proxy) -> None:
    completion = await proxy.ask(call_answer("search"), tools=[tool("search"), tool("open")])
    assert completion["references"] == []
    assert completion["grounding"]["claims"] == 0


async def test_text_before_the_call_is_cited_in_the_text(proxy: Proxy) -> None:
    completion = await proxy.ask(call_answer("final_result", text=HEIGHT), tools=[tool("final_result"), tool("search")])
    message = completion["choices"][0]["message"]
    assert message["content"] == f"{HEIGHT} [1]"
    ((_, spans),) = references(completion)
    assert [span.get("tool_call") for span in spans] == [None, 0]
    assert [annotation["url_citation"]["url"] for annotation in message["annotations"]] == [EVIDENCE[0]["url"]]


BLOCK = f"```json\n{json.dumps(ARGUMENTS, indent=2)}\n```"
FENCED: dict[str, tuple[str, Fields]] = {
    "instructor's mode for Markdown": (
        f"Here is the JSON:\n{BLOCK}",
        {"messages": [{**QUESTION, "content": f"{QUESTION['content']}\n\n{MARKDOWN_PROMPT}"}]},
    ),
    "an answer that is a block": (BLOCK, {}),
    "JSON without a fence": (json.dumps(ARGUMENTS, indent=2), {}),
    "YAML": (f"answer: {HEIGHT}\nconfidence: 0.9\n", {}),
    "CSV": (f"name,text\nSaturn V,{HEIGHT}\n", {}),
    "XML": (f"<rocket><text>{HEIGHT}</text></rocket>", {}),
    "a string, as the prompt asks": (json.dumps(HEIGHT), {"messages": [{**QUESTION, "content": "Answer in JSON."}]}),
    "the JSON mode": (json.dumps(ARGUMENTS), {"response_format": {"type": "json_object"}}),
    "the JSON mode of Ollama": (json.dumps(ARGUMENTS), {"extra_body": {"evidence": EVIDENCE, "format": "json"}}),
    "a schema for Ollama": (json.dumps(ARGUMENTS), {"extra_body": {"evidence": EVIDENCE, "format": SCHEMA}}),
}


@pytest.mark.parametrize(("text", "request_"), FENCED.values(), ids=FENCED)
async def test_json_in_the_text_is_cited_in_place(proxy: Proxy, text: str, request_: Fields) -> None:
    completion = await proxy.ask(text_answer(text), **request_)
    assert completion["choices"][0]["message"]["content"] == text
    ((cited, (span,)),) = references(completion)
    assert cited == "moon"
    assert text[span["start"] : span["end"]] == HEIGHT
    assert "tool_call" not in span


@pytest.mark.parametrize("field", ["text", "markdown", False, None])
async def test_another_format_than_json_is_cited_in_the_text(proxy: Proxy, field: Any) -> None:
    completion = await proxy.ask(text_answer(HEIGHT), extra_body={"evidence": EVIDENCE, "format": field})
    assert completion["choices"][0]["message"]["content"] == f"{HEIGHT} [1]"


async def test_gemini_clients_get_the_chunks_of_a_call(proxy: Proxy) -> None:
    proxy.upstream.answer = call_answer("final_result")
    declared = types.FunctionDeclaration(name="final_result", parameters_json_schema=SCHEMA)
    mode = types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode.ANY)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])],
        tool_config=types.ToolConfig(function_calling_config=mode),
        http_options=types.HttpOptions(extra_body={"evidence": EVIDENCE}),
    )
    client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=proxy.url))
    ask = partial(client.models.generate_content, model="scripted/m", contents=QUESTION["content"], config=config)
    answer = await asyncio.to_thread(ask)
    client.close()
    assert answer.function_calls
    assert answer.function_calls[0].args == ARGUMENTS
    assert answer.candidates
    metadata = answer.candidates[0].grounding_metadata
    assert metadata
    assert [chunk.retrieved_context.text for chunk in metadata.grounding_chunks or () if chunk.retrieved_context] == [
        HEIGHT
    ]
    assert not metadata.grounding_supports


FUNCTIONS: dict[str, tuple[Mapping[str, Any], str, set[str]]] = {
    "one of several tools is forced": ({"tools": [tool("a"), tool("b")], "tool_choice": forced("b")}, "b", {"b"}),
    "any of several tools": ({"tools": [tool("a"), tool("b")], "tool_choice": "required"}, "", set()),
    "the model decides": ({"tools": [tool("a")], "tool_choice": "auto"}, "", set()),
    "no tools": ({}, "", set()),
    "tools of unknown types": ({"tools": ["a", {"type": "web_search"}, {"function": 3}], "tool_choice": 3}, "", set()),
    "a name with the same beginning": ({"tools": [tool("finalise")]}, "", set()),
}


@pytest.mark.parametrize(("params", "must", "carry"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_that_carry_the_answer(params: Mapping[str, Any], must: str, carry: set[str]) -> None:
    assert forced_function(params) == must
    assert answer_functions(params) == carry


def test_a_question_about_the_prompt_is_not_a_request_for_json() -> None:
    assert asks_for_fenced_json([{"role": "user", "content": f"How tall?\n\n{MARKDOWN_PROMPT}"}])
    assert not asks_for_fenced_json([{"role": "user", "content": f"{MARKDOWN_PROMPT}? " + "What does it do? " * 20}])
    assert not asks_for_fenced_json([{"role": "user", "content": MARKDOWN_PROMPT}, {"role": "user", "content": "Hi"}])


PROMPTS: dict[str, tuple[list[Fields], bool]] = {
    "the question mentions JSON": ([{"role": "user", "content": "Answer as JSON only."}], True),
    "the system message mentions YAML": (
        [{"role": "system", "content": "Reply in yaml."}, {"role": "user", "content": "How tall?"}],
        True,
    ),
    "an earlier question mentions CSV": (
        [{"role": "user", "content": "In CSV?"}, {"role": "user", "content": "How tall?"}],
        False,
    ),
    "a word that contains a format": ([{"role": "user", "content": "What is jsonify?"}], False),
    "content of an unknown type": ([{"role": "system", "content": 3}], False),
    "no messages": ([], False),
}


@pytest.mark.parametrize(("messages", "expected"), PROMPTS.values(), ids=PROMPTS)
def test_a_prompt_asks_for_data(messages: list[Fields], expected: bool) -> None:
    assert asks_for_data(messages) is expected
