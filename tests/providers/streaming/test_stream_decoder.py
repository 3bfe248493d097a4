"""StreamDecoder: a large payload has the same events as a small one, whatever the provider."""

import json
from typing import Any

import pytest

from citestream.providers.events import Event, Idle, Usage
from citestream.providers.scheduler import Work
from citestream.providers.streaming.stream_decoder import LARGE_BYTES, StreamDecoder
from citestream.providers.transport import EventSplitter
from citestream.providers.wire.anthropic.message_events import AnthropicReader
from citestream.providers.wire.chunk_limits import MAX_CHOICES, MAX_FIELDS
from citestream.providers.wire.gemini.candidates import GeminiReader
from citestream.providers.wire.ollama.chat_response import OllamaReader
from citestream.providers.wire.openai_chunks import ChunkReader
from citestream.providers.wire.text_runs import PayloadReader

LONG = "It rose. " * (LARGE_BYTES // 8)
TIME = "2026-01-01T00:00:00Z"

# The reader of each provider, and the fields of an event with this text
PROVIDERS: dict[str, tuple[type[Any], Any]] = {
    "openai": (ChunkReader, lambda text: {"choices": [{"index": 0, "delta": {"content": text}}]}),
    "ollama": (OllamaReader, lambda text: {"created_at": TIME, "message": {"content": text}}),
    "gemini": (
        GeminiReader,
        lambda text: {"responseId": "r", "candidates": [{"content": {"parts": [{"text": text}]}}]},
    ),
    "anthropic": (
        AnthropicReader,
        lambda text: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
    ),
}


def reader_of(provider: str) -> PayloadReader:
    reader: PayloadReader = PROVIDERS[provider][0](*(() if provider == "openai" else ("m",)))
    return reader


async def decoded(reader: PayloadReader, *payloads: bytes) -> list[Event]:
    decoder = StreamDecoder(EventSplitter(), reader, Work("read_provider"), lambda: None)
    stream = b"".join(b"data: %b\n\n" % payload for payload in payloads)
    pieces = [stream[at : at + 10_000] for at in range(0, len(stream), 10_000)]
    events = [event for piece in pieces for event in await decoder.feed(piece)]
    decoder.release()
    return [*events, *await decoder.flush()]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("ending", ["", "\ud83d"])
async def test_a_large_event_is_decoded_like_a_small_one(provider: str, ending: str) -> None:
    payloads = [json.dumps(PROVIDERS[provider][1](text)).encode() for text in ("Begin. ", LONG + ending, "End.")]
    events = await decoded(reader_of(provider), *payloads)
    reader = reader_of(provider)
    expected = [event for payload in payloads for event in reader.read(payload)]
    assert [_without_time(event) for event in events] == [_without_time(event) for event in expected]
    assert [event.is_large for event in events if not isinstance(event, Usage | Idle) and LONG in str(event)] == [True]


def _without_time(event: Any) -> Any:
    return type(event), {**event.chunk, "id": "", "created": 0}


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_large_event_that_cannot_be_read_is_skipped(provider: str) -> None:
    reader = reader_of(provider)
    assert await decoded(reader, b"[" + b" " * LARGE_BYTES, b"[" + b"1," * LARGE_BYTES + b"1]") == []
    assert reader.skipped == 2


async def test_an_event_with_too_many_choices_is_skipped() -> None:
    reader = ChunkReader()
    too_many = json.dumps({"choices": [{}] * (MAX_CHOICES + 1)}).encode()
    assert await decoded(reader, too_many) == []
    one_by_one = [
        json.dumps({"choices": [{"index": n, "delta": {"content": "a"}}]}).encode() for n in range(MAX_CHOICES + 5)
    ]
    await decoded(reader, *one_by_one)
    assert reader.skipped == 1 + 5


async def test_an_event_with_too_many_fields_is_skipped() -> None:
    reader = ChunkReader()
    fields = {str(n): n for n in range(MAX_FIELDS)}
    choice = {"index": 0, "delta": {"content": "a"}}
    chunks = (
        {"choices": [choice], **fields},
        {"choices": [choice | fields]},
        {"choices": [{"delta": fields | {"a": 1}}]},
    )
    assert await decoded(reader, *[json.dumps(chunk).encode() for chunk in chunks]) == []
    assert reader.skipped == len(chunks)
