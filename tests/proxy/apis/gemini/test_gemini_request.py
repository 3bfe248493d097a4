"""Parsing of requests of Gemini's API: spellings, calls and their results, schemas."""

from typing import Any

import pytest

from citestream.citation.evidence import EvidenceLimits, FieldError
from citestream.citation.options import Options
from citestream.providers.wire.gemini.json_keys import json_schema
from citestream.proxy.apis.gemini.gemini_request import GeminiApi
from citestream.proxy.pipeline.request.job import Job

API = GeminiApi("m", stream=False, sse=False)
CONTENTS = [{"role": "user", "parts": [{"text": "Hi"}]}]


def parsed(body: dict[str, Any]) -> Job:
    return API.parse({"contents": CONTENTS, **body}, Options(), EvidenceLimits(items=9, characters=99))


SPELLINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "names with underscores": (
        {
            "system_instruction": {"parts": [{"text": "Be brief."}]},
            "generation_config": {"max_output_tokens": 9, "response_mime_type": "application/json"},
            "contents": [{"parts": [{"inline_data": {"mime_type": "image/png", "data": "aGk="}}]}],
            "tools": [{"function_declarations": [{"name": "f", "parameters": {"any_key": {"kept_here": 1}}}]}],
        },
        {
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "generationConfig": {"maxOutputTokens": 9, "responseMimeType": "application/json"},
            "contents": [{"parts": [{"inlineData": {"mimeType": "image/png", "data": "aGk="}}]}],
            "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"any_key": {"kept_here": 1}}}]}],
        },
    ),
    "one value in place of a list": (
        {"contents": {"parts": {"text": "Hi"}}, "tools": {"functionDeclarations": {"name": "f"}}},
        {"contents": [{"parts": [{"text": "Hi"}]}], "tools": [{"functionDeclarations": [{"name": "f"}]}]},
    ),
}


@pytest.mark.parametrize(("written", "standard"), SPELLINGS.values(), ids=SPELLINGS)
def test_all_spellings_are_accepted(written: dict[str, Any], standard: dict[str, Any]) -> None:
    found, expected = parsed(written), parsed(standard)
    assert (found.messages, found.params, found.native_messages, found.json) == (
        expected.messages,
        expected.params,
        expected.native_messages,
        expected.json,
    )
    assert found.native_params["gemini"] == expected.native_params["gemini"]


def called(*names: str) -> dict[str, Any]:
    return {"role": "model", "parts": [{"functionCall": {"name": name}} for name in names]}


def answered(*results: tuple[str, str]) -> dict[str, Any]:
    return {"role": "user", "parts": [{"functionResponse": {"name": n, "response": {"a": r}}} for n, r in results]}


def test_results_are_assigned_to_the_calls_of_their_name_in_order() -> None:
    contents = [called("f", "g", "f"), answered(("f", "1"), ("f", "2"), ("g", "3"))]
    job = parsed({"contents": contents})
    calls = [call["id"] for call in job.messages[0]["tool_calls"]]
    results = {message["tool_call_id"]: message["content"] for message in job.messages[1:]}
    assert len(set(calls)) == 3
    assert [results[call] for call in calls] == ['{"a":"1"}', '{"a":"3"}', '{"a":"2"}']


def test_for_gemini_every_part_keeps_its_position() -> None:
    parts = [
        {"text": "See"},
        {"functionResponse": {"name": "f", "id": "c1", "response": {"a": 1}, "scheduling": "SILENT"}},
        {"fileData": {"fileUri": "gs://b/a"}},
        {"text": "and?", "videoMetadata": {"fps": 1}},
    ]
    before, result, after = parsed({"contents": [{"role": "user", "parts": parts}]}).native_messages or [{}] * 3
    assert before["content"] == [{"type": "text", "text": "See"}]
    assert (result["role"], result["tool_call_id"], result["content"]) == ("tool", "c1", '{"a":1}')
    assert result["google"] == {"functionResponse": {"name": "f", "id": "c1", "scheduling": "SILENT"}}
    assert after["content"] == [
        {"type": "google", "google": {"fileData": {"fileUri": "gs://b/a"}}},
        {"type": "text", "text": "and?", "google": {"videoMetadata": {"fps": 1}}},
    ]


CHOICES: dict[str, tuple[dict[str, Any], Any]] = {
    "any": ({"mode": "ANY"}, "required"),
    "none": ({"mode": "NONE"}, "none"),
    "one function": ({"mode": "ANY", "allowedFunctionNames": ["f"]}, {"type": "function", "function": {"name": "f"}}),
    "several functions": ({"mode": "ANY", "allowedFunctionNames": ["f", "g"]}, "required"),
    "no mode": ({}, None),
}


@pytest.mark.parametrize(("calling", "choice"), CHOICES.values(), ids=CHOICES)
def test_the_function_calling_mode_becomes_a_tool_choice(calling: dict[str, Any], choice: Any) -> None:
    declared = [{"name": name} for name in "fgh"]
    job = parsed({"tools": [{"functionDeclarations": declared}], "toolConfig": {"functionCallingConfig": calling}})
    assert job.params.get("tool_choice") == choice
    allowed = calling.get("allowedFunctionNames", ["f", "g", "h"])
    assert [tool["function"]["name"] for tool in job.params["tools"]] == allowed


def test_a_schema_becomes_json_schema() -> None:
    schema = {
        "type": "OBJECT",
        "propertyOrdering": ["type", "a_b"],
        "properties": {
            "type": {"type": "STRING", "enum": ["A"]},
            "a_b": {"type": "ARRAY", "items": {"type": "INTEGER"}, "min_items": "1", "nullable": True},
            "either": {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]},
        },
        "required": ["type"],
    }
    assert json_schema(schema) == {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": ["A"]},
            "a_b": {"type": ["array", "null"], "items": {"type": "integer"}, "minItems": 1},
            "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
        },
        "required": ["type"],
    }


def test_a_deeply_nested_schema_is_truncated() -> None:
    schema: dict[str, Any] = {"type": "STRING"}
    for _ in range(900):
        schema = {"type": "ARRAY", "items": schema}
    assert json_schema(schema)["items"]["items"]["type"] == "array"


WRONG: dict[str, dict[str, Any]] = {
    "contents[0].parts": {"contents": [{"parts": "Hi"}]},
    "contents[0].parts[0].text": {"contents": [{"parts": [{"text": 1}]}]},
    "contents[0].parts[0].inlineData.data": {"contents": [{"parts": [{"inlineData": {"mimeType": "a/b"}}]}]},
    "contents": {"contents": []},
    "systemInstruction.parts": {"systemInstruction": {}},
    "generationConfig.stopSequences": {"generationConfig": {"stopSequences": "END"}},
    "generationConfig.thinkingConfig": {"generationConfig": {"thinkingConfig": True}},
    "tools[0].functionDeclarations[0].name": {"tools": [{"functionDeclarations": [{}]}]},
    "toolConfig.functionCallingConfig.mode": {"toolConfig": {"functionCallingConfig": {"mode": 1}}},
}


@pytest.mark.parametrize("path", WRONG)
def test_the_error_names_a_field_of_the_wrong_type(path: str) -> None:
    with pytest.raises(FieldError) as caught:
        parsed(WRONG[path])
    assert caught.value.path == path
