"""Paths into the answers of search services, and the evidence entries that are created from the values."""

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
def test_a_path_returns_its_value(path: str, expected: Any) -> None:
    assert value_at(ANSWER, path) == expected


def test_a_field_has_the_first_valid_value() -> None:
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


PAGES: dict[str, tuple[dict[str, Any], int]] = {
    "a column `page`": ({"page": 3}, 3),
    "metadata of an unknown program": ({"metadata": {"page": 3}}, 3),
    "a document of LangChain": ({"page_content": "It is red.", "metadata": {"page": 0}}, 1),
    "metadata of LangChain's loaders of PDF files": ({"metadata": {"page": 11, "total_pages": 20}}, 12),
    "the same with a page label": ({"metadata": {"page": 11, "total_pages": 20, "page_label": "12"}}, 12),
    "a page label that equals the page": ({"metadata": {"page": 12, "total_pages": 20, "page_label": "12"}}, 12),
    "a page number": ({"page_content": "It is red.", "metadata": {"page_number": 3}}, 3),
}


@pytest.mark.parametrize(("item", "expected"), PAGES.values(), ids=PAGES)
def test_pages_are_counted_from_one(item: dict[str, Any], expected: int) -> None:
    assert make_entry(item, COMMON_PATHS)["page_number"] == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab.|0", max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, st.text("ab.|01", max_size=12))
def test_any_path_works_with_any_answer(data: Any, path: str) -> None:
    value_at(data, path)


@given(JSON)
def test_entries_from_any_data_have_fields_of_the_right_type(data: Any) -> None:
    entry = make_entry(data, {name: name for name in (*COMMON_PATHS, "score", "metadata")} | {"text": "a|b|0"})
    assert all(isinstance(entry[name], str) for name in entry.keys() & {"text", "title", "url", "id"})
    assert all(isinstance(entry[name], int | float) for name in entry.keys() & {"score", "page_number"})
