"""Any invalid JSON of a client results in an error of the client: no body is answered with a 500."""

import copy
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.upstreams.anthropic import KEY as ANTHROPIC_KEY
from tests.upstreams.anthropic import Anthropic
from tests.upstreams.gemini import KEY as GEMINI_KEY
from tests.upstreams.gemini import Gemini
from tests.upstreams.ollama import Ollama
from tests.upstreams.openai import VLLM
from tests.upstreams.wire import serving

Launch = Callable[..., AbstractContextManager[str]]
Path = tuple[str | int, ...]

EVIDENCE = [{"text": "Water boils at 100 °C.", "url": "https://ex.org/a", "metadata": {"k": 1}}]
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Bern"}'}}
FUNCTION = {"name": "weather", "description": "d", "parameters": {"type": "object", "properties": {}}, "strict": True}
CHAT: dict[str, Any] = {
    "model": "extractive",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "When does water boil?"}]},
        {"role": "assistant", "content": "Let me look [1].", "tool_calls": [CALL], "reasoning": "hm"},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"results": [{"content": "At 100 °C."}]}'},
        {"role": "assistant", "content": None, "refusal": None},
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
                {"type": "text", "text": "Well?"},
            ],
        },
    ],
    "n": 1,
    "stop": ["END"],
    "stream": False,
    "stream_options": {"include_usage": True},
    "tools": [{"type": "function", "function": FUNCTION}],
    "tool_choice": {"type": "function", "function": {"name": "weather"}},
    "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}},
    "reasoning_effort": "low",
    "temperature": 0.5,
    "max_tokens": 20,
    "max_completion_tokens": 20,
    "logprobs": True,
    "top_logprobs": 2,
    "seed": 1,
    "logit_bias": {"50256": -100},
    "metadata": {"a": "b"},
    "options": {"num_ctx": 100},
    "google": {"thinking_config": {"thinking_budget": 1}, "safety_settings": []},
    "documents": ["Ice melts at 0 °C.", {"id": "d", "data": {"text": "Steam is hot."}}],
    "evidence": EVIDENCE,
    "citations": {"marker": "link", "max_per_sentence": 2},
    "query_config": {"inline_citations": True},
}
RESPONSES: dict[str, Any] = {
    "model": "extractive",
    "instructions": "Be brief.",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "When does water boil?"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "At 100 °C."},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "At 100 °C."}]},
        {"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,aGk="}]},
        {"role": "user", "content": "Well?"},
    ],
    "tools": [{"type": "function", **FUNCTION}],
    "tool_choice": {"type": "function", "name": "weather"},
    "text": {"format": {"type": "json_schema", "name": "a", "schema": {"type": "object"}}, "verbosity": "low"},
    "reasoning": {"effort": "low", "summary": "auto"},
    "max_output_tokens": 20,
    "temperature": 0.5,
    "top_logprobs": 2,
    "metadata": {"a": "b"},
    "include": ["reasoning.encrypted_content"],
    "stream": False,
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "evidence": EVIDENCE,
    "citations": {"marker": "link"},
}
OLLAMA_CHAT: dict[str, Any] = {
    "model": "extractive",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "When does water boil?", "images": ["iVBORw0KGgo="]},
        {
            "role": "assistant",
            "content": "Let me look [1].",
            "thinking": "hm",
            "tool_calls": [{"id": "c1", "function": {"index": 0, "name": "weather", "arguments": {"city": "Bern"}}}],
        },
        {"role": "tool", "content": "At 100 °C.", "tool_name": "weather", "tool_call_id": "c1"},
        {"role": "user", "content": "Well?"},
    ],
    "tools": [{"type": "function", "function": FUNCTION}],
    "options": {"temperature": 0.5, "top_k": 3, "num_predict": 20, "stop": ["END"], "num_ctx": 100},
    "format": {"type": "object", "properties": {"a": {"type": "string"}}},
    "think": "low",
    "keep_alive": "5m",
    "logprobs": True,
    "top_logprobs": 2,
    "truncate": True,
    "shift": True,
    "stream": False,
    "evidence": EVIDENCE,
    "citations": {"marker": "link"},
}
OLLAMA_GENERATE: dict[str, Any] = {
    "prompt": "When does water boil?",
    "system": "Be brief.",
    "images": ["iVBORw0KGgo="],
    "suffix": "",
    "template": "",
    "context": [],
    "raw": False,
    **{key: OLLAMA_CHAT[key] for key in ("options", "think", "stream", "logprobs", "evidence")},
}
DECLARED = {"name": "weather", "description": "d", "parameters": {"type": "OBJECT", "properties": {}, "minItems": "1"}}
GEMINI: dict[str, Any] = {
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "contents": [
        {
            "role": "user",
            "parts": [{"text": "When does water boil?"}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}],
        },
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True},
                {"text": "Let me look [1].", "thoughtSignature": "c2ln"},
                {"functionCall": {"id": "c1", "name": "weather", "args": {"city": "Bern"}}, "thoughtSignature": "c2ln"},
            ],
        },
        {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "weather", "response": {"a": 1}}}]},
        {"role": "user", "parts": [{"text": "Well?"}]},
    ],
    "generationConfig": {
        "temperature": 0.5,
        "topP": 0.5,
        "topK": 3,
        "maxOutputTokens": 20,
        "stopSequences": ["END"],
        "candidateCount": 1,
        "responseMimeType": "text/plain",
        "responseSchema": {"type": "OBJECT", "properties": {"a": {"type": "STRING", "nullable": True}}},
        "responseModalities": ["TEXT"],
        "responseLogprobs": True,
        "logprobs": 2,
        "thinkingConfig": {"thinkingBudget": 0, "includeThoughts": True},
    },
    "tools": [{"functionDeclarations": [DECLARED], "googleSearch": None}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["weather"]}},
    "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
    "cachedContent": None,
    "evidence": EVIDENCE,
    "citations": {"marker": "link"},
}
COHERE: dict[str, Any] = {
    "model": "extractive",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "When does water boil?"}]},
        {
            "role": "assistant",
            "tool_plan": "I look.",
            "tool_calls": [CALL],
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Let me look [1]."}],
            "citations": [{"start": 0, "end": 3, "text": "Let", "sources": []}],
        },
        {
            "role": "tool",
            "tool_call_id": "call_1",
            "content": [
                {"type": "text", "text": "Two results."},
                {"type": "document", "document": {"id": "t1", "data": '{"text": "Water boils at 100 °C."}'}},
                {"type": "document", "document": {"data": {"report": "Ice melts at 0 °C.", "page_number": 3}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
                {"type": "text", "text": "Well?"},
            ],
        },
    ],
    "documents": ["Ice melts at 0 °C.", {"id": "d", "data": {"title": "Steam", "snippet": "Steam is hot.", "year": 1}}],
    "citation_options": {"mode": "FAST"},
    "tools": [{"type": "function", "function": FUNCTION}],
    "strict_tools": True,
    "tool_choice": "REQUIRED",
    "response_format": {"type": "json_object", "json_schema": {"type": "object"}},
    "safety_mode": "STRICT",
    "temperature": 0.5,
    "p": 0.5,
    "k": 3,
    "max_tokens": 20,
    "stop_sequences": ["END"],
    "seed": 1,
    "frequency_penalty": 0.5,
    "presence_penalty": 0.5,
    "logprobs": True,
    "thinking": {"type": "enabled", "token_budget": 100},
    "priority": 1,
    "stream": False,
    "evidence": EVIDENCE,
    "citations": {"max_per_sentence": 2},
}
TEXT_BLOCK = {"type": "text", "text": "Water boils at 100 °C.", "cache_control": {"type": "ephemeral"}}
PLAIN = {"type": "text", "media_type": "text/plain", "data": "Ice melts at 0 °C."}
RESULT = {"type": "search_result", "source": "https://ex.org", "title": "Ice", "content": [TEXT_BLOCK]}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
ANTHROPIC: dict[str, Any] = {
    "model": "extractive",
    "max_tokens": 20,
    "system": [{"type": "text", "text": "Be brief."}],
    "messages": [
        {"role": "user", "content": [IMAGE, {"type": "text", "text": "When does water boil?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "text", "text": "Let me look.", "citations": [{"type": "char_location"}]},
                {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Bern"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "is_error": False,
                    "content": [TEXT_BLOCK, {**RESULT, "citations": {"enabled": True}}],
                },
                {"type": "document", "title": "A", "context": "B", "source": PLAIN, "citations": {"enabled": True}},
                {"type": "document", "source": {"type": "content", "content": [TEXT_BLOCK]}, "citations": None},
                RESULT,
                {"type": "text", "text": "Well?"},
            ],
        },
    ],
    "tools": [{"name": "weather", "description": "d", "input_schema": {"type": "object"}}],
    "tool_choice": {"type": "tool", "name": "weather", "disable_parallel_tool_use": True},
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": {"type": "object"}}},
    "metadata": {"user_id": "u"},
    "stop_sequences": ["END"],
    "temperature": 0.5,
    "top_p": 0.5,
    "top_k": 3,
    "stream": False,
    "evidence": EVIDENCE,
    "citations": {"max_per_sentence": 2},
}
INTERACTIONS: dict[str, Any] = {
    "model": "extractive",
    "input": [
        {"type": "user_input", "content": [{"type": "text", "text": "When does water boil?"}]},
        {"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": "hm"}]},
        {"type": "function_call", "id": "call_1", "name": "weather", "arguments": {"city": "Bern"}},
        {"type": "function_result", "call_id": "call_1", "name": "weather", "result": {"at": "100 °C"}},
        {"type": "model_output", "content": [{"type": "text", "text": "At 100 °C [1]."}]},
        {
            "type": "user_input",
            "content": [
                {"type": "image", "data": "aGk=", "mime_type": "image/png"},
                {"type": "text", "text": "Well?"},
            ],
        },
    ],
    "system_instruction": "Be brief.",
    "tools": [
        {"type": "function", "name": "weather", "description": "d", "parameters": {"type": "object"}},
        {"type": "google_search"},
    ],
    "generation_config": {
        "temperature": 0.5,
        "top_p": 0.5,
        "seed": 1,
        "max_output_tokens": 20,
        "stop_sequences": ["END"],
        "thinking_level": "low",
        "thinking_summaries": "auto",
        "tool_choice": {"allowed_tools": {"mode": "any", "tools": ["weather"]}},
    },
    "response_format": [{"type": "text", "mime_type": "application/json", "schema": {"type": "object"}}],
    "response_modalities": ["text"],
    "store": True,
    "stream": False,
    "background": False,
    "evidence": EVIDENCE,
    "citations": {"max_per_sentence": 2},
}
CITE: dict[str, Any] = {"text": "Water boils at 100 °C.", "question": "When?", "evidence": EVIDENCE, "citations": {}}
GENERATE_CONTENT = "/v1beta/models/{model}:generateContent"
BODIES = {
    "/v1/chat/completions": CHAT,
    "/v1/responses": RESPONSES,
    "/api/chat": OLLAMA_CHAT,
    "/api/generate": OLLAMA_GENERATE,
    GENERATE_CONTENT: GEMINI,
    "/v2/chat": COHERE,
    "/v1/messages": ANTHROPIC,
    "/v1/cite": CITE,
    "/v1beta/interactions": INTERACTIONS,
}
MODELS = ("extractive", "openai/m", "ollama/llama3.2", "gemini/gemini-2.5-flash", "anthropic/claude-sonnet-5")
CHATS = [(path, model) for path in BODIES if path != "/v1/cite" for model in MODELS]

SCALARS: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, -1, 2**70, 1.5, "", "a", "[1]", "\ud800", [], {}]
)
ANY_VALUE = (
    SCALARS | st.lists(SCALARS, min_size=1, max_size=2) | st.dictionaries(st.sampled_from("abc"), SCALARS, max_size=2)
)


def paths(value: Any, so_far: Path = ()) -> Iterator[Path]:
    """Yield the path of every value in a body."""
    entries: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield (*so_far, key)
        yield from paths(inner, (*so_far, key))


def with_value(body: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return a copy with another value at this path."""
    found = copy.deepcopy(body)
    place: Any = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return found


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HTTPConnection]:
    folder = tmp_path_factory.mktemp("server")
    with (
        serving(VLLM()) as vllm,
        serving(Ollama()) as ollama,
        serving(Gemini()) as gemini,
        serving(Anthropic()) as anthropic,
    ):
        providers: dict[str, Any] = {
            "extractive": {"kind": "extractive"},
            "openai": {"base_url": f"{vllm.url}/v1"},
            "ollama": {"base_url": ollama.url},
            "gemini": {"base_url": gemini.url, "api_key": GEMINI_KEY},
            "anthropic": {"base_url": anthropic.url, "api_key": ANTHROPIC_KEY},
        }
        config = folder / "config.yaml"
        config.write_text(yaml.safe_dump({"providers": providers, "log": {"access": False}}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        with launch(command, folder / "log") as url:
            connection = HTTPConnection(url.removeprefix("http://"))
            yield connection
            connection.close()


def status(server: HTTPConnection, path: str, body: object) -> tuple[int, Any]:
    model = str(body.get("model") or "extractive") if isinstance(body, dict) else "extractive"
    if path == GENERATE_CONTENT and isinstance(body, dict):  # the model is in its path
        body = {key: value for key, value in body.items() if key != "model"}
    path = path.format(model=quote(model, errors="replace"))
    server.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    with server.getresponse() as answer:
        received = answer.read()
    assert b"internal_error" not in received, received  # neither in an error nor inside a stream
    return answer.status, json.loads(received) if answer.status >= 400 else received


def check(server: HTTPConnection, path: str, body: object) -> None:
    code, received = status(server, path, body)
    assert code != 500, received
    if code == 400:
        assert received["message"] if path == "/v2/chat" else received["error"]


@pytest.mark.parametrize(("path", "model"), CHATS)
def test_the_valid_body_is_answered(server: HTTPConnection, path: str, model: str) -> None:
    code, received = status(server, path, {**BODIES[path], "model": model})
    assert code == 200, received


@pytest.mark.parametrize(("path", "model"), CHATS)
def test_a_body_with_one_value_of_the_wrong_type(server: HTTPConnection, path: str, model: str) -> None:
    body = {**BODIES[path], "model": model}

    @given(st.sampled_from(sorted(paths(body), key=str)), ANY_VALUE)
    def ask(place: Path, value: object) -> None:
        check(server, path, with_value(body, place, value))

    ask()


@pytest.mark.parametrize("path", BODIES)
def test_a_body_with_any_values_of_known_fields(server: HTTPConnection, path: str) -> None:
    names = sorted(BODIES[path].keys() - {"model"})

    @given(st.dictionaries(st.sampled_from(names), ANY_VALUE, max_size=5))
    def ask(fields: dict[str, Any]) -> None:
        check(server, path, {"model": "extractive", **fields} if path != "/v1/cite" else fields)

    ask()


@pytest.mark.parametrize("path", BODIES)
def test_no_json_body_breaks_the_server(server: HTTPConnection, path: str) -> None:
    @given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=6))
    def ask(body: object) -> None:
        check(server, path, body)

    ask()
