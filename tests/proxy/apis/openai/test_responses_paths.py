"""The paths below `/v1/responses`, with responses of Citestream and of providers, through the official client."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from aiohttp.test_utils import TestServer
from openai import AsyncOpenAI, BadRequestError, NotFoundError

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Request, Server, Step, chunk, head, whole

JSON = "Content-Type: application/json"
EVIDENCE = [{"text": "The Harlan bridge was opened on 4 May 1932.", "url": "https://ex.org/a"}]
REQUEST: dict[str, Any] = {
    "model": "extractive",
    "input": "When was the Harlan bridge opened?",
    "extra_body": {"evidence": EVIDENCE},
}
NATIVE = {
    "id": "resp_" + "a" * 48,
    "object": "response",
    "created_at": 1,
    "model": "m",
    "status": "queued",
    "output": [],
}
NATIVE |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
COMPLETED = {"type": "response.completed", "sequence_number": 0, "response": {**NATIVE, "status": "completed"}}
NO_RESPONSE = {"error": {"message": f"Response with id '{NATIVE['id']}' not found.", "type": "invalid_request_error"}}


async def responses_api(request: Request) -> AsyncIterator[Step]:
    """Answer like OpenAI's servers, with one response in background."""
    path, _, query = request.target.removeprefix("/v1/responses").partition("?")
    answers: dict[tuple[str, str], Any] = {
        ("POST", ""): NATIVE,
        ("GET", f"/{NATIVE['id']}"): NATIVE,
        ("DELETE", f"/{NATIVE['id']}"): {"id": NATIVE["id"], "object": "response", "deleted": True},
        ("POST", f"/{NATIVE['id']}/cancel"): {**NATIVE, "status": "cancelled"},
        ("GET", f"/{NATIVE['id']}/input_items"): {"object": "list", "data": [], "has_more": False},
        ("POST", "/input_tokens"): {"object": "response.input_tokens", "input_tokens": 11},
        ("POST", "/compact"): {**NATIVE, "object": "response.compaction"},
    }
    if "stream=true" in query:
        yield head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        yield chunk(b"event: response.completed\ndata: %b\n\n" % json.dumps(COMPLETED).encode())
        yield chunk(b"")
        return
    found = answers.get((request.method, path))
    status = "200 OK" if found else "404 Not Found"
    yield whole(status, json.dumps(found or NO_RESPONSE).encode(), JSON)


async def chat_only(_: Request) -> AsyncIterator[Step]:
    yield whole("404 Not Found", b'{"detail":"Not Found"}', JSON)


@asynccontextmanager
async def running(**config: Any) -> AsyncIterator[tuple[AsyncOpenAI, dict[str, Server]]]:
    """Run a server with two providers that have the Responses API in different versions, or not at all."""
    async with AsyncExitStack() as stack:
        servers = {
            name: await stack.enter_async_context(Server(answer))
            for name, answer in {"chat": chat_only, "up": responses_api}.items()
        }
        kinds = {name: {"kind": "openai", "base_url": f"{server.url}/v1"} for name, server in servers.items()}
        app = make_app(parse({"providers": {"extractive": {}, **kinds}, **config}))
        proxy = await stack.enter_async_context(TestServer(app))
        key = config.get("server", {}).get("keys", [{"key": "none"}])[0]["key"]
        url = str(proxy.make_url("/v1"))
        yield await stack.enter_async_context(AsyncOpenAI(base_url=url, api_key=key, max_retries=0)), servers


def texts(items: list[Any]) -> list[str]:
    """Return the text of each item."""
    return [item.content[0].text for item in items]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
async def test_an_own_response_can_be_read_and_deleted(stream: bool) -> None:
    async with running() as (client, _):
        if stream:
            async with client.responses.stream(**REQUEST) as events:
                made = await events.get_final_response()
        else:
            made = await client.responses.create(**REQUEST)
        assert made.output_text.endswith("[1]")
        read = await client.responses.retrieve(made.id)
        added = {"output": {0: {"content": {0: {"parsed"}}}}}  # by the client's helper
        assert read.model_dump() == made.model_dump(exclude=added)
        (item,) = [item async for item in client.responses.input_items.list(made.id)]
        assert (texts([item]), item.to_dict()["role"]) == ([REQUEST["input"]], "user")
        with pytest.raises(BadRequestError, match="only responses in background can be cancelled"):
            await client.responses.cancel(made.id)
        with pytest.raises(BadRequestError, match="stream"):
            await client.responses.retrieve(made.id, stream=True)
        await client.responses.delete(made.id)
        for read_again in (
            client.responses.retrieve(made.id),
            client.responses.delete(made.id),
            client.get(f"/references/{made.id}", cast_to=object),
        ):
            with pytest.raises(NotFoundError):
                await read_again
        with pytest.raises(BadRequestError, match="previous_response_id"):
            await client.responses.create(**REQUEST, previous_response_id=made.id)


async def test_the_input_is_listed_in_pages() -> None:
    async with running() as (client, _):
        questions: Any = [{"role": "user", "content": f"When was bridge {number} opened?"} for number in range(5)]
        made = await client.responses.create(**{**REQUEST, "input": questions})
        pages = client.responses.input_items.list(made.id, limit=2)
        newest_first = texts([item async for item in pages])
        oldest_first = texts([item async for item in client.responses.input_items.list(made.id, order="asc")])
        assert newest_first == oldest_first[::-1] == [question["content"] for question in questions[::-1]]
        with pytest.raises(BadRequestError, match="limit"):
            await client.responses.input_items.list(made.id, limit=0)


async def test_a_response_that_is_not_stored_is_not_found() -> None:
    async with running() as (client, _):
        made = await client.responses.create(**REQUEST, store=False)
        for response_id in (made.id, f"resp_{'0' * 32}"):
            with pytest.raises(NotFoundError, match="no response with this id is stored"):
                await client.responses.retrieve(response_id)


async def test_a_response_in_background_is_read_from_its_provider() -> None:
    async with running() as (client, servers):
        made = await client.responses.create(model="up/m", input="When?", background=True)
        assert (made.id, made.status) == (NATIVE["id"], "queued")
        read = await client.responses.retrieve(made.id, include=["message.output_text.logprobs"])
        assert read.status == "queued"
        events = [event async for event in await client.responses.retrieve(made.id, stream=True)]
        assert [event.type for event in events] == ["response.completed"]
        assert [item async for item in client.responses.input_items.list(made.id, limit=5)] == []
        assert (await client.responses.cancel(made.id)).status == "cancelled"
        await client.responses.delete(made.id)
        with pytest.raises(NotFoundError, match="not found"):
            await client.responses.retrieve("resp_of_nobody")
        asked = [(request.method, request.target.removeprefix("/v1/responses")) for request in servers["up"].requests]
        path = f"/{NATIVE['id']}"
        assert asked == [
            ("POST", ""),
            ("GET", f"{path}?include%5B%5D=message.output_text.logprobs"),
            ("GET", f"{path}?stream=true"),
            ("GET", f"{path}/input_items?limit=5"),
            ("POST", f"{path}/cancel"),
            ("DELETE", path),
            ("GET", "/resp_of_nobody"),
        ]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "in background with another provider": (
        {"model": "extractive", "background": True},
        "background: is possible only",
    ),
    "in background with evidence": (
        {"model": "up/m", "background": True, "extra_body": {"evidence": EVIDENCE}},
        "background: is possible only",
    ),
    "a stored prompt with evidence": (
        {"prompt": {"id": "pmpt_1"}, "extra_body": {"evidence": EVIDENCE}},
        "prompt: is stored by a provider",
    ),
    "neither a model nor a stored prompt": ({}, "model: must be a non-empty string"),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_what_cannot_work_is_refused_at_once(name: str) -> None:
    fields, message = REFUSED[name]
    async with running() as (client, servers):
        with pytest.raises(BadRequestError, match=message):
            await client.responses.create(input="When?", **fields)
        assert not servers["up"].requests


async def test_a_request_with_a_stored_prompt_needs_no_model() -> None:
    async with running(default_provider="up") as (client, servers):
        made = await client.responses.create(prompt={"id": "pmpt_1"}, input="When?")
        assert made.id == NATIVE["id"]
        assert servers["up"].requests[0].json == {"prompt": {"id": "pmpt_1"}, "input": "When?"}


async def test_input_tokens_are_counted_by_the_provider_or_estimated() -> None:
    async with running() as (client, servers):
        text = "When was the Harlan bridge opened, and by whom?"
        counted = await client.responses.input_tokens.count(model="up/m", input=text)
        assert (counted.object, counted.input_tokens) == ("response.input_tokens", 11)
        assert servers["up"].requests[-1].json == {"model": "m", "input": text}
        for model in ("chat/m", "extractive"):
            estimated = await client.responses.input_tokens.count(model=model, input=text)
            assert 5 < estimated.input_tokens < 40


async def test_a_provider_with_this_api_compacts() -> None:
    async with running() as (client, servers):
        compacted: Any = await client.post("/responses/compact", body={"model": "up/m", "input": "a"}, cast_to=object)
        assert compacted["object"] == "response.compaction"
        assert servers["up"].requests[-1].json == {"model": "m", "input": "a"}


async def test_a_client_cannot_read_or_delete_the_responses_of_another() -> None:
    keys = [{"name": name, "key": f"client-{name}-{'k' * 16}"} for name in ("a", "b")]
    async with running(server={"keys": keys}) as (client, servers):
        own = await client.responses.create(**REQUEST)
        native = await client.responses.create(model="up/m", input="When?", background=True)
        other = client.with_options(api_key=keys[1]["key"])
        asked = len(servers["up"].requests)
        for response_id in (own.id, native.id):
            for call in (
                other.responses.retrieve,
                other.responses.delete,
                other.responses.cancel,
                other.responses.input_items.list,
            ):
                with pytest.raises(NotFoundError):
                    await call(response_id)
        assert len(servers["up"].requests) == asked
        assert (await client.responses.retrieve(own.id)).id == own.id
        assert (await client.responses.retrieve(native.id)).id == native.id
