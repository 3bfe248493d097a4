"""docs/fields.md lists every field that the official clients can send and read."""

import json
import re
from inspect import signature
from typing import Any, get_args, get_type_hints, is_typeddict

import cohere
import ollama
import pytest
from anthropic.types import ContentBlockParam, StopReason, Usage
from anthropic.types.message_create_params import MessageCreateParamsBase
from google.genai import types
from ollama import _types as ollama_types
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from openai.types.chat.completion_create_params import CompletionCreateParamsBase
from openai.types.responses.response_create_params import ResponseCreateParamsBase

from tests.proxy.apis.fields.tables import rows


def _names(model: Any, *excluded: str) -> list[str]:
    """Return the names of the fields of a type of an official client, as they are in JSON."""
    camel = [field.alias or name for name, field in model.model_fields.items()]
    return [name for name in camel if name not in excluded]


STOP_REASONS = [reason for reason in get_args(StopReason) if reason != "end_turn"]
BLOCK_TYPES = [get_args(get_type_hints(one)["type"])[0] for one in get_args(ContentBlockParam) if is_typeddict(one)]
# Fields that the official clients can send and read, and the table that must list them, except those that a client sets
# itself and those that every request or answer here has.
GENERATE_CONTENT = "Requests: `/v1beta/models/{model}:generateContent`"
DEFINED: dict[str, tuple[str, str, list[str]]] = {
    "OpenAI's chat": (
        "Requests: `/v1/chat/completions`",
        "",
        [name for name in CompletionCreateParamsBase.__annotations__ if name not in ("messages", "model")],
    ),
    "OpenAI's responses": (
        "Requests: `/v1/responses`",
        "",
        [name for name in ResponseCreateParamsBase.__annotations__ if name != "model"],
    ),
    "OpenAI's chunks": ("Answers: openai", "", _names(ChatCompletionChunk, "choices", "object", "obfuscation")),
    "OpenAI's deltas": ("Answers: openai", "choices[0].delta", _names(ChoiceDelta, "role", "content")),
    "Gemini's generationConfig": (GENERATE_CONTENT, "generationConfig", _names(types.GenerationConfig)),
    "Gemini's parts in a request": (GENERATE_CONTENT, "contents", _names(types.Part)),
    "Gemini's tools": (GENERATE_CONTENT, "tools", _names(types.Tool)),
    "Gemini's answers": (
        "Answers: gemini",
        "",
        _names(types.GenerateContentResponse, "sdkHttpResponse", "automaticFunctionCallingHistory", "parsed"),
    ),
    "Gemini's candidates": ("Answers: gemini", "candidates", _names(types.Candidate, "index")),
    "Gemini's finish reasons": (
        "Answers: gemini",
        "candidates",
        [reason.value for reason in types.FinishReason if not reason.value.endswith(("UNSPECIFIED", "STOP"))],
    ),
    "Ollama's chat": ("Requests: `/api/chat`", "", _names(ollama_types.ChatRequest, "model", "stream")),
    "Ollama's generate": ("Requests: `/api/generate`", "", _names(ollama_types.GenerateRequest, "model", "stream")),
    "Ollama's messages": ("Requests: `/api/chat`", "messages", _names(ollama.Message, "role")),
    "Cohere's chat": (
        "Requests: `/v2/chat`",
        "",
        [
            name
            for name in signature(cohere.ClientV2.chat).parameters
            if name not in ("self", "model", "messages", "request_options")
        ],
    ),
    "Cohere's answers of the assistant": (
        "Requests: `/v2/chat`",
        "messages[1]",
        _names(cohere.AssistantChatMessageV2, "role", "content"),
    ),
    "Anthropic's messages": (
        "Requests: `/v1/messages`",
        "",
        [name for name in MessageCreateParamsBase.__annotations__ if name not in ("messages", "model")],
    ),
    "Anthropic's blocks in a request": ("Requests: `/v1/messages`", "messages", BLOCK_TYPES),
    "Anthropic's usage": ("Answers: anthropic", "message_start.message.usage", [*Usage.model_fields]),
    "Anthropic's stop reasons": ("Answers: anthropic", "message_delta", STOP_REASONS),
    "Ollama's answers": ("Answers: ollama", "", _names(ollama.ChatResponse, "done")),
}


@pytest.mark.parametrize(("table", "under", "names"), DEFINED.values(), ids=DEFINED)
def test_the_tables_list_every_field(table: str, under: str, names: list[str]) -> None:
    texts = [
        f"{row.field} {json.dumps(row.example)}" for row in rows() if row.table == table and row.field.startswith(under)
    ]
    assert [name for name in names if not any(re.search(rf"\b{name}\b", one) for one in texts)] == []
