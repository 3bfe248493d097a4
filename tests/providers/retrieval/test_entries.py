"""Paths into answers, and entries of evidence made of what stands there."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.providers.retrieval.entries import COMMON_PATHS, make_entry, value_at

ANSWER = {
    "hits": {"hits": [{"_source": {"metadata.page": 3, "metadata": {"title": "T"}}, "_score": 0}]},
    "@search.score": 2.5,
    "positions": [[7, 1, 2]],
    "none": None,
}
FOUND = {
    "": ANSWER,
    "hits.hits.0._score": 0,
    "hits.hits.0._source.metadata.page": 3,
    "hits.hits.0._source.metadata.title": "T",
    "@search.score": 2.5,
    "positions.0.0": 7,
    "missing|none|@search.score": 2.5,
    "positions.1.0": None,
    "positions.x": None,
    "hits.hits.title": None,
    "@search.score.deeper": None,
}


@pytest.mark.parametrize(("path", "expected"), FOUND.items(), ids=[path or "the whole" for path in FOUND])
def test_paths(path: str, expected: Any) -> None:
    assert value_at(ANSWER, path) == expected


def test_a_field_has_the_first_value_that_it_can_have() -> None:
    item: dict[str, Any] = {
        "text": "",
        "content": {"html": "x"},
        "body": "It is red.",
        "url": " ",
        "page": "iv",
        "page_number": None,
    }
    item |= {"metadata": {"page": 3}}
    assert make_entry(item, COMMON_PATHS) == {"text": "It is red.", "page_number": 3}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.|0", max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, st.text("ab.|01", max_size=12))
def test_no_path_fails_on_any_answer(data: Any, path: str) -> None:
    value_at(data, path)


@given(JSON)
def test_anything_becomes_an_entry_that_evidence_can_be_made_of(data: Any) -> None:
    made = make_entry(data, {name: name for name in (*COMMON_PATHS, "score", "metadata")} | {"text": "a|b|0"})
    assert all(isinstance(made[name], str) for name in made.keys() & {"text", "title", "url", "id"})
    assert all(isinstance(made[name], int | float) for name in made.keys() & {"score", "page_number"})
