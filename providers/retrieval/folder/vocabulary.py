"""The words of an index, and which of them are similar to a word of a question.

A word that is misspelt, inflected or part of a compound shares most of its trigrams with the word that was meant. The
trigrams of all words are one sorted array, so that a search in 50,000 words takes a millisecond.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint64]

MIN_LETTERS = 4  # shorter words are similar to too many others
UNSPACED = "\u2e80"  # the first character of the scripts without spaces, which are indexed as pairs of characters

# Questions of more terms are searched as they are: they share enough words with their passage, and the prompts of
# coding agents would find more excerpts of unrelated folders (bench.retrieval.min_score).
MAX_TERMS = 12
MAX_SIMILAR = 16  # words that are searched in place of one, the most similar first

# Weights of a word relative to that of the question
MISSPELT = 0.8
INFLECTED = 0.6
COMPOUND = 0.6  # multiplied by the square root of the share of the compound that the part covers
CHARACTER = 0.25  # one character of a pair that no text contains

_START, _END = "\x02", "\x03"  # around each word, so that trigrams contain its first and last letters
_CODE_POINT_BITS = 21  # three code points fit into 64 bits
_MAX_COMPARED = 30  # words with the highest overlap of trigrams that are compared letter by letter
_MIN_OVERLAP = 0.25  # Dice coefficient; a mistake in the middle of four letters leaves 0.25
_MIN_LETTERS_OF_TWO_MISTAKES = 8
_MIN_REMAINDER = 3  # letters of a compound without its part
_MIN_COMMON_START = 0.7  # share of the longer word

Similar = Mapping[str, Mapping[str, float]]  # by the term of a question: words in its place, with their weights


class Vocabulary:
    """The different words of an index."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        """Build the index of trigrams: 60 ms and 10 MB for 50,000 words."""
        self._words = words
        self._lengths = np.array([len(word) for word in words], dtype=np.int64)
        codes, numbers = _trigrams(words)
        order = np.argsort(codes, kind="stable")
        self._codes, self._numbers = codes[order], numbers[order]

    def similar_terms(self, counts: Mapping[str, int]) -> Similar:
        """Return the words that stand for the terms of a question. `counts`: the number of excerpts with each term."""
        if len(counts) > MAX_TERMS:
            return {}
        similar = {}
        for term, count in counts.items():
            weights = self.similar(term, is_unknown=not count)
            if len(term) == 2 and term >= UNSPACED and not count:
                weights = dict.fromkeys(term, CHARACTER)
            best = sorted(weights.items(), key=lambda weighted: (-weighted[1], weighted[0]))[:MAX_SIMILAR]
            similar[term] = {word: weight for word, weight in best if word not in counts}
        return similar

    def similar(self, term: str, *, is_unknown: bool) -> dict[str, float]:
        """Return the words that are similar to this one, with their weights from 0 to 1.

        `is_unknown`: whether no text contains the term, so that it may be misspelt.
        """
        if not is_word(term) or not self._words:
            return {}
        weights = {word: _weight(term, word, is_unknown) for word in self._candidates(term) if word != term}
        return {word: weight for word, weight in weights.items() if weight}

    def _candidates(self, term: str) -> list[str]:
        """Return the words with the highest overlap of trigrams, and the parts and compounds of the term."""
        codes, _ = _trigrams([term])
        starts = np.searchsorted(self._codes, codes, "left")
        ends = np.searchsorted(self._codes, codes, "right")
        numbers = np.concatenate([self._numbers[start:end] for start, end in zip(starts, ends, strict=True)])
        all_shared = np.bincount(numbers, minlength=len(self._words))
        sharing = np.flatnonzero(all_shared)
        shared, lengths = all_shared[sharing], self._lengths[sharing]  # a word has as many trigrams as letters
        overlap = 2 * shared / (len(term) + lengths)
        is_part = shared >= np.minimum(lengths, len(term)) - 1  # all trigrams except the one at the joint
        best = np.argsort(-overlap, kind="stable")[:_MAX_COMPARED]
        candidates = {*sharing[best[overlap[best] >= _MIN_OVERLAP]].tolist(), *sharing[is_part].tolist()}
        return [self._words[number] for number in sorted(candidates)]


def is_word(term: str) -> bool:
    """Return whether a term is a word of letters that can be misspelt."""
    return len(term) >= MIN_LETTERS and term.isalpha() and term < UNSPACED


def edit_distance(term: str, word: str) -> int:
    """Return the number of letters to insert, delete, replace or exchange with the next one.

    This is the optimal string alignment distance.
    """
    row_before_last: list[int] = []
    last_row = list(range(len(word) + 1))
    for i, letter in enumerate(term, 1):
        row = [i]
        for j, word_letter in enumerate(word, 1):
            cost = min(last_row[j] + 1, row[j - 1] + 1, last_row[j - 1] + (letter != word_letter))
            if i > 1 and j > 1 and letter == word[j - 2] and term[i - 2] == word_letter:
                cost = min(cost, row_before_last[j - 2] + 1)
            row.append(cost)
        row_before_last, last_row = last_row, row
    return last_row[-1]


def _weight(term: str, word: str, is_unknown: bool) -> float:
    """Return the weight of a word in place of a term, 0 if they are not similar."""
    short, long = sorted((term, word), key=len)
    if len(short) < MIN_LETTERS:
        return 0.0
    if len(long) - len(short) >= _MIN_REMAINDER and (long.startswith(short) or long.endswith(short)):
        return COMPOUND * float(np.sqrt(len(short) / len(long)))
    if not is_unknown:
        return 0.0
    if edit_distance(term, word) <= (2 if len(short) >= _MIN_LETTERS_OF_TWO_MISTAKES else 1):
        return MISSPELT
    common = next((i for i, pair in enumerate(zip(term, word, strict=False)) if pair[0] != pair[1]), len(short))
    return INFLECTED if common > MIN_LETTERS and common >= _MIN_COMMON_START * len(long) else 0.0


def _trigrams(words: Sequence[str]) -> tuple[Codes, NDArray[np.int64]]:
    """Return the trigrams of words as numbers, and the number of the word that each belongs to."""
    text = "".join(f"{_START}{word}{_END}" for word in words)
    letters = np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.uint64)
    bits = np.uint64(_CODE_POINT_BITS)
    codes = letters[:-2] << (bits + bits) | letters[1:-1] << bits | letters[2:]
    is_start = letters == ord(_START)
    numbers = np.cumsum(is_start)[:-2] - 1
    is_inside = ~(is_start[1:-1] | is_start[2:])
    return codes[is_inside], numbers[is_inside].astype(np.int64)
