"""Providers that violate HTTP, or that send JSON of an undocumented shape."""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from random import Random
from typing import Any

import orjson
import pytest

from citestream.providers.errors import BrokenStream, IncompleteAnswer, ProviderError
from citestream.providers.events import Event, Finish, Idle, TextDelta, Usage
from citestream.providers.streaming.http_provider import MAX_MODELS
from tests.providers.recorded_answer import ask_server, make_provider
from tests.upstreams.anthropic import CALL, FOUND, REDACTED, SEARCH, THINKING, Anthropic, text
from tests.upstreams.gemini import Gemini
from tests.upstreams.ollama import Ollama
from tests.upstreams.openai import OpenAI
from tests.upstreams.wire import Break, Request, Server, Step, chunk, head, script, sse, whole

TEXT = b'data: {"choices":[{"index":0,"delta":{"content":"Water"}}]}\n\n'
STREAM = head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
LINES = ("Content-Type: application/x-ndjson",)

FRAMING: dict[str, tuple[Sequence[Step], str, type[ProviderError]]] = {
    "a chunk size that is not a number": ([STREAM, chunk(TEXT), b"zz\r\nxx"], "Water", IncompleteAnswer),
    "invalid gzip": (
        [head("200 OK", "Content-Encoding: gzip", "Transfer-Encoding: chunked"), chunk(b"no gzip"), chunk(b"")],
        "",
        IncompleteAnswer,
    ),
    "a status line of another protocol": ([b"SSH-2.0-OpenSSH_9.2\r\n\r\n"], "", BrokenStream),
    "a header without end": ([b"HTTP/1.1 200 OK\r\nX: " + b"x" * 100_000], "", BrokenStream),
    "a status without a body": ([head("204 No Content")], "", IncompleteAnswer),
}


@pytest.mark.parametrize("case", FRAMING)
async def test_broken_http_is_an_upstream_error_and_loses_no_text(case: str) -> None:
    steps, text, expected = FRAMING[case]
    async with Server(script(*steps)) as server:
        answer = await ask_server("openai", server.url)
    assert answer.text() == text
    assert type(answer.error) is expected
    assert (answer.error.status, answer.error.type) == (502, "upstream_error")


async def test_tool_calls_of_a_complete_answer_are_numbered_as_in_a_stream() -> None:
    call = {"id": "call_a", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    message = {"role": "assistant", "content": "Hi", "tool_calls": [call, {**call, "id": "call_b"}]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    body = json.dumps({"object": "chat.completion", "choices": [choice]}).encode()
    async with Server(script(whole("200 OK", body, "Content-Type: application/json"))) as server:
        answer = await ask_server("openai", server.url)
    assert [call["index"] for call in answer.others[-1]["tool_calls"]] == [0, 1]
    assert {event.chunk["object"] for event in answer.events if hasattr(event, "chunk")} == {"chat.completion.chunk"}


async def test_an_event_stream_with_the_content_type_json_is_read() -> None:
    stop = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    async with Server(sse(b" \n", b"\n: hi\n\n", TEXT, stop, lines=("Content-Type: application/json",))) as server:
        answer = await ask_server("openai", server.url)
    assert (answer.text(), answer.reasons, answer.error) == ("Water", {0: "stop"}, None)


async def test_a_prompt_that_gemini_blocks_ends_all_requested_choices() -> None:
    blocked = b'data: {"promptFeedback": {"blockReason": "SAFETY"}}\r\n\r\n'
    async with Server(sse(blocked)) as server:
        answer = await ask_server("gemini", server.url, {"n": 2})
    assert answer.error is None
    assert answer.reasons == {0: "content_filter"}


@pytest.mark.parametrize("kind", ["openai", "ollama", "gemini", "anthropic"])
async def test_a_redirect_of_the_list_of_models_is_not_followed(kind: str) -> None:
    async with Server(script(whole("200 OK", b"{}"))) as elsewhere:
        redirect = script(whole("302 Found", b"", f"Location: {elsewhere.url}/v1/models"))
        async with Server(redirect) as server:
            provider = make_provider(kind, server.url)
            with pytest.raises(ProviderError):
                await provider.models()
            await provider.aclose()
        assert len(server.requests) == 1
    assert elsewhere.requests == []


LISTS: dict[
    str, tuple[str, dict[str, Any]]
] = {  # the list of models of each API, and the fields of a model: its name, and others
    "openai": ("data", {"id": "m", "owned_by": "x"}),
    "ollama": ("models", {"model": "m", "size": 1}),
    "gemini": ("models", {"name": "models/m"}),
    "anthropic": ("data", {"id": "m", "type": "model"}),
}


async def listed(kind: str, body: Any) -> list[str]:
    """The models of a provider whose server answers every request with this body."""
    async with Server(script(whole("200 OK", json.dumps(body).encode(), "Content-Type: application/json"))) as server:
        provider = make_provider(kind, server.url)
        try:
            return await provider.models()
        finally:
            await provider.aclose()


@pytest.mark.parametrize("kind", LISTS)
async def test_an_endless_list_of_models_is_an_error(kind: str) -> None:
    async with Server(sse(*[b" " * 2**20] * 5, Break.STALL, lines=("Content-Type: application/json",))) as server:
        provider = make_provider(kind, server.url)
        with pytest.raises(BrokenStream, match="more than"):
            await provider.models()
        await server.left.wait()
        await provider.aclose()


@pytest.mark.parametrize("kind", LISTS)
async def test_models_without_a_name_and_too_many_models_are_left_out(kind: str) -> None:
    field, model = LISTS[kind]
    assert await listed(kind, {field: [None, 1, {}, model, dict.fromkeys(model), dict.fromkeys(model, 1)]}) == ["m"]
    assert await listed(kind, {field: "m"}) == []
    assert await listed(kind, [model]) == []
    assert await listed(kind, {field: [model] * (MAX_MODELS + 1)}) == ["m"] * MAX_MODELS


@pytest.mark.parametrize("kind", ["gemini", "anthropic"])
async def test_a_list_of_models_with_endless_pages_ends(kind: str) -> None:
    field, model = LISTS[kind]
    more: dict[str, Any] = {"has_more": True, "nextPageToken": "same"}
    assert await listed(kind, {field: [], **more}) == []
    assert await listed(kind, {field: [model] * (MAX_MODELS - 1), **more}) == ["m"] * MAX_MODELS


async def test_models_that_generate_text_are_listed_from_all_pages_of_gemini() -> None:
    writes = {"name": "models/b", "supportedGenerationMethods": ["generateContent"]}
    embeds = {"name": "models/c", "supportedGenerationMethods": ["embedContent"]}
    pages: dict[str, dict[str, Any]] = {
        "/v1beta/models": {"models": [writes], "nextPageToken": "&"},
        "/v1beta/models?pageToken=%26": {"models": [embeds, {"name": "tunedModels/a"}]},
    }

    async def answer(request: Request) -> AsyncIterator[Step]:
        yield whole("200 OK", json.dumps(pages[request.target]).encode(), "Content-Type: application/json")

    async with Server(answer) as server:
        provider = make_provider("gemini", server.url)
        assert await provider.models() == ["b", "tunedModels/a"]
        await provider.aclose()


VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    10**30,
    1.5,
    "",
    "text",
    [],
    {},
    [None],
    [[]],
    {"": None},
    ["text"],
    {"index": []},
]


def mutated(value: Any, rng: Random) -> Any:
    """Return the value with one random replacement."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        return {**value, key: mutated(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        return [*value[:at], mutated(value[at], rng), *value[at + 1 :]]
    return rng.choice(VALUES)


def mutated_events(events: Sequence[Any], rng: Random, count: int) -> Iterator[bytes]:
    for _ in range(count):
        yield json.dumps(mutated(mutated(rng.choice(events), rng), rng)).encode()


def events_of(kind: str) -> list[Any]:
    """Return a stream of a vendor with all kinds of events."""
    match kind:
        case "openai":
            sent = OpenAI(calls=True).events({"n": 2, "stream_options": {"include_usage": True}})
            return [json.loads(event) for event in sent[:-1]]
        case "ollama":
            return [*Ollama(thinking=["Hm"], calls=1).lines()]
        case "anthropic":
            blocks: list[dict[str, Any]] = [THINKING, REDACTED, SEARCH, FOUND, *text("Water"), CALL]
            sent = Anthropic(blocks, stop="tool_use").events()
            return [json.loads(event.partition(b"data: ")[2]) for event in sent]
        case _:
            return Gemini(thoughts=["Hm"], calls=1).events()


@pytest.mark.parametrize("kind", ["openai", "ollama", "gemini", "anthropic"])
async def test_json_of_any_shape_ends_in_an_answer_or_a_provider_error(kind: str) -> None:
    rng = Random(kind)
    events = events_of(kind)
    ended = 0
    for _ in range(150):
        payloads = [*mutated_events(events, rng, 20), *(json.dumps(event).encode() for event in events)]
        lines = kind == "ollama"
        body = b"".join(one + b"\n" if lines else b"data: " + one + b"\n\n" for one in payloads)
        async with Server(sse(body, lines=LINES) if lines else sse(body)) as server:
            answer = await ask_server(kind, server.url)
        ended += answer.error is None
        for event in answer.events:
            assert_well_formed(event)
    assert ended  # some answers are complete


def assert_well_formed(event: Event) -> None:
    """Check the properties of events that their consumers depend on."""
    assert not isinstance(event, Idle)
    orjson.dumps(event.chunk)
    choices = event.chunk["choices"]
    match event:
        case TextDelta(choice, text):
            assert isinstance(text, str)
            assert (choices[0]["index"], choices[0]["delta"]["content"]) == (choice, text)
        case Finish(choice, reason):
            assert isinstance(reason, str)
            assert choices[0]["index"] == choice
            assert not choices[0]["delta"].get("content")
        case Usage(chunk):
            assert chunk["choices"] == []
            assert chunk["usage"]
        case _:
            assert all(isinstance(choice["delta"], dict) and isinstance(choice["index"], int) for choice in choices)
