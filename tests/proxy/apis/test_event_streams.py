"""Our event streams are read correctly by three parsers of other projects, and by our own."""

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from httpx_sse._decoders import SSEDecoder as HttpxDecoder
from hypothesis import given
from hypothesis import strategies as st
from openai._streaming import SSEDecoder as OpenAIDecoder
from sseclient import SSEClient

from citestream.providers.transport import EventSplitter
from citestream.proxy.apis.anthropic.anthropic_encoder import AnthropicEncoder
from citestream.proxy.apis.anthropic.citation_location import Locations
from citestream.proxy.apis.cohere import CohereApi
from citestream.proxy.apis.gemini.gemini_request import GeminiApi
from citestream.proxy.apis.openai_chat import OpenAIChatApi
from citestream.proxy.apis.responses import ResponsesApi
from citestream.proxy.http.encoding import loads
from citestream.proxy.pipeline.completion_chunks import UncitedChunks
from citestream.proxy.pipeline.request.job import Job
from tests.proxy.answers import cohere_message

Read = Callable[[list[bytes]], list[str]]


def openai_client(pieces: list[bytes]) -> list[str]:
    return [event.data for event in OpenAIDecoder().iter_bytes(iter(pieces))]


def sseclient_py(pieces: list[bytes]) -> list[str]:
    return [event.data for event in SSEClient(iter(pieces)).events()]


def httpx_sse(pieces: list[bytes]) -> list[str]:
    decoder = HttpxDecoder()
    lines = b"".join(pieces).decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [event.data for line in lines if (event := decoder.decode(line))]


def own_parser(pieces: list[bytes]) -> list[str]:
    splitter = EventSplitter()
    return [data.decode() for piece in pieces for data in splitter.feed(piece)]


PARSERS: dict[str, Read] = {
    "openai's": openai_client,
    "sseclient-py": sseclient_py,
    "httpx-sse": httpx_sse,
    "our own": own_parser,
}

# Characters that end lines, events or strings in some parser, and text that looks like the fields of an event.
SPECIAL_TEXTS = st.sampled_from(
    [
        *(
            "\n",
            "\n\n",
            "\r",
            "\r\n",
            "\u2028",
            "\u2029",
            "\x85",
            "\x0b",
            "\x0c",
            "\x00",
            "\ufeff",
            "\ud83d",
            "😀",
            "é",
        ),
        *("data: x", "event: end", "id: 1", "retry: 1", ": comment", "[DONE]", '"', "\\", "a", " ", "日本"),
    ]
)
TEXTS = st.lists(SPECIAL_TEXTS, min_size=1, max_size=8).map("".join)


def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }


def split_at_random(stream: bytes, rng: Random) -> list[bytes]:
    """Split a stream at random positions, including inside a character."""
    cuts = sorted(rng.choices(range(len(stream) + 1), k=6))
    return [stream[a:b] for a, b in pairwise([0, *cuts, len(stream)])]


def events_of(texts: list[str]) -> Iterator[dict[str, Any]]:
    yield chunk({"role": "assistant", "content": ""})
    for text in texts:
        yield chunk({"content": text})
        yield chunk({"reasoning": text, "tool_calls": [{"index": 0, "function": {"name": text, "arguments": text}}]})
    yield chunk({"references": [{"snippet": text} for text in texts]}, "stop")


@pytest.mark.parametrize("read", PARSERS.values(), ids=PARSERS)
def test_chat_completions_are_read_unchanged(read: Read) -> None:
    @given(st.lists(TEXTS, max_size=4), st.randoms())
    def check(texts: list[str], rng: Random) -> None:
        encoder = OpenAIChatApi().encoder(Job("m", []), UncitedChunks(usage=False))
        sent = list(events_of(texts))
        stream = b"".join([part for one in sent for part in (encoder.chunks([one]), encoder.keepalive)])
        *found, last = read(
            split_at_random(stream + encoder.failure({"error": {"message": "".join(texts)}}, 502) + encoder.end(), rng)
        )
        assert last == "[DONE]"
        assert [loads(one) for one in found] == [*sent, {"error": {"message": "".join(texts)}}]

    check()


@pytest.mark.parametrize("read", PARSERS.values(), ids=PARSERS)
def test_responses_are_read_unchanged(read: Read) -> None:
    @given(st.lists(TEXTS, max_size=4), st.randoms())
    def check(texts: list[str], rng: Random) -> None:
        encoder = ResponsesApi().encoder(
            Job("m", [], body={"instructions": "".join(texts)}), UncitedChunks(usage=False)
        )
        stream = b"".join([part for one in events_of(texts) for part in (encoder.chunks([one]), encoder.keepalive)])
        found = [json.loads(one) for one in read(split_at_random(stream + encoder.end(), rng))]
        assert [one["sequence_number"] for one in found] == list(range(len(found)))
        assert "".join(one["delta"] for one in found if one["type"] == "response.output_text.delta") == "".join(texts)
        assert found[-1]["response"]["instructions"] == "".join(texts)

    check()


@pytest.mark.parametrize("read", PARSERS.values(), ids=PARSERS)
def test_responses_of_the_gemini_api_are_read_unchanged(read: Read) -> None:
    @given(st.lists(TEXTS, max_size=4), st.randoms())
    def check(texts: list[str], rng: Random) -> None:
        encoder = GeminiApi("m", stream=True, sse=True).encoder(Job("m", []), UncitedChunks(usage=False))
        sent = [*list(events_of(texts))[:-1], chunk({}, "stop")]
        stream = b"".join([part for one in sent for part in (encoder.chunks([one]), encoder.keepalive)])
        found = [json.loads(one) for one in read(split_at_random(stream + encoder.end(), rng))]
        parts = [part for one in found for part in one["candidates"][0]["content"]["parts"]]
        assert "".join(part.get("text", "") for part in parts if not part.get("thought")) == "".join(texts)
        assert "".join(part["text"] for part in parts if part.get("thought")) == "".join(texts)
        assert found[-1]["candidates"][0]["finishReason"] == "STOP"

    check()


@pytest.mark.parametrize("read", PARSERS.values(), ids=PARSERS)
def test_events_of_the_anthropic_api_are_read_unchanged(read: Read) -> None:
    @given(st.lists(TEXTS, max_size=4), st.randoms())
    def check(texts: list[str], rng: Random) -> None:
        encoder = AnthropicEncoder("m", UncitedChunks(usage=False), Locations())
        stream = b"".join([part for one in events_of(texts) for part in (encoder.chunks([one]), encoder.keepalive)])
        found = [json.loads(one) for one in read(split_at_random(stream + encoder.end(), rng))]
        deltas = [one["delta"] for one in found if one["type"] == "content_block_delta"]
        for name in ("text", "thinking", "partial_json"):
            assert "".join(delta.get(name, "") for delta in deltas) == "".join(texts), name
        assert found[-1] == {"type": "message_stop"}

    check()


@pytest.mark.parametrize("read", PARSERS.values(), ids=PARSERS)
def test_events_of_the_cohere_api_are_read_unchanged(read: Read) -> None:
    @given(st.lists(TEXTS, max_size=4), st.randoms())
    def check(texts: list[str], rng: Random) -> None:
        encoder = CohereApi().encoder(Job("m", []), UncitedChunks(usage=False))
        stream = b"".join([part for one in events_of(texts) for part in (encoder.chunks([one]), encoder.keepalive)])
        *found, last = read(split_at_random(stream + encoder.end(), rng))
        assert last == "[DONE]"
        message = cohere_message(map(json.loads, found))
        blocks = message["content"] if texts else []
        assert "".join(block.get("text", "") for block in blocks) == "".join(texts)
        assert "".join(block.get("thinking", "") for block in blocks) == "".join(texts)

    check()
