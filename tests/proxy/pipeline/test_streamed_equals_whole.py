"""A streamed answer equals the complete one: text, thoughts, calls, references, reason, usage.

For every client's API and every provider's, for random answers cut at random, with evidence and without.
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
    lines_read,
    messages_streamed,
    messages_whole,
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
    """Pieces of text and thought, cut once more at random."""
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
    """How to ask, streamed and not, and how to read what is answered."""

    streamed: tuple[str, Fields]  # address, body
    whole: tuple[str, Fields]
    read_stream: Callable[[bytes], Shown]
    read_whole: Callable[[bytes], Shown]
    several: Fields | None = None  # how to ask for two choices


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
    "ollama's chat": Api(("/api/chat", CHAT), ("/api/chat", {**CHAT, "stream": False}), lines_read, lines_read),
    "ollama's generate": Api(
        ("/api/generate", GENERATE), ("/api/generate", {**GENERATE, "stream": False}), lines_read, lines_read
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
OWN = {
    "chat completions": "openai",
    "responses": "openai",
    "ollama's chat": "ollama",
    "ollama's generate": "ollama",
    "messages": "anthropic",
    "cohere": "",  # no provider has this API
} | {"gemini, events": "gemini", "gemini, an array": "gemini"}


@pytest.fixture(scope="module")
def world(
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
        said = answer.read()
    assert answer.status == 200, said
    return said


def settled(shown: Shown) -> Shown:
    """Without times, and the ids that we made up."""
    text = re.sub(r'"timings_ms": \{[^}]*\}', '"timings_ms": {}', json.dumps(shown, sort_keys=True))
    found: Shown = json.loads(re.sub(r"call_made[0-9a-f]+", "call_made", text))
    return found


@pytest.mark.parametrize("provider", WRITERS)
@pytest.mark.parametrize("api", APIS)
def test_streamed_and_whole_are_the_same(
    world: tuple[HTTPConnection, dict[str, Upstream]], api: str, provider: str
) -> None:
    client, upstreams = world
    how = APIS[api]

    @settings(max_examples=EXAMPLES)
    @given(answers(), st.booleans())
    def check(answer: Answer, cited: bool) -> None:
        several = how.several if answer.choices > 1 and provider not in ("ollama", "anthropic") else None
        answer = answer if several else replace(answer, choices=1)
        upstreams[provider].answer = answer
        # Without evidence, a client of the provider's own API has its bytes passed through as they are.
        ours: Fields = {"evidence": EVIDENCE} if cited or OWN[api] == provider else {}
        ours |= several or {}
        address, body = how.streamed
        streamed = how.read_stream(send_request(client, address, {**body, **ours}, f"{provider}/m"))
        address, body = how.whole
        whole = how.read_whole(send_request(client, address, {**body, **ours}, f"{provider}/m"))
        assert settled(streamed) == settled(whole)

    check()
