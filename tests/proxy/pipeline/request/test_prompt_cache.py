"""A provider's prompt cache stays effective: no request changes the prefix that an earlier request has cached."""

import json
from itertools import pairwise
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.anthropic import KEY, Anthropic, text
from tests.upstreams.wire import Server

MARK = {"cache_control": {"type": "ephemeral"}}
EVIDENCE = [{"text": "The Saturn V was 110.6 metres tall."}]
TOOLS = [{"name": "read", "input_schema": {"type": "object"}, **MARK}]
SYSTEM = [{"type": "text", "text": "You are a coding agent.", **MARK}]
REMINDER = {"role": "system", "content": [{"type": "text", "text": "The file has changed."}]}
THOUGHT = {"type": "thinking", "thinking": "Read it.", "signature": "c2ln"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}}


def asked(question: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": "<env/>"}, {"type": "text", "text": question, **MARK}]}


def result() -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "seven", **MARK}
    return {"role": "user", "content": [block]}


# The requests of a coding agent: a question, the result of its tool call, the next question.
ANSWER = {"role": "assistant", "content": [{"type": "text", "text": "It is 110.6 metres tall."}]}
FIRST = [asked("How tall was the Saturn V?")]
SECOND = [*FIRST, {"role": "assistant", "content": [THOUGHT, CALL]}, result()]
THIRD = [*SECOND, ANSWER, asked("How tall exactly was the Saturn V?")]
WITH_REMINDER = [*SECOND, REMINDER, ANSWER, asked("And how tall was the Saturn V?")]


async def sent(requests: list[list[dict[str, Any]]], provider: str, **more: Any) -> list[dict[str, Any]]:
    """Return what Anthropic receives for these requests."""
    async with Server(Anthropic(text("It is 110.6 metres tall."))) as server:
        settings = {"kind": "anthropic", "base_url": server.url, "api_key": KEY}
        app = make_app(parse({"providers": {provider: settings}}))
        async with TestClient(TestServer(app)) as client:
            for messages in requests:
                body = {"model": f"{provider}/m", "max_tokens": 9, "system": SYSTEM, "tools": TOOLS, **more}
                answer = await client.post("/v1/messages", json={**body, "messages": messages})
                assert answer.status == 200, await answer.text()
    return [request.json for request in server.requests]


def blocks(body: dict[str, Any]) -> list[str]:
    """Return the prompt in the order in which Anthropic caches it, one entry a block, without the marks."""
    found: list[Any] = [*body["tools"], *body["system"]]
    for message in body["messages"]:
        content = message["content"]
        parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
        found += [{"role": message["role"], **part} for part in parts]
    return [json.dumps({key: value for key, value in one.items() if key != "cache_control"}) for one in found]


def cached(body: dict[str, Any]) -> list[list[str]]:
    """Return the prefixes that the marks of a request cache."""
    everything: list[Any] = [*body["tools"], *body["system"]]
    everything += [part for message in body["messages"] for part in message["content"]]
    ends = [at for at, part in enumerate(everything, 1) if "cache_control" in part]
    return [blocks(body)[:end] for end in ends]


@pytest.mark.parametrize("last", [THIRD, WITH_REMINDER], ids=["a next question", "a system message before it"])
async def test_each_request_begins_with_what_the_request_before_it_has_cached(last: list[dict[str, Any]]) -> None:
    requests = await sent([FIRST, SECOND, last], "anthropic", evidence=EVIDENCE)
    for earlier, later in pairwise(requests):
        prefixes = cached(earlier)
        assert len(prefixes) >= 3  # tools, system prompt, and a message
        for prefix in prefixes:
            assert blocks(later)[: len(prefix)] == prefix
    assert "110.6 metres" in blocks(requests[0])[-1]
    assert "110.6 metres" in blocks(requests[1])[-1]


async def test_the_messages_differ_from_those_of_the_client_only_by_the_block_with_the_excerpts() -> None:
    (received,) = await sent([WITH_REMINDER], "anthropic", evidence=EVIDENCE)
    *earlier, last = received["messages"]
    *content, added = last["content"]
    assert [message["role"] for message in earlier] == [message["role"] for message in WITH_REMINDER[:-1]]
    assert blocks({**received, "messages": [*earlier, {**last, "content": content}]}) == [
        *blocks({"tools": TOOLS, "system": SYSTEM, "messages": WITH_REMINDER[:2]}),
        *[
            block.replace('"seven"', '[{"type": "text", "text": "seven"}]')
            for block in blocks(part([WITH_REMINDER[2]]))
        ],
        *blocks(part(WITH_REMINDER[3:])),
    ]
    assert "cache_control" not in added
    assert received["system"] == SYSTEM


def part(messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {"tools": [], "system": [], "messages": messages}


async def test_excerpts_stay_the_same_while_the_evidence_does() -> None:
    unmarked = [{"role": "user", "content": "How tall was the Saturn V?"}]
    other = [{"text": "The Saturn V was 111 metres tall."}]
    first, second = await sent([unmarked, unmarked], "anthropic", evidence=EVIDENCE)
    (third,) = await sent([unmarked], "anthropic", evidence=other)
    assert first == second
    nonces = {json.dumps(body["messages"]).split("<excerpt-")[1][:8] for body in (first, third)}
    assert len(nonces) == 2
