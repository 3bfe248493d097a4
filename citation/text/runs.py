"""Runs: stretches of text in a script without spaces between words. Their terms are pairs of neighbouring characters.

All runs of a text are analyzed at once, because a passage of 800 characters has up to a hundred.
"""

from array import array
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .words.languages import STOP_CHARACTERS

Bools = NDArray[np.bool_]

_LAST = 0xFFFF  # code points above it are no stop characters
_IS_CONTENT = np.ones(_LAST + 1, dtype=bool)
_IS_CONTENT[[ord(character) for character in STOP_CHARACTERS]] = False


class Terms(NamedTuple):
    """T terms in order, and their offsets in code points, each (T,)."""

    terms: list[str]
    starts: "array[int]"
    ends: "array[int]"


def terms_of_runs(text: str, starts: Sequence[int], ends: Sequence[int]) -> Terms:
    """Return the terms of the runs of `text` that begin and end at these offsets.

    They are the pairs of neighbouring characters, and runs of a single character. Stop characters by themselves, and
    pairs of two, are left out. A pair takes 40 ns, compared with 250 ns in a loop over the characters.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    first, last = np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64) - 1
    change = np.zeros(len(codes), dtype=np.int8)
    change[first] = 1
    change[last] -= 1
    begins_pair = change.cumsum(dtype=np.int8).view(bool)
    is_content = _IS_CONTENT[np.minimum(codes, _LAST)]
    is_term = begins_pair.copy()
    is_term[:-1] &= is_content[:-1] | is_content[1:]
    single = first[first == last]
    is_term[single] = is_content[single]
    term_starts = np.flatnonzero(is_term)
    following = begins_pair[term_starts]
    pairs = np.zeros((len(term_starts), 2), dtype="<u4")  # 0 ends the string after a single character
    pairs[:, 0] = codes[term_starts]
    pairs[following, 1] = codes[term_starts[following] + 1]
    begin, end = term_starts.astype(np.uint32), (term_starts + 1 + following).astype(np.uint32)
    return Terms(pairs.view("<U2").ravel().tolist(), array("I", begin.tobytes()), array("I", end.tobytes()))


def insert_terms(words: Terms, places: Sequence[int], runs: Terms) -> Terms:
    """Return the terms of words and of runs in order: each word before the terms of runs from its place on.

    `places`, (T,): ascending offsets.
    """
    if not words.terms:
        return runs
    indexes = np.searchsorted(np.frombuffer(runs.starts, np.uint32), places)
    terms: list[str] = []
    before = 0
    for word, index in zip(words.terms, indexes.tolist(), strict=True):
        terms += runs.terms[before:index]
        terms.append(word)
        before = index
    terms += runs.terms[before:]
    is_word = np.zeros(len(terms), dtype=bool)
    is_word[indexes + np.arange(len(indexes))] = True
    return Terms(terms, _merge(is_word, words.starts, runs.starts), _merge(is_word, words.ends, runs.ends))


def _merge(is_word: Bools, words: "array[int]", runs: "array[int]") -> "array[int]":
    merged = np.empty(len(is_word), dtype=np.uint32)
    merged[is_word] = words
    merged[~is_word] = runs
    return array("I", merged.tobytes())
