"""Chinese words that are alike: two shared characters, half of a longer word, or synonyms."""

import pytest

from citestream.citation.support.gates.word_relations import han_alike
from citestream.citation.text.clauses import ContentToken
from citestream.citation.text.clauses.vocabulary import vocabulary

WORDS = {
    "a short form": ("公共汽车", "汽车", True),
    "one character": ("公共汽车", "车", False),
    "two of four characters at the beginning": ("人工智能", "人工费用", False),
    "three of four characters": ("高速公路", "高速公司", True),
    "no character": ("人工智能", "高速公路", False),
}


def token(word: str) -> ContentToken:
    """Return a word as a token of a sentence."""
    return ContentToken(word, word, 0, len(word), word=0, piece=0, clause=0)


@pytest.mark.parametrize(("word", "other", "alike"), WORDS.values(), ids=WORDS)
def test_chinese_words_share_characters(word: str, other: str, alike: bool) -> None:
    assert han_alike(token(word), token(other), vocabulary("zh")) is alike
    assert han_alike(token(other), token(word), vocabulary("zh")) is alike
