"""Similar Chinese words share characters."""

import pytest

from citestream.citation.support.gates.word_relations import han_alike
from citestream.citation.text.clauses import ContentToken
from citestream.citation.text.clauses.vocabulary import vocabulary

WORDS = {
    "an abbreviated word": ("公共汽车", "汽车", True),
    "one shared character": ("公共汽车", "车", False),
    "two of four characters, both at the beginning": ("人工智能", "人工费用", False),
    "three of four characters": ("高速公路", "高速公司", True),
    "no shared character": ("人工智能", "高速公路", False),
}


def token(word: str) -> ContentToken:
    """Return a word as a token of a sentence."""
    return ContentToken(word, word, 0, len(word), word=0, piece=0, clause=0)


@pytest.mark.parametrize(("word", "other", "alike"), WORDS.values(), ids=WORDS)
def test_chinese_words_with_enough_shared_characters_are_alike(word: str, other: str, alike: bool) -> None:
    assert han_alike(token(word), token(other), vocabulary("zh")) is alike
    assert han_alike(token(other), token(word), vocabulary("zh")) is alike
