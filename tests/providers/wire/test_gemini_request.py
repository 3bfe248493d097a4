"""Requests in Gemini's wire format: contents, generation options, media."""

from typing import Any

import pytest

from citestream.providers.errors import Rejected
from citestream.providers.events import ChatRequest
from citestream.providers.wire.gemini.generation_config import generate_content_body
from tests.providers.recorded_answer import ask_server
from tests.upstreams.gemini import MODEL, Gemini
from tests.upstreams.wire import Server

PIXEL = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
FUNCTION = {"name": "weather", "description": "d", "parameters": {"type": "object", "additionalProperties": False}}
CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Ulm"}'}}
REQUESTS: dict[str, tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any]]] = {
    "system messages become instructions, other messages alternating turns": (
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "user", "content": "there"},
            {"role": "assistant", "content": "Yes?"},
            {"role": "developer", "content": "Be kind."},
            {"role": "user", "content": [{"type": "text", "text": "See"}, PIXEL]},
        ],
        {},
        {
            "systemInstruction": {"parts": [{"text": "Be brief."}, {"text": "Be kind."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "Hi"}, {"text": "there"}]},
                {"role": "model", "parts": [{"text": "Yes?"}]},
                {"role": "user", "parts": [{"text": "See"}, {"inlineData": {"mimeType": "image/png", "data": "AA=="}}]},
            ],
        },
    ),
    "options": (
        [],
        {
            "temperature": 0,
            "top_p": 0.5,
            "seed": 1,
            "n": 2,
            "stop": ["a"],
            "max_completion_tokens": 5,
            "user": "u",
            "logprobs": True,
            "top_logprobs": 2,
        },
        {
            "generationConfig": {
                "temperature": 0,
                "topP": 0.5,
                "seed": 1,
                "candidateCount": 2,
                "responseLogprobs": True,
                "logprobs": 2,
                "maxOutputTokens": 5,
                "stopSequences": ["a"],
            }
        },
    ),
    "any JSON": (
        [],
        {"response_format": {"type": "json_object"}},
        {"generationConfig": {"responseMimeType": "application/json"}},
    ),
    "JSON that fits a schema": (
        [],
        {"response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}},
        {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}}},
    ),
    "tools, parallel calls and their results": (
        [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [CALL, CALL | {"id": "c2", "extra_content": {"google": {"thought_signature": "s"}}}],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "rain"},
            {"role": "tool", "tool_call_id": "c2", "content": '{"sky":"blue"}'},
        ],
        {
            "tools": [{"type": "function", "function": FUNCTION}],
            "tool_choice": {"type": "function", "function": {"name": "weather"}},
        },
        {
            "contents": [
                {
                    "role": "model",
                    "parts": [
                        {"functionCall": {"name": "weather", "args": {"city": "Ulm"}}},
                        {"functionCall": {"name": "weather", "args": {"city": "Ulm"}}, "thoughtSignature": "s"},
                    ],
                },
                {
                    "role": "user",
                    "parts": [
                        {"functionResponse": {"name": "weather", "response": {"output": "rain"}}},
                        {"functionResponse": {"name": "weather", "response": {"sky": "blue"}}},
                    ],
                },
            ],
            "tools": [
                {
                    "functionDeclarations": [
                        {"name": "weather", "description": "d", "parametersJsonSchema": FUNCTION["parameters"]}
                    ]
                }
            ],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["weather"]}},
        },
    ),
    "tools are required": (
        [],
        {"tools": [{"type": "function", "function": {"name": "f"}}], "tool_choice": "required"},
        {
            "tools": [{"functionDeclarations": [{"name": "f"}]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        },
    ),
    "thinking": (
        [],
        {"reasoning_effort": "low"},
        {"generationConfig": {"thinkingConfig": {"thinkingBudget": 1024, "includeThoughts": True}}},
    ),
    "Google's own settings": (
        [],
        {
            "google": {
                "thinking_config": {"thinking_budget": 5, "include_thoughts": True},
                "cached_content": "c",
                "safety_settings": [],
            }
        },
        {
            "generationConfig": {"thinkingConfig": {"thinkingBudget": 5, "includeThoughts": True}},
            "cachedContent": "c",
            "safetySettings": [],
        },
    ),
}


@pytest.mark.parametrize("case", REQUESTS)
def test_a_request_is_translated(case: str) -> None:
    messages, params, expected = REQUESTS[case]
    assert generate_content_body(ChatRequest(MODEL, messages, params)) == {"contents": [], **expected}


def test_later_models_get_a_thinking_level() -> None:
    body = generate_content_body(ChatRequest("gemini-3-pro-preview", [], {"reasoning_effort": "high"}))
    assert body["generationConfig"]["thinkingConfig"] == {"thinkingLevel": "HIGH", "includeThoughts": True}


LEAST_THINKING: dict[str, dict[str, Any]] = {
    "gemini-2.5-flash": {"thinkingBudget": 0},
    "gemini-2.5-pro": {"thinkingBudget": 128},
    "gemini-3-flash-preview": {"thinkingLevel": "MINIMAL"},
    "gemini-3.1-pro-preview": {"thinkingLevel": "LOW"},
    "gemini-pro-latest": {"thinkingLevel": "LOW"},
}


@pytest.mark.parametrize("model", LEAST_THINKING)
def test_models_that_always_think_get_the_least_that_they_accept(model: str) -> None:
    body = generate_content_body(ChatRequest(model, [], {"reasoning_effort": "none"}))
    assert body["generationConfig"]["thinkingConfig"] == {**LEAST_THINKING[model], "includeThoughts": False}


UNSIGNED = {"functionCall": {"name": "weather", "args": {"city": "Ulm"}}}
SKIPPED = UNSIGNED | {"thoughtSignature": "skip_thought_signature_validator"}
SIGNED_CALL = CALL | {"extra_content": {"google": {"thought_signature": "s"}}}
SIGNED = UNSIGNED | {"thoughtSignature": "s"}
CALLS: dict[str, tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = {
    "Gemini 3 accepts no call without a signature": ("gemini-3-pro-preview", [CALL, CALL], [SKIPPED, UNSIGNED]),
    "the latest model is one of these": ("gemini-flash-latest", [CALL], [SKIPPED]),
    "an existing signature is kept": ("gemini-3-pro-preview", [SIGNED_CALL, CALL], [SIGNED, UNSIGNED]),
    "Gemini 2.5 needs none": ("gemini-2.5-flash", [CALL], [UNSIGNED]),
}


@pytest.mark.parametrize("case", CALLS)
def test_an_earlier_call_has_a_signature_if_the_model_requires_one(case: str) -> None:
    model, calls, expected = CALLS[case]
    message = {"role": "assistant", "content": "I look.", "tool_calls": calls}
    body = generate_content_body(ChatRequest(model, [{"role": "user", "content": "Weather?"}, message]))
    assert body["contents"][1]["parts"] == [{"text": "I look."}, *expected]


def test_an_image_in_the_result_of_a_tool_follows_the_result() -> None:
    shown = [{"type": "text", "text": "rain"}, {"type": "image_url", "image_url": "data:image/png;base64,aGk="}]
    messages = [{"role": "assistant", "tool_calls": [CALL]}, {"role": "tool", "tool_call_id": "c1", "content": shown}]
    assert generate_content_body(ChatRequest("m", messages))["contents"][1]["parts"] == [
        {"functionResponse": {"name": "weather", "response": {"output": "rain"}}},
        {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
    ]


MEDIA = {
    "an image at an address": (
        {"type": "image_url", "image_url": "https://x.example/a.png?b=1"},
        {"fileData": {"mimeType": "image/png", "fileUri": "https://x.example/a.png?b=1"}},
    ),
    "audio": (
        {"type": "input_audio", "input_audio": {"format": "mp3", "data": "AA"}},
        {"inlineData": {"mimeType": "audio/mp3", "data": "AA"}},
    ),
    "a file": (
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA"}},
        {"inlineData": {"mimeType": "application/pdf", "data": "AA"}},
    ),
    "a refusal of an earlier turn": ({"type": "refusal", "refusal": "No"}, {"text": "No"}),
}


@pytest.mark.parametrize("case", MEDIA)
def test_media_become_parts(case: str) -> None:
    part, expected = MEDIA[case]
    body = generate_content_body(ChatRequest("m", [{"role": "user", "content": [part]}]))
    assert body["contents"][0]["parts"] == [expected]


def test_unsupported_content_is_rejected() -> None:
    with pytest.raises(Rejected, match="'video'") as raised:
        generate_content_body(ChatRequest("m", [{"role": "user", "content": [{"type": "video"}]}]))
    assert (raised.value.status, raised.value.param) == (400, "messages[0].content[0].type")


async def test_no_field_unknown_to_gemini_is_sent() -> None:
    # The upstream rejects unknown names with status 400, as the real API does.
    async with Server(Gemini()) as server:
        answer = await ask_server(
            "gemini", server.url, {"user": "u", "metadata": {}, "logit_bias": {}, "stream_options": {}}
        )
    assert answer.error is None
