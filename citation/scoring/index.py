"""The evidence of one request, indexed once: terms, sentences, windows and where each term stands."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..evidence import Evidence
from ..lexicon import Lexed, lex, sentences
from ..lexicon.concepts import skeleton

Ints = NDArray[np.int64]

# A claim rarely rests on more than three neighbouring sentences; longer windows only add chance matches.
WINDOW_SENTENCES = 3
# Past this share of CJK terms a text is taken for Chinese, Japanese or Korean.
_MOSTLY = 0.5


class Index:
    """Terms of all evidence as numbers, with postings, so that one claim is scored by a few array operations.

    S sentences of N pieces of evidence, in order. `valid`: (3, S), whether a window of 1, 2 or 3 sentences that starts
    at a sentence ends in the same piece. `first_sentence`: (N + 1,), where each piece begins.
    """

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        """Lex, cut and index."""
        self.evidence = tuple(evidence)
        self.lexed: list[Lexed] = [lex(e.text) for e in self.evidence]
        self.languages = [language_of(lexed) for lexed in self.lexed]
        self.titles: dict[str, list[int]] = {}  # term -> evidence whose title holds it
        for row, e in enumerate(self.evidence):
            for term in dict.fromkeys(lex(e.title or e.file_name or "").terms):
                self.titles.setdefault(term, []).append(row)
        self.vocabulary: dict[str, int] = {}
        self._index_sentences()
        self._index_terms()
        self._index_windows()
        self._index_polarity()
        self._index_numbers()
        self.skeletons: dict[str, list[str]] = {}
        for term in self.vocabulary:
            if bones := skeleton(term):
                self.skeletons.setdefault(bones, []).append(term)

    def _index_sentences(self) -> None:
        spans: list[tuple[int, int]] = []
        owner: list[int] = []
        for row, e in enumerate(self.evidence):
            cut = sentences(e.text) or [(0, len(e.text))]
            spans += cut
            owner += [row] * len(cut)
        self.sentence_spans = np.array(spans, dtype=np.int64).reshape(-1, 2)
        self.sentence_owner = np.array(owner, dtype=np.int64)
        self.size = len(spans)
        self.first_sentence = np.searchsorted(self.sentence_owner, np.arange(len(self.evidence) + 1))

    def sentence_at(self, row: int, places: Sequence[int]) -> Ints:
        """The sentences that offsets of the evidence in `row` fall into."""
        lo, hi = int(self.first_sentence[row]), int(self.first_sentence[row + 1])
        return np.asarray(lo + np.searchsorted(self.sentence_spans[lo:hi, 0], places, side="right") - 1)

    def _index_terms(self) -> None:
        number = self.vocabulary.setdefault
        ids: list[int] = []
        rows: list[Ints] = []
        for row, lexed in enumerate(self.lexed):
            ids += [number(term, len(self.vocabulary)) for term in lexed.terms]
            rows.append(self.sentence_at(row, lexed.starts))
        self.term_ids = np.array(ids, dtype=np.int64)
        self.term_sentences = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        self.sentence_terms = np.bincount(self.term_sentences, minlength=len(self.sentence_owner))
        self.order = np.argsort(self.term_ids, kind="stable")
        self.bounds = np.searchsorted(self.term_ids[self.order], np.arange(len(self.vocabulary) + 1)).tolist()
        self.posted = self.term_sentences[self.order]  # postings: the sentences of one term are neighbours
        same = self.term_sentences[1:] == self.term_sentences[:-1]
        keys = self.term_ids[:-1] * (len(self.vocabulary) + 1) + self.term_ids[1:]
        keys, at = keys[same], self.term_sentences[1:][same]
        order = np.argsort(keys, kind="stable")
        self.pair_keys, self.pair_sentences = keys[order], at[order]

    def _index_windows(self) -> None:
        owner = self.sentence_owner
        self.valid = np.zeros((WINDOW_SENTENCES, self.size), dtype=bool)
        for size in range(WINDOW_SENTENCES):
            self.valid[size, : self.size - size] = owner[size:] == owner[: self.size - size]

    def _index_polarity(self) -> None:
        self.negations = np.zeros(len(self.sentence_owner), dtype=np.int64)
        self.poles: dict[int, dict[int, list[int]]] = {}
        for row, lexed in enumerate(self.lexed):
            np.add.at(self.negations, self.sentence_at(row, [end - 1 for end in lexed.negations]), 1)
            at = self.sentence_at(row, [start for start, _, _ in lexed.poles]).tolist()
            for sentence, (_, family, member) in zip(at, lexed.poles, strict=True):
                self.poles.setdefault(family, {}).setdefault(member, []).append(sentence)

    def _index_numbers(self) -> None:
        self.numbers: dict[float, list[int]] = {}  # value -> sentences
        for row, lexed in enumerate(self.lexed):
            at = self.sentence_at(row, [q.start for q in lexed.quantities]).tolist()
            for sentence, quantity in zip(at, lexed.quantities, strict=True):
                for value in quantity.values:
                    self.numbers.setdefault(value, []).append(sentence)

    def sentences_between(self, row: int, start: int, end: int) -> list[list[int]]:
        """Offsets of the sentences of the evidence in `row` that lie in a window of it."""
        lo, hi = self.sentence_at(row, [start, max(start, end - 1)]).tolist()
        spans: list[list[int]] = self.sentence_spans[lo : hi + 1].tolist()
        return spans

    def widened(self, row: int, start: int, end: int) -> tuple[int, int]:
        """The window and one sentence on each side: where a year or a unit is often said once for all."""
        lo, hi = self.sentence_at(row, [start, max(start, end - 1)]).tolist()
        lo, hi = max(lo - 1, int(self.first_sentence[row])), min(hi + 1, int(self.first_sentence[row + 1]) - 1)
        return int(self.sentence_spans[lo, 0]), int(self.sentence_spans[hi, 1])

    def sentences_of(self, term: str) -> Ints:
        """Rows of the sentences `term` stands in, with repeats, ascending."""
        number = self.vocabulary.get(term)
        if number is None:
            return self.posted[:0]
        return self.posted[self.bounds[number] : self.bounds[number + 1]]

    def positions_of(self, term: str) -> Ints:
        """Places of `term` in the concatenated terms of all evidence, ascending."""
        number = self.vocabulary.get(term)
        if number is None:
            return self.order[:0]
        return self.order[self.bounds[number] : self.bounds[number + 1]]

    def sentences_of_pairs(self, terms: Sequence[str]) -> tuple[Ints, Ints, int]:
        """Sentences where two neighbours of `terms` are neighbours, the number of the pair, and how many pairs."""
        ids = [self.vocabulary.get(term, -1) for term in terms]
        width = len(self.vocabulary) + 1
        keys = dict.fromkeys(a * width + b if min(a, b) >= 0 else -1 - i for i, (a, b) in enumerate(pairwise(ids)))
        known = np.array([key for key in keys if key >= 0], dtype=np.int64)
        lo, hi = np.searchsorted(self.pair_keys, known), np.searchsorted(self.pair_keys, known + 1)
        pair = np.repeat(np.arange(len(known)), hi - lo)
        within = np.arange(len(pair)) - np.repeat(np.cumsum(hi - lo) - (hi - lo), hi - lo)
        return self.pair_sentences[lo[pair] + within], pair, len(keys)


def language_of(lexed: Lexed) -> str | None:
    """`han` for text without spaces, else what its function words say."""
    if lexed.terms and sum(term[0] > "\u2e80" for term in lexed.terms) > _MOSTLY * len(lexed.terms):
        return "han"
    return lexed.language
