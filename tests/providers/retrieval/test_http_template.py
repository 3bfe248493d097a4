"""Placeholders in the templates of HTTP requests."""

from typing import Any

import pytest

from citestream.providers.retrieval.http.template import fill, placeholders

VALUES: dict[str, Any] = {"query": 'who "is" {top_k}?', "top_k": 5, "vector": [0.5, -1.0]}

FILLED = {
    "a name alone becomes the value itself": ("{top_k}", 5),
    "a list stays a list": ({"v": "{vector}"}, {"v": [0.5, -1.0]}),
    "nested": ({"a": [{"b": "{top_k}"}]}, {"a": [{"b": 5}]}),
    "a value inside text becomes text": ("limit={top_k};", "limit=5;"),
    "placeholders in a value are not replaced": ("q: {query}", 'q: who "is" {top_k}?'),
    "a string for GraphQL is JSON": ("q: {query_json}", 'q: "who \\"is\\" {top_k}?"'),
    "a list inside text is JSON": ("[{vector}]", "[[0.5, -1.0]]"),
    "other braces are kept": ("{ Get { {other} } }", "{ Get { {other} } }"),
    "values that are not strings are kept": ([None, True, 1.5], [None, True, 1.5]),
}


@pytest.mark.parametrize(("template", "expected"), FILLED.values(), ids=FILLED)
def test_placeholders_are_replaced_by_values(template: Any, expected: Any) -> None:
    assert fill(template, VALUES) == expected


def test_the_placeholders_of_a_template() -> None:
    assert placeholders({"a": ["{query}", {"b": "x {vector_json} {1}"}], "c": 4}) == {"query", "vector_json", "1"}
