"""Synonyms and translations of words."""

import pytest

from citestream.citation.text.normalize import fold
from citestream.citation.text.words.concepts import NO_SYNONYMS, chinese_synonyms, synonyms, synonyms_in_run
from citestream.citation.text.words.stemming import stem


@pytest.mark.parametrize(("word", "other"), [("car", "vehicles"), ("war", "Krieg"), ("voiture", "coche")])
def test_a_word_has_its_synonyms_and_translations(word: str, other: str) -> None:
    assert stem(fold(other)) in synonyms(stem(fold(word))).single
    assert stem(fold(word)) in synonyms(stem(fold(other))).single


def test_a_word_is_translated_into_chinese() -> None:
    assert "汽车" in synonyms("car").single
    ((start, end, found),) = synonyms_in_run("汽车")
    assert (start, end) == (0, 2)
    assert {"car", "汽车"} <= found.single


def test_an_unknown_word_has_no_synonyms() -> None:
    assert synonyms("zyzzyva") is NO_SYNONYMS
    assert chinese_synonyms("龘") is NO_SYNONYMS
