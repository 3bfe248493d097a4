"""The evidence of one request, indexed once: terms, sentences, windows and where each term stands."""

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, count, pairwise

import numpy as np
from numpy.typing import NDArray

from ..evidence import Evidence
from ..text import Analysis
from ..text.concepts import consonant_skeleton
from .passages import Passage, Passages

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]

# A claim rarely rests on more than three neighbouring sentences; longer windows only add chance matches.
WINDOW_SENTENCES = 3

_NOWHERE = (0, 0)
_REMEMBERED = 64  # sentences: the one before is wanted, and a few may be scored at a time


class SharedIndex:
    """What excerpts say together: terms as numbers, with postings, so that few array operations score many claims.

    S sentences of N excerpts, in order. `valid`: (3, S), whether a window of 1, 2 or 3 sentences that starts
    at a sentence ends in the same excerpt. `first_sentence`: (N + 1,), where each excerpt begins.
    """

    def __init__(self, found: Sequence[Passage]) -> None:
        """Put together what was read of each."""
        self.lexed: list[Analysis] = [one.lexed for one in found]
        self.languages = [one.language for one in found]
        self._foreign: dict[str, Bools | None] = {}
        self.titles: dict[str, list[int]] = {}  # term -> evidence whose title holds it
        for row, one in enumerate(found):
            for term in dict.fromkeys(one.titled):
                self.titles.setdefault(term, []).append(row)
        self._index_sentences(found)
        self._index_terms(found)
        self._index_windows()
        self._index_negations()
        self.skeletons: dict[str, list[str]] = {}
        for term, bones in zip(self.vocabulary, map(consonant_skeleton.__getitem__, self.vocabulary), strict=True):
            if bones:
                self.skeletons.setdefault(bones, []).append(term)
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def around(self, row: int, start: int, end: int) -> tuple[list[list[int]], tuple[int, int]]:
        """Offsets of the sentences of the evidence in `row` that lie in a window of it, and of the widened window.

        That has one sentence more on each side: where a year or a unit is often said once for all.
        """
        first, beyond = self.first_sentence[row : row + 2].tolist()
        lo = bisect_right(self.starts, start, first, beyond) - 1
        hi = bisect_right(self.starts, max(start, end - 1), first, beyond) - 1
        before, after = max(lo - 1, first), min(hi + 1, beyond - 1)
        spans: list[list[int]] = self.sentence_spans[before : after + 1].tolist()
        return spans[lo - before : hi + 1 - before], (spans[0][0], spans[-1][1])

    def widened(self, row: int, start: int, end: int) -> tuple[int, int]:
        """The window and one sentence on each side."""
        return self.around(row, start, end)[1]

    def sentences_of(self, term: str) -> Ints:
        """Rows of the sentences `term` stands in, with repeats, ascending."""
        first, last = self.postings.get(term, _NOWHERE)
        return self.posted[first:last]

    def foreign_to(self, language: str | None) -> Bools | None:
        """(N,) which evidence is in another language; None where none is."""
        if language is None:
            return None
        if language not in self._foreign:
            foreign = np.array([bool(other and other != language) for other in self.languages])
            self._foreign[language] = foreign if foreign.any() else None
        return self._foreign[language]

    def _index_sentences(self, found: Sequence[Passage]) -> None:
        counts = [len(one.spans) // 2 for one in found]
        self.sentence_spans = _joined([one.spans for one in found]).reshape(-1, 2)
        self.sentence_owner = np.repeat(np.arange(len(found)), counts)
        self.starts, self.ends = np.ascontiguousarray(self.sentence_spans.T)
        self.size = len(self.sentence_spans)
        self.first_sentence = np.array([0, *accumulate(counts)], dtype=np.int64)

    def _index_terms(self, found: Sequence[Passage]) -> None:
        said = [term for one in found for term in one.lexed.terms]
        numbered: defaultdict[str, int] = defaultdict(count().__next__)  # numbers each where it comes first
        term_ids = np.fromiter(map(numbered.__getitem__, said), np.int64, len(said))
        self.vocabulary: dict[str, int] = dict(numbered)
        rows = np.repeat(np.arange(len(found)), [len(one.lexed.terms) for one in found])
        sentences = self._sentences_at(rows, _joined([one.lexed.starts for one in found]))
        terms = np.bincount(sentences, minlength=self.size)
        self.term_ends = np.concatenate([[0], np.cumsum(terms)])  # where each sentence's terms begin, and the last ends
        order = np.argsort(term_ids, kind="stable")
        bounds = np.searchsorted(term_ids[order], np.arange(len(self.vocabulary) + 1)).tolist()
        self.postings: dict[str, tuple[int, int]] = dict(zip(self.vocabulary, pairwise(bounds), strict=True))
        self.posted = sentences[order]  # from a term's first posting to its last: where it stands
        self._index_pairs(term_ids, sentences, rows)

    def _index_pairs(self, term_ids: Ints, sentences: Ints, rows: Ints) -> None:
        """The P pairs of neighbours in the same excerpt, by their keys: (P,) and (P, 3), place, row and sentence.

        The sentence is -1 where one ends between the two.
        """
        at = np.flatnonzero(rows[1:] == rows[:-1])
        keys = term_ids[at] * (len(self.vocabulary) + 1) + term_ids[at + 1]
        order = np.argsort(keys, kind="stable")
        at, self.pair_keys = at[order], keys[order]
        sentence = sentences[at]
        sentence[sentence != sentences[at + 1]] = -1
        self.pairs = np.stack((at + rows[at], rows[at], sentence), axis=1, dtype=np.int32, casting="same_kind")

    def _sentences_at(self, rows: Ints, places: Ints) -> Ints:
        """The sentences that offsets of these excerpts fall into: all at once, the excerpts as if laid end to end."""
        length = int(self.ends.max(initial=0)) + 1
        begins = self.sentence_owner * length + self.starts
        return np.asarray(begins.searchsorted(rows * length + places, side="right") - 1)

    def _index_windows(self) -> None:
        owner = self.sentence_owner
        self.valid = np.zeros((WINDOW_SENTENCES, self.size), dtype=bool)
        for size in range(WINDOW_SENTENCES):
            self.valid[size, : self.size - size] = owner[size:] == owner[: self.size - size]
        self.invalid = ~self.valid
        self.every = np.ones(self.size, dtype=np.float32)
        self.valid_twice = np.concatenate((self.valid, self.valid))

    def _index_negations(self) -> None:
        """How many each sentence has."""
        ends = [(row, end - 1) for row, lexed in enumerate(self.lexed) for end in lexed.negations]
        rows, places = np.array(ends, dtype=np.int64).reshape(-1, 2).T
        self.negations = np.bincount(self._sentences_at(rows, places), minlength=self.size)


class Index(SharedIndex):
    """The evidence of one request, indexed.

    Where the same excerpts came together before, in a turn of this conversation or with anybody's question, what they
    say is known, and only what belongs to the request is its own.
    """

    def __init__(self, evidence: Sequence[Evidence], passages: Passages | None = None) -> None:
        """Of what `passages` reads, or has read before."""
        shared = (passages or Passages()).together(evidence, SharedIndex)
        vars(self).update(vars(shared))  # the same arrays: 8 µs; to put them together takes 1 ms
        self.evidence = tuple(evidence)
        self.covered: dict[str, Floats] = {}  # sentence -> (N,), how much of it each piece of evidence holds

    def remember(self, sentence: str, covered: Floats) -> None:
        """How much of a sentence each piece of evidence holds, for the next sentence, whose context it is.

        What is forgotten is the oldest: the next sentence may be compared in the same call.
        """
        self.covered.pop(sentence, None)
        self.covered[sentence] = covered
        if len(self.covered) > _REMEMBERED:
            del self.covered[next(iter(self.covered))]


def _joined(places: list["array[int]"]) -> Ints:
    return np.frombuffer(b"".join(places), dtype=np.uint32).astype(np.int64)
