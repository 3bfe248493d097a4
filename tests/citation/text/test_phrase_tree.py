"""`PhraseTree` finds the phrases that begin at a word."""

import pytest

from citestream.citation.text.clauses.phrase_tree import PhraseTree

PHRASES = ["in case", "in case of", "in event* that", "in even*", "in*"]
TREE: PhraseTree[str] = PhraseTree()
for phrase in PHRASES:
    TREE.add(phrase.split(), phrase)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("in case of fire", ["in case", "in case of", "in*"]),
        ("in case", ["in case", "in*"]),
        ("in cases of fire", ["in*"]),
        ("in events that", ["in even*", "in event* that", "in*"]),
        ("in evening", ["in even*", "in*"]),
        ("inside", ["in*"]),
        ("on", []),
    ],
)
def test_phrases_at_the_beginning_are_found(words: str, expected: list[str]) -> None:
    assert TREE.beginning(words.split(), 0) == expected


def test_the_trees_after_a_word_show_whether_a_phrase_continues() -> None:
    assert [(tree.values, tree.is_end) for tree in TREE.after("in")] == [([], False), (["in*"], True)]
