"""Costs measured in numbers of calls and events, which do not depend on the speed of the machine."""

import sys
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from citestream.citation.markers import Match, match_marker
from citestream.citation.markers.context import MAX_GROUP
from citestream.providers.events import Event, OtherDelta
from citestream.providers.streaming.answer_stream import EventGroups
from citestream.providers.wire.openai_chunks import ChunkReader


class CountedEvents(list[Event]):
    """Counts the events that were read from it."""

    read = 0

    def __iter__(self) -> Iterator[Event]:
        for event in super().__iter__():
            self.read += 1
            yield event


@pytest.mark.parametrize("followed", [False, True])
@pytest.mark.parametrize("count", [100, 1_600])
def test_events_are_marked_one_at_a_time(count: int, followed: bool) -> None:
    events = CountedEvents([OtherDelta({"choices": []})] * count)
    marked = EventGroups(ChunkReader()).mark(events, followed)
    assert [(events.read, event.more) for event in marked] == [
        (at, at < count or followed) for at in range(1, count + 1)
    ]


@pytest.mark.parametrize("separator", [", ", ",", "、", ""])
def test_cost_of_a_row_of_markers_grows_linearly(separator: str) -> None:
    row = separator.join(["[1]"] * MAX_GROUP)
    half = separator.join(["[1]"] * (MAX_GROUP // 2))
    assert match_marker(row, 0, final=True) == Match(len(row), (1,), ())
    assert _calls(lambda: match_marker(row, 0, final=True)) < 2.5 * _calls(lambda: match_marker(half, 0, final=True))


def _calls(run: Callable[[], object]) -> int:
    """Return the number of calls of Python functions."""
    count = 0

    def observe(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(observe)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count
