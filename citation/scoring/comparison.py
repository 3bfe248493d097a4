"""Claims against the indexed evidence: the features that tell support from resemblance.

K claims, U units of all of them, S sentences, N pieces of evidence. What a window of `size` sentences that starts at
sentence `s` covers is kept at [size - 1, s] of (3, S) arrays, so that windows are slices and nothing is copied.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ..lexicon import Lexed, lex_sentence
from ..lexicon.concepts import NO_OTHER
from . import Claim, Scores
from .index import WINDOW_SENTENCES, Index
from .passages import language_of
from .units import Units, presence, units
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
# Claims compared at once. Ten with 20 excerpts take 1.1 ms, one by one 4.0; more bring little, and others wait.
MOST_TOGETHER = 16


def compare(claims: Sequence[Claim], index: Index) -> list[Scores]:
    """The features of each claim, and the best window of each piece of evidence. A claim's do not depend on others."""
    if not index.evidence:
        return [Scores(FEATURES, np.zeros((0, len(FEATURES)), np.float32), np.zeros((0, 2), np.int32)) for _ in claims]
    parts = (claims[at : at + MOST_TOGETHER] for at in range(0, len(claims), MOST_TOGETHER))
    return [scores for part in parts for scores in Comparison(part, index).scores()]


@dataclass(frozen=True, slots=True)
class _Read:
    """A claim as the lexicon reads it."""

    claim: Claim
    lexed: Lexed
    terms: list[str]  # without repeats
    context: list[str]  # those of the sentence before
    units: Units  # the last of them are its terms
    foreign: Bools | None  # (N,) which evidence is in another language; None where none is

    @classmethod
    def of(cls, claim: Claim, index: Index) -> "_Read":
        lexed = lex_sentence(claim.text)
        context = lex_sentence(claim.context) if claim.context else None
        language = language_of(lexed) or (language_of(context) if context else None)
        before = list(dict.fromkeys(context.terms)) if context else []
        terms = list(dict.fromkeys(lexed.terms))
        return cls(claim, lexed, terms, before, units(claim.text, lexed), index.foreign_to(language))


class Comparison:
    """Fills one column after the other, (K, N) each; made for some claims and thrown away.

    Evidence is short, so what costs is the number of array operations, not the size of the arrays: the units of all
    claims are rows of one matrix, each claim's one after the other, its terms last. Where a term itself stands is where
    its unit stands fully.
    """

    def __init__(self, claims: Sequence[Claim], index: Index) -> None:
        """Lex the claims; `scores` does the rest."""
        self.index = index
        self.read = [_Read.of(claim, index) for claim in claims]
        self.shape = (len(claims), len(index.evidence))
        self.units = Units.joined([one.units for one in self.read])
        self.is_term = np.array(self.units.is_term, dtype=np.float32)
        counts = [len(one.units.terms) for one in self.read]
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
        known = [one.foreign for one in self.read]
        if all(foreign is None for foreign in known):
            return None
        none = np.zeros(self.shape[1], dtype=bool)
        return np.array([none if foreign is None else foreign for foreign in known])

    def _weigh(self) -> None:
        """Where units stand, (U, S) and (U, N), 0..1, and what each weighs: as a term, as said here, and elsewhere."""
        index, found = self.index, self.units
        self.said, self.anywhere = presence(found, index)
        count = len(found.terms)
        idf = _idf(np.concatenate((np.floor(self.said) @ index.every, np.ceil(self.said) @ index.every)), index.size)
        self.weights = np.empty((2 if self.foreign is None else 3, count), dtype=np.float32)
        self.weights[0] = idf[:count] * self.is_term
        self.weights[1] = idf[count:] * np.array(found.native, np.float32)
        if self.foreign is not None:
            self.weights[2] = idf[count:] * np.array(found.foreign, np.float32)
        self.totals = np.maximum(np.add.reduceat(self.weights, self.begins, axis=1), _LEAST)[..., None]  # (.., K, 1)
        self.totals[0][self.totals[0] <= _LEAST] = 1.0

    def _cover(self) -> tuple[Floats, Floats]:
        """(K, 3, S) each: what each window covers by the claim's own terms, and by any way to say it.

        In another language, by what can be recognised there.
        """
        index, columns = self.index, self.columns
        seen = by_window(self.said, index)
        cover = self._share(0, np.floor(seen))  # of the units only terms weigh anything there
        soft = self._share(1, seen)
        if self.foreign is not None:
            there = np.tile(index.sentence_owner, WINDOW_SENTENCES)
            soft = np.where(self.foreign[:, there], self._share(2, seen), soft)
        shape = (self.shape[0], WINDOW_SENTENCES, index.size)
        cover, soft = cover.reshape(shape), soft.reshape(shape)
        both = np.concatenate((cover, soft), axis=1) * index.valid_twice
        best = np.maximum.reduceat(both, index.first_sentence[:-1], axis=2)
        columns["cover_1"] = one = best[:, 0]
        columns["cover_2"] = two = np.maximum(one, best[:, 1])
        columns["cover_3"] = np.maximum(two, best[:, 2])
        columns["soft_1"] = best[:, WINDOW_SENTENCES]
        columns["soft_3"] = softest = best[:, WINDOW_SENTENCES:].max(axis=1)
        columns["best"] = top = two.max(axis=1, keepdims=True)
        columns["relative"] = two / np.maximum(top, 1e-6)
        columns["margin"], columns["soft_margin"] = lead(np.array((two, softest)))
        columns["anchors"] = 0.0 if self.foreign is None else np.where(self.foreign, softest * self.totals[2], 0.0)
        columns["foreign"] = 0.0 if self.foreign is None else self.foreign
        return cover, soft

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
        for (first, end), of_one in zip(self.parts, sums, strict=True):
            np.dot(weights[first:end], seen[first:end], out=of_one)
        return sums

    def _whole(self) -> None:
        """What whole excerpts say, and their titles."""
        columns, exact = self.columns, np.floor(self.anywhere) * self.is_term[:, None]
        self.shared = np.maximum.reduceat(exact, self.begins, axis=0)  # 1 where any term is
        for one, covered in zip(self.read, self._share(0, exact), strict=True):
            if one.terms:
                self.index.remember(one.claim.text, covered)
        columns["context"] = np.array([self._context(one) for one in self.read])  # after all are remembered
        columns["title"] = 0.0
        self.titled = titled = self._titled()
        if titled is not None:
            columns["title"] = self._share(0, titled)
            np.maximum(exact, titled, out=exact)
        columns["cover_all"] = self._share(0, exact)
        columns["novel"] = self._share(0, np.asarray(exact.max(axis=1, keepdims=True) == 0, dtype=np.float32))
        self._names(1 - exact)
        columns["soft_all"] = self._share(1, self.anywhere)
        if self.foreign is not None:
            columns["soft_all"] = np.where(self.foreign, self._share(2, self.anywhere), columns["soft_all"])
        columns["terms"] = np.array([[len(one.terms)] for one in self.read])
        quantities = [[q for q in one.lexed.quantities if q.strict and q.values] for one in self.read]
        columns["numbers"] = np.array([[len(of_one)] for of_one in quantities])

    def _context(self, one: _Read) -> Floats:
        """(N,): how much of the sentence before the evidence holds: known, where that sentence was compared too."""
        if not one.context:
            return np.zeros(self.shape[1], dtype=np.float32)
        known = self.index.covered.get(one.claim.context)
        if known is not None:
            return known
        before = Units()
        for term in one.context:
            before.add(term, NO_OTHER, 0.0)
        said, anywhere = presence(before, self.index)
        weights = _idf(said @ self.index.every, self.index.size)
        return np.asarray(weights @ anywhere / float(weights.sum()))

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
        if not any(one.lexed.names for one in self.read):
            self.columns["names"] = self.columns["names_missing"] = 0.0
            return
        named = [term in one.lexed.names for one in self.read for term in one.units.terms]
        own = self.weights[0] * np.array(named, dtype=np.float32)
        self.columns["names"] = np.add.reduceat(own, self.begins)[:, None] / self.totals[0]
        self.columns["names_missing"] = self._sums(own, missing) / self.totals[0]

    def _misses(self, first: Ints, last: Ints) -> None:
        """The heaviest thing the window does not say."""
        columns, own = self.columns, self.weights[0]
        seen = in_windows(self.said, first[self.owner], last[self.owner])
        exact = np.floor(seen)
        columns["missing"] = self._heaviest(own, 1 - exact)
        columns["cover_titled"] = self._share(0, exact if self.titled is None else np.maximum(exact, self.titled))
        lacking = 1 - seen
        columns["missing_soft"] = self._heaviest(self.weights[1], lacking)
        if self.foreign is not None:
            elsewhere = self._heaviest(self.weights[2], lacking)
            columns["missing_soft"] = np.where(self.foreign, elsewhere, columns["missing_soft"])

    def _heaviest(self, weights: Floats, lacking: Floats) -> Floats:
        """(U,) and (U, N) to (K, N): the most that one unit of a claim lacks."""
        return np.asarray(np.maximum.reduceat(weights[:, None] * lacking, self.begins, axis=0))

    def _order(self, first: list[list[int]], last: list[list[int]], terms: Ints) -> None:
        """Neighbouring terms that are neighbours there too, and the longest run of terms both share.

        `terms`: (K, N), how many the windows have.
        """
        count = np.array([[len(one.lexed.terms)] for one in self.read])
        found = map(self._neighbours, self.read, self.shared.tolist(), first, last)
        longest, window, everywhere, pairs = (np.array(of_all) for of_all in zip(*found, strict=True))
        columns, pairs = self.columns, pairs[:, None]
        columns["run"] = longest / np.maximum(1, count)
        columns["pairs"], columns["pairs_all"] = window / pairs, everywhere / pairs
        columns["focus"] = columns["cover_3"] * (count / np.maximum(terms, 1))

    def _neighbours(
        self, one: _Read, longest: list[float], first: list[int], last: list[int]
    ) -> tuple[list[float], list[int], list[int], int]:
        """For each piece of evidence: the longest run, how many pairs the window has, and the excerpt; and of how many.

        `longest`: 1 where any term is shared. Evidence has few of a claim's pairs: arrays would take twice as long.
        """
        pairs, found = self.index.neighbours(one.lexed.terms)
        window, everywhere = [0] * len(longest), [0] * len(longest)
        runs: dict[int, int] = {}  # place and step in one number -> terms of the run that ends there
        width, seen = len(one.lexed.terms), set()
        for step, pair, places in found:
            for place, row, _ in places:
                at = place * width + step
                runs[at] = run = runs.get(at - width - 1, 1) + 1
                if run > longest[row]:
                    longest[row] = run
            if pair not in seen:
                seen.add(pair)
                for row in {row for _, row, sentence in places if sentence >= 0}:
                    everywhere[row] += 1
                for row in {row for _, row, sentence in places if first[row] <= sentence <= last[row]}:
                    window[row] += 1
        return longest, window, everywhere, max(1, pairs)

    def _polarity(self, sentence: Ints) -> None:
        """Negations of the claims, and of the sentence of the window that is most like each, (K, N)."""
        negated = np.array([[bool(one.lexed.negations)] for one in self.read])
        self.columns["negation"] = (self.index.negations[sentence] > 0) != negated


def _idf(found: Floats, sentences: int) -> Floats:
    idf: Floats = np.log(1 + (sentences + _UNSEEN - found.astype(np.float64) + 0.5) / (found + 0.5)).astype(np.float32)
    return idf
