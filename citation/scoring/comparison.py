"""One claim against the indexed evidence: the features that tell support from resemblance.

T terms or U units of the claim, S sentences, N pieces of evidence. What a window of `size` sentences that starts at
sentence `s` covers is kept at [size - 1, s] of (3, S) arrays, so that windows are slices and nothing is copied.
"""

import numpy as np
from numpy.typing import NDArray

from ..lexicon import lex_sentence
from . import Claim, Scores
from .index import WINDOW_SENTENCES, Index
from .passages import language_of
from .units import presence, units

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
    "numbers_window",  # share the window has
    "numbers_all",
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
    "opposed",  # opposites: one says rise, the other fall
    "negation",  # one negates, the other does not
)

# The window wins by coverage; a longer one must bring more than chance does.
_LENGTH_PENALTY = 0.03
# Robertson's IDF over the sentences of the request, softened as if this many more had been seen without the term.
_UNSEEN = 10


class Comparison:
    """Fills one column after the other; made for one claim and thrown away."""

    def __init__(self, claim: Claim, index: Index) -> None:
        """Lex the claim; `scores` does the rest."""
        self.index = index
        self.claim = claim
        self.rows = len(index.evidence)
        self.lexed = lex_sentence(claim.text)
        language = language_of(self.lexed) or language_of(lex_sentence(claim.context))
        self.foreign = np.array([bool(language and other and other != language) for other in index.languages])
        self.columns: dict[str, NDArray[np.float64] | Floats | float] = {}

    def scores(self) -> Scores:
        """The features, and the best window of each piece of evidence."""
        index = self.index
        if not self.rows:
            return Scores(FEATURES, np.zeros((0, len(FEATURES)), np.float32), np.zeros((0, 2), np.int32))
        cover = self._exact()
        soft = self._soft()
        blend = np.where(self.foreign[index.sentence_owner], soft, (cover + soft) / 2)
        blend = np.where(index.valid, blend - _LENGTH_PENALTY * np.arange(WINDOW_SENTENCES)[:, None], -1.0)
        first, last = _best_window(blend, index)
        self._misses(first, last)
        self._order(first, last)
        self._numbers(first, last)
        self._polarity(first, last, blend[0])
        self._context()
        features = np.empty((self.rows, len(FEATURES)), dtype=np.float32)
        for column, name in enumerate(FEATURES):
            features[:, column] = self.columns[name]
        spans = np.stack((index.sentence_spans[first, 0], index.sentence_spans[last, 1]), axis=1)
        return Scores(FEATURES, features, spans.astype(np.int32))

    def _exact(self) -> Floats:
        """Coverage by the claim's own terms."""
        index, columns = self.index, self.columns
        terms = list(dict.fromkeys(self.lexed.terms))
        here = np.zeros((len(terms), index.size), dtype=np.float32)
        for row, term in enumerate(terms):
            here[row, index.sentences_of(term)] = 1.0
        weights = _idf(np.count_nonzero(here, axis=1), index.size)
        total = float(weights.sum()) or 1.0
        cover = _by_window(weights[None, :], here)[0] / total
        best = np.maximum.reduceat(np.where(index.valid, cover, 0.0), index.first_sentence[:-1], axis=1)
        best = np.maximum.accumulate(best, axis=0)
        columns["cover_1"], columns["cover_2"], columns["cover_3"] = best
        titled = np.zeros((len(terms), self.rows), dtype=np.float32)
        for row, term in enumerate(terms):
            if term in index.titles:
                titled[row, index.titles[term]] = 1.0
        anywhere = np.maximum(self._by_evidence(here), titled)
        named = np.array([t in self.lexed.names for t in terms], dtype=np.float32) * weights
        others = best_other(best[1])
        columns["cover_all"] = weights @ anywhere / total
        columns["title"] = weights @ titled / total
        columns["margin"] = best[1] - others
        columns["best"] = top = float(best[1].max())
        columns["relative"] = best[1] / max(top, 1e-6)
        columns["novel"] = float(weights @ (anywhere.max(axis=1) == 0)) / total
        columns["terms"] = float(len(terms))
        columns["names"] = float(named.sum()) / total
        columns["names_missing"] = named @ (1 - anywhere) / total
        self._terms = here, weights / total, weights, titled
        return np.asarray(cover, dtype=np.float32)

    def _soft(self) -> Floats:
        """Coverage by any way to say it; in another language, by what can be recognised there."""
        index, columns = self.index, self.columns
        found = units(self.claim.text, self.lexed)
        credit = presence(found, index)
        idf = _idf(np.count_nonzero(credit, axis=1), index.size)
        both = np.stack((idf * np.array(found.native, np.float32), idf * np.array(found.foreign, np.float32)))
        totals = np.maximum(both.sum(axis=1), 1e-6)
        weight = _by_window(both, credit)
        foreign = self.foreign[index.sentence_owner]
        soft = np.where(foreign, weight[1] / totals[1], weight[0] / totals[0])
        best = np.maximum.reduceat(np.where(index.valid, soft, 0.0), index.first_sentence[:-1], axis=1)
        columns["soft_1"], columns["soft_3"] = best[0], best.max(axis=0)
        share = both @ self._by_evidence(credit) / totals[:, None]
        columns["soft_all"] = np.where(self.foreign, share[1], share[0])
        columns["anchors"] = np.where(self.foreign, best.max(axis=0) * totals[1], 0.0)
        columns["soft_margin"] = columns["soft_3"] - best_other(best.max(axis=0))
        self._units = credit, both
        return np.asarray(soft, dtype=np.float32)

    def _misses(self, first: Ints, last: Ints) -> None:
        """The heaviest thing the window does not say."""
        here, shares, weights, titled = self._terms
        seen = np.maximum(_columns(here, first, last), titled)
        self.columns["cover_titled"] = shares @ seen
        self.columns["missing"] = (weights[:, None] * (1 - _columns(here, first, last))).max(axis=0, initial=0.0)
        credit, both = self._units
        lacking = 1 - _columns(credit, first, last)
        weigh = np.where(self.foreign, both[1][:, None], both[0][:, None])
        self.columns["missing_soft"] = (weigh * lacking).max(axis=0, initial=0.0)

    def _order(self, first: Ints, last: Ints) -> None:
        """Neighbouring terms that are neighbours there too, and the longest run of terms both share."""
        index, rows = self.index, self.rows
        at, pair, count = index.sentences_of_pairs(self.lexed.terms)
        owner = index.sentence_owner[at]
        inside = (at >= first[owner]) & (at <= last[owner])
        width = max(1, count)
        self.columns["pairs"] = (
            np.bincount(np.unique(owner[inside] * width + pair[inside]) // width, minlength=rows) / width
        )
        self.columns["pairs_all"] = np.bincount(np.unique(owner * width + pair) // width, minlength=rows) / width
        self.columns["run"] = self._run()
        ends = np.concatenate(([0], np.cumsum(index.sentence_terms)))
        size = np.maximum(ends[last + 1] - ends[first], 1)
        self.columns["focus"] = self.columns["cover_3"] * (len(self.lexed.terms) / size)

    def _run(self) -> NDArray[np.float64]:
        places = [self.index.positions_of(term) for term in self.lexed.terms]
        result = np.zeros(self.rows)
        at = np.concatenate(places) if places else np.zeros(0, np.int64)
        if not len(at):
            return result
        i = np.repeat(np.arange(len(places)), [len(p) for p in places])
        # On one diagonal, in order: neighbours there are neighbours in both texts.
        order = np.argsort((at - i) * (len(self.index.term_ids) + 1) + at, kind="stable")
        at, i = at[order], i[order]
        owner = self.index.sentence_owner[self.index.term_sentences[at]]
        joined = (at[1:] == at[:-1] + 1) & (i[1:] == i[:-1] + 1) & (owner[1:] == owner[:-1])
        starts = np.flatnonzero(np.concatenate(([True], ~joined)))
        lengths = np.diff(np.concatenate((starts, [len(at)])))
        np.maximum.at(result, owner[starts], lengths / len(self.lexed.terms))
        return result

    def _numbers(self, first: Ints, last: Ints) -> None:
        index = self.index
        window, everywhere = np.zeros(self.rows), np.zeros(self.rows)
        quantities = [q for q in self.lexed.quantities if q.strict and q.values]
        for quantity in quantities:
            at = np.array([s for value in quantity.values for s in index.numbers.get(value, ())], dtype=np.int64)
            owner = index.sentence_owner[at]
            everywhere[np.unique(owner)] += 1
            window[np.unique(owner[(at >= first[owner]) & (at <= last[owner])])] += 1
        count = len(quantities)
        self.columns["numbers"] = float(count)
        self.columns["numbers_window"] = window / count if count else 1.0
        self.columns["numbers_all"] = everywhere / count if count else 1.0

    def _polarity(self, first: Ints, last: Ints, single: Floats) -> None:
        """Opposites and negations between the claim and the sentence of the window that is most like it."""
        index = self.index
        three = np.minimum(first[:, None] + np.arange(WINDOW_SENTENCES), last[:, None])
        sentence = three[np.arange(len(three)), np.argmax(single[three], axis=1)]
        opposed = np.zeros(index.size)
        mine = {(family, member) for _, family, member in self.lexed.poles}
        for family, member in mine:
            members = index.poles.get(family, {})
            others = [s for other, at in members.items() if other != member and (family, other) not in mine for s in at]
            if others:
                here = np.zeros(index.size, dtype=bool)
                here[others] = True
                here[members.get(member, [])] = False
                opposed += here
        self.columns["opposed"] = opposed[sentence]
        self.columns["negation"] = (index.negations[sentence] > 0) != bool(self.lexed.negations)

    def _context(self) -> None:
        terms = list(dict.fromkeys(lex_sentence(self.claim.context).terms)) if self.claim.context else []
        here = np.zeros((len(terms), self.index.size), dtype=np.float32)
        for row, term in enumerate(terms):
            here[row, self.index.sentences_of(term)] = 1.0
        weights = _idf(np.count_nonzero(here, axis=1), self.index.size)
        self.columns["context"] = weights @ self._by_evidence(here) / (float(weights.sum()) or 1.0)
        self.columns["foreign"] = self.foreign

    def _by_evidence(self, by_sentence: Floats) -> Floats:
        joined: Floats = np.maximum.reduceat(by_sentence, self.index.first_sentence[:-1], axis=1)
        return joined


def _idf(found: NDArray[np.intp], sentences: int) -> Floats:
    idf: Floats = np.log(1 + (sentences + _UNSEEN - found + 0.5) / (found + 0.5)).astype(np.float32)
    return idf


def _by_window(weights: Floats, here: Floats) -> Floats:
    """(K, T) weights and (T, S) presence to (K, 3, S): the weight each window covers."""
    covered = np.empty((len(weights), WINDOW_SENTENCES, here.shape[1]), dtype=np.float32)
    covered[:, 0] = weights @ here
    seen = here.copy()
    for size in range(1, WINDOW_SENTENCES):
        if size < here.shape[1]:
            np.maximum(seen[:, :-size], here[:, size:], out=seen[:, :-size])
        covered[:, size] = weights @ seen
    return covered


def _best_window(blend: Floats, index: Index) -> tuple[Ints, Ints]:
    """First and last sentence of each best window; of equals the shorter, then the earlier."""
    sizes = np.argmax(blend, axis=0)
    value = blend[sizes, np.arange(index.size)]
    top = np.maximum.reduceat(value, index.first_sentence[:-1])
    at = np.flatnonzero(value == top[index.sentence_owner])
    first = at[np.searchsorted(index.sentence_owner[at], np.arange(len(top)))]
    return first, first + sizes[first]


def _columns(here: Floats, first: Ints, last: Ints) -> Floats:
    """(T, N): what the windows hold."""
    middle = np.minimum(first + 1, last)
    return np.maximum(np.maximum(here[:, first], here[:, middle]), here[:, last])


def best_other(score: NDArray[np.floating]) -> NDArray[np.floating]:
    """For each, the best of the others; 0 for one alone."""
    if len(score) < 2:
        return np.zeros_like(score)
    top = np.sort(score)[-2:]
    return np.asarray(np.where(score == top[1], top[0], top[1]))
