"""Requests in Anthropic's wire format: messages, parameters and their limits."""

from typing import Any

import pytest

from citestream.providers.errors import Rejected
from citestream.providers.events import ChatRequest
from citestream.providers.wire.anthropic.messages_request import messages_body
from tests.providers.recorded_answer import ask, make_provider
from tests.upstreams.anthropic import MODEL, Anthropic
from tests.upstreams.wire import Server

FORMAT = "anthropic-claude-v1"
QUESTION = {"role": "user", "content": "When?"}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
CALL = {"id": "call:1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Bern"}'}}
CALLER = {"caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_01"}}
PDF_FILE = {"file_data": "data:application/pdf;base64,JVBE", "filename": "a.pdf"}
MESSAGES: dict[str, tuple[list[dict[str, Any]], Any]] = {
    "a string": ([QUESTION], [{"role": "user", "content": [{"type": "text", "text": "When?"}]}]),
    "an image as data": (
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}}]}],
        [
            {
                "role": "user",
                "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}],
            }
        ],
    ),
    "an image at an address": (
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.org/b.png"}}]}],
        [{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "https://a.org/b.png"}}]}],
    ),
    "a file": (
        [{"role": "user", "content": [{"type": "file", "file": PDF_FILE}]}],
        [
            {
                "role": "user",
                "content": [
                    {
                        "type": "document",
                        "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"},
                        "title": "a.pdf",
                    }
                ],
            }
        ],
    ),
    "results of parallel calls are in one message": (
        [
            {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "call_2"}]},
            {"role": "tool", "tool_call_id": "call:1", "content": "rain"},
            {"role": "tool", "tool_call_id": "call_2", "content": "sun"},
            QUESTION,
        ],
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Bern"}},
                    {"type": "tool_use", "id": "call_2", "name": "weather", "input": {"city": "Bern"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "call_1", "content": "rain"},
                    {"type": "tool_result", "tool_use_id": "call_2", "content": "sun"},
                    {"type": "text", "text": "When?"},
                ],
            },
        ],
    ),
    "thinking of an earlier answer in our format": (
        [
            {
                "role": "assistant",
                "content": "Now.",
                "reasoning": "hm",
                "reasoning_details": [
                    {
                        "type": "reasoning.text",
                        "text": "hm",
                        "signature": "c2ln",
                        "format": FORMAT + FORMAT,
                        "index": 0,
                    },
                    {"type": "reasoning.encrypted", "data": "ZGF0YQ", "format": FORMAT, "index": 1},
                    {"type": "reasoning.text", "text": "unsigned", "format": FORMAT, "index": 2},
                    {"type": "reasoning.summary", "summary": "x", "format": "openai-responses-v1"},
                ],
            }
        ],
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                    {"type": "redacted_thinking", "data": "ZGF0YQ"},
                    {"type": "text", "text": "Now."},
                ],
            }
        ],
    ),
    "thinking of an earlier answer in LiteLLM's format": (
        [
            {
                "role": "assistant",
                "content": "Now.",
                "thinking_blocks": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}],
            }
        ],
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                    {"type": "text", "text": "Now."},
                ],
            }
        ],
    ),
    "Anthropic's field of a tool call": (
        [{"role": "assistant", "content": "Now.", "tool_calls": [CALL | {"extra_content": {"anthropic": CALLER}}]}],
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Now."},
                    {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Bern"}, **CALLER},
                ],
            }
        ],
    ),
    "empty texts, which Anthropic rejects": (
        [{"role": "user", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "When?"}]}],
        [{"role": "user", "content": [{"type": "text", "text": "When?"}]}],
    ),
}


def request(messages: list[dict[str, Any]], model: str = MODEL, **params: Any) -> dict[str, Any]:
    return messages_body(ChatRequest(model, messages, params))


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_are_translated(name: str) -> None:
    given, expected = MESSAGES[name]
    assert request(given)["messages"] == expected


def test_a_mark_for_the_prompt_cache_is_kept() -> None:
    block = {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}
    messages = [{"role": role, "content": [block]} for role in ("system", "user")]
    assert request(messages)["system"] == [block]
    assert request(messages)["messages"] == [{"role": "user", "content": [block]}]


PARAMETERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing": ({}, {"max_tokens": 32_000}),
    "a limit": ({"max_completion_tokens": 5, "max_tokens": 7}, {"max_tokens": 5}),
    "a temperature above Anthropic's range": ({"temperature": 1.7}, {"max_tokens": 32_000, "temperature": 1.0}),
    "numbers as strings, which Anthropic rejects": (
        {"temperature": "2", "max_tokens": "9", "reasoning_effort": "low"},
        {"max_tokens": "9", "temperature": "2"},
    ),
    "parameters with other names": (
        {"stop": "END", "user": "u1", "seed": 7, "n": 1, "logprobs": True},
        {"max_tokens": 32_000, "stop_sequences": ["END"], "metadata": {"user_id": "u1"}},
    ),
    "a forced tool": (
        {"tools": [TOOL], "tool_choice": "required", "parallel_tool_calls": False, "reasoning_effort": "high"},
        {
            "max_tokens": 32_000,
            "tools": [{"name": "weather", "input_schema": {"type": "object", "properties": {}}}],
            "tool_choice": {"type": "any", "disable_parallel_tool_use": True},
        },
    ),
    "effort": (
        {"reasoning_effort": "low", "max_tokens": 100, "temperature": 0.2, "top_k": 7},
        {"max_tokens": 1_124, "temperature": 1.0, "thinking": {"type": "enabled", "budget_tokens": 1_024}},
    ),
    "a JSON schema": (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}},
        {"max_tokens": 32_000, "output_config": {"format": {"type": "json_schema", "schema": {"type": "object"}}}},
    ),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_are_translated(name: str) -> None:
    given, expected = PARAMETERS[name]
    body = request([QUESTION], **given)
    assert {key: value for key, value in body.items() if key not in ("model", "messages", "stream")} == expected


def test_new_models_get_adaptive_thinking() -> None:
    body = request([QUESTION], model="claude-opus-4-6", reasoning_effort="xhigh")
    assert (body["thinking"], body["output_config"]) == ({"type": "adaptive"}, {"effort": "xhigh"})


@pytest.mark.parametrize("model", ["claude-opus-4-6", "claude-sonnet-4-20250514", "claude-3-haiku-20240307", "kimi-k2"])
def test_sampling_parameters_are_kept_for_models_that_accept_them(model: str) -> None:
    assert request([QUESTION], model=model, temperature=0.5, top_p=0.9).keys() >= {"temperature", "top_p"}


@pytest.mark.parametrize("model", ["claude-opus-4-7", "claude-sonnet-5-5", "claude-fable-5"])
def test_sampling_parameters_are_dropped_for_models_that_reject_them(model: str) -> None:
    assert not request([QUESTION], model=model, temperature=0.5, top_p=0.9).keys() & {"temperature", "top_p"}


def test_thinking_is_disabled_if_the_thinking_before_an_open_tool_call_is_missing() -> None:
    call: dict[str, Any] = {"role": "assistant", "tool_calls": [CALL]}
    messages = [QUESTION, call, {"role": "tool", "tool_call_id": "call:1"}]
    assert "thinking" not in request(messages, reasoning_effort="high")


LIMITS = {
    "claude-3-haiku-20240307": 4_096,
    "claude-3-5-sonnet-latest": 8_192,
    "claude-opus-4-1": 32_000,
    "kimi-k2": 8_192,
}


@pytest.mark.parametrize("model", LIMITS)
def test_the_required_max_tokens_depends_on_the_model(model: str) -> None:
    assert request([QUESTION], model=model)["max_tokens"] == LIMITS[model]


REFUSED: dict[str, tuple[list[dict[str, Any]], dict[str, Any], str]] = {
    "audio": ([{"role": "user", "content": [{"type": "input_audio"}]}], {}, "messages[0].content[0].type"),
    "a tool that is not a function": ([QUESTION], {"tools": [{"type": "web_search"}]}, "tools[0]"),
    "a file without data": (
        [{"role": "user", "content": [{"type": "file", "file": {}}]}],
        {},
        "messages[0].content[0].file",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_error_for_unsupported_content_names_its_path(name: str) -> None:
    messages, params, path = REFUSED[name]
    with pytest.raises(Rejected) as raised:
        request(messages, **params)
    assert (raised.value.status, raised.value.param) == (400, path)


async def test_the_api_accepts_a_translated_request() -> None:
    params = {
        "temperature": 1,
        "stop": ["END"],
        "user": "u",
        "tools": [TOOL],
        "reasoning_effort": "medium",
        "seed": 1,
    }
    async with Server(Anthropic()) as server:
        provider = make_provider("anthropic", server.url)
        answer = await ask(provider, params)
        await provider.aclose()
    assert answer.error is None
