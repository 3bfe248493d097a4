"""Templates of requests, and paths into answers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.retrieval.http.template import filled, found, named

VALUES: dict[str, Any] = {"query": 'who "is" {top_k}?', "top_k": 5, "vector": [0.5, -1.0]}

FILLED = {
    "a name alone becomes the value itself": ("{top_k}", 5),
    "a list stays one": ({"v": "{vector}"}, {"v": [0.5, -1.0]}),
    "however deep": ({"a": [{"b": "{top_k}"}]}, {"a": [{"b": 5}]}),
    "inside of text it becomes text": ("limit={top_k};", "limit=5;"),
    "braces of a question are not looked at again": ("q: {query}", 'q: who "is" {top_k}?'),
    "as JSON where GraphQL wants a string": ("q: {query_json}", 'q: "who \\"is\\" {top_k}?"'),
    "a list inside of text is JSON": ("[{vector}]", "[[0.5, -1.0]]"),
    "other braces stay": ("{ Get { {other} } }", "{ Get { {other} } }"),
    "what is no text stays": ([None, True, 1.5], [None, True, 1.5]),
}


@pytest.mark.parametrize(("template", "expected"), FILLED.values(), ids=FILLED)
def test_templates(template: Any, expected: Any) -> None:
    assert filled(template, VALUES) == expected


def test_the_names_that_a_template_uses() -> None:
    assert named({"a": ["{query}", {"b": "x {vector_json} {1}"}], "c": 4}) == {"query", "vector_json", "1"}


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
    assert found(ANSWER, path) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.|0", max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, st.text("ab.|01", max_size=12))
def test_no_path_fails_on_any_answer(data: Any, path: str) -> None:
    found(data, path)
