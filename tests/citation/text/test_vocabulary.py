"""Phrases of operators are found by the words that they begin with."""

import pytest

from citestream.citation.text.clauses.vocabulary import Pattern, Phrases

PATTERNS: list[Pattern] = [(("case",), "if"), (("case", "of"), "if"), (("event*", "that"), "when"), (("even*",), "so")]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("in case of fire", [PATTERNS[0], PATTERNS[1]]),
        ("in case", [PATTERNS[0]]),
        ("in cases of fire", []),
        ("in events that", [PATTERNS[2], PATTERNS[3]]),
        ("in evening", [PATTERNS[3]]),
        ("in", []),
    ],
)
def test_phrases_are_found_by_their_words(words: str, expected: list[Pattern]) -> None:
    tree = Phrases.of(PATTERNS)
    assert tree is not None
    assert tree.beginning(words.split(), 1) == expected


def test_there_is_no_tree_without_phrases() -> None:
    assert Phrases.of([]) is None
