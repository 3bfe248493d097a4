"""Negations of all languages, and antonyms of the languages with spaces between words."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache

from ..normalize import fold
from .stemming import stem
from .word_lists import load_lines, load_words

# A group of antonyms and one of its sides, by number. Words on different sides of a group are antonyms.
Side = tuple[int, int]

_NEGATION_LISTS = load_words("negations")
_NEGATIONS = frozenset(map(fold, _NEGATION_LISTS["words"]))
_ANSWERS = frozenset(map(fold, _NEGATION_LISTS["answers"]))
_AFFIRMATIONS = frozenset(map(fold, _NEGATION_LISTS["affirmations"]))
_CANCELLED_BEFORE = frozenset(_NEGATION_LISTS["cancelled_before"])
_UNSPACED_NEGATION = re.compile("|".join(_NEGATION_LISTS["unspaced"]))
_UNSPACED_AFFIRMATIVE = re.compile("|".join(_NEGATION_LISTS["unspaced_affirmative"]))


def is_negation(folded: str) -> bool:
    """Return whether the word negates: `not`, `kein`, `jamais`, `doesn't`, the elided `n'` of French."""
    return folded in _NEGATIONS or folded.startswith("n'")


def is_denial(folded: str) -> bool:
    """Return whether an answer of one word, or a cell of a table, denies: `no`, `nein`, `none`."""
    return folded in _ANSWERS or is_negation(folded)


def is_affirmation(folded: str) -> bool:
    """Return whether an answer of one word, or a cell of a table, affirms: `yes`, `ja`."""
    return folded in _AFFIRMATIONS


def cancels_negation(folded: str) -> bool:
    """Return whether a negation directly before this word does not negate: "not only"."""
    return folded in _CANCELLED_BEFORE


def negations_in_runs(text: str) -> list[tuple[int, int]]:
    """Return the offsets of the negations of Chinese, Japanese and Korean in a text, in order."""
    negations = [match.span() for match in _UNSPACED_NEGATION.finditer(text)]
    if not negations:
        return []
    affirmative = [match.span() for match in _UNSPACED_AFFIRMATIVE.finditer(text)]
    starts = [start for start, _ in affirmative]
    ends = [0, *(end for _, end in affirmative)]
    return [span for span in negations if span[0] >= ends[bisect_right(starts, span[0])]]


def antonym_sides(term: str) -> tuple[Side, ...]:
    """Return the sides of groups of antonyms that a stem belongs to."""
    return _antonyms().get(term, ())


@lru_cache(maxsize=1)
def _antonyms() -> Mapping[str, tuple[Side, ...]]:
    """Return the sides of stems."""
    sides: dict[str, dict[Side, None]] = {}
    for group, line in enumerate(load_lines("antonyms")):
        for side, words in enumerate(line.split("|")):
            for word in words.split():
                sides.setdefault(stem(fold(word)), {})[group, side] = None
    return {key: tuple(word_sides) for key, word_sides in sides.items()}
