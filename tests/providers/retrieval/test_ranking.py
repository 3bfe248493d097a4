"""Ranking by words: the most relevant text comes first, in every script."""

import pytest

from citestream.providers.retrieval.ranking import MAX_QUESTION_CHARACTERS, MAX_TEXT_CHARACTERS, relevance

TEXTS = [
    "Bananas grow in the tropics.",
    "The Harlan bridge was opened on 4 May 1932 by the mayor.",
    "The bridge carries two lanes.",
    "Die Brücke wurde 1932 eröffnet.",
    "这座桥于1932年通车。",
]
CLOSEST = {
    "When was the Harlan bridge opened?": 1,
    "How many lanes does the bridge carry?": 2,
    "Where do bananas grow?": 0,
    "Wann wurde die Brücke eröffnet?": 3,
    "这座桥什么时候通车?": 4,
}


@pytest.mark.parametrize("question", CLOSEST)
def test_the_closest_text_comes_first(question: str) -> None:
    found = relevance(question, TEXTS)
    assert found.index(max(found)) == CLOSEST[question]
    assert all(0 <= value <= 1 for value in found)


def test_a_question_without_common_words_has_relevance_zero() -> None:
    assert relevance("Xyzzy?", TEXTS) == [0.0] * len(TEXTS)
    assert relevance("", TEXTS) == [0.0] * len(TEXTS)
    assert relevance("anything", []) == []


def test_only_the_beginning_of_a_text_and_of_a_question_counts() -> None:
    far = " " * MAX_TEXT_CHARACTERS + "bridge"
    assert relevance("bridge", [far, far[1:], far[6:]]) == [0.0, 0.0, 1.0]
    assert relevance("bridge" + " " * MAX_QUESTION_CHARACTERS + "mayor", ["A bridge."]) == [1.0]
