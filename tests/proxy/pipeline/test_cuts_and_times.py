"""An answer does not depend on how its text is cut, grouped and delayed, in every client API."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.answers.answer import _is_complete
from citestream.citation.answers.response import Response
from citestream.citation.evidence import EvidenceLimits, parse_evidence
from citestream.citation.options import Options
from citestream.citation.support.scorers import scorer
from citestream.providers.events import Event, OtherDelta
from citestream.proxy.apis.anthropic.anthropic_encoder import AnthropicEncoder
from citestream.proxy.apis.anthropic.citation_location import Locations
from citestream.proxy.apis.cohere import CohereApi
from citestream.proxy.apis.gemini.gemini_request import GeminiApi
from citestream.proxy.apis.openai_chat import OpenAIChatApi
from citestream.proxy.apis.responses import ResponsesApi
from citestream.proxy.http.client_api import Encoder
from citestream.proxy.pipeline.collect_chunks import Completion
from citestream.proxy.pipeline.completion_chunks import Chunks
from citestream.proxy.pipeline.deciding.scoring import Scoring
from citestream.proxy.pipeline.request.job import Job
from citestream.proxy.pipeline.respond import respond
from tests.proxy.answers import (
    Shown,
    chat_streamed,
    chat_whole,
    cohere_streamed,
    cohere_whole,
    gemini_events,
    gemini_whole,
    messages_streamed,
    messages_whole,
    responses_streamed,
    responses_whole,
)
from tests.proxy.pipeline.test_respond import HOLD_SECONDS, NO_MODELS, deltas, finish, played
from tests.proxy.pipeline.test_respond import chunk as chat_chunk
from tests.proxy.pipeline.test_streamed_equals_whole import EVIDENCE, SENTENCES, normalized

JOB = Job("m", [])
FURTHER = (
    "| a | b |\n|---|---|\n| opened | 4 May 1932 [1] |\n",
    "1. It was opened on 4 May 1932\n",
    "# Head\n",
    "\n\n",
)
PIECES = st.tuples(st.sampled_from(["content"] * 4 + ["reasoning", "refusal"]), st.sampled_from(SENTENCES + FURTHER))


def merged(message: Shown) -> Shown:
    """Return a message in which adjacent text blocks without citations are joined."""
    content: list[Shown] = []
    for block in message["content"]:
        if content and all(one["type"] == "text" and not one["citations"] for one in (content[-1], block)):
            content[-1] = {**block, "text": content[-1]["text"] + block["text"]}
        else:
            content.append(block)
    return {**message, "content": content}


APIS: dict[str, tuple[Callable[[Chunks, bool], Encoder], Callable[[bytes], Shown], Callable[[bytes], Shown]]] = {
    "chat completions": (lambda *_: OpenAIChatApi().encoder(JOB, None), chat_streamed, chat_whole),
    "responses": (lambda chunks, _: ResponsesApi().encoder(JOB, chunks), responses_streamed, responses_whole),
    "gemini": (
        lambda chunks, stream: GeminiApi("m", stream=stream, sse=True).encoder(JOB, chunks),
        gemini_events,
        gemini_whole,
    ),
    "cohere": (lambda chunks, _: CohereApi().encoder(JOB, chunks), cohere_streamed, cohere_whole),
    "messages": (
        lambda chunks, _: AnthropicEncoder("m", chunks, Locations()),
        lambda body: merged(messages_streamed(body)),
        lambda body: merged(messages_whole(body)),
    ),
}


async def answered(api: str, events: Sequence[Event], options: Options, hold_seconds: float, *, stream: bool) -> Shown:
    make_encoder, read_stream, read_whole = APIS[api]
    evidence = parse_evidence(EVIDENCE, limits=EvidenceLimits(items=9, characters=999))
    response = Response(evidence, options)
    chunks, completion, sent = Chunks(response, usage=True, streamed=stream), Completion(), b""
    encoder = make_encoder(chunks, stream)
    async for batch in respond(played(events), response, Scoring(scorer("lexical"), evidence, NO_MODELS), hold_seconds):
        for event in batch:
            made = chunks.of(event)
            if stream:
                sent += encoder.chunks(made)
                continue
            for one in made:
                completion.add(one)
            encoder.observe(made)
    shown = read_stream(sent + encoder.end()) if stream else read_whole(json.dumps(encoder.body(completion)).encode())
    return normalized(shown)


def provided(pieces: Sequence[tuple[str, str]], cuts: Sequence[int] = (), followed: Sequence[bool] = ()) -> list[Event]:
    """Return the events of a provider. `cuts`: positions in each text. `followed`: if the next arrives with it."""
    events: list[Event] = []
    for at, (other, text) in enumerate(pieces):
        if other == "content":
            places = sorted({0, len(text), *(cut % len(text) for cut in cuts)})
            events += deltas([text[start:end] for start, end in pairwise(places)])
        elif _is_complete(next((before for kind, before in pieces[:at][::-1] if kind == "content"), "\n")):
            # The part of a sentence that was released early comes before a thought inside it, any other part after it.
            events.append(OtherDelta(chat_chunk({other: text}), (0,)))
    events = [replace(event, more=more) for event, more in zip(events, followed, strict=False)] + events[
        len(followed) :
    ]
    return [*events, finish()]


@pytest.mark.parametrize("api", APIS)
def test_cuts_and_times_do_not_change_the_answer(api: str) -> None:
    marker: Any = "none" if api in ("cohere", "messages") else "number"

    @given(
        st.lists(PIECES, max_size=6),
        st.lists(st.just(-1) | st.integers(0, 99), max_size=5),  # -1: before the last character
        st.lists(st.booleans(), max_size=20),
        st.sampled_from(["sentence", "live"]),
        st.sampled_from([HOLD_SECONDS, 0.0]),
        st.booleans(),
    )
    def check(
        pieces: list[tuple[str, str]], cuts: list[int], followed: list[bool], release: Any, hold: float, stream: bool
    ) -> None:
        options = Options(marker=marker)
        ask: Callable[..., Any] = partial(answered, api)
        whole = asyncio.run(ask(provided(pieces), options, HOLD_SECONDS, stream=False))
        events = provided(pieces, cuts, followed)
        assert asyncio.run(ask(events, replace(options, release=release), hold, stream=stream)) == whole

    check()
