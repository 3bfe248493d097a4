"""Steps that arrive together stay together, and no step waits for one that has not arrived."""

import pytest

from citestream.citation.answers.response import Response
from citestream.citation.options import Options
from citestream.providers.errors import IncompleteAnswer, ProviderError
from citestream.providers.events import Event, TextDelta
from citestream.proxy.pipeline.segment_stream import segment
from tests.proxy.pipeline.test_respond import EVIDENCE, chunk, finish, played

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
