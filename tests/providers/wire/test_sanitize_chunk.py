"""A provider whose fields have the wrong type: its text arrives in every API, and no client fails."""

import json
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.providers.events import OtherDelta, TextDelta, Usage
from citestream.providers.wire.anthropic.message_events import AnthropicReader
from citestream.providers.wire.gemini.candidates import GeminiReader, valid_counts
from citestream.providers.wire.ollama.chat_response import OllamaReader
from citestream.providers.wire.openai_chunks import VENDORS
from citestream.providers.wire.sanitize_chunk import sanitize
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Server, script, sse, whole

TEXT = "Water boils at 100 °C."
EVIDENCE = [{"text": TEXT}]
MESSAGES = [{"role": "user", "content": "When does water boil?"}]
SCORED = {"token": "Water", "logprob": -0.1, "bytes": None}


def chunk(choice: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **more}


# Fields added to a chunk: to its choice, to its delta, to itself.
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "usage that is a text": ({}, {}, {"usage": "x"}),
    "usage that is a list": ({}, {}, {"usage": [1]}),
    "counts that are texts": ({}, {}, {"usage": {"prompt_tokens": "5", "completion_tokens": [1], "total_tokens": {}}}),
    "details that are none": (
        {},
        {},
        {"usage": {"prompt_tokens": 5, "prompt_tokens_details": "x", "completion_tokens_details": 5}},
    ),
    "log-probabilities that are a number": ({"logprobs": 5}, {}, {}),
    "log-probabilities of nothing": ({"logprobs": {"content": [5, {}, {"token": 5, "logprob": "x"}]}}, {}, {}),
    "alternatives that are none": ({"logprobs": {"content": [{**SCORED, "top_logprobs": [5, "x"]}]}}, {}, {}),
    "reasoning that is an object": ({}, {"reasoning": {"a": 1}}, {}),
    "a refusal that is a number": ({}, {"refusal": 5}, {}),
    "calls that are a text": ({}, {"tool_calls": "x"}, {}),
    "an index of a call and a type that are lists": (
        {},
        {"tool_calls": [{"index": [], "type": {}, "id": "c", "function": {"name": "f", "arguments": "{}"}}]},
        {},
    ),
    "a finish reason of the model that is a list": ({"native_finish_reason": []}, {}, {}),
    "an older call that is a text": ({}, {"function_call": "x"}, {}),
    "an older call of nothing": ({}, {"function_call": {"name": [5]}}, {}),
    "annotations that are a number": ({}, {"annotations": 5}, {}),
    "annotations of nothing": ({}, {"annotations": [5, ["x"]]}, {}),
    "annotations of another type": ({}, {"annotations": [{"type": "file", "file": {"name": "a.pdf"}}]}, {}),
    "images that are a number": ({}, {"images": 5}, {}),
    "images of nothing": ({}, {"images": [5, {"image_url": 5}]}, {}),
    "a list of entries with other types": ({}, {"parts": [{"index": 0, "type": []}, {"index": 0, "type": {}}]}, {}),
    "a custom call with another input": (
        {},
        {"tool_calls": [{"index": 0, "id": "c", "type": "custom", "custom": {"name": "f", "input": [5]}}]},
        {},
    ),
    "a custom call of nothing": ({}, {"tool_calls": [{"index": 0, "type": "custom", "custom": "x"}]}, {}),
    "a vendor's fields that are none": (
        {"anthropic": 5, "google": "x"},
        {"anthropic": "x", "ollama": [5], "google": 5},
        {"anthropic": 5, "ollama": "x", "google": [5]},
    ),
    "blocks of Anthropic of nothing": (
        {},
        {"anthropic": {"content": [5, {"index": [5], "type": "x"}, {"index": {}, "partial_json": 5}]}},
        {},
    ),
    "thoughts of nothing": (
        {},
        {"reasoning_details": [5, {"index": [5], "format": "anthropic-claude-v1", "text": 5, "signature": [5]}]},
        {},
    ),
    "parts of the content that are a text": ({}, {"content_parts": "x"}, {}),
    "calls of nothing": ({}, {"tool_calls": [5, {"id": [5]}, {"function": "x"}, {"function": {"name": 5}}]}, {}),
}
BODIES: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"messages": MESSAGES},
    "/v1/responses": {"input": MESSAGES[0]["content"]},
    "/api/chat": {"messages": MESSAGES},
    "/v1/messages": {"messages": MESSAGES, "max_tokens": 100},
    "/v2/chat": {"messages": MESSAGES},
    "/v1beta/models/up/m:generateContent": {"contents": [{"parts": [{"text": "When does water boil?"}]}]},
}


@pytest.mark.parametrize("name", WRONG)
async def test_the_text_arrives_all_the_same(name: str) -> None:
    choice, delta, more = WRONG[name]
    chunks = [
        chunk({"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}),
        chunk({"index": 0, "delta": {"content": TEXT, **delta}, "finish_reason": None, **choice}, **more),
        chunk({"index": 0, "delta": {**delta}, "finish_reason": "stop", **choice}, **more),
    ]
    sent = [*(b"data: " + json.dumps(one).encode() + b"\n\n" for one in chunks), b"data: [DONE]\n\n"]
    async with Server(sse(*sent)) as provider:
        settings = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "k", "responses": False}
        async with TestClient(TestServer(make_app(parse({"providers": {"up": settings}})))) as client:
            for path, body in BODIES.items():
                asked = {"model": "up/m", "stream": False} if "models" not in path else {}
                answer = await client.post(path, json={**asked, **body, "evidence": EVIDENCE})
                told = await answer.text()
                assert answer.status == 200, (path, told)
                assert TEXT in json.dumps(json.loads(told), ensure_ascii=False), (path, told)


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
    events = [*(b"data: " + json.dumps(one).encode() + b"\n\n" for one in chunks), b"data: [DONE]\n\n"]
    for sent in (
        sse(*events),
        script(whole("200 OK", json.dumps(complete).encode(), "Content-Type: application/json")),
    ):
        async with Server(sent) as provider:
            settings = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "k", "responses": False}
            async with TestClient(TestServer(make_app(parse({"providers": {"up": settings}})))) as client:
                for path, body in BODIES.items():
                    streamed = path.replace(":generateContent", ":streamGenerateContent") if stream else path
                    asked = {"model": "up/m", "stream": stream} if "models" not in path else {}
                    answer = await client.post(streamed, json={**asked, **body, "evidence": EVIDENCE})
                    told = await answer.text()
                    assert "boils" in told
                    assert "planted" not in told, path


CALLED = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "weather", "arguments": {"city": "Bern"}}}]}
LEGACY = {"function_call": {"name": "weather", "arguments": {"city": "Bern"}}}


@pytest.mark.parametrize("delta", [CALLED, LEGACY], ids=["tool_calls", "function_call"])
@pytest.mark.parametrize("stream", [True, False])
async def test_arguments_that_are_an_object_reach_every_client(delta: dict[str, Any], stream: bool) -> None:
    chunks = [chunk({"index": 0, "delta": delta, "finish_reason": "tool_calls"})]
    sent = [*(b"data: " + json.dumps(one).encode() + b"\n\n" for one in chunks), b"data: [DONE]\n\n"]
    async with Server(sse(*sent)) as provider:
        settings = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "k", "responses": False}
        async with TestClient(TestServer(make_app(parse({"providers": {"up": settings}})))) as client:
            for path, body in BODIES.items():
                streamed = path.replace(":generateContent", ":streamGenerateContent") if stream else path
                asked = {"model": "up/m", "stream": stream} if "models" not in path else {}
                answer = await client.post(streamed, json={**asked, **body, "evidence": EVIDENCE})
                assert "Bern" in await answer.text(), path


def test_what_is_right_stays_as_it_is() -> None:
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
def test_a_deep_event_with_half_a_character_is_refused(reader: Any) -> None:
    deep = b'{"a":' + b"[" * 900 + b'"\\ud800"' + b"]" * 900 + b"}"
    with pytest.raises(ValueError, match="nested too deeply"):
        reader.read(deep)
