"""Only what a reader sees as a break ends a sentence: no event without text does, in the stream of any provider."""

import asyncio
import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from citestream.citation.options import Options
from citestream.providers.events import Event
from citestream.providers.wire.anthropic.message_events import AnthropicReader
from citestream.providers.wire.gemini.candidates import GeminiReader
from citestream.providers.wire.ollama.chat_response import OllamaReader
from citestream.providers.wire.openai_chunks import ChunkReader
from citestream.providers.wire.translating_reader import TranslatingReader
from citestream.proxy.pipeline.outgoing import TextOut
from tests.proxy.pipeline.test_respond import answered, chunk, outgoing, text_of

Fields = dict[str, Any]

PIECES = ("The Harlan bridge was opened on 5 ", "May 1932. It carries two lanes and eight ", "railway tracks [", "2].")
SHOWN = "The Harlan bridge was opened on 5 May 1932. It carries two lanes and eight railway tracks. [1]"
CITATION = {"type": "web_search_result_location", "cited_text": "x", "url": "https://ex.org", "title": "T"}
URL_CITATION = {"url": "https://ex.org", "title": "X", "start_index": 0, "end_index": 5}


def read(reader: ChunkReader | TranslatingReader, payloads: Iterable[Fields]) -> list[Event]:
    events = [event for payload in payloads for event in reader.read(json.dumps(payload).encode())]
    assert reader.error is None
    return [*events, *reader.end()]


def of_openai(between: Fields) -> list[Event]:
    texts = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": piece}) for piece in PIECES)]
    other = between if "choices" in between else chunk(between)
    interleaved = [one for text in texts for one in (text, other)]
    return read(ChunkReader(), [*interleaved, chunk({}, "stop")])


def of_ollama(between: Fields) -> list[Event]:
    messages: list[Fields] = [one for piece in PIECES for one in ({"content": piece}, {"content": "", **between})]
    lines = [{"model": "m", "message": {"role": "assistant", **one}, "done": False} for one in messages]
    last = {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
    return read(OllamaReader("m"), [*lines, last])


def of_gemini(between: Fields) -> list[Event]:
    parts: list[Fields] = [one for piece in PIECES for one in ({"text": piece}, between)]
    contents = [{"content": {"role": "model", "parts": [part]}, "index": 0} for part in parts]
    ends: Fields = {"finishReason": "STOP", "index": 0}
    return read(GeminiReader("m"), [{"candidates": [candidate]} for candidate in [*contents, ends]])


def of_anthropic(between: Fields) -> list[Event]:
    payloads: list[Fields] = [{"type": "message_start", "message": {"id": "m", "content": [], "usage": {}}}]
    for at, piece in enumerate(PIECES):
        text_block = {"type": "text", "text": ""}
        payloads += [
            {"type": "content_block_start", "index": at, "content_block": text_block},
            {"type": "content_block_delta", "index": at, "delta": {"type": "text_delta", "text": piece}},
            {"type": "content_block_delta", "index": at, "delta": between},
            {"type": "content_block_stop", "index": at},
        ]
    ends = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}}
    return read(AnthropicReader("m"), [*payloads, ends, {"type": "message_stop"}])


OTHER_EVENTS: dict[str, tuple[Callable[[Fields], list[Event]], Fields]] = {
    "annotations": (of_openai, {"annotations": [{"type": "url_citation", "url_citation": URL_CITATION}]}),
    "annotations with an empty text": (of_openai, {"role": "assistant", "content": "", "annotations": [{"type": "x"}]}),
    "reasoning": (of_openai, {"reasoning_content": "hm"}),
    "OpenRouter's details of reasoning": (of_openai, {"reasoning_details": [{"type": "reasoning.text", "text": ""}]}),
    "an image": (of_openai, {"images": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}]}),
    "unknown fields": (of_openai, {"provider_specific_fields": {"citation": {"x": 1}}, "mood": "x"}),
    "an empty delta": (of_openai, {}),
    "usage": (of_openai, {**chunk({}), "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}),
    "no choices": (of_openai, {"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}),
    "a citation of Anthropic": (of_anthropic, {"type": "citations_delta", "citation": CITATION}),
    "an unknown delta of Anthropic": (of_anthropic, {"type": "other_delta", "other": "x"}),
    "a thought of Gemini": (of_gemini, {"text": "hm", "thought": True}),
    "an image of Gemini": (of_gemini, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}),
    "thinking of Ollama": (of_ollama, {"thinking": "hm"}),
}


@pytest.mark.parametrize("release", ["sentence", "live"])
@pytest.mark.parametrize("event", OTHER_EVENTS)
def test_an_event_without_text_does_not_end_a_sentence(event: str, release: Any) -> None:
    stream, between = OTHER_EVENTS[event]
    body = answered(stream(between), Options(release=release))
    assert text_of(body) == SHOWN
    (reference,) = body["references"]
    (span,) = reference["spans"]
    assert SHOWN[span["start"] : span["end"]] == "It carries two lanes and eight railway tracks."


CALL = {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}
TRUE = "It carries two lanes and eight railway tracks"


def test_the_text_before_a_tool_call_is_decided_and_sent_first() -> None:
    events = read(ChunkReader(), [chunk({"content": TRUE}), chunk(CALL), chunk({}, "tool_calls")])
    sent = asyncio.run(outgoing(events, Options()))
    assert [event.text if isinstance(event, TextOut) else "" for event in sent] == [f"{TRUE} [1]", "", ""]


def test_a_sentence_that_continues_after_a_tool_call_is_not_decided_by_its_end() -> None:
    payloads = [chunk({"content": "I doubt that"}), chunk(CALL), chunk({"content": f" it carries{TRUE[10:]}. {TRUE}."})]
    body = answered(read(ChunkReader(), [*payloads, chunk({}, "stop")]))
    assert text_of(body) == f"I doubt that it carries{TRUE[10:]}. {TRUE}. [1]"


def test_thoughts_between_whole_sentences_stay_there() -> None:
    payloads = [chunk({"content": f"{TRUE}."}), chunk({"reasoning": "hm"}), chunk({"content": " It is old."})]
    sent = asyncio.run(outgoing(read(ChunkReader(), [*payloads, chunk({}, "stop")]), Options()))
    assert [type(event).__name__ for event in sent] == ["TextOut", "OtherDelta", "TextOut", "Finish"]
