"""A streamed answer equals the complete one: text, thoughts, calls, references, reason, usage.

This holds for every client API and every provider, for random answers and cuts, with and without evidence.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.proxy.answers import (
    Shown,
    chat_streamed,
    chat_whole,
    cohere_streamed,
    cohere_whole,
    gemini_array,
    gemini_events,
    gemini_whole,
    messages_streamed,
    messages_whole,
    ollama_lines,
    responses_streamed,
    responses_whole,
)
from tests.upstreams.scripted import WRITERS, Answer, Fields, Upstream
from tests.upstreams.wire import serving

Launch = Callable[..., AbstractContextManager[str]]
EVIDENCE = [
    {"text": "The Harlan bridge was opened on 4 May 1932 by the mayor of Harlan."},
    {"text": "The bridge carries two lanes of traffic and eight railway tracks.", "url": "https://ex.org/lanes"},
    {"text": "水在一百度沸腾。", "title": "Wasser"},
]
QUESTION = "What is the Harlan bridge?"
EXAMPLES = 10  # examples for each pair of APIs


SENTENCES = (
    *("The Harlan bridge was opened on 4 May 1932 [1]. ", "It carries two lanes and eight railway tracks. "),
    *(
        "水在一百度沸腾。",
        "The bridge was never opened [1]. ",
        "Penguins fly [2][9]. ",
        "🌉 See `a[1]` and\n\n- one\n- two\n\n",
    ),
    *("It has 64,000 people [3", "] and 水在一百度沸腾 [1, 2]。", "```\nx[1]\n```\n", "Two lanes of traffic [1][2]. "),
)
PIECES = st.tuples(
    st.sampled_from(["text", "text", "text", "text", "thought", "refusal"]),
    st.sampled_from(SENTENCES) | st.text(max_size=8),
)
CALLS = st.tuples(st.sampled_from(["weather", "time"]), st.dictionaries(st.sampled_from("ab"), st.integers(0, 9)))


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    """Draw an answer: pieces of text and thoughts, each cut in two at random."""
    deltas: list[tuple[str, str]] = []
    for kind, text in draw(st.lists(PIECES, max_size=6)):
        cut = draw(st.integers(0, len(text)))
        deltas += [(kind, part) for part in (text[:cut], text[cut:]) if part]
    calls = draw(st.lists(CALLS, max_size=2))
    reason = "tool_calls" if calls else draw(st.sampled_from(["stop", "length", "content_filter"]))
    usage = draw(st.none() | st.tuples(st.integers(0, 99), st.integers(0, 99)))
    return Answer(tuple(deltas), tuple(calls), reason, usage, draw(st.booleans()), draw(st.integers(1, 2)))


@dataclass(frozen=True)
class Api:
    """A client API: its requests, streamed and not, and the parsers of its answers."""

    streamed: tuple[str, Fields]  # address, body
    whole: tuple[str, Fields]
    read_stream: Callable[[bytes], Shown]
    read_whole: Callable[[bytes], Shown]
    two_choices: Fields | None = None  # fields that request two choices


MESSAGES = [{"role": "user", "content": QUESTION}]
CONTENTS = {"contents": [{"role": "user", "parts": [{"text": QUESTION}]}]}
CHAT = {"model": "{model}", "messages": MESSAGES}
RESPONSES = {"model": "{model}", "input": QUESTION}
GENERATE = {"model": "{model}", "prompt": QUESTION}
GEMINI = "/v1beta/models/{model}:"
TWO = {"generationConfig": {"candidateCount": 2}}
USAGE = {"stream": True, "stream_options": {"include_usage": True}}
APIS = {
    "chat completions": Api(
        ("/v1/chat/completions", {**CHAT, **USAGE}), ("/v1/chat/completions", CHAT), chat_streamed, chat_whole, {"n": 2}
    ),
    "responses": Api(
        ("/v1/responses", {**RESPONSES, "stream": True}),
        ("/v1/responses", RESPONSES),
        responses_streamed,
        responses_whole,
    ),
    "ollama's chat": Api(("/api/chat", CHAT), ("/api/chat", {**CHAT, "stream": False}), ollama_lines, ollama_lines),
    "ollama's generate": Api(
        ("/api/generate", GENERATE), ("/api/generate", {**GENERATE, "stream": False}), ollama_lines, ollama_lines
    ),
    "gemini, events": Api(
        (f"{GEMINI}streamGenerateContent?alt=sse", CONTENTS),
        (f"{GEMINI}generateContent", CONTENTS),
        gemini_events,
        gemini_whole,
        TWO,
    ),
    "messages": Api(
        ("/v1/messages", {**CHAT, "max_tokens": 99, "stream": True}),
        ("/v1/messages", {**CHAT, "max_tokens": 99}),
        messages_streamed,
        messages_whole,
    ),
    "cohere": Api(("/v2/chat", {**CHAT, "stream": True}), ("/v2/chat", CHAT), cohere_streamed, cohere_whole),
    "gemini, an array": Api(
        (f"{GEMINI}streamGenerateContent", CONTENTS),
        (f"{GEMINI}generateContent", CONTENTS),
        gemini_array,
        gemini_whole,
        TWO,
    ),
}
PROVIDER_WITH_API = {
    "chat completions": "openai",
    "responses": "openai",
    "ollama's chat": "ollama",
    "ollama's generate": "ollama",
    "messages": "anthropic",
    "cohere": "",  # no provider has this API
} | {"gemini, events": "gemini", "gemini, an array": "gemini"}


@pytest.fixture(scope="module")
def client_and_upstreams(
    launch: Launch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[HTTPConnection, dict[str, Upstream]]]:
    folder = tmp_path_factory.mktemp("same")
    upstreams = {kind: Upstream(kind) for kind in WRITERS}
    with ExitStack() as stack:
        providers: dict[str, Any] = {}
        for kind, upstream in upstreams.items():
            server = stack.enter_context(serving(upstream))
            providers[kind] = {"base_url": server.url, "api_key": "k"}
        providers["openai"]["responses"] = False
        config = folder / "config.yaml"
        config.write_text(yaml.safe_dump({"providers": providers, "log": {"access": False}}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        client = HTTPConnection(stack.enter_context(launch(command, folder / "log")).removeprefix("http://"))
        yield client, upstreams
        client.close()


def send_request(client: HTTPConnection, address: str, body: Fields, model: str) -> bytes:
    sent = {key: model if key == "model" else value for key, value in body.items()}
    client.request("POST", address.format(model=model), json.dumps(sent), {"Content-Type": "application/json"})
    with client.getresponse() as answer:
        received = answer.read()
    assert answer.status == 200, received
    return received


def normalized(shown: Shown) -> Shown:
    """Return an answer without times and generated ids."""
    text = re.sub(r'"timings_ms": \{[^}]*\}', '"timings_ms": {}', json.dumps(shown, sort_keys=True))
    found: Shown = json.loads(re.sub(r"call_made[0-9a-f]+", "call_made", text))
    return found


@pytest.mark.parametrize("provider", WRITERS)
@pytest.mark.parametrize("api", APIS)
def test_a_streamed_answer_equals_the_complete_one(
    client_and_upstreams: tuple[HTTPConnection, dict[str, Upstream]], api: str, provider: str
) -> None:
    client, upstreams = client_and_upstreams
    client_api = APIS[api]

    @settings(max_examples=EXAMPLES)
    @given(answers(), st.booleans())
    def check(answer: Answer, cited: bool) -> None:
        two_choices = client_api.two_choices if answer.choices > 1 and provider not in ("ollama", "anthropic") else None
        answer = answer if two_choices else replace(answer, choices=1)
        upstreams[provider].answer = answer
        # Without evidence, a client of the provider's own API would receive the bytes of the provider unchanged.
        ours: Fields = {"evidence": EVIDENCE} if cited or PROVIDER_WITH_API[api] == provider else {}
        ours |= two_choices or {}
        address, body = client_api.streamed
        streamed = client_api.read_stream(send_request(client, address, {**body, **ours}, f"{provider}/m"))
        address, body = client_api.whole
        whole = client_api.read_whole(send_request(client, address, {**body, **ours}, f"{provider}/m"))
        assert normalized(streamed) == normalized(whole)

    check()
