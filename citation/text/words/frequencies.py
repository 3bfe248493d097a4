"""How rare a word is in ordinary text. Rare words say more about what a sentence is about than common ones."""

from collections.abc import Collection
from functools import lru_cache
from math import log

from .stemming import stem
from .word_lists import load_words

SENTENCES = 10_000  # the word list has the number of sentences among 10,000 that contain a word
RARE = 5  # a word that fewer of them contain is rare
_FEWEST_KNOWN, _LEAST_KNOWN = 3, 0.6  # number and share of known words that show that a text is English
COMMON = 2_000  # a word that more of them contain says nothing


def rarity(term: str) -> float:
    """Return the logarithm of a stem's frequency, from 0 for a common word to 1 for a rare or unknown one.

    Only English words are known. The others count as rare.
    """
    return _rarities().get(term, 1.0)


def is_known(folded: str) -> bool:
    """Return whether a word is one of the English words in the list."""
    return stem(folded) in _rarities()


def is_english(folded: Collection[str]) -> bool:
    """Return whether different words are English. It needs no function words: "German law applies"."""
    known_words = sum(stem(word) in _rarities() for word in folded)
    return known_words >= max(_FEWEST_KNOWN, _LEAST_KNOWN * len(folded))


@lru_cache(maxsize=1)
def _rarities() -> dict[str, float]:
    """Return the rarity of each stem in the word list; see `rarity`."""
    rarities: dict[str, float] = {}
    for number, words in load_words("en/frequencies").items():
        value = max(0.0, log(int(number) / COMMON) / log(RARE / COMMON))
        rarities.update((stem(word), value) for word in words)
    return rarities
