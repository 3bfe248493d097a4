"""Claims against the indexed evidence: the features that tell support from resemblance.

K claims, U units of all of them, S sentences, N pieces of evidence. What a window of `size` sentences that starts at
sentence `s` covers is kept at [size - 1, s] of (3, S) arrays, so that windows are slices and nothing is copied.
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ..text.concepts import NO_SYNONYMS
from .analyzed_claim import AnalyzedClaim
from .index import WINDOW_SENTENCES, Index
from .query_terms import Units, presence
from .scorers import MOST_TOGETHER, Claim, Scores
from .term_order import neighbours
from .windows import best_windows, by_window, in_windows, lead, most_alike

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

FEATURES = (
    "cover_1",  # share of the claim's weight that the best single sentence holds
    "cover_2",  # two neighbouring sentences
    "cover_3",
    "cover_all",  # the whole excerpt and its title
    "cover_titled",  # the best window and the title
    "soft_1",  # the same with synonyms, translations, cognates
    "soft_3",
    "soft_all",
    "pairs",  # neighbouring terms that are neighbours in the window
    "pairs_all",
    "run",  # longest run of terms both share
    "names",  # share of the claim's weight that is names
    "names_missing",  # and that the excerpt does not know
    "numbers",  # how many the claim has
    "context",  # share of the sentence before that the excerpt holds
    "margin",  # to the best of the others
    "soft_margin",
    "best",  # of all evidence
    "relative",  # to it
    "terms",  # how long the claim is
    "missing",  # weight of the heaviest term the window lacks
    "missing_soft",
    "title",
    "novel",  # share no evidence has
    "focus",  # how much of the window the claim is
    "foreign",  # the evidence is in another language
    "anchors",  # weight of what it shares nevertheless
    "negation",  # one negates, the other does not
)

# The window wins by coverage; a longer one must bring more than chance does.
_LENGTH_PENALTIES = 0.03 * np.arange(WINDOW_SENTENCES, dtype=np.float32)[:, None]
# Robertson's IDF over the sentences of the request, softened as if this many more had been seen without the term.
_UNSEEN = 10
_NO_WINDOW = -1.0
_LEAST = 1e-6  # weight of all units, where none weighs anything
# Of evidence, times claims compared at once: beyond it they take longer together than alone, and each 40 MB at 100,000.
MOST_SENTENCES = 8_000
# What a unit weighs: as a term, and by all ways to say it, in evidence of the claim's language and of another.
_AS_TERM, _NATIVE, _FOREIGN = 0, 1, 2


def compare(claims: Sequence[Claim], index: Index) -> list[Scores]:
    """The features of each claim, and the best window of each piece of evidence. A claim's do not depend on others."""
    if not index.evidence:
        return [Scores(FEATURES, np.zeros((0, len(FEATURES)), np.float32), np.zeros((0, 2), np.int32)) for _ in claims]
    few = min(MOST_TOGETHER, max(1, MOST_SENTENCES // index.size))
    parts = (claims[at : at + few] for at in range(0, len(claims), few))
    return [scores for part in parts for scores in Comparison(part, index).scores()]


class Comparison:
    """Fills one column after the other, (K, N) each; made for some claims and thrown away.

    Evidence is short, so what costs is the number of array operations, not the size of the arrays: the units of all
    claims are rows of one matrix, each claim's one after the other, its terms last. Where a term itself stands is where
    its unit stands fully.
    """

    def __init__(self, claims: Sequence[Claim], index: Index) -> None:
        """Lex the claims; `scores` does the rest."""
        self.index = index
        self.claims = [AnalyzedClaim.of(claim, index) for claim in claims]
        self.shape = (len(claims), len(index.evidence))
        self.units = Units.joined([claim.units for claim in self.claims])
        self.is_term = np.array(self.units.is_term, dtype=np.float32)
        counts = [len(claim.units.terms) for claim in self.claims]
        ends = list(accumulate(counts))
        self.begins = [0, *ends[:-1]]
        self.parts = list(zip(self.begins, ends, strict=True))  # the rows of each claim's units
        self.owner = np.repeat(np.arange(len(claims)), counts)  # (U,), whose each unit is
        self.foreign = self._foreign()
        self.columns: dict[str, NDArray[np.floating] | NDArray[np.integer] | NDArray[np.bool_] | float] = {}

    def scores(self) -> list[Scores]:
        """The features, and the best window of each piece of evidence."""
        index = self.index
        self._weigh()
        cover, soft = self._cover()
        self._best(cover, soft)
        blend = np.asarray((cover + soft) / 2, dtype=np.float32)
        if self.foreign is not None:
            blend = np.where(self.foreign[:, None, index.sentence_owner], soft, blend)
        blend -= _LENGTH_PENALTIES
        blend[:, index.invalid] = _NO_WINDOW
        first, last = best_windows(blend, index)
        self._whole()
        self._misses(first, last)
        begins, ends = first.tolist(), last.tolist()
        self._order(begins, ends, index.term_ends[last + 1] - index.term_ends[first])
        self._polarity(most_alike(blend[:, 0], first, last))
        features = np.empty((len(FEATURES), *self.shape), dtype=np.float32)
        for column, name in enumerate(FEATURES):
            features[column] = self.columns[name]
        windows = np.empty((*self.shape, 2), dtype=np.int32)
        windows[..., 0], windows[..., 1] = index.starts[first], index.ends[last]
        return [Scores(FEATURES, features[:, k].T, windows[k]) for k in range(self.shape[0])]

    def _foreign(self) -> Bools | None:
        """(K, N): which evidence is in another language than the claim; None where none is."""
        known = [claim.foreign for claim in self.claims]
        if all(foreign is None for foreign in known):
            return None
        none = np.zeros(self.shape[1], dtype=bool)
        return np.array([none if foreign is None else foreign for foreign in known])

    def _weigh(self) -> None:
        """Where units stand, (U, S) and (U, N), 0..1, and what each weighs, a row for each way to weigh."""
        index, found = self.index, self.units
        self.by_sentence, self.by_evidence = presence(found, index)
        count = len(found.terms)
        exactly, anyhow = np.floor(self.by_sentence) @ index.every, np.ceil(self.by_sentence) @ index.every
        idf = _idf(np.concatenate((exactly, anyhow)), index.size)
        self.weights = np.empty((2 if self.foreign is None else 3, count), dtype=np.float32)
        self.weights[_AS_TERM] = idf[:count] * self.is_term
        self.weights[_NATIVE] = idf[count:] * np.array(found.native, np.float32)
        if self.foreign is not None:
            self.weights[_FOREIGN] = idf[count:] * np.array(found.foreign, np.float32)
        self.totals = np.maximum(np.add.reduceat(self.weights, self.begins, axis=1), _LEAST)[..., None]  # (.., K, 1)
        self.totals[_AS_TERM][self.totals[_AS_TERM] <= _LEAST] = 1.0

    def _cover(self) -> tuple[Floats, Floats]:
        """(K, 3, S) each: what each window covers by the claim's own terms, and by any way to say it.

        In another language, by what can be recognised there.
        """
        index = self.index
        seen = by_window(self.by_sentence, index)
        cover = self._share(_AS_TERM, np.floor(seen))  # of the units only terms weigh anything there
        soft = self._share(_NATIVE, seen)
        if self.foreign is not None:
            there = np.tile(index.sentence_owner, WINDOW_SENTENCES)
            soft = np.where(self.foreign[:, there], self._share(_FOREIGN, seen), soft)
        shape = (self.shape[0], WINDOW_SENTENCES, index.size)
        return cover.reshape(shape), soft.reshape(shape)

    def _best(self, cover: Floats, soft: Floats) -> None:
        """What the best windows cover, and how far they are ahead of the others'."""
        index, columns = self.index, self.columns
        both = np.concatenate((cover, soft), axis=1) * index.valid_twice
        best = np.maximum.reduceat(both, index.first_sentence[:-1], axis=2)
        columns["cover_1"] = best[:, 0]
        columns["cover_2"] = two = np.maximum(best[:, 0], best[:, 1])
        columns["cover_3"] = np.maximum(two, best[:, 2])
        columns["soft_1"] = best[:, WINDOW_SENTENCES]
        columns["soft_3"] = softest = best[:, WINDOW_SENTENCES:].max(axis=1)
        columns["best"] = top = two.max(axis=1, keepdims=True)
        columns["relative"] = two / np.maximum(top, 1e-6)
        columns["margin"], columns["soft_margin"] = lead(np.array((two, softest)))
        columns["foreign"] = columns["anchors"] = 0.0
        if self.foreign is not None:
            columns["foreign"] = self.foreign
            columns["anchors"] = np.where(self.foreign, softest * self.totals[_FOREIGN], 0.0)

    def _share(self, way: int, seen: Floats) -> Floats:
        """(U, X) to (K, X): the share of its weight that each claim sees."""
        shares = self._sums(self.weights[way], seen)
        shares /= self.totals[way]
        return shares

    def _sums(self, weights: Floats, seen: Floats) -> Floats:
        """(U,) and (U, X) to (K, X): the weight that each claim sees. A product each: no claim changes another's."""
        if len(self.parts) == 1:
            return np.asarray(weights @ seen)[None]
        sums = np.empty((self.shape[0], seen.shape[1]), dtype=np.float32)
        for (begin, end), row in zip(self.parts, sums, strict=True):
            np.dot(weights[begin:end], seen[begin:end], out=row)
        return sums

    def _whole(self) -> None:
        """What whole excerpts say, and their titles."""
        columns, exact = self.columns, np.floor(self.by_evidence) * self.is_term[:, None]
        self.shared = np.maximum.reduceat(exact, self.begins, axis=0)  # 1 where any term is
        for claim, covered in zip(self.claims, self._share(_AS_TERM, exact), strict=True):
            if claim.terms:
                self.index.remember(claim.text, covered)
        columns["context"] = np.array([self._context(claim) for claim in self.claims])  # after all are remembered
        columns["title"] = 0.0
        self.titled = self._titled()
        if self.titled is not None:
            columns["title"] = self._share(_AS_TERM, self.titled)
        exact = self._or_titled(exact)
        columns["cover_all"] = self._share(_AS_TERM, exact)
        columns["novel"] = self._share(_AS_TERM, np.asarray(exact.max(axis=1, keepdims=True) == 0, dtype=np.float32))
        self._names(1 - exact)
        columns["soft_all"] = self._share(_NATIVE, self.by_evidence)
        if self.foreign is not None:
            columns["soft_all"] = np.where(self.foreign, self._share(_FOREIGN, self.by_evidence), columns["soft_all"])
        columns["terms"] = np.array([[len(claim.terms)] for claim in self.claims])
        columns["numbers"] = np.array([[claim.numbers] for claim in self.claims])

    def _context(self, claim: AnalyzedClaim) -> Floats:
        """(N,): how much of the sentence before the evidence holds: known, where that sentence was compared too."""
        if not claim.context:
            return np.zeros(self.shape[1], dtype=np.float32)
        known = self.index.covered.get(claim.before)
        if known is not None:
            return known
        before = Units()
        for term in claim.context:
            before.add(term, NO_SYNONYMS, 0.0)
        by_sentence, by_evidence = presence(before, self.index)
        weights = _idf(by_sentence @ self.index.every, self.index.size)
        return np.asarray(weights @ by_evidence / float(weights.sum()))

    def _titled(self) -> Floats | None:
        """(U, N): the claims' terms in the titles; None where no title has any."""
        titles = self.index.titles
        found = [
            (row, titles[term]) for row, term in enumerate(self.units.terms) if term in titles and self.is_term[row]
        ]
        if not found:
            return None
        titled = np.zeros((len(self.is_term), self.shape[1]), dtype=np.float32)
        for row, at in found:
            titled[row, at] = 1.0
        return titled

    def _names(self, missing: Floats) -> None:
        """How much of the claims is names, and what of them is `missing`, (U, N)."""
        if not any(claim.lexed.names for claim in self.claims):
            self.columns["names"] = self.columns["names_missing"] = 0.0
            return
        named = [term in claim.lexed.names for claim in self.claims for term in claim.units.terms]
        weights = self.weights[_AS_TERM] * np.array(named, dtype=np.float32)
        self.columns["names"] = np.add.reduceat(weights, self.begins)[:, None] / self.totals[_AS_TERM]
        self.columns["names_missing"] = self._sums(weights, missing) / self.totals[_AS_TERM]

    def _misses(self, first: Ints, last: Ints) -> None:
        """The heaviest thing the window does not say."""
        columns = self.columns
        seen = in_windows(self.by_sentence, first[self.owner], last[self.owner])
        exact, lacking = np.floor(seen), 1 - seen
        columns["missing"] = self._heaviest(_AS_TERM, 1 - exact)
        columns["cover_titled"] = self._share(_AS_TERM, self._or_titled(exact))
        columns["missing_soft"] = self._heaviest(_NATIVE, lacking)
        if self.foreign is not None:
            elsewhere = self._heaviest(_FOREIGN, lacking)
            columns["missing_soft"] = np.where(self.foreign, elsewhere, columns["missing_soft"])

    def _or_titled(self, exact: Floats) -> Floats:
        return exact if self.titled is None else np.maximum(exact, self.titled)

    def _heaviest(self, way: int, lacking: Floats) -> Floats:
        """(U, N) to (K, N): the weight of the heaviest unit that each claim lacks, partly or as a whole."""
        return np.asarray(np.maximum.reduceat(self.weights[way, :, None] * lacking, self.begins, axis=0))

    def _order(self, first: list[list[int]], last: list[list[int]], terms: Ints) -> None:
        """Neighbouring terms that are neighbours there too, and the longest run of terms both share.

        `terms`: (K, N), how many the windows have.
        """
        count = np.array([[len(claim.lexed.terms)] for claim in self.claims])
        rows = zip(self.claims, self.shared.tolist(), first, last, strict=True)
        found = [neighbours(claim.lexed.terms, self.index, *of_one) for claim, *of_one in rows]
        longest, window, everywhere, pairs = (np.array(of_all) for of_all in zip(*found, strict=True))
        columns, pairs = self.columns, pairs[:, None]
        columns["run"] = longest / np.maximum(1, count)
        columns["pairs"], columns["pairs_all"] = window / pairs, everywhere / pairs
        columns["focus"] = columns["cover_3"] * (count / np.maximum(terms, 1))

    def _polarity(self, sentence: Ints) -> None:
        """Negations of the claims, and of the sentence of the window that is most like each, (K, N)."""
        negated = np.array([[bool(claim.lexed.negations)] for claim in self.claims])
        self.columns["negation"] = (self.index.negations[sentence] > 0) != negated


def _idf(found: Floats, sentences: int) -> Floats:
    idf: Floats = np.log(1 + (sentences + _UNSEEN - found.astype(np.float64) + 0.5) / (found + 0.5)).astype(np.float32)
    return idf
