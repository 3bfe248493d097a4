"""The requests of `bench.isolation.matrix`: one in each client API, and hostile ones as functions of their size."""

import json
from collections.abc import Callable
from typing import Any

from bench.isolation.answers import OPENAI, QUESTION, SHORT
from bench.isolation.cases import SENTENCE, Case, Fields
from tests.citation.evidence.hosts.prompts import GOLDEN

SMALL = OPENAI["sentences"](0.001)  # the provider's answer to a hostile request
EVIDENCE = [{"text": SENTENCE}]
MESSAGES = [{"role": "user", "content": QUESTION}]
CHAT = "/v1/chat/completions"
TEXT_PART = {"type": "text", "text": QUESTION}


def _gemini(model: str, *, stream: bool) -> tuple[str, Fields]:
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/v1beta/models/{model}:{method}", {"contents": [{"role": "user", "parts": [{"text": QUESTION}]}]}


def _by_body(path: str, **body: Any) -> Callable[..., tuple[str, Fields]]:
    return lambda model, *, stream: (path, {"model": model, "stream": stream, **body})


# Each client API: a model and whether to stream -> the path and the body of a request
APIS: dict[str, Callable[..., tuple[str, Fields]]] = {
    "chat": _by_body(CHAT, messages=MESSAGES),
    "responses": _by_body("/v1/responses", input=QUESTION),
    "messages": _by_body("/v1/messages", messages=MESSAGES, max_tokens=9),
    "ollama": _by_body("/api/chat", messages=MESSAGES),
    "gemini": _gemini,
    "cohere": _by_body("/v2/chat", messages=MESSAGES),
}


def _repeat(count: int, make: Callable[[int], Any]) -> Callable[[float], list[Any]]:
    return lambda size: [make(n) for n in range(int(count * size))]


def _request(path: str, field: str, value: Callable[[float], Any], **body: Any) -> Callable[[float], Case]:
    """Return the request whose `field` grows."""
    body = {"model": "openai/m", "stream": True, **body}
    return lambda size: Case({**body, field: value(size)}, path, SMALL)


def _chat(field: str, value: Callable[[float], Any]) -> Callable[[float], Case]:
    return _request(CHAT, field, value, **{"messages": MESSAGES, "evidence": EVIDENCE} | {field: None})


def _cite(field: str, value: Callable[[float], Any]) -> Callable[[float], Case]:
    return lambda size: Case({"evidence": EVIDENCE, field: value(size)}, "/v1/cite")


def _tool_result(content: Callable[[float], str]) -> Callable[[float], Case]:
    """Return the request with a tool result that contains evidence."""
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    before = [*MESSAGES, {"role": "assistant", "content": None, "tool_calls": [call]}]
    return _request(
        CHAT, "messages", lambda size: [*before, {"role": "tool", "tool_call_id": "c", "content": content(size)}]
    )


def _retrieved(results: Callable[[float], Any]) -> Callable[[float], Case]:
    body = {"model": "openai/m", "messages": MESSAGES, "stream": True, "retrieval": {"source": "search"}}
    return lambda size: Case(body, CHAT, SMALL, results=json.dumps(results(size)).encode())


def _vectors(size: float) -> Case:
    count = int(2_000 * size)
    data = [{"object": "embedding", "index": n, "embedding": [0.1] * 100} for n in range(count)]
    answer = json.dumps({"object": "list", "data": data, "model": "m", "usage": {}}).encode()
    return Case({"model": "openai/m", "input": ["a b c"] * count}, "/v1/embeddings", answer, "application/json")


def _host_prompt(host: str, *, whole: bool) -> Callable[[float], Case]:
    """Return the prompt of a RAG host with many passages (`whole`), or with a long one."""
    golden = GOLDEN[host]

    def messages(size: float) -> list[Fields]:
        count = int(500_000 * size)
        return [
            {**one, "content": _long_prompt(one["content"], golden.texts[0], count, whole=whole)}
            for one in golden.messages
        ]

    return _request(CHAT, "messages", messages)


def _long_prompt(content: Any, passage: str, length: int, *, whole: bool) -> Any:
    if not isinstance(content, str) or passage not in content:
        return content
    if whole:
        return content * (length // len(content))
    return content.replace(passage, SENTENCE * (length // len(SENTENCE)), 1)


HOSTILE: dict[str, Callable[[float], Case]] = {
    "messages": _chat("messages", _repeat(10_000, lambda _: {"role": "user", "content": SENTENCE})),
    "parts": _chat("messages", lambda size: [{"role": "user", "content": [TEXT_PART] * int(50_000 * size)}]),
    "a long question": _chat("messages", lambda size: [{"role": "user", "content": SENTENCE * int(10_000 * size)}]),
    "tools": _chat("tools", _repeat(10_000, lambda n: {"type": "function", "function": {"name": f"f{n}"}})),
    "stop sequences": _chat("stop", _repeat(100_000, lambda _: "a")),
    "metadata of evidence": _chat(
        "evidence", lambda size: [{"text": SENTENCE, "metadata": {f"k{n}": "v" for n in range(int(50_000 * size))}}]
    ),
    "200 excerpts": _chat("evidence", lambda size: [{"text": f"{SENTENCE * int(20 * size)}{n}"} for n in range(200)]),
    "an excerpt": _chat("evidence", lambda size: [{"text": SENTENCE * int(4_000 * size)}]),
    "a tool result of passages": _tool_result(
        lambda size: json.dumps([{"text": SENTENCE, "url": f"https://x.org/{n}"} for n in range(int(5_000 * size))])
    ),
    "a tool result of MCP": _tool_result(
        lambda size: json.dumps({"content": [{"type": "text", "text": SENTENCE}] * int(5_000 * size)})
    ),
    "a tool result of text": _tool_result(lambda size: SENTENCE * int(5_000 * size)),
    "a nested tool result": _tool_result(lambda size: json.dumps({"a": [[{"b": SENTENCE}] * 10] * int(500 * size)})),
    "search results": _retrieved(_repeat(10_000, lambda n: {"text": SENTENCE, "id": str(n)})),
    "a search result with fields": _retrieved(
        lambda size: [{"text": SENTENCE, "metadata": {f"k{n}": [n] for n in range(int(50_000 * size))}}]
    ),
    "a long search result": _retrieved(lambda size: [{"text": SENTENCE * int(4_000 * size)}]),
    "cited text": _cite("text", lambda size: SENTENCE * int(1_000 * size)),
    "cited sentences": _cite("sentences", lambda size: [SENTENCE] * int(1_000 * size)),
    "cited text with markers": _cite("text", lambda size: "It rose [1], [2]. " * int(2_000 * size)),
    "cited rows of markers": _cite("text", lambda size: "[1], " * int(10_000 * size)),
    "cited lines": _cite("text", lambda size: "a\n" * int(20_000 * size)),
    "a cited table": _cite("text", lambda size: "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * int(2_000 * size)),
    "cited Chinese": _cite("text", lambda size: "港口没有在1932年三月开放，因为泵坏了。" * int(1_000 * size)),
    "text blocks of Messages": _request(
        "/v1/messages",
        "messages",
        lambda size: [{"role": "user", "content": [TEXT_PART] * int(30_000 * size)}],
        max_tokens=9,
    ),
    "items of Responses": _request(
        "/v1/responses",
        "input",
        _repeat(10_000, lambda _: {"role": "user", "content": [{"type": "input_text", "text": "a"}]}),
    ),
    "calls of Responses": _request(
        "/v1/responses",
        "input",
        _repeat(
            10_000,
            lambda n: (
                {"type": "function_call", "call_id": str(n // 2), "name": "f", "arguments": "{}"}
                if n % 2 == 0
                else {"type": "function_call_output", "call_id": str(n // 2), "output": SENTENCE}
            ),
        ),
    ),
    "contents of Gemini": _request(
        "/v1beta/models/openai/m:generateContent",
        "contents",
        _repeat(5_000, lambda _: {"role": "user", "parts": [{"text": "a"}] * 5}),
    ),
    "documents of Cohere": _request(
        "/v2/chat", "documents", lambda size: [{"data": {"text": SENTENCE * int(20 * size)}}] * 190, messages=MESSAGES
    ),
    "texts to embed": _vectors,
    "an error of a provider": lambda size: Case(
        _by_body(CHAT, messages=MESSAGES)("openai/m", stream=True)[1],
        answer=json.dumps({"error": {"message": SHORT * int(100_000 * size)}}).encode(),
        content_type="application/json",
    ),
    **{f"many passages of {host}": _host_prompt(host, whole=True) for host in GOLDEN},
    **{f"a long passage of {host}": _host_prompt(host, whole=False) for host in GOLDEN},
}
