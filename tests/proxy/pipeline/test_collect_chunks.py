"""Collecting chunks: the completion is the same if it is also read before its end."""

from typing import Any

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


def seen(completion: Completion) -> list[Any]:
    places = [(completion.begun(at), completion.pieces(at), completion.choice(at)) for at in (0, 1)]
    return [places, completion.body()]


@given(CHUNKS)
def test_it_does_not_matter_when_one_looks(chunks: list[Fields]) -> None:
    watched, once = Completion(), Completion()
    for chunk in chunks:
        watched.add(chunk)
        seen(watched)
        once.add(chunk)
    assert seen(once) == seen(watched)
