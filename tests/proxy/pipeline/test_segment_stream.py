"""Steps that arrive together stay together, and no step waits for one that has not arrived."""

import json
from contextlib import aclosing
from math import inf

import pytest

from citestream.citation.answers.response import Response
from citestream.citation.options import Options
from citestream.providers.errors import IncompleteAnswer, ProviderError
from citestream.providers.events import ChatRequest, Event, Idle, TextDelta, Wakeup
from citestream.proxy.pipeline.segment_stream import PendingText, segment
from tests.providers.recorded_answer import MODELS, QUESTION, make_provider
from tests.proxy.pipeline.test_respond import EVIDENCE, chunk, finish, played
from tests.upstreams.wire import Break, Server, sse

BROKEN = IncompleteAnswer("The connection broke.")
FIRST, SECOND = "It is red. It", " is long. It"


def delta(text: str, *, more: bool = False) -> TextDelta:
    return TextDelta(0, text, chunk({"content": text}), more)


CASES: dict[str, tuple[list[Event | ProviderError], list[list[str]]]] = {
    "separate deltas": (
        [delta(FIRST), delta(SECOND), finish()],
        [["PendingText"], ["PendingText"], ["PendingText", "Finish"]],
    ),
    "two deltas together": (
        [delta(FIRST, more=True), delta(SECOND), finish()],
        [["PendingText"] * 2, ["PendingText", "Finish"]],
    ),
    "all deltas and the finish together": (
        [delta(FIRST, more=True), delta(SECOND, more=True), finish()],
        [[*["PendingText"] * 3, "Finish"]],
    ),
    "text before an error": ([delta(FIRST, more=True), BROKEN], [["PendingText", "PendingText", "Failed"]]),
    "text without a finish": ([delta(FIRST, more=True)], [["PendingText"]]),
    "no complete sentence": ([delta("It"), delta(" is", more=True), finish()], [["PendingText", "Finish"]]),
}


@pytest.mark.parametrize("case", CASES)
async def test_steps_that_arrive_together_are_yielded_together(case: str) -> None:
    events, expected = CASES[case]
    found = [steps async for steps in segment(played(events), Response(EVIDENCE, Options()), 20.0)]
    assert [[type(step).__name__ for step in steps] for steps in found] == expected


HOLD_SECONDS = 20.0
WORDS = "The Harlan bridge was opened on"
# The events that have arrived, and whether the stream must be woken to release text.
WAKEUPS: dict[str, tuple[list[Event | ProviderError], bool]] = {
    "nothing has arrived": ([Idle()], False),
    "a sentence is open": ([delta("It is")], True),
    "the end of a sentence may follow": ([delta("It is red.")], True),
    "the answer has ended": ([delta("It is"), finish()], False),
}


@pytest.mark.parametrize("case", WAKEUPS)
async def test_a_silent_stream_is_woken_only_if_it_holds_text(case: str) -> None:
    events, is_woken = WAKEUPS[case]
    wakeup = Wakeup()
    async for _ in segment(played(events), Response(EVIDENCE, Options()), HOLD_SECONDS, wakeup):
        pass
    remaining = wakeup.remaining()
    assert (remaining <= HOLD_SECONDS) if is_woken else (remaining == inf)


async def test_a_stream_whose_words_were_released_is_not_woken_again() -> None:
    wakeup = Wakeup()
    events: list[Event | ProviderError] = [delta(WORDS), Idle()]
    found = [steps async for steps in segment(played(events), Response(EVIDENCE, Options()), 0.0, wakeup)]
    assert found
    assert wakeup.remaining() == inf


async def test_held_words_of_a_silent_provider_are_released() -> None:
    data = json.dumps(chunk({"content": WORDS})).encode()
    async with Server(sse(b"data: %b\n\n" % data, Break.STALL)) as server:
        provider = make_provider("openai", server.url)
        request = ChatRequest(MODELS["openai"], QUESTION)
        steps = segment(provider.stream(request), Response(EVIDENCE, Options()), 0.01, request.wakeup)
        async with aclosing(steps) as found:
            (step,) = await anext(found)
        await provider.aclose()
    assert isinstance(step, PendingText)
    assert step.draft.text == WORDS.rpartition(" ")[0]
