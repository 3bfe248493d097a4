"""Collecting chunks: the completion is the same if it is also read before its end."""

import cProfile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.proxy.pipeline.collect_chunks import Completion

Fields = dict[str, Any]

TEXTS = st.text("ab é", max_size=3)
DETAILS: st.SearchStrategy[Fields] = st.builds(
    dict, index=st.integers(0, 1), type=st.sampled_from(["a", "b"]), text=TEXTS
)
DELTAS = st.one_of(
    st.builds(dict, reasoning=TEXTS, reasoning_details=st.lists(DETAILS, max_size=2)),
    st.builds(dict, reasoning_details=st.lists(DETAILS, max_size=2)),
    st.builds(dict, content=TEXTS),
    st.builds(dict, content=TEXTS, role=st.just("assistant")),
    st.builds(dict, reasoning=TEXTS),
    st.builds(dict, reasoning=TEXTS, reasoning_content=TEXTS),
    st.builds(dict, content=st.none(), refusal=TEXTS),
    st.builds(dict, images=st.lists(st.just({"url": "u"}), max_size=1)),
    st.builds(
        dict,
        tool_calls=st.lists(
            st.builds(dict, index=st.integers(0, 1), function=st.builds(dict, arguments=TEXTS)), max_size=2
        ),
    ),
    st.just({}),
)
CHOICES = st.builds(
    lambda index, delta, more: {"index": index, "delta": delta} | more,
    st.integers(0, 1),
    DELTAS,
    st.sampled_from(
        [{}, {"logprobs": None}, {"logprobs": {"content": [{"token": "a"}]}}, {"finish_reason": "stop"}, {"own": 1}]
    ),
)
CHUNKS = st.lists(st.builds(lambda choices: {"id": "c", "choices": choices}, st.lists(CHOICES, max_size=2)))


def state(completion: Completion) -> list[Any]:
    places = [(completion.begun(at), completion.pieces(at), completion.choice(at)) for at in (0, 1)]
    return [places, completion.body()]


@given(CHUNKS)
def test_reading_between_the_chunks_does_not_change_the_completion(chunks: list[Fields]) -> None:
    read_often, read_once = Completion(), Completion()
    for chunk in chunks:
        read_often.add(chunk)
        state(read_often)
        read_once.add(chunk)
    assert state(read_once) == state(read_often)


def test_annotations_are_complete_although_their_index_is_the_same() -> None:
    completion = Completion()
    cited = [{"type": "file_citation", "index": 9, "file_id": name} for name in ("a", "b", "c")]
    for annotations in (cited[:2], cited[2:]):
        completion.add({"id": "c", "choices": [{"index": 0, "delta": {"annotations": annotations}}]})
    assert completion.message(0)["annotations"] == cited


@pytest.mark.parametrize("field", ["tool_calls", "reasoning_details", "content_parts", "images", "annotations"])
@pytest.mark.parametrize("one_chunk", [True, False])
def test_many_entries_of_a_list_take_linear_time(field: str, one_chunk: bool) -> None:
    short, long = (_calls_to_collect(field, count, one_chunk) for count in (500, 4_000))
    assert long < 16 * short


def _calls_to_collect(field: str, count: int, one_chunk: bool) -> int:
    """Return the number of Python functions that are called while `count` entries are collected."""
    entries = [{"index": n, "id": str(n)} for n in range(count)]
    deltas = [entries] if one_chunk else [[entry] for entry in entries]
    completion = Completion()
    profile = cProfile.Profile()
    profile.enable()
    for delta in deltas:
        completion.add({"id": "c", "choices": [{"index": 0, "delta": {field: delta}}]})
    message = completion.message(0)
    profile.disable()
    assert len(message[field]) == count
    return sum(one.callcount for one in profile.getstats())
