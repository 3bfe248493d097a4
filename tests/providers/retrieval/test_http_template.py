"""Templates of requests."""

from typing import Any

import pytest

from citestream.providers.retrieval.http.template import fill, placeholders

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
def test_placeholders_are_replaced_by_values(template: Any, expected: Any) -> None:
    assert fill(template, VALUES) == expected


def test_the_names_that_a_template_uses() -> None:
    assert placeholders({"a": ["{query}", {"b": "x {vector_json} {1}"}], "c": 4}) == {"query", "vector_json", "1"}
