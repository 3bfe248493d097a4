"""Requests in every client API, and the answers of their providers, for test_differential.py."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.proxy import answers
from tests.upstreams import anthropic, gemini, ollama, openai

Fields = dict[str, Any]

PIECES = ("Water", " boils", " at", " 100", " °C. 🚀", " Ice is", " solid.")
MESSAGES = [{"role": "user", "content": "When does water boil?"}]
TOOL = {"name": "weather", "description": "The weather.", "parameters": {"type": "object", "properties": {}}}
FUNCTION = {"type": "function", "function": TOOL}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
CALL = {"id": "call_a", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Zürich"}'}}
TURNS = [*MESSAGES, {"role": "assistant", "content": "At 100 °C."}, *MESSAGES]

Shown = Callable[[bytes], Any]


@dataclass(frozen=True)
class Api:
    """One client API: its requests, the answers of its provider, and how to read them."""

    kind: str
    path: str  # {model} and {action} are replaced
    body: Fields
    variants: Mapping[str, Fields]  # fields that are added
    whole: bytes
    stream: bytes
    read: tuple[Shown, Shown]  # a complete and a streamed answer
    texts: tuple[str, ...]  # fields of the request that evidence changes
    content_type: str = "text/event-stream"

    def target(self, model: str, *, streamed: bool) -> str:
        action = "streamGenerateContent?alt=sse" if streamed else "generateContent"
        return self.path.format(model=model, action=action)

    def request(self, model: str, variant: str, *, streamed: bool) -> Fields:
        body = {**self.body, **self.variants[variant]}
        if "{model}" in self.path:
            return body
        stream = streamed if self.kind == "ollama" else True
        return {"model": model, **body, **({"stream": stream} if streamed or self.kind == "ollama" else {})}


def _sse(events: list[bytes]) -> bytes:
    return b"".join(b"data: " + event + b"\n\n" for event in events)


def _chat() -> Api:
    upstream = openai.OpenAI(PIECES)
    image = [
        {"type": "text", "text": "What?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
    ]
    variants: dict[str, Fields] = {
        "plain": {},
        "system and developer": {"messages": [{"role": "system", "content": "Be brief."}, *TURNS]},
        "sampling": {"temperature": 0.5, "top_p": 0.9, "seed": 7, "stop": ["\n"], "max_completion_tokens": 50},
        "penalties": {"presence_penalty": 0.5, "frequency_penalty": -1, "logit_bias": {"50256": -100}},
        "tools": {"tools": [FUNCTION], "tool_choice": "auto", "parallel_tool_calls": False},
        "result of a tool": {
            "messages": [
                *MESSAGES,
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "call_a", "content": "It rains."},
            ]
        },
        "log-probabilities": {"logprobs": True, "top_logprobs": 2},
        "image": {"messages": [{"role": "user", "content": image}]},
        "metadata": {"metadata": {"a": "b"}, "store": False, "user": "u", "service_tier": "auto"},
        "reasoning": {"reasoning_effort": "low", "verbosity": "low"},
        "numbers": {"temperature": 1, "top_p": 1.0, "seed": 2**53 + 1},
        "unicode": {"messages": [{"role": "user", "content": "a\u2028b\u0000c 𝄞 \u202e \ud7ff"}]},
        "unknown fields": {"chat_template_kwargs": {"a": [1, None, {"b": 0.1}]}, "top_k": 5},
    }
    return Api(
        "openai",
        "/v1/chat/completions",
        {"messages": MESSAGES},
        variants,
        openai.compact(upstream.completion({})),
        _sse(upstream.events({})),
        (answers.chat_whole, answers.chat_streamed),
        ("messages",),
    )


def _responses() -> Api:
    text = "".join(PIECES)
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    item = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [part]}
    response = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "m",
        "output": [item],
        "usage": {"input_tokens": 3, "output_tokens": 7, "total_tokens": 10},
    }
    deltas = [
        {
            "type": "response.output_text.delta",
            "item_id": "msg_1",
            "output_index": 0,
            "content_index": 0,
            "delta": piece,
        }
        for piece in PIECES
    ]
    done: list[Fields] = [
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    events: list[Fields] = [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        *deltas,
        *done,
    ]
    stream = b"".join(
        b"event: %b\ndata: %b\n\n" % (str(event["type"]).encode(), openai.compact({**event, "sequence_number": number}))
        for number, event in enumerate(events)
    )
    variants: dict[str, Fields] = {
        "plain": {},
        "list": {"input": MESSAGES},
        "instructions": {"instructions": "Be brief.", "max_output_tokens": 50, "temperature": 0.5},
        "tools": {"tools": [{"type": "function", **TOOL}, {"type": "web_search"}], "tool_choice": "auto"},
        "result of a tool": {
            "input": [
                *MESSAGES,
                {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c", "output": "It rains."},
            ]
        },
        "reasoning": {"reasoning": {"effort": "low", "summary": "auto"}, "include": ["reasoning.encrypted_content"]},
        "image": {
            "input": [
                {"role": "user", "content": [{"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"}]}
            ]
        },
        "format": {"text": {"format": {"type": "text"}, "verbosity": "low"}, "store": False},
        "metadata": {"metadata": {"a": "b"}, "truncation": "auto", "service_tier": "auto", "user": "u"},
        "unknown fields": {"a_new_field": [1, None, {"b": 0.1}]},
    }
    return Api(
        "openai",
        "/v1/responses",
        {"input": "When does water boil?"},
        variants,
        openai.compact(response),
        stream,
        (lambda body: _response(json.loads(body)), lambda body: _response(list(answers.events(body))[-1]["response"])),
        ("input", "instructions"),
    )


def _response(response: Fields) -> Fields:
    """Return the parts of a response that do not depend on who made it."""
    texts = [part["text"] for item in response["output"] if item["type"] == "message" for part in item["content"]]
    return {"texts": texts, **{key: response[key] for key in ("object", "status")}}


def _messages() -> Api:
    upstream = anthropic.Anthropic(anthropic.text(*PIECES))
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    tool = {"name": "weather", "description": "The weather.", "input_schema": {"type": "object", "properties": {}}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "It rains."}
    variants: dict[str, Fields] = {
        "plain": {},
        "system": {"system": "Be brief."},
        "system with a cache": {
            "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
        },
        "turns": {"messages": TURNS},
        "sampling": {"temperature": 0.5, "top_p": 0.9, "top_k": 5, "stop_sequences": ["\n"]},
        "tools": {"tools": [tool], "tool_choice": {"type": "auto"}},
        "result of a tool": {
            "messages": [
                *MESSAGES,
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Zürich"}}],
                },
                {"role": "user", "content": [result]},
            ],
            "tools": [tool],
        },
        "image": {"messages": [{"role": "user", "content": [image, {"type": "text", "text": "What?"}]}]},
        "thinking": {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048},
        "metadata": {"metadata": {"user_id": "u"}, "service_tier": "auto"},
        "unknown fields": {"context_management": {"edits": []}, "container": None},
    }
    return Api(
        "anthropic",
        "/v1/messages",
        {"max_tokens": 100, "messages": MESSAGES},
        variants,
        anthropic.compact(upstream.message()),
        b"".join(upstream.events()),
        (answers.messages_whole, answers.messages_streamed),
        ("messages", "system"),
    )


def _gemini() -> Api:
    events = gemini.Gemini(PIECES).events()
    contents = [{"role": "user", "parts": [{"text": "When does water boil?"}]}]
    joined = {
        **events[-1],
        "candidates": [
            {**events[-1]["candidates"][0], "content": {"role": "model", "parts": [{"text": "".join(PIECES)}]}}
        ],
    }
    variants: dict[str, Fields] = {
        "plain": {},
        "system": {"systemInstruction": {"parts": [{"text": "Be brief."}]}},
        "turns": {"contents": [*contents, {"role": "model", "parts": [{"text": "At 100 °C."}]}, *contents]},
        "sampling": {"generationConfig": {"temperature": 0.5, "topP": 0.9, "topK": 5, "maxOutputTokens": 50}},
        "tools": {
            "tools": [{"functionDeclarations": [TOOL]}],
            "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
        },
        "result of a tool": {
            "contents": [
                *contents,
                {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {}}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"a": 1}}}]},
            ]
        },
        "image": {
            "contents": [
                {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": PIXEL}}, {"text": "a"}]}
            ]
        },
        "thinking": {"generationConfig": {"thinkingConfig": {"thinkingBudget": 100, "includeThoughts": True}}},
        "safety": {"safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]},
        "unknown fields": {"labels": {"a": "b"}},
    }
    return Api(
        "gemini",
        "/v1beta/models/{model}:{action}",
        {"contents": contents},
        variants,
        gemini.spaced(joined),
        b"".join(b"data: %b\r\n\r\n" % gemini.spaced(event) for event in events),
        (answers.gemini_whole, answers.gemini_events),
        ("contents", "systemInstruction"),
    )


def _ollama(path: str) -> Api:
    lines = ollama.Ollama(PIECES).lines()
    last = lines[-1]
    chat = path == "/api/chat"
    if not chat:
        lines = [
            {**{key: value for key, value in line.items() if key != "message"}, "response": line["message"]["content"]}
            for line in lines
        ]
    text = "".join(PIECES)
    joined = {**lines[-1], **({"message": {**last["message"], "content": text}} if chat else {"response": text})}
    body: Fields = {"messages": MESSAGES} if chat else {"prompt": "When does water boil?"}
    history: Fields = {"messages": TURNS} if chat else {"system": "Be brief."}
    image: Fields = {"messages": [{**MESSAGES[0], "images": [PIXEL]}]} if chat else {"images": [PIXEL]}
    variants: dict[str, Fields] = {
        "plain": {},
        "history": history,
        "options": {"options": {"temperature": 0.5, "num_ctx": 4096, "seed": 7, "stop": ["\n"]}, "keep_alive": "5m"},
        "thinking": {"think": True},
        "image": image,
        "unknown fields": {"a_new_field": [1, None, {"b": 0.1}]},
    }
    if chat:
        variants["tools"] = {"tools": [FUNCTION]}
    return Api(
        "ollama",
        path,
        body,
        variants,
        ollama.line(joined),
        b"".join(map(ollama.line, lines)),
        (answers.ollama_lines, answers.ollama_lines),
        ("messages", "prompt", "system"),
        "application/x-ndjson",
    )


APIS: dict[str, Api] = {
    "chat": _chat(),
    "responses": _responses(),
    "messages": _messages(),
    "gemini": _gemini(),
    "ollama chat": _ollama("/api/chat"),
    "ollama generate": _ollama("/api/generate"),
}
