"""Translation of requests of the Responses API for chat models."""

from typing import Any

import pytest

from citestream.providers.wire.responses import chat_messages, chat_params
from citestream.providers.wire.responses_tools import ChatTools

CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
SIGNED = {"google": {"thought_signature": "c2ln"}}
IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
SEARCHED = {
    "type": "file_search_call",
    "id": "fs_1",
    "queries": ["boiling"],
    "results": [{"file_id": "f1", "filename": "a.txt", "score": 0.9, "text": "At 100 °C."}],
}

ITEMS: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "text and tool calls of one turn are one message": (
        [
            {"role": "assistant", "content": [{"type": "output_text", "text": "Let me look."}]},
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
            {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
        ],
        [{"role": "assistant", "content": "Let me look.", "tool_calls": [CALL, CALL]}],
    ),
    "a call keeps the signature of its provider": (
        [{"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}", "extra_content": SIGNED}],
        [{"role": "assistant", "content": None, "tool_calls": [{**CALL, "extra_content": SIGNED}]}],
    ),
    "the result of a call keeps its id": (
        [{"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "hot"}]}],
        [{"role": "tool", "tool_call_id": "c1", "content": "hot"}],
    ),
    "images in results follow all results, because messages of tools contain only text": (
        [
            {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "hot"}, IMAGE]},
            {"type": "function_call_output", "call_id": "c2", "output": [IMAGE]},
            {"role": "user", "content": "And now?"},
        ],
        [
            {"role": "tool", "tool_call_id": "c1", "content": "hot"},
            {"role": "tool", "tool_call_id": "c2", "content": ""},
            {"role": "user", "content": [PICTURE, PICTURE]},
            {"role": "user", "content": "And now?"},
        ],
    ),
    "results of a search are the result of a tool call": (
        [SEARCHED],
        [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "fs_1",
                        "type": "function",
                        "function": {"name": "file_search", "arguments": '{"queries":["boiling"]}'},
                    }
                ],
            },
            {
                "role": "tool",
                "tool_call_id": "fs_1",
                "content": '{"results":[{"file_id":"f1","filename":"a.txt","score":0.9,"text":"At 100 °C."}]}',
            },
        ],
    ),
    "a search without results is dropped": ([{"type": "file_search_call", "id": "fs_1"}], []),
    "images and files keep the fields of chat": (
        [
            {
                "role": "user",
                "content": [
                    {"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "low"},
                    {"type": "input_file", "file_data": "data:application/pdf;base64,aGk=", "filename": "a.pdf"},
                ],
            }
        ],
        [
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk=", "detail": "low"}},
                    {"type": "file", "file": {"file_data": "data:application/pdf;base64,aGk=", "filename": "a.pdf"}},
                ],
            }
        ],
    ),
    "custom tools and their results": (
        [
            {"type": "custom_tool_call", "call_id": "c2", "name": "sql", "input": "SELECT 1"},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": "1"},
        ],
        [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c2", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}],
            },
            {"role": "tool", "tool_call_id": "c2", "content": "1"},
        ],
    ),
    "texts of one item are joined": (
        [{"role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "refusal", "refusal": "b"}]}],
        [{"role": "user", "content": "ab"}],
    ),
}

NAMESPACE = {
    "type": "namespace",
    "name": "agents",
    "tools": [{"type": "function", "name": "open", "parameters": {}}, {"type": "function", "name": "close"}],
}
PARAMETERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "the same names": ({"temperature": 0, "store": False, "user": None}, {"temperature": 0, "store": False}),
    "limits and effort": (
        {"max_output_tokens": 9, "reasoning": {"effort": "low"}, "text": {"verbosity": "low"}},
        {"max_completion_tokens": 9, "reasoning_effort": "low", "verbosity": "low"},
    ),
    "log-probabilities requested in `include`": (
        {"include": ["message.output_text.logprobs"], "top_logprobs": 2},
        {"logprobs": True, "top_logprobs": 2},
    ),
    "no top log-probabilities without them": ({"top_logprobs": 2}, {}),
    "a schema": (
        {"text": {"format": {"type": "json_schema", "name": "a", "schema": {}, "strict": True}}},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {}, "strict": True}}},
    ),
    "custom tools": (
        {"tools": [{"type": "custom", "name": "c", "format": {"type": "text"}}]},
        {"tools": [{"type": "custom", "custom": {"name": "c", "format": {"type": "text"}}}]},
    ),
    "a custom tool with a grammar": (
        {
            "tools": [
                {"type": "custom", "name": "c", "format": {"type": "grammar", "syntax": "lark", "definition": "a"}}
            ]
        },
        {
            "tools": [
                {
                    "type": "custom",
                    "custom": {
                        "name": "c",
                        "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "a"}},
                    },
                }
            ]
        },
    ),
    "the tools of a namespace become tools of their own": (
        {"tools": [NAMESPACE], "tool_choice": {"type": "function", "name": "close", "namespace": "agents"}},
        {
            "tools": [
                {"type": "function", "function": {"name": "open", "parameters": {}}},
                {"type": "function", "function": {"name": "close"}},
            ],
            "tool_choice": {"type": "function", "function": {"name": "close"}},
        },
    ),
    "a tool whose name another tool has gets its namespace in front": (
        {"tools": [NAMESPACE, {"type": "function", "name": "close"}], "tool_choice": "auto"},
        {
            "tools": [
                {"type": "function", "function": {"name": "open", "parameters": {}}},
                {"type": "function", "function": {"name": "agents__close"}},
                {"type": "function", "function": {"name": "close"}},
            ],
            "tool_choice": "auto",
        },
    ),
    "tools that the server runs are left out": (
        {"tools": [{"type": "web_search"}, {"type": "function", "name": "f"}], "tool_choice": "auto"},
        {"tools": [{"type": "function", "function": {"name": "f"}}], "tool_choice": "auto"},
    ),
    "no choice of a tool without tools": ({"tools": [{"type": "web_search"}], "tool_choice": "auto"}, {}),
    "tools and the tool choice": (
        {"tools": [{"type": "function", "name": "f"}], "tool_choice": {"type": "function", "name": "f"}},
        {
            "tools": [{"type": "function", "function": {"name": "f"}}],
            "tool_choice": {"type": "function", "function": {"name": "f"}},
        },
    ),
}


@pytest.mark.parametrize(("items", "messages"), ITEMS.values(), ids=ITEMS)
def test_items_become_messages(items: list[dict[str, Any]], messages: list[dict[str, Any]]) -> None:
    assert chat_messages({"input": items}, ChatTools()) == messages


@pytest.mark.parametrize(("given", "params"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameters_keep_their_meaning(given: dict[str, Any], params: dict[str, Any]) -> None:
    assert chat_params(given, ChatTools(given.get("tools"))) == params


def test_an_earlier_call_has_the_name_that_the_chat_model_used() -> None:
    tools = ChatTools([NAMESPACE, {"type": "function", "name": "close"}])
    call = {"type": "function_call", "call_id": "c", "name": "close", "namespace": "agents", "arguments": "{}"}
    (message,) = chat_messages({"input": [call]}, tools)
    assert message["tool_calls"][0]["function"] == {"name": "agents__close", "arguments": "{}"}
    assert tools.call_name("agents__close") == {"name": "close", "namespace": "agents"}
    assert tools.call_name("close") == {"name": "close"}
    assert tools.call_name("unknown") == {"name": "unknown"}
