"""Stems of English words."""

import pytest

from citestream.citation.text.normalize import fold
from citestream.citation.text.words.stemming import stem

ONE_STEM = {
    "a doubled consonant": "stop stops stopped stopping",
    "a verb in -er": "register registers registered registering",
    "a verb in -er with a doubled consonant": "refer refers referred referring",
    "a verb in -ise": "organise organised organising organisation organiser",
    "a verb in -ive": "receive receives received receiving",
    "a verb in -ate": "operate operated operating operation operator",
    "a short verb in -ate": "create created creating creation",
    "a verb in -y": "carry carries carried carrying",
    "verbs in -air": "repair repaired repairing",
    "verbs in -ear": "appear appeared appearing appearance",
    "a verb in -ly": "apply applies applied applying",
    "a verb in -ee": "agree agrees agreed agreeing agreement",
    "a verb in -ent": "present presented presenting",
    "a verb in -ion": "mention mentioned mentioning",
    "a short verb": "use used uses",
    "a noun in -eed": "need needed needing",
    "nouns in -tion": "inspect inspected inspection inspector",
    "nouns in -ability": "available availability",
}
OTHER_STEMS = {"a noun in -eed": "seed see", "a noun in -ing": "spring spr", "a noun in -ate": "state sta"}


@pytest.mark.parametrize("words", ONE_STEM.values(), ids=ONE_STEM)
def test_forms_of_a_word_have_the_same_stem(words: str) -> None:
    assert len({stem(fold(word)) for word in words.split()}) == 1


@pytest.mark.parametrize("words", OTHER_STEMS.values(), ids=OTHER_STEMS)
def test_different_words_have_different_stems(words: str) -> None:
    assert len({stem(fold(word)) for word in words.split()}) == len(words.split())
