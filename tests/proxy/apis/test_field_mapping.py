"""Check docs/fields.md: every field of its tables is sent, and the output is compared with its row.

A cell is `kept` (same place, same value), the places of the value in the output (`` `path` ``, or `` `path`: `value` ``
if it is written differently), `dropped`, or the status of the response. The whole output is compared with the output
without the field, so a cell must list all differences.
"""

import copy
import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from http.client import HTTPConnection
from inspect import signature
from typing import Any, get_args, get_type_hints, is_typeddict

import cohere
import ollama
import pytest
import yaml
from anthropic.types import ContentBlockParam, StopReason, Usage
from anthropic.types.message_create_params import MessageCreateParamsBase
from google.genai import types
from ollama import _types as ollama_types
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from openai.types.chat.completion_create_params import CompletionCreateParamsBase
from openai.types.responses.response_create_params import ResponseCreateParamsBase

from tests.proxy.apis.field_mapping import Row, compared, put, rows, settled
from tests.upstreams.wire import Request, Server, Step, chunk, head, serving

Launch = Callable[..., AbstractContextManager[str]]

RULES = "Cite."  # the same whether the answer is JSON or not, so that only fields make a difference
TEXT = "Water boils at 100 °C."
EVIDENCE = [{"text": TEXT}]
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Bern"}'}}
CHAT = [
    {"role": "user", "content": "What is the weather?"},
    {"role": "assistant", "content": "Let me look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": '{"sky":"grey"}'},
    {"role": "user", "content": "When does water boil?"},
]
CALLED = {"function": {"name": "weather", "arguments": {"city": "Bern"}}}
OLLAMA = [
    CHAT[0],
    {"role": "assistant", "content": "Let me look.", "tool_calls": [CALLED]},
    {"role": "tool", "tool_name": "weather", "content": '{"sky":"grey"}'},
    CHAT[3],
]
CONTENTS = [
    {"role": "user", "parts": [{"text": "What is the weather?"}]},
    {
        "role": "model",
        "parts": [{"text": "Let me look."}, {"functionCall": {"name": "weather", "args": {"city": "Bern"}}}],
    },
    {
        "role": "user",
        "parts": [
            {"functionResponse": {"name": "weather", "response": {"sky": "grey"}}},
            {"text": "When does water boil?"},
        ],
    },
]
COHERE = [
    CHAT[0],
    {"role": "assistant", "tool_plan": "Let me look.", "tool_calls": [CALL]},
    CHAT[2],
    CHAT[3],
]
MESSAGES = [
    CHAT[0],
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Bern"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "call_1", "content": '{"sky":"grey"}'},
            {"type": "text", "text": "When does water boil?"},
        ],
    },
]
ITEMS = [
    CHAT[0],
    {"role": "assistant", "content": "Let me look."},
    {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": '{"city":"Bern"}'},
    {"type": "function_call_output", "call_id": "call_1", "output": '{"sky":"grey"}'},
    CHAT[3],
]
# Requests of a client without the tested field.
REQUESTS: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"model": "{model}", "messages": CHAT},
    "/v1/responses": {"model": "{model}", "input": ITEMS},
    "/api/chat": {"model": "{model}", "messages": OLLAMA, "stream": False},
    "/api/generate": {"model": "{model}", "prompt": "When does water boil?", "stream": False},
    "/v1beta/models/{model}:generateContent": {"contents": CONTENTS},
    "/v2/chat": {"model": "{model}", "messages": COHERE},
    "/v1/messages": {"model": "{model}", "max_tokens": 99, "messages": MESSAGES},
}
# Clients that read an answer, by the name of the column.
CLIENTS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "ollama": "/api/chat",
    "generate": "/api/generate",
    "gemini": "/v1beta/models/{model}:generateContent",
    "cohere": "/v2/chat",
    "messages": "/v1/messages",
}
# Answers of a provider without the tested field: a stream of one event, or of several by their type.
ANSWERS: dict[str, dict[str, Any]] = {
    "openai": {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1763632800,
        "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}],
    },
    "ollama": {
        "model": "m",
        "created_at": "2026-11-20T10:00:00.123456789Z",
        "message": {"role": "assistant", "content": TEXT},
        "done": True,
        "done_reason": "stop",
    },
    "gemini": {
        "candidates": [
            {"content": {"role": "model", "parts": [{"text": TEXT}]}, "finishReason": "STOP", "index": 0},
        ],
        "modelVersion": "m",
        "responseId": "r1",
    },
    "anthropic": {
        "message_start": {"message": {"id": "msg_1", "model": "m"}},
        "content_block_start": {"index": 0, "content_block": {"type": "text", "text": ""}},
        "content_block_delta": {"index": 0, "delta": {"type": "text_delta", "text": TEXT}},
        "content_block_stop": {"index": 0},
        "message_delta": {"delta": {"stop_reason": "end_turn"}, "usage": {}},
        "message_stop": {},
    },
}
ROWS = list(rows())


def _names(model: Any, *but: str) -> list[str]:
    """The fields of a type of an official client, as they are on the wire."""
    camel = [field.alias or name for name, field in model.model_fields.items()]
    return [name for name in camel if name not in but]


@dataclass
class Upstream:
    """Answers every request with one event; says what it was asked."""

    kind: str
    answer: dict[str, Any] = field(default_factory=dict)

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        answer = self.answer or ANSWERS[self.kind]
        events = [answer]
        if self.kind == "anthropic":
            events = [{"type": kind, **event} for kind, event in answer.items()]
        lines = self.kind == "ollama"
        content_type = "application/x-ndjson" if lines else "text/event-stream"
        yield head("200 OK", f"Content-Type: {content_type}", "Transfer-Encoding: chunked")
        for event in map(str.encode, map(json.dumps, events)):
            yield chunk(event + b"\n" if lines else b"data: " + event + b"\n\n")
        if self.kind == "openai":
            yield chunk(b"data: [DONE]\n\n")
        yield chunk(b"")


@dataclass
class World:
    """A running server, the providers behind it, and a client."""

    client: HTTPConnection
    upstreams: dict[str, tuple[Upstream, Server]]

    def sent(self, path: str, provider: str, row: Row | None = None) -> tuple[int, Any]:
        """(status, what the provider was sent)."""
        _, server = self.upstreams[provider]
        server.requests.clear()
        body = copy.deepcopy(REQUESTS[path])
        if row:
            put(body, row.field, row.example)
        status, said = self._asked(path, provider, body)
        return status, settled(server.requests[-1].json) if server.requests else said

    def shown(self, client: str, provider: str, row: Row | None = None) -> tuple[int, Any]:
        """(status, what the client is shown)."""
        upstream, _ = self.upstreams[provider]
        upstream.answer = copy.deepcopy(ANSWERS[provider])
        if row:
            put(upstream.answer, row.field, row.example)
        path = CLIENTS[client]
        status, said = self._asked(path, provider, copy.deepcopy(REQUESTS[path]))
        upstream.answer = {}
        return status, settled(said)

    def _asked(self, path: str, provider: str, body: dict[str, Any]) -> tuple[int, Any]:
        model = f"{provider}/m"
        if "model" in body:
            body["model"] = model
        sent = json.dumps({**body, "evidence": EVIDENCE})
        self.client.request("POST", path.format(model=model), sent, {"Content-Type": "application/json"})
        with self.client.getresponse() as answer:
            return answer.status, json.loads(answer.read())


@pytest.fixture(scope="module")
def world(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("fates")
    with ExitStack() as stack:
        upstreams = {kind: Upstream(kind) for kind in ANSWERS}
        servers = {kind: stack.enter_context(serving(upstream)) for kind, upstream in upstreams.items()}
        providers: dict[str, Any] = {kind: {"base_url": server.url, "api_key": "k"} for kind, server in servers.items()}
        config = folder / "config.yaml"
        files = {"system": RULES, "unmarked": RULES, "evidence": "$excerpts"}
        for name, text in files.items():
            (folder / name).write_text(text)
        evidence = {"prompt_files": {name: str(folder / name) for name in files}}
        config.write_text(yaml.safe_dump({"providers": providers, "evidence": evidence, "log": {"access": False}}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        url = stack.enter_context(launch(command, folder / "log"))
        client = HTTPConnection(url.removeprefix("http://"))
        yield World(client, {kind: (upstreams[kind], servers[kind]) for kind in ANSWERS})
        client.close()


def cases(kind: str) -> list[Any]:
    found = [row for row in ROWS if row.table.startswith(kind)]
    assert found, f"docs/fields.md has no table of {kind}"
    return [
        pytest.param(
            row, column, fate, id=f"{row.table.removeprefix(kind)} {row.field} {json.dumps(row.example)} {column}"
        )
        for row in found
        for column, fate in row.fates.items()
    ]


@pytest.mark.parametrize(("row", "provider", "fate"), cases("Requests: "))
def test_a_field_of_a_request_reaches_the_provider_as_documented(
    world: World, row: Row, provider: str, fate: str
) -> None:
    path = row.table.removeprefix("Requests: ").strip("`")
    status, sent = world.sent(path, provider, row)
    if fate.isdecimal():
        assert (status, bool(sent.get("error") or sent["message"])) == (int(fate), True), sent
    else:
        came, meant = compared(fate, world.sent(path, provider)[1], sent, row)
        assert came == meant


@pytest.mark.parametrize(("row", "client", "fate"), cases("Answers: "))
def test_a_field_of_an_answer_reaches_the_client_as_documented(world: World, row: Row, client: str, fate: str) -> None:
    provider = row.table.removeprefix("Answers: ")
    status, shown = world.shown(client, provider, row)
    if fate.isdecimal():
        assert status == int(fate), shown
    else:
        came, meant = compared(fate, world.shown(client, provider)[1], shown, row)
        assert came == meant


MESSAGE = {"role": "assistant", "refusal": None}
CHOICE = {"index": 0, "message": MESSAGE, "logprobs": None, "finish_reason": "stop"}
PART = {"type": "output_text", "logprobs": []}
ITEM = {"id": "msg_new", "type": "message", "role": "assistant", "status": "completed", "content": [PART]}
UNASKED = (
    *("background", "instructions", "max_output_tokens", "max_tool_calls", "previous_response_id", "prompt_cache_key"),
    *("prompt_cache_retention", "reasoning", "safety_identifier", "store", "temperature", "top_logprobs", "top_p"),
    *("truncation", "user"),
)
LINE = {"created_at": "now", "done": True, "done_reason": "stop"}
# Fields of an answer that consists of text only, besides that text and the fields of citations.
# `null` and empty lists stand where the API's own servers write them.
BARE: dict[str, dict[str, Any]] = {
    "chat": {"object": "chat.completion", "model": "m", "system_fingerprint": None, "choices": [CHOICE]},
    "responses": {
        **dict.fromkeys((*UNASKED, "error", "incomplete_details", "service_tier", "usage")),
        "id": "resp_new",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": "m",
        "output": [ITEM],
        "metadata": {},
        "text": {"format": {"type": "text"}},
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    },
    "ollama": {**LINE, "message": {"role": "assistant"}},
    "generate": LINE,
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{}]}, "finishReason": "STOP", "index": 0}],
        "modelVersion": "m",
    },
    "messages": {
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    },
    "cohere": {
        "id": "new",
        "finish_reason": "COMPLETE",
        "message": {"role": "assistant", "content": [{"type": "text"}]},
    },
}
OURS = {"references", "grounding", "citations", "search_results", "annotations", "groundingMetadata"}
TEXTS = {"text", "content", "response"}
# Names of the answer, and a provider's own word for the reason; each API has one of them, each provider gives another.
GIVEN = {
    "chat": ("id", "created"),
    "ollama": ("model",),
    "generate": ("model",),
    "gemini": ("responseId",),
    "messages": ("id",),
}


@pytest.mark.parametrize("provider", ANSWERS)
@pytest.mark.parametrize("client", CLIENTS)
def test_nothing_is_made_up(world: World, client: str, provider: str) -> None:
    status, shown = world.shown(client, provider)
    assert status == 200
    for name in GIVEN.get(client, ()):
        assert shown.pop(name) is not None
    assert bare(shown) == BARE[client]


def test_what_gemini_says_of_a_candidate_stands_beside_what_it_says_of_the_answer(world: World) -> None:
    row = Row("", "candidates[0].safetyRatings", [{"category": "HARM_CATEGORY_HARASSMENT"}], {})
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 7, "totalTokenCount": 16}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ANSWERS["gemini"], "usageMetadata", usage)
        _, shown = world.shown("responses", "gemini", row)
    assert shown["google"] == {"safetyRatings": row.example, "usageMetadata": usage}


def bare(value: Any) -> Any:
    """Without texts, and without what we found out."""
    if isinstance(value, list):
        return [bare(one) for one in value]
    if not isinstance(value, dict):
        return value
    left = {
        key: bare(one) for key, one in value.items() if key not in OURS and not (key in TEXTS and isinstance(one, str))
    }
    return {key: one for key, one in left.items() if key != "native_finish_reason"}


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
def test_the_tables_leave_nothing_out(table: str, under: str, names: list[str]) -> None:
    told = [
        f"{row.field} {json.dumps(row.example)}" for row in ROWS if row.table == table and row.field.startswith(under)
    ]
    assert [name for name in names if not any(re.search(rf"\b{name}\b", one) for one in told)] == []
