"""The default scorer: no model, no network. Weighted coverage of the sentence's content by the best passage."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..evidence import Evidence
from ..lexicon import Lexed, lex
from . import Claim, Scores, Vectors
from .index import Index

Floats = NDArray[np.float64]

FEATURES = (
    "cover_1", "cover_2", "cover_3", "cover_all", "pairs", "pairs_all", "run", "names_missing", "numbers_window",
    "numbers_all", "numbers", "context", "margin", "best", "terms", "missing", "title",
)  # fmt: skip

# The window wins by coverage; a longer one must bring more than chance does.
_LENGTH_PENALTY = 0.03


class LexicalScorer:
    """See `FEATURES`; each is one column of `Scores.features`."""

    name = "lexical"
    needs_vectors = False

    def windows(self, evidence: Sequence[Evidence]) -> list[str]:
        """No vectors are wanted."""
        return []

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> "LexicalPrepared":
        """Index the evidence."""
        return LexicalPrepared(Index(evidence))


class LexicalPrepared:
    """Indexed evidence of one request."""

    name = "lexical"

    def __init__(self, index: Index) -> None:
        """`index` may be shared with other scorers."""
        self.index = index
        self.evidence = index.evidence

    def score(self, claim: Claim) -> Scores:
        """One row of features a piece of evidence, and its best window."""
        index, lexed = self.index, lex(claim.text)
        terms = list(dict.fromkeys(lexed.terms))
        here = self._presence(terms)
        weights = self._weights(terms, here)
        total = float(weights.sum()) or 1.0
        w = index.window_sentences
        seen = here[:, w[:, 0]] | here[:, w[:, 1]] | here[:, w[:, 2]]
        cover = weights @ seen / total
        rows = len(self.evidence)
        best = _best_windows(cover - _LENGTH_PENALTY * (index.window_sizes - 1), index.window_starts)
        by_size = np.zeros((3, rows))
        for size in range(3):
            value = np.where(index.window_sizes <= size + 1, cover, 0.0)
            by_size[size] = np.maximum.reduceat(value, index.window_starts)
        by_evidence = _any_by_evidence(here, index)
        titled = np.array([[t in title for title in index.titles] for t in terms], dtype=bool).reshape(-1, rows)
        cover_all = weights @ (by_evidence | titled) / total
        pairs, pairs_all = self._pairs(lexed, best)
        numbers_window, numbers_all = self._numbers(lexed, best)
        others = _best_other(by_size[1])
        columns = {
            "cover_1": by_size[0], "cover_2": by_size[1], "cover_3": by_size[2], "cover_all": cover_all,
            "pairs": pairs, "pairs_all": pairs_all, "run": self._run(lexed),
            "names_missing": self._names(lexed, terms, weights, by_evidence | titled),
            "numbers_window": numbers_window, "numbers_all": numbers_all,
            "numbers": np.full(rows, float(len(lexed.quantities))),
            "context": self._context(claim.context),
            "margin": by_size[1] - others, "best": np.maximum(by_size[1], others),
            "terms": np.full(rows, float(len(terms))),
            "missing": ((weights[:, None] * ~seen[:, best]).max(axis=0, initial=0.0)),
            "title": weights @ titled / total,
        }  # fmt: skip
        features = np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32)
        return Scores(FEATURES, features, index.window_spans[best].astype(np.int32))

    def _presence(self, terms: list[str]) -> NDArray[np.bool_]:
        here = np.zeros((len(terms), len(self.index.sentence_owner)), dtype=bool)
        for row, term in enumerate(terms):
            here[row, self.index.sentences_of(term)] = True
        return here

    def _weights(self, terms: list[str], here: NDArray[np.bool_]) -> Floats:
        # Robertson's IDF over the sentences of the request, softened as if one more excerpt had been seen.
        df = here.sum(axis=1)
        n = len(self.index.sentence_owner) + 10
        idf: Floats = np.log(1 + (n - df + 0.5) / (df + 0.5))
        return idf

    def _pairs(self, lexed: Lexed, best: NDArray[np.int64]) -> tuple[Floats, Floats]:
        index = self.index
        rows = len(self.evidence)
        pairs = list(dict.fromkeys(zip(lexed.terms, lexed.terms[1:], strict=False)))
        window, everywhere = np.zeros(rows), np.zeros(rows)
        lo, hi = index.window_sentences[best, 0], index.window_sentences[best, -1]
        for first, second in pairs:
            at = index.sentences_of_pair(first, second)
            if len(at):
                owner = index.sentence_owner[at]
                everywhere[owner] += 1 / np.bincount(owner, minlength=rows)[owner]
                window[np.unique(owner[(at >= lo[owner]) & (at <= hi[owner])])] += 1
        return window / max(1, len(pairs)), np.round(everywhere) / max(1, len(pairs))

    def _run(self, lexed: Lexed) -> Floats:
        """Longest run of consecutive terms that claim and evidence share, as a share of the claim."""
        rows = len(self.evidence)
        places = [self.index.positions_of(term) for term in lexed.terms]
        at = np.concatenate(places) if places else np.zeros(0, np.int64)
        result = np.zeros(rows)
        if not len(at):
            return result
        i = np.repeat(np.arange(len(places)), [len(p) for p in places])
        owner = self.index.sentence_owner[self.index.term_sentences[at]]
        order = np.lexsort((at, at - i))
        at, i, owner = at[order], i[order], owner[order]
        joined = (at[1:] == at[:-1] + 1) & (i[1:] == i[:-1] + 1) & (owner[1:] == owner[:-1])
        starts = np.flatnonzero(np.concatenate(([True], ~joined)))
        lengths = np.diff(np.concatenate((starts, [len(at)])))
        np.maximum.at(result, owner[starts], lengths / len(lexed.terms))
        return result

    def _names(self, lexed: Lexed, terms: list[str], weights: Floats, seen: NDArray[np.bool_]) -> Floats:
        named = np.array([t in lexed.names for t in terms], dtype=bool)
        missing: Floats = (weights[:, None] * (named[:, None] & ~seen)).sum(axis=0) / (float(weights.sum()) or 1.0)
        return missing

    def _numbers(self, lexed: Lexed, best: NDArray[np.int64]) -> tuple[Floats, Floats]:
        rows = len(self.evidence)
        window, everywhere = np.ones(rows), np.ones(rows)
        if not lexed.quantities:
            return window, everywhere
        spans = self.index.window_spans[best]
        for row, evidence in enumerate(self.index.lexed):
            inside = {v for q in evidence.quantities if spans[row, 0] <= q.start < spans[row, 1] for v in q.values}
            anywhere = {v for q in evidence.quantities for v in q.values}
            window[row] = sum(any(v in inside for v in q.values) for q in lexed.quantities) / len(lexed.quantities)
            everywhere[row] = sum(any(v in anywhere for v in q.values) for q in lexed.quantities) / len(
                lexed.quantities
            )
        return window, everywhere

    def _context(self, context: str) -> Floats:
        terms = list(dict.fromkeys(lex(context).terms))
        if not terms:
            return np.zeros(len(self.evidence))
        here = self._presence(terms)
        weights = self._weights(terms, here)
        covered: Floats = weights @ _any_by_evidence(here, self.index) / float(weights.sum())
        return covered


def _best_windows(score: Floats, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    ends = np.append(starts[1:], len(score))
    return np.array([lo + int(np.argmax(score[lo:hi])) for lo, hi in zip(starts, ends, strict=True)], dtype=np.int64)


def _any_by_evidence(here: NDArray[np.bool_], index: Index) -> NDArray[np.bool_]:
    starts = np.searchsorted(index.sentence_owner, np.arange(len(index.evidence)))
    return np.asarray(np.logical_or.reduceat(here, starts, axis=1), dtype=bool)


def _best_other(score: Floats) -> Floats:
    if len(score) < 2:
        return np.zeros_like(score)
    top = np.sort(score)[-2:]
    return np.where(score == top[1], top[0], top[1])
