"""AnthropicProvider with Anthropic's wire format: its answers as events, its errors and its models."""

from collections.abc import AsyncIterator, Iterator
from random import Random
from typing import Any

import pytest

from citestream.providers.errors import IncompleteAnswer, Rejected, ReportedError
from citestream.providers.events import Finish
from citestream.proxy.pipeline.collect_chunks import Completion
from tests.conftest import Chunkings
from tests.providers.recorded_answer import ask_server, make_provider
from tests.upstreams.anthropic import (
    CALL,
    FOUND,
    KEY,
    MODEL,
    REDACTED,
    SEARCH,
    SIGNATURE,
    THINKING,
    Anthropic,
    error,
    event,
    text,
)
from tests.upstreams.wire import Answer, Request, Server, Step, script, sse

TEXT = "Water boils at 100 °C [1]."
FORMAT = "anthropic-claude-v1"
ALL_BLOCKS: list[dict[str, Any]] = [
    THINKING,
    REDACTED,
    SEARCH,
    FOUND,
    *text("Water boils", " at 100 °C [1]."),
    CALL,
    {**CALL, "id": "toolu_2"},
]


async def test_an_answer_is_translated_to_events() -> None:
    async with Server(Anthropic()) as server:
        answer = await ask_server("anthropic", server.url)
    assert answer.error is None
    assert answer.text() == TEXT
    assert answer.others[0] == {"role": "assistant", "content": ""}
    assert answer.reasons == {0: "stop"}
    assert answer.usage == {
        "prompt_tokens": 24,
        "completion_tokens": 30,
        "total_tokens": 54,
        "prompt_tokens_details": {"cached_tokens": 8},
    }
    finish = next(one for one in answer.events if isinstance(one, Finish))
    assert finish.chunk["id"] == "msg_01XFDUDYJgAACzvnptvVoYEL"
    assert (finish.chunk["model"], finish.chunk["object"]) == (MODEL, "chat.completion.chunk")
    assert finish.chunk["choices"][0]["native_finish_reason"] == "end_turn"


async def test_key_and_version_are_in_headers() -> None:
    async with Server(Anthropic()) as server:
        await ask_server("anthropic", f"{server.url}/v1/")
        await ask_server("anthropic", server.url, api_key="sk-ant-oat01-token")
    first, second = server.requests
    assert first.target == "/v1/messages"
    assert (first.headers["x-api-key"], first.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert second.headers["authorization"] == "Bearer sk-ant-oat01-token"
    assert "x-api-key" not in second.headers


async def test_every_kind_of_block_is_translated() -> None:
    async with Server(Anthropic(ALL_BLOCKS, stop="tool_use")) as server:
        answer = await ask_server("anthropic", server.url)
    assert answer.error is None
    assert answer.text() == TEXT
    assert answer.reasons == {0: "tool_calls"}
    collected = Completion()
    for one in answer.events:
        collected.add(one.chunk)  # type: ignore[union-attr] # Idle is left out
    message = collected.body()["choices"][0]["message"]
    assert message["reasoning"] == "They ask."
    assert message["reasoning_details"] == [
        {"type": "reasoning.text", "text": "They ask.", "signature": SIGNATURE, "format": FORMAT, "index": 0},
        {"type": "reasoning.encrypted", "data": REDACTED["data"], "format": FORMAT, "index": 1},
    ]
    assert [call["id"] for call in message["tool_calls"]] == [CALL["id"], "toolu_2"]
    assert [call["function"]["arguments"] for call in message["tool_calls"]] == ['{"city": "Zürich"}'] * 2
    (called, found) = message["anthropic"]["content"]
    assert called == {**SEARCH, "input": {}, "index": 2, "partial_json": '{"query": "boiling point"}'}
    assert found == {**FOUND, "index": 3}


@pytest.mark.parametrize(("given", "arguments"), [({"city": "Zürich"}, '{"city":"Zürich"}'), ({}, "{}"), (None, "{}")])
async def test_the_input_of_a_tool_can_be_in_the_start_of_its_block(given: Any, arguments: str) -> None:
    events = [
        event("message_start", message={"id": "msg_1", "model": MODEL, "usage": {}}),
        event("content_block_start", index=0, content_block={**CALL, "input": given}),
        event("content_block_stop", index=0),
        event("message_delta", delta={"stop_reason": "tool_use"}, usage={}),
        event("message_stop"),
    ]
    async with Server(sse(*events)) as server:
        answer = await ask_server("anthropic", server.url)
    collected = Completion()
    for one in answer.events:
        collected.add(one.chunk)  # type: ignore[union-attr] # Idle is left out
    (call,) = collected.body()["choices"][0]["message"]["tool_calls"]
    assert call["function"] == {"name": CALL["name"], "arguments": arguments}


async def test_the_answer_is_the_same_however_its_bytes_are_split(chunkings: Chunkings) -> None:
    stream = b"".join(Anthropic(ALL_BLOCKS, stop="tool_use").events()).decode()
    results = []
    for pieces in chunkings(stream, Random(17)):
        async with Server(sse(*(piece.encode() for piece in pieces if piece))) as server:
            answer = await ask_server("anthropic", server.url)
        assert answer.error is None
        results.append((answer.text(), [one for one in answer.others if "content" not in one], answer.usage))
    assert all(one == results[0] for one in results)
    assert results[0][0] == TEXT


async def test_models_of_all_pages_are_listed() -> None:
    async with Server(Anthropic()) as server:
        provider = make_provider("anthropic", server.url)
        assert await provider.models() == ["claude-opus-4-1-20250805", MODEL]
        await provider.reach()
        await provider.aclose()
        wrong = make_provider("anthropic", server.url, api_key="wrong")
        with pytest.raises(Rejected, match="invalid x-api-key") as raised:
            await wrong.models()
        await wrong.aclose()
    assert (raised.value.status, raised.value.type) == (401, "authentication_error")


REJECTIONS: dict[str, tuple[int, str, int]] = {
    "too many requests": (429, "rate_limit_error", 429),
    "overloaded": (529, "overloaded_error", 503),
    "too large": (413, "request_too_large", 413),
}


@pytest.mark.parametrize("name", REJECTIONS)
async def test_a_rejection_keeps_its_type_and_retry_after(name: str) -> None:
    status, kind, expected = REJECTIONS[name]
    async with Server(script(error(status, kind, "Not now", "retry-after: 7"))) as server:
        answer = await ask_server("anthropic", server.url)
    assert isinstance(answer.error, Rejected)
    assert (answer.error.status, answer.error.type, answer.error.retry_after) == (expected, kind, "7")
    assert answer.error.headers["request-id"].startswith("req_")


async def test_a_request_to_an_overloaded_server_is_retried() -> None:
    from citestream.providers.transport import Retries

    answers: Iterator[Answer] = iter([script(error(529, "overloaded_error", "Overloaded")), Anthropic()])
    current = next(answers)

    async def answer(request: Request) -> AsyncIterator[Step]:
        nonlocal current
        async for step in current(request):
            yield step
        current = next(answers, current)

    async with Server(answer) as server:
        found = await ask_server("anthropic", server.url, retries=Retries(most=1))
    assert found.text() == TEXT


REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
    "something_new": "stop",
}


@pytest.mark.parametrize("native", REASONS)
async def test_a_stop_reason_becomes_a_finish_reason(native: str) -> None:
    async with Server(Anthropic(stop=native)) as server:
        answer = await ask_server("anthropic", server.url)
    assert answer.reasons == {0: REASONS[native]}


BROKEN: dict[str, tuple[list[bytes], type[Exception]]] = {
    "a stream without a stop reason": (Anthropic().events()[:-2], IncompleteAnswer),
    "an error in the stream": (
        [*Anthropic().events()[:-2], event("error", error={"type": "overloaded_error", "message": "Overloaded"})],
        ReportedError,
    ),
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_stream_has_no_finish_reason(name: str) -> None:
    events, kind = BROKEN[name]
    async with Server(sse(*events)) as server:
        answer = await ask_server("anthropic", server.url)
    assert answer.text() == TEXT
    assert answer.reasons == {}
    assert type(answer.error) is kind


async def test_unknown_kinds_of_events_are_ignored() -> None:
    events = Anthropic().events()
    new = [
        event("novelty", index=3),
        event("content_block_delta", index=0, delta={"type": "novel_delta"}),
        b"data: {\n\n",
    ]
    async with Server(sse(*events[:3], *new, *events[3:])) as server:
        answer = await ask_server("anthropic", server.url)
    assert (answer.text(), answer.error) == (TEXT, None)


TEXTS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


@pytest.mark.parametrize("wrong", [None, 1.5, ["a"], {"a": 1}])
async def test_values_of_the_wrong_type_are_ignored(wrong: object) -> None:
    *events, stop = Anthropic().events()
    new = [
        event("content_block_start", index=3, content_block={"type": wrong}),
        event("content_block_start", index=4, content_block={**CALL, "input": {}}),
        event("content_block_start", index=5, content_block={**SEARCH, "input": {}}),
        *(event("content_block_delta", index=0, delta={"type": kind, name: wrong}) for kind, name in TEXTS.items()),
        *(
            event("content_block_delta", index=at, delta={"type": "input_json_delta", "partial_json": wrong})
            for at in (4, 5)
        ),
    ]
    usage = event("message_delta", delta={}, usage={"output_tokens": wrong})
    async with Server(sse(*events[:3], *new, *events[3:], usage, stop)) as server:
        answer = await ask_server("anthropic", server.url)
    assert (answer.text(), answer.error) == (TEXT, None)
    assert answer.usage is not None
    assert answer.usage["completion_tokens"] == 0
    assert not any("reasoning" in delta or "reasoning_details" in delta for delta in answer.others)
