"""The evidence of one request, indexed once: terms, sentences, windows and where each term stands."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..evidence import Evidence
from ..lexicon import Lexed, lex, sentences

Ints = NDArray[np.int64]

# A claim rarely rests on more than three neighbouring sentences; longer windows only add chance matches.
WINDOW_SENTENCES = 3


class Index:
    """Terms of all evidence as numbers, with postings, so that one claim is scored by a few array operations.

    `window_sentences`: (W, 3) sentence rows, short windows padded with their last sentence; windows of one piece of
    evidence are neighbours, `window_starts` (N,) says where each piece begins.
    """

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        """Lex, cut and index. 20 excerpts of 200 words take about 15 ms."""
        self.evidence = tuple(evidence)
        self.lexed: list[Lexed] = [lex(e.text) for e in self.evidence]
        self.titles: list[frozenset[str]] = [frozenset(lex(e.title or e.file_name or "").terms) for e in self.evidence]
        self.vocabulary: dict[str, int] = {}
        self._index_sentences()
        self._index_terms()
        self._index_windows()

    def _index_sentences(self) -> None:
        spans: list[tuple[int, int]] = []
        owner: list[int] = []
        for row, e in enumerate(self.evidence):
            cut = sentences(e.text) or [(0, len(e.text))]
            spans += cut
            owner += [row] * len(cut)
        self.sentence_spans = np.array(spans, dtype=np.int64).reshape(-1, 2)
        self.sentence_owner = np.array(owner, dtype=np.int64)

    def _index_terms(self) -> None:
        number = self.vocabulary.setdefault
        ids: list[int] = []
        rows: list[Ints] = []
        first = np.searchsorted(self.sentence_owner, np.arange(len(self.evidence) + 1))
        for row, lexed in enumerate(self.lexed):
            ids += [number(term, len(self.vocabulary)) for term in lexed.terms]
            lo, hi = int(first[row]), int(first[row + 1])
            rows.append(lo + np.searchsorted(self.sentence_spans[lo:hi, 0], lexed.starts, side="right") - 1)
        self.term_ids = np.array(ids, dtype=np.int64)
        self.term_sentences = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        self.order = np.argsort(self.term_ids, kind="stable")
        self.bounds = np.searchsorted(self.term_ids[self.order], np.arange(len(self.vocabulary) + 1))
        self._index_pairs()

    def _index_pairs(self) -> None:
        same = self.term_sentences[1:] == self.term_sentences[:-1]
        keys = self.term_ids[:-1] * (len(self.vocabulary) + 1) + self.term_ids[1:]
        keys, at = keys[same], self.term_sentences[1:][same]
        order = np.argsort(keys, kind="stable")
        self.pair_keys, self.pair_sentences = keys[order], at[order]

    def _index_windows(self) -> None:
        first = [*np.searchsorted(self.sentence_owner, np.arange(len(self.evidence))), len(self.sentence_owner)]
        rows: list[tuple[int, ...]] = []
        self.window_starts = np.zeros(len(self.evidence), dtype=np.int64)
        for row, (lo, hi) in enumerate(pairwise(int(f) for f in first)):
            self.window_starts[row] = len(rows)
            for size in range(1, WINDOW_SENTENCES + 1):
                for start in range(lo, max(hi - size + 1, lo + (size == 1))):
                    last = start + size - 1
                    rows.append(tuple(min(start + k, last) for k in range(WINDOW_SENTENCES)))
        self.window_sentences = np.array(rows, dtype=np.int64).reshape(-1, WINDOW_SENTENCES)
        self.window_sizes = self.window_sentences[:, -1] - self.window_sentences[:, 0] + 1
        self.window_owner = self.sentence_owner[self.window_sentences[:, 0]]
        self.window_spans = np.stack(
            (self.sentence_spans[self.window_sentences[:, 0], 0], self.sentence_spans[self.window_sentences[:, -1], 1]),
            axis=1,
        )

    def sentences_of(self, term: str) -> Ints:
        """Rows of the sentences `term` stands in, with repeats, ascending."""
        number = self.vocabulary.get(term)
        if number is None:
            return self.term_sentences[:0]
        return self.term_sentences[self.order[self.bounds[number] : self.bounds[number + 1]]]

    def positions_of(self, term: str) -> Ints:
        """Places of `term` in the concatenated terms of all evidence, ascending."""
        number = self.vocabulary.get(term)
        if number is None:
            return self.order[:0]
        return self.order[self.bounds[number] : self.bounds[number + 1]]

    def sentences_of_pair(self, first: str, second: str) -> Ints:
        """Rows of the sentences where `second` follows `first`."""
        a, b = self.vocabulary.get(first), self.vocabulary.get(second)
        if a is None or b is None:
            return self.pair_sentences[:0]
        key = a * (len(self.vocabulary) + 1) + b
        lo, hi = np.searchsorted(self.pair_keys, [key, key + 1])
        return self.pair_sentences[lo:hi]
