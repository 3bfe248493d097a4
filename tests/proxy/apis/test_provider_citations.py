"""Citations of a provider's own search cover the same words after our markers are added, in the official SDKs."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import aiohttp
import openai
import pytest
from aiohttp.test_utils import TestServer
from google import genai
from google.genai.types import HttpOptions

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.conftest import Chunkings
from tests.upstreams.wire import Answer, Server, sse

Fields = dict[str, Any]

OPENED = "The Harlan bridge was opened on 4 May 1932 by the mayor."
EVIDENCE = [
    {"text": "The Harlan bridge was opened on 4 May 1932 by the mayor."},
    {"text": "Bananas grow in the tropics."},
]
NEWS = "([news.example](https://news.example/a?utm_source=openai))"
TEXTS: dict[str, tuple[str, list[str]]] = {  # the provider's text, and the words that it cites
    "a marker is added before": (
        f"{OPENED} It carries eight lanes. {NEWS} Bananas grow in the tropics.",
        [NEWS, "It carries eight lanes."],
    ),
    "markers of the model are removed": (
        f"The Harlan bridge was opened [1] on 4 May 1932 by the mayor [1][2]. It has 1 lane {NEWS}. More.",
        ["It has 1 lane", NEWS, "opened"],
    ),
    "characters of several bytes": (
        f"Brücke 🌉. {OPENED} 桥很旧。 Übel. Bananas grow in the tropics [2].",
        ["桥很旧。", "Übel.", "Bananas"],
    ),
    "the same words twice": (
        "It is old. The Harlan bridge was opened on 4 May 1932 by the mayor [1]. It is old.",
        ["It is old.\x00"],
    ),
}


def spans(text: str, cited: list[str]) -> list[tuple[int, int, str]]:
    """Return where the words are; those that end with NUL are looked up from the end of the text."""
    found = []
    for words in cited:
        start = text.rindex(words[:-1]) if words.endswith("\x00") else text.index(words)
        found.append((start, start + len(words.rstrip("\x00")), words.rstrip("\x00")))
    return found


def of_openai(text: str, cited: list[str], parts: list[str]) -> Answer:
    annotations = [
        {
            "type": "url_citation",
            "url_citation": {"url": "https://o.org", "title": "O", "start_index": a, "end_index": b},
        }
        for a, b, _ in spans(text, cited)
    ]
    deltas: list[Fields] = [{"role": "assistant", "content": ""}, *({"content": part} for part in parts)]
    choices: list[Fields] = [
        {"index": 0, "delta": delta, "finish_reason": None} for delta in [*deltas, {"annotations": annotations}]
    ]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    chunks: list[Fields] = [
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [one]} for one in choices
    ]
    return sse(*[f"data: {json.dumps(one)}\n\n".encode() for one in chunks], b"data: [DONE]\n\n")


def of_gemini(text: str, cited: list[str], parts: list[str]) -> Answer:
    supports = [
        {
            "segment": {"startIndex": len(text[:a].encode()), "endIndex": len(text[:b].encode()), "text": words},
            "groundingChunkIndices": [0],
        }
        for a, b, words in spans(text, cited)
    ]
    metadata = {
        "webSearchQueries": ["q"],
        "groundingChunks": [{"web": {"uri": "https://o.org", "title": "O"}}],
        "groundingSupports": supports,
    }
    candidates: list[Fields] = [{"content": {"role": "model", "parts": [{"text": part}]}, "index": 0} for part in parts]
    candidates[-1] |= {"finishReason": "STOP", "groundingMetadata": metadata}
    return sse(*[f"data: {json.dumps({'candidates': [one], 'modelVersion': 'm'})}\n\n".encode() for one in candidates])


@asynccontextmanager
async def proxy(kind: str, answer: Answer) -> AsyncIterator[str]:
    async with Server(answer) as upstream:
        provider = Fields(kind=kind, base_url=upstream.url, api_key="k") | (
            {"responses": "off"} if kind == "openai" else {}
        )
        async with TestServer(make_app(parse({"providers": {"up": provider}}))) as server:
            yield str(server.make_url("/"))


def added(release: str) -> Fields:
    return {"evidence": EVIDENCE, "citations": {"release": release}}


async def chat(url: str, extra: Fields, *, stream: bool) -> tuple[str, list[Fields], Fields]:
    """Return the text, the annotations and Gemini's metadata of a chat completion."""
    async with openai.AsyncOpenAI(base_url=f"{url}v1", api_key="k") as client:
        messages: list[Any] = [{"role": "user", "content": "?"}]
        if not stream:
            completion = await client.chat.completions.create(model="up/m", messages=messages, extra_body=extra)
            (choice,) = completion.choices
            annotations = [one.model_dump() for one in choice.message.annotations or ()]
            return choice.message.content or "", annotations, getattr(choice, "google", None) or {}
        text, annotations, google = "", list[Fields](), Fields()
        async for chunk in await client.chat.completions.create(
            model="up/m", messages=messages, stream=True, extra_body=extra
        ):
            for streamed in chunk.choices:
                text += streamed.delta.content or ""
                annotations += getattr(streamed.delta, "annotations", None) or []
                google.update(getattr(streamed, "google", None) or {})
        return text, annotations, google


async def responses(url: str, extra: Fields, *, stream: bool) -> tuple[str, list[Fields], Fields]:
    async with openai.AsyncOpenAI(base_url=f"{url}v1", api_key="k") as client:
        if not stream:
            response = await client.responses.create(model="up/m", input="?", extra_body=extra)
        else:
            announced: list[Any] = []
            async with client.responses.stream(model="up/m", input="?", extra_body=extra) as events:
                added_events = [
                    event async for event in events if event.type == "response.output_text.annotation.added"
                ]
                announced = [event.annotation for event in added_events]
                response = await events.get_final_response()
    (item,) = response.output
    assert item.type == "message"
    (part,) = item.content
    assert part.type == "output_text"
    annotations = [one.model_dump() for one in part.annotations]
    if stream:
        assert [one.start_index for one in announced] == [one["start_index"] for one in annotations]
    return part.text, [{"type": "url_citation", "url_citation": one} for one in annotations], {}


async def gemini(url: str, extra: Fields, *, stream: bool) -> tuple[bytes, list[Any]]:
    """Return the text in UTF-8, and the supports whose chunks are of the web."""
    async with aiohttp.ClientSession() as session:
        client = genai.Client(api_key="k", http_options=HttpOptions(base_url=url, aiohttp_client=session)).aio
        config: Any = {"http_options": {"extra_body": extra}}
        if stream:
            answers = [
                one
                async for one in await client.models.generate_content_stream(model="up/m", contents="?", config=config)
            ]
        else:
            answers = [await client.models.generate_content(model="up/m", contents="?", config=config)]
    text = "".join(one.text or "" for one in answers)
    assert answers[-1].candidates
    metadata = answers[-1].candidates[0].grounding_metadata
    assert metadata
    assert metadata.grounding_chunks
    web = {at for at, one in enumerate(metadata.grounding_chunks) if one.web}
    supports = [one for one in metadata.grounding_supports or () if web & set(one.grounding_chunk_indices or ())]
    return text.encode(), supports


def native(annotations: list[Fields]) -> list[Fields]:
    found = [one["url_citation"] for one in annotations]
    return [one for one in found if one["url"] == "https://o.org"]


@pytest.mark.parametrize("api", [chat, responses], ids=["chat", "responses"])
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("release", ["sentence", "live"])
@pytest.mark.parametrize("case", TEXTS)
async def test_annotations_of_openai_cover_the_same_words(
    case: str, release: str, stream: bool, api: Any, chunkings: Chunkings
) -> None:
    text, cited = TEXTS[case]
    for parts in chunkings(text, Random(case)):
        async with proxy("openai", of_openai(text, cited, parts)) as url:
            shown, annotations, _ = await api(url, added(release), stream=stream)
        assert "[1]" in shown
        covered = [shown[one["start_index"] : one["end_index"]] for one in native(annotations)]
        assert covered == [words for _, _, words in spans(text, cited)]


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("release", ["sentence", "live"])
@pytest.mark.parametrize("case", TEXTS)
async def test_supports_of_gemini_cover_the_same_words(
    case: str, release: str, stream: bool, chunkings: Chunkings
) -> None:
    text, cited = TEXTS[case]
    expected = [words for _, _, words in spans(text, cited)]
    for parts in chunkings(text, Random(case)):
        async with proxy("gemini", of_gemini(text, cited, parts)) as url:
            shown, supports = await gemini(url, added(release), stream=stream)
            chat_text, _, google = await chat(url, added(release), stream=stream)
        assert b"[1]" in shown
        covered = [shown[one.segment.start_index or 0 : one.segment.end_index].decode() for one in supports]
        assert covered == expected == [one.segment.text for one in supports]
        segments = [one["segment"] for one in google["groundingMetadata"]["groundingSupports"]]
        marked = [chat_text.encode()[one.get("startIndex", 0) : one["endIndex"]].decode() for one in segments]
        assert marked == expected
