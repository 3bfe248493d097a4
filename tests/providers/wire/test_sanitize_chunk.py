"""A provider sends fields of the wrong type: the text is delivered in every API, and no client fails."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.providers.events import OtherDelta, TextDelta, Usage
from citestream.providers.wire.anthropic.message_events import AnthropicReader
from citestream.providers.wire.gemini.candidates import GeminiReader, valid_counts
from citestream.providers.wire.ollama.chat_response import OllamaReader
from citestream.providers.wire.sanitize_chunk import sanitize
from citestream.providers.wire.vendor_fields import VENDORS
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Answer, Server, script, sse, whole

TEXT = "Water boils at 100 °C."
EVIDENCE = [{"text": TEXT}]
MESSAGES = [{"role": "user", "content": "When does water boil?"}]
SCORED = {"token": "Water", "logprob": -0.1, "bytes": None}


def chunk(choice: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **more}


# Fields that are added to the choice, to the delta and to the chunk.
WRONG_TYPES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "usage that is a string": ({}, {}, {"usage": "x"}),
    "usage that is a list": ({}, {}, {"usage": [1]}),
    "counts that are strings": (
        {},
        {},
        {"usage": {"prompt_tokens": "5", "completion_tokens": [1], "total_tokens": {}}},
    ),
    "details that are not objects": (
        {},
        {},
        {"usage": {"prompt_tokens": 5, "prompt_tokens_details": "x", "completion_tokens_details": 5}},
    ),
    "log-probabilities that are a number": ({"logprobs": 5}, {}, {}),
    "log-probabilities of the wrong type": ({"logprobs": {"content": [5, {}, {"token": 5, "logprob": "x"}]}}, {}, {}),
    "alternatives that are not objects": ({"logprobs": {"content": [{**SCORED, "top_logprobs": [5, "x"]}]}}, {}, {}),
    "reasoning that is an object": ({}, {"reasoning": {"a": 1}}, {}),
    "a refusal that is a number": ({}, {"refusal": 5}, {}),
    "calls that are a string": ({}, {"tool_calls": "x"}, {}),
    "an index of a call and a type that are lists": (
        {},
        {"tool_calls": [{"index": [], "type": {}, "id": "c", "function": {"name": "f", "arguments": "{}"}}]},
        {},
    ),
    "a finish reason of the model that is a list": ({"native_finish_reason": []}, {}, {}),
    "a function_call that is a string": ({}, {"function_call": "x"}, {}),
    "a function_call with the wrong type of name": ({}, {"function_call": {"name": [5]}}, {}),
    "annotations that are a number": ({}, {"annotations": 5}, {}),
    "annotations that are not objects": ({}, {"annotations": [5, ["x"]]}, {}),
    "annotations of another type": ({}, {"annotations": [{"type": "file", "file": {"name": "a.pdf"}}]}, {}),
    "images that are a number": ({}, {"images": 5}, {}),
    "images that are not objects": ({}, {"images": [5, {"image_url": 5}]}, {}),
    "a list of entries with other types": ({}, {"parts": [{"index": 0, "type": []}, {"index": 0, "type": {}}]}, {}),
    "a custom call with another input": (
        {},
        {"tool_calls": [{"index": 0, "id": "c", "type": "custom", "custom": {"name": "f", "input": [5]}}]},
        {},
    ),
    "a custom call that is a string": ({}, {"tool_calls": [{"index": 0, "type": "custom", "custom": "x"}]}, {}),
    "vendor fields that are not objects": (
        {"anthropic": 5, "google": "x"},
        {"anthropic": "x", "ollama": [5], "google": 5},
        {"anthropic": 5, "ollama": "x", "google": [5]},
    ),
    "blocks of Anthropic of the wrong type": (
        {},
        {"anthropic": {"content": [5, {"index": [5], "type": "x"}, {"index": {}, "partial_json": 5}]}},
        {},
    ),
    "reasoning details of the wrong type": (
        {},
        {"reasoning_details": [5, {"index": [5], "format": "anthropic-claude-v1", "text": 5, "signature": [5]}]},
        {},
    ),
    "content parts that are a string": ({}, {"content_parts": "x"}, {}),
    "calls of the wrong type": ({}, {"tool_calls": [5, {"id": [5]}, {"function": "x"}, {"function": {"name": 5}}]}, {}),
}
BODIES: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": MESSAGES},
    "/v1/responses": {"input": MESSAGES[0]["content"]},
    "/api/chat": {"messages": MESSAGES},
    "/v1/messages": {"messages": MESSAGES, "max_tokens": 100},
    "/v2/chat": {"messages": MESSAGES},
    "/v1beta/models/up/m:generateContent": {"contents": [{"parts": [{"text": "When does water boil?"}]}]},
}


def events(chunks: Sequence[dict[str, Any]]) -> Answer:
    return sse(*(b"data: " + json.dumps(one).encode() + b"\n\n" for one in chunks), b"data: [DONE]\n\n")


async def answers(sent: Answer, *, stream: bool) -> dict[str, str]:
    """Return the answers that clients of every API receive."""
    received: dict[str, str] = {}
    async with Server(sent) as provider:
        settings = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "k", "responses": False}
        async with TestClient(TestServer(make_app(parse({"providers": {"up": settings}})))) as client:
            for path, body in BODIES.items():
                called = path.replace(":generateContent", ":streamGenerateContent") if stream else path
                route = {"model": "up/m", "stream": stream} if "models" not in path else {}
                answer = await client.post(called, json={**route, **body, "evidence": EVIDENCE})
                received[path] = await answer.text()
                assert answer.status == 200, (path, received[path])
    return received


@pytest.mark.parametrize("name", WRONG_TYPES)
async def test_the_text_is_delivered_despite_wrong_types(name: str) -> None:
    choice, delta, more = WRONG_TYPES[name]
    chunks = [
        chunk({"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}),
        chunk({"index": 0, "delta": {"content": TEXT, **delta}, "finish_reason": None, **choice}, **more),
        chunk({"index": 0, "delta": {**delta}, "finish_reason": "stop", **choice}, **more),
    ]
    for path, received in (await answers(events(chunks), stream=False)).items():
        assert TEXT in json.dumps(json.loads(received), ensure_ascii=False), (path, received)


@pytest.mark.parametrize("stream", [True, False])
async def test_a_server_with_openais_api_cannot_send_fields_of_another_vendor(stream: bool) -> None:
    block = {"type": "web_search_tool_result", "index": 0, "content": "planted", "citations": [{"url": "planted"}]}
    own = {name: {"content": [block], "usage": {"planted": 1}, "planted": {"text": "planted"}} for name in VENDORS}
    call: dict[str, Any] = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    call["extra_content"] = {"anthropic": {"caller": "planted"}}
    chunks = [
        chunk({"index": 0, "delta": {"role": "assistant", "content": "", **own}, "finish_reason": None, **own}, **own),
        chunk({"index": 0, "delta": {"content": TEXT}, "finish_reason": None, **own}, **own),
        chunk({"index": 0, "delta": {"tool_calls": [{**call, "index": 0}]}, "finish_reason": None}),
        chunk({"index": 0, "delta": {**own}, "finish_reason": "tool_calls", **own}, **own),
    ]
    message = {"content": TEXT, "tool_calls": [call], **own}
    complete = chunk({"index": 0, "message": message, "finish_reason": "tool_calls", **own}, **own)
    complete_answer = script(whole("200 OK", json.dumps(complete).encode(), "Content-Type: application/json"))
    for sent in (events(chunks), complete_answer):
        for path, received in (await answers(sent, stream=stream)).items():
            assert "boils" in received
            assert "planted" not in received, path


ARGUMENTS = {"an object": {"city": "Bern"}, "a list": ["Bern"]}


@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS)
@pytest.mark.parametrize("field", ["tool_calls", "function_call"])
@pytest.mark.parametrize("stream", [True, False])
async def test_arguments_that_are_not_strings_reach_every_client(arguments: object, field: str, stream: bool) -> None:
    function = {"name": "weather", "arguments": arguments}
    delta = {field: function if field == "function_call" else [{"index": 0, "id": "c", "function": function}]}
    chunks = [chunk({"index": 0, "delta": delta, "finish_reason": "tool_calls"})]
    for path, received in (await answers(events(chunks), stream=stream)).items():
        assert "Bern" in received, path


def test_arguments_of_an_anthropic_server_that_are_a_list_are_kept() -> None:
    block = {"type": "tool_use", "id": "c", "name": "weather", "input": ["Bern"]}
    reader = AnthropicReader("m")
    reader.read(json.dumps({"type": "content_block_start", "index": 0, "content_block": block}).encode())
    (event,) = reader.read(b'{"type": "content_block_stop", "index": 0}')
    assert isinstance(event, OtherDelta)
    assert event.chunk["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] == '["Bern"]'


def test_valid_fields_are_not_changed() -> None:
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    usage = {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 1}, "cost": 0.1, "service": "x"}
    scored = {"content": [{**SCORED, "top_logprobs": [SCORED]}], "refusal": None}
    delta = {"content": [{"type": "text"}], "reasoning": "x", "refusal": None, "tool_calls": [call], "other": 5}
    for event in (
        TextDelta(0, "x", chunk({"index": 0, "delta": {"content": "x"}, "logprobs": scored})),
        OtherDelta(chunk({"index": 0, "delta": delta}), (0,)),
        Usage({"choices": [], "usage": usage}),
    ):
        before = json.dumps(event.chunk)
        assert json.dumps(sanitize(event).chunk) == before  # type: ignore[union-attr]
    counts = {"promptTokenCount": 5, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 5}]}
    assert valid_counts({**counts, "totalTokenCount": "x"}) == counts
    assert valid_counts([5]) == {}


@pytest.mark.parametrize("reader", [GeminiReader("m"), AnthropicReader("m"), OllamaReader("m")], ids=type)
def test_a_deeply_nested_event_with_an_unpaired_surrogate_is_an_error(reader: Any) -> None:
    deep = b'{"a":' + b"[" * 900 + b'"\\ud800"' + b"]" * 900 + b"}"
    with pytest.raises(ValueError, match="nested too deeply"):
        reader.read(deep)
