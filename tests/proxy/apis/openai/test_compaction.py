"""`POST /v1/responses/compact` with every provider, through the official client, and the requests that continue."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from aiohttp.test_utils import TestServer
from openai import APIStatusError, AsyncOpenAI, BadRequestError

from citestream.proxy.apis.responses.compaction import SHORT_CHARACTERS
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.scripted import Answer, Upstream
from tests.upstreams.wire import Request, Server, Step, whole

SUMMARY = "The launch is on Tuesday; support is notified first."
LONG = "We compared many dates. " * (SHORT_CHARACTERS // 20)
RULES = {"type": "message", "role": "developer", "content": "Answer in one sentence."}
ASKED = {"type": "message", "role": "user", "content": "When do we launch?"}
ANSWERED = {"type": "message", "role": "assistant", "content": "On Tuesday [1]."}
CALL = {"type": "function_call", "call_id": "c1", "name": "calendar", "arguments": '{"week": 3}'}
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "Tuesday is free."}
NEXT = {"type": "message", "role": "user", "content": "And who is told first?"}
OTHER_SERVER = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAABo"}


class WithoutCompaction(Upstream):
    """A server of chat completions that has no path for compaction."""

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        if "/responses" in request.target:
            yield whole("404 Not Found", b'{"detail":"Not Found"}', "Content-Type: application/json")
            return
        async for step in super().__call__(request):
            yield step


@asynccontextmanager
async def running(text: str = SUMMARY) -> AsyncIterator[tuple[AsyncOpenAI, Server]]:
    """Run a server with a provider that answers every request with this text."""
    async with AsyncExitStack() as stack:
        answer = Answer((("text", text),) if text else (), (), "stop", (90, 7))
        server = await stack.enter_async_context(Server(WithoutCompaction("openai", answer)))
        providers = {"up": {"kind": "openai", "base_url": server.url, "api_key": "k"}, "extractive": {}}
        proxy = await stack.enter_async_context(TestServer(make_app(parse({"providers": providers}))))
        url = str(proxy.make_url("/v1"))
        yield await stack.enter_async_context(AsyncOpenAI(base_url=url, api_key="none", max_retries=0)), server


async def continued(client: AsyncOpenAI, server: Server, output: Any, **request: Any) -> list[dict[str, Any]]:
    """Return the messages that the provider receives when a conversation continues after compaction."""
    window = [item.to_dict(warnings=False) for item in output]
    await client.responses.create(model="up/m", input=[*window, NEXT], **request)  # type: ignore[list-item]
    messages: list[dict[str, Any]] = server.requests[-1].json["messages"]
    return messages


async def test_a_short_conversation_is_kept_without_a_model() -> None:
    async with running() as (client, server):
        items: Any = [RULES, ASKED, ANSWERED]
        compacted = await client.responses.compact(model="up/m", input=items)
        assert [item.type for item in compacted.output] == ["message", "compaction"]
        assert compacted.usage.total_tokens == 0
        assert not [request for request in server.requests if "chat" in request.target]
        assert await continued(client, server, compacted.output) == [
            {"role": "developer", "content": "Answer in one sentence."},
            {"role": "user", "content": "When do we launch?"},
            {"role": "assistant", "content": "On Tuesday."},  # the evidence of the marker is gone
            {"role": "user", "content": "And who is told first?"},
        ]


LONG_CONVERSATIONS: dict[str, list[Any]] = {
    "a long question": [RULES, {**ASKED, "content": f"{LONG} When do we launch?"}, ANSWERED],
    "calls, which cannot be kept without their tools": [RULES, ASKED, CALL, RESULT, ANSWERED],
}


@pytest.mark.parametrize("items", LONG_CONVERSATIONS.values(), ids=LONG_CONVERSATIONS)
async def test_the_model_summarizes_a_conversation(items: Any) -> None:
    async with running() as (client, server):
        compacted = await client.responses.compact(model="up/m", input=items)
        system, asked = server.requests[-1].json["messages"]
        assert (system["role"], asked["role"]) == ("system", "user")
        assert asked["content"].endswith("assistant: On Tuesday.")
        assert "Answer in one sentence" not in asked["content"]
        assert all(text in asked["content"] for text in ("When do we launch?",))
        assert ("calendar" in asked["content"]) == ("Tuesday is free." in asked["content"]) == (CALL in items)
        assert (compacted.usage.input_tokens, compacted.usage.output_tokens) == (90, 7)
        assert await continued(client, server, compacted.output) == [
            {"role": "developer", "content": "Answer in one sentence."},
            {"role": "user", "content": f"Summary of the conversation so far:\n\n{SUMMARY}"},
            {"role": "user", "content": "And who is told first?"},
        ]


async def test_a_compacted_conversation_is_continued_with_evidence_and_compacted_again() -> None:
    async with running() as (client, server):
        first: Any = await client.responses.compact(model="up/m", input=[ASKED, ANSWERED])  # type: ignore[list-item]
        extra = {"evidence": [{"text": "Support is told first."}]}
        *history, asked = await continued(client, server, first.output, extra_body=extra)
        assert [message["role"] for message in history] == ["system", "user", "assistant"]
        assert "Support is told first." in asked["content"]
        window = [*(item.to_dict(warnings=False) for item in first.output), NEXT]
        second = await client.responses.compact(model="up/m", input=window)
        messages = await continued(client, server, second.output)
        texts = ["When do we launch?", "On Tuesday.", NEXT["content"], NEXT["content"]]
        assert [message["content"] for message in messages] == texts


async def test_a_stored_conversation_is_compacted() -> None:
    async with running() as (client, server):
        response = await client.responses.create(model="up/m", input="When do we launch?")
        compacted = await client.responses.compact(model="up/m", previous_response_id=response.id)
        messages = await continued(client, server, compacted.output)
        assert [message["content"] for message in messages] == ["When do we launch?", SUMMARY, NEXT["content"]]
        missing = f"resp_{'0' * 32}"
        with pytest.raises(BadRequestError, match="input"):
            await client.responses.compact(model="up/m", previous_response_id=missing)


WRONG: dict[str, tuple[dict[str, Any], int, str]] = {
    "no model": ({"model": None}, 400, "model: must be"),
    "no input": ({"input": []}, 400, "input"),
    "an item that is not an object": ({"input": [None]}, 400, r"input\[0\]"),
    "a part that no chat model takes": (
        {"input": [{"role": "user", "content": [{"type": "computer_screenshot"}]}]},
        400,
        r"input\[0\]",
    ),
    "a model that cannot summarize": ({"model": "extractive", "input": LONG}, 501, "cannot summarize"),
    "a compaction of another server": ({"input": [OTHER_SERVER]}, 400, "only by the server that made it"),
    "a compaction that was cut off": (
        {"input": [{**OTHER_SERVER, "encrypted_content": "citestream.1.W1si"}]},
        400,
        "is not complete",
    ),
    "a compaction with a message of the system": (
        {"input": [{**OTHER_SERVER, "encrypted_content": "citestream.1.W1sic3lzdGVtIiwiYSJdXQ=="}]},
        400,
        "is not complete",
    ),
}


@pytest.mark.parametrize(("fields", "status", "message"), WRONG.values(), ids=WRONG)
async def test_what_cannot_be_compacted_is_an_error(fields: dict[str, Any], status: int, message: str) -> None:
    async with running() as (client, _):
        body = {"model": "up/m", "input": "When?", **fields}
        with pytest.raises(APIStatusError, match=message) as caught:
            await client.post("/responses/compact", body=body, cast_to=object)
        assert caught.value.status_code == status


async def test_an_empty_summary_is_an_error() -> None:
    async with running("") as (client, _):
        with pytest.raises(APIStatusError, match="no summary") as caught:
            await client.responses.compact(model="up/m", input=LONG)
        assert caught.value.status_code == 502
