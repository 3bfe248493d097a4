"""With several client keys, the ids of stored responses, files and caches are accepted only from their client."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.received_ids import ids_in
from tests.upstreams.wire import Request, Server, Step, chunk, head, whole

Fields = dict[str, Any]
Client = TestClient[Any, Any]

KEYS = {"a": "the client key of a", "b": "the client key of b"}
RESPONSE: Fields = {
    "id": "resp_of_a",
    "object": "response",
    "status": "completed",
    "model": "m",
    "conversation": {"id": "conv_of_a"},
    "metadata": {"file_id": "file_chosen"},
    "output": [
        {"type": "reasoning", "id": "rs_of_a", "summary": []},
        {"type": "code_interpreter_call", "id": "ci_of_a", "container_id": "cntr_of_a", "code": "", "outputs": []},
        {
            "type": "function_call",
            "id": "fc_of_a",
            "arguments": '{"file_id":"file_chosen"}',
            "name": "f",
            "call_id": "c",
        },
        {
            "type": "message",
            "id": "msg_of_a",
            "role": "assistant",
            "content": [
                {
                    "type": "output_text",
                    "text": 'It says "file_id": "file_chosen".',
                    "annotations": [{"type": "container_file_citation", "file_id": "cfile_of_a"}],
                }
            ],
        },
    ],
}
MESSAGE: Fields = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "container": {"id": "container_of_a", "expires_at": "2026-01-01T00:00:00Z"},
    "content": [
        {
            "type": "tool_use",
            "id": "t",
            "name": "f",
            "input": {"file_id": "file_chosen", "content": [{"id": "file_chosen"}]},
        },
        {
            "type": "bash_code_execution_tool_result",
            "tool_use_id": "u",
            "content": {
                "type": "bash_code_execution_result",
                "content": [{"type": "bash_code_execution_output", "file_id": "file_of_a"}],
            },
        },
    ],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


async def upstream(request: Request) -> AsyncIterator[Step]:
    body = MESSAGE if "/messages" in request.target else RESPONSE
    if request.json.get("stream"):
        yield head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        started = {**RESPONSE, "output": [], "status": "in_progress"}
        events = [{"type": "response.created", "response": started}]
        events += [{"type": "response.output_item.done", "item": item} for item in RESPONSE["output"]]
        events.append({"type": "response.completed", "response": RESPONSE})
        for event in events:
            yield chunk(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        yield chunk(b"")
    else:
        yield whole("200 OK", json.dumps(body).encode(), "Content-Type: application/json")


@asynccontextmanager
async def clients(server: Fields | None = None, **more: Any) -> AsyncIterator[tuple[Client, Server]]:
    """Yield a client of a proxy with two client keys, and the server of all its providers."""
    async with Server(upstream) as provider:
        addresses = {"openai": f"{provider.url}/v1", "gemini": provider.url, "anthropic": provider.url}
        providers = {kind: {"kind": kind, "base_url": url, "api_key": "sk-op"} for kind, url in addresses.items()}
        keys = [{"key": key} for key in KEYS.values()]
        config = {"server": {"keys": keys} if server is None else server, "providers": providers, **more}
        async with TestClient(TestServer(make_app(parse(config)))) as client:
            yield client, provider


async def send(client: Client, name: str, path: str, body: Fields) -> tuple[int, str]:
    """Return the status, and the message of an error."""
    async with client.post(path, json=body, headers={"Authorization": f"Bearer {KEYS.get(name, name)}"}) as answer:
        text = await answer.text()
        return answer.status, text


def responses(**fields: Any) -> tuple[str, Fields]:
    return "/v1/responses", {"model": "openai/m", "input": "Hi", **fields}


def gemini(method: str = "generateContent", **fields: Any) -> tuple[str, Fields]:
    content = {"role": "user", "parts": [{"text": "Hi"}, *fields.pop("parts", [])]}
    return f"/v1beta/models/gemini/m:{method}", {"contents": [content], **fields}


def claude(*blocks: Fields, path: str = "/v1/messages", **fields: Any) -> tuple[str, Fields]:
    content = [{"type": "text", "text": "Hi"}, *blocks]
    return path, {"model": "anthropic/m", "max_tokens": 9, "messages": [{"role": "user", "content": content}], **fields}


def chat(*parts: Fields, model: str = "openai/m", **fields: Any) -> tuple[str, Fields]:
    content = [{"type": "text", "text": "Hi"}, *parts]
    messages = [{"role": "user", "content": content}, *fields.pop("more", [])]
    return "/v1/chat/completions", {"model": model, "messages": messages, **fields}


FILE = {"type": "document", "source": {"type": "file", "file_id": "file_x"}}
FILE_URI = "https://generativelanguage.googleapis.com/v1beta/files/abc"
# A field that refers to what the provider stores -> a request with it, and the path in the error.
REFERENCES: dict[str, tuple[tuple[str, Fields], str]] = {
    "previous_response_id": (responses(previous_response_id="resp_x"), "previous_response_id"),
    "conversation": (responses(conversation="conv_x"), "conversation"),
    "conversation as an object": (responses(conversation={"id": "conv_x"}), "conversation.id"),
    "prompt": (responses(prompt={"id": "pmpt_x", "variables": {}}), "prompt.id"),
    "item_reference": (responses(input=[{"type": "item_reference", "id": "msg_x"}]), "input[0].id"),
    "an item that is only an id": (responses(input=[{"id": "msg_x"}]), "input[0].id"),
    "reasoning that is stored": (responses(input=[{"type": "reasoning", "id": "rs_x", "summary": []}]), "input[0].id"),
    "an image call": (responses(input=[{"type": "image_generation_call", "id": "ig_x"}]), "input[0].id"),
    "a file": (
        responses(input=[{"role": "user", "content": [{"type": "input_file", "file_id": "file-x"}]}]),
        "input[0].content[0].file_id",
    ),
    "vector stores": (
        responses(tools=[{"type": "file_search", "vector_store_ids": ["vs_x"]}]),
        "tools[0].vector_store_ids[0]",
    ),
    "a container": (responses(tools=[{"type": "code_interpreter", "container": "cntr_x"}]), "tools[0].container"),
    "files of a container": (
        responses(tools=[{"type": "code_interpreter", "container": {"type": "auto", "file_ids": ["file-x"]}}]),
        "tools[0].container.file_ids[0]",
    ),
    "a file in a chat": (chat({"type": "file", "file": {"file_id": "file-x"}}), "messages[0].content[1].file.file_id"),
    "audio of a chat": (chat(more=[{"role": "assistant", "audio": {"id": "audio_x"}}]), "messages[1].audio.id"),
    "Gemini's cache": (gemini(cachedContent="cachedContents/x"), "cachedContent"),
    "Gemini's cache in snake case": (gemini(cached_content="cachedContents/x"), "cached_content"),
    "Gemini's file": (gemini(parts=[{"fileData": {"fileUri": FILE_URI}}]), "contents[0].parts[1].fileData.fileUri"),
    "Gemini's file by name": (
        gemini(parts=[{"file_data": {"file_uri": "files/x"}}]),
        "contents[0].parts[1].file_data.file_uri",
    ),
    "a bucket": (gemini(parts=[{"fileData": {"fileUri": "gs://b/x"}}]), "contents[0].parts[1].fileData.fileUri"),
    "Gemini's store": (
        gemini(tools=[{"fileSearch": {"fileSearchStoreNames": ["fileSearchStores/x"]}}]),
        "tools[0].fileSearch.fileSearchStoreNames[0]",
    ),
    "Gemini's cache while tokens are counted": (
        gemini("countTokens", cachedContent="cachedContents/x"),
        "cachedContent",
    ),
    "a search engine of Vertex AI": (
        gemini(tools=[{"retrieval": {"vertexAiSearch": {"datastore": "projects/p/locations/l/dataStores/d"}}}]),
        "tools[0].retrieval.vertexAiSearch.datastore",
    ),
    "an address that becomes Gemini's file": (
        chat({"type": "image_url", "image_url": {"url": FILE_URI}}, model="gemini/m"),
        "messages[0].content[1].image_url.url",
    ),
    "Anthropic's file": (claude(FILE), "messages[0].content[1].source.file_id"),
    "Anthropic's file with citations": (
        claude({**FILE, "citations": {"enabled": True}}),
        "messages[0].content[1].source.file_id",
    ),
    "a file in a result": (
        claude({"type": "tool_result", "tool_use_id": "t", "content": [FILE]}),
        "messages[0].content[1].content[0].source.file_id",
    ),
    "an uploaded file": (claude({"type": "container_upload", "file_id": "file_x"}), "messages[0].content[1].file_id"),
    "Anthropic's container": (claude(container="container_x"), "container"),
    "Anthropic's container as an object": (claude(container={"id": "container_x"}), "container.id"),
    "a file while tokens are counted": (
        claude(FILE, path="/v1/messages/count_tokens"),
        "messages[0].content[1].source.file_id",
    ),
}


async def test_ids_that_a_client_has_not_received_are_refused_with_the_field() -> None:
    async with clients() as (client, provider):
        for case, ((path, body), field) in REFERENCES.items():
            for evidence in ({}, {"evidence": [{"text": "The house is red."}]}):
                if evidence and "ount" in path:
                    continue
                status, text = await send(client, "b", path, {**body, **evidence})
                assert status == 400, (case, text)
                assert f"{field}: must be an id that this client has received" in text, case
        assert provider.requests == []


OWN = {
    "previous_response_id": responses(previous_response_id="resp_of_a"),
    "conversation": responses(conversation="conv_of_a"),
    "item_reference": responses(input=[{"type": "item_reference", "id": "msg_of_a"}]),
    "reasoning": responses(input=[{"type": "reasoning", "id": "rs_of_a", "summary": []}]),
    "a container": responses(tools=[{"type": "code_interpreter", "container": "cntr_of_a"}]),
    "a file of a container": responses(
        input=[{"role": "user", "content": [{"type": "input_file", "file_id": "cfile_of_a"}]}]
    ),
}


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("stored", ["in memory", "in a file"])
async def test_a_client_refers_to_what_it_has_received_and_others_do_not(
    stream: bool, stored: str, tmp_path: Path
) -> None:
    references = {"references": {"file": str(tmp_path / "references")}} if stored == "in a file" else {}
    async with clients(**references) as (client, _):
        path, body = responses(stream=stream, metadata={"file_id": "file_chosen"})
        assert (await send(client, "a", path, body))[0] == 200
        for case, (path, body) in OWN.items():
            assert [(await send(client, name, path, body))[0] for name in "ab"] == [200, 400], case
        chosen = responses(input=[{"role": "user", "content": [{"type": "input_file", "file_id": "file_chosen"}]}])
        assert (await send(client, "a", *chosen))[0] == 400


async def test_the_container_and_the_files_of_anthropics_tools_belong_to_one_client() -> None:
    async with clients() as (client, _):
        assert (await send(client, "a", *claude()))[0] == 200
        for own in (claude(container="container_of_a"), claude({"type": "container_upload", "file_id": "file_of_a"})):
            assert [(await send(client, name, *own))[0] for name in "ab"] == [200, 400]
        chosen = claude({"type": "container_upload", "file_id": "file_chosen"})
        assert (await send(client, "a", *chosen))[0] == 400


NO_REFERENCES = {
    "a schema with such a field": responses(
        tools=[{"type": "function", "name": "f", "parameters": {"properties": {"file_id": {"default": "x"}}}}]
    ),
    "metadata": responses(metadata={"file_id": "x", "conversation": "y"}),
    "items that contain what they say": responses(
        input=[
            {"type": "message", "id": "msg_x", "role": "user", "content": "Hi"},
            {"type": "function_call", "id": "fc_x", "call_id": "c", "name": "f", "arguments": '{"file_id":"x"}'},
            {"type": "function_call_output", "call_id": "c", "output": "file_id"},
        ]
    ),
    "arguments of a tool": claude(
        more=[],
        tools=[{"name": "f", "input_schema": {"type": "object", "properties": {"container": {"type": "string"}}}}],
    ),
    "a plugin of OpenRouter": chat(plugins=[{"id": "web", "engine": "exa"}]),
    "a public image": chat({"type": "image_url", "image_url": {"url": "https://storage.googleapis.com/public/a.png"}}),
    "a public video": gemini(parts=[{"fileData": {"fileUri": "https://www.youtube.com/watch?v=1"}}]),
}


@pytest.mark.parametrize("case", NO_REFERENCES)
async def test_other_fields_are_passed_on(case: str) -> None:
    async with clients() as (client, provider):
        await send(client, "b", *NO_REFERENCES[case])
        assert len(provider.requests) == 1


SINGLE: dict[str, Fields] = {"one key": {"keys": [{"key": KEYS["a"]}]}, "no key": {}}


@pytest.mark.parametrize("case", SINGLE)
async def test_with_one_client_all_ids_are_passed_on(case: str) -> None:
    async with clients(SINGLE[case]) as (client, provider):
        assert (await send(client, "a", *responses(previous_response_id="resp_x")))[0] == 200
        assert provider.requests[0].json["previous_response_id"] == "resp_x"


async def test_with_its_own_key_at_the_provider_a_client_uses_all_ids() -> None:
    async with Server(upstream) as provider:
        passing = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "sk-op", "pass_client_key": True}
        async with TestClient(TestServer(make_app(parse({"providers": {"openai": passing}})))) as client:
            path, body = responses(previous_response_id="resp_x")
            assert (await send(client, "sk-own", path, body))[0] == 200
            async with client.post(path, json=body) as without_key:
                assert without_key.status == 400
    assert [request.headers["authorization"] for request in provider.requests] == ["Bearer sk-own"]


async def test_the_operator_names_ids_that_every_client_may_use() -> None:
    server = {"keys": [{"key": key} for key in KEYS.values()], "shared_ids": ["vs_shared", "pmpt_shared"]}
    async with clients(server) as (client, _):
        tools = [{"type": "file_search", "vector_store_ids": ["vs_shared"]}]
        assert (await send(client, "b", *responses(tools=tools, prompt={"id": "pmpt_shared"})))[0] == 200
        assert (await send(client, "b", *responses(prompt={"id": "pmpt_x"})))[0] == 400


async def test_a_request_with_very_many_ids_is_refused() -> None:
    async with clients() as (client, provider):
        items = [{"type": "item_reference", "id": f"msg_{number}"} for number in range(20_000)]
        status, text = await send(client, "b", *responses(input=items))
        assert (status, "is one id more than 100" in text) == (400, True)
        assert provider.requests == []


def test_only_places_that_the_provider_writes_contain_received_ids() -> None:
    assert {*ids_in(RESPONSE)} == {
        f"{kind}_of_a" for kind in ("resp", "conv", "rs", "ci", "cntr", "fc", "msg", "cfile")
    }
    assert {*ids_in(MESSAGE)} == {"container_of_a", "file_of_a"}
