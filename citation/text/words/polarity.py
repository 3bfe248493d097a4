"""Negations and antonyms: where a text states the opposite of another that uses the same words."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache

from ..normalize import fold
from .stemming import stem
from .word_finder import WordFinder
from .word_lists import load_lines, load_words

# A group of antonyms and one of its sides, by number. Words on different sides of a group are antonyms.
Side = tuple[int, int]

_NEGATION_LISTS = load_words("negations")
_NEGATIONS = frozenset(map(fold, _NEGATION_LISTS["words"]))
_CANCELLED_BEFORE = frozenset(_NEGATION_LISTS["cancelled_before"])
NEGATING_PREFIXES = _NEGATION_LISTS["prefixes"]
_UNSPACED_NEGATION = re.compile("|".join(_NEGATION_LISTS["unspaced"]))
_UNSPACED_AFFIRMATIVE = re.compile("|".join(_NEGATION_LISTS["unspaced_affirmative"]))

# Stop words that have an antonym. Other stop words only look like a word of the table in another language.
STOPWORDS_WITH_ANTONYM = frozenset(_NEGATION_LISTS["stopwords_with_antonym"])


def is_negation(folded: str) -> bool:
    """Return whether the word negates: `not`, `kein`, `jamais`, `doesn't`, the elided `n'` of French."""
    return folded in _NEGATIONS or folded.startswith("n'")


def cancels_negation(folded: str) -> bool:
    """Return whether a negation directly before this word does not negate: "not only"."""
    return folded in _CANCELLED_BEFORE


def negations_in_runs(text: str) -> list[tuple[int, int]]:
    """Return the offsets of the negations of Chinese, Japanese and Korean in a text, in order."""
    negations = [found.span() for found in _UNSPACED_NEGATION.finditer(text)]
    if not negations:
        return []
    affirmative = [found.span() for found in _UNSPACED_AFFIRMATIVE.finditer(text)]
    starts = [start for start, _ in affirmative]
    ends = [0, *(end for _, end in affirmative)]
    return [span for span in negations if span[0] >= ends[bisect_right(starts, span[0])]]


def antonym_sides(term: str) -> tuple[Side, ...]:
    """Return the sides of groups of antonyms that a stem belongs to."""
    return _antonyms()[0].get(term, ())


def antonyms_in_runs(text: str) -> list[tuple[int, int, int]]:
    """Return start, group and side of the words with an antonym in the scripts without spaces of a text, in order."""
    sides = _antonyms()[1]
    return [(start, *side) for start, word in _antonym_finder().find(text) for side in sides[word]]


@lru_cache(maxsize=1)
def _antonyms() -> tuple[Mapping[str, tuple[Side, ...]], Mapping[str, tuple[Side, ...]]]:
    """Return the sides of stems, and of words of unspaced scripts."""
    stems: dict[str, dict[Side, None]] = {}
    unspaced: dict[str, dict[Side, None]] = {}
    for group, line in enumerate(load_lines("antonyms")):
        for side, words in enumerate(line.split("|")):
            for word in words.split():
                table, key = (stems, stem(fold(word))) if word < "\u2e80" else (unspaced, word)
                table.setdefault(key, {})[group, side] = None
    return {key: tuple(sides) for key, sides in stems.items()}, {key: tuple(sides) for key, sides in unspaced.items()}


@lru_cache(maxsize=1)
def _antonym_finder() -> WordFinder:
    return WordFinder(_antonyms()[1])
