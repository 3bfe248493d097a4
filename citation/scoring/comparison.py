"""One claim against the indexed evidence: the features that tell support from resemblance.

T terms or U units of the claim, S sentences, N pieces of evidence. What a window of `size` sentences that starts at
sentence `s` covers is kept at [size - 1, s] of (3, S) arrays, so that windows are slices and nothing is copied.
"""

import numpy as np
from numpy.typing import NDArray

from ..lexicon import lex_sentence
from ..lexicon.concepts import NO_OTHER
from . import Claim, Scores
from .index import WINDOW_SENTENCES, Index
from .passages import language_of
from .units import Units, presence, units

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
_LENGTH_PENALTIES = 0.03 * np.arange(WINDOW_SENTENCES, dtype=np.float32)[:, None]
# Robertson's IDF over the sentences of the request, softened as if this many more had been seen without the term.
_UNSEEN = 10
_NO_WINDOW = -1.0
_LEAST = 1e-6  # weight of all units, where none weighs anything


class Comparison:
    """Fills one column after the other; made for one claim and thrown away.

    Evidence is short, so what costs is the number of array operations, not the size of the arrays: the claim's units
    are rows of one matrix, the last T of them its terms, and where a term itself stands is where its unit stands fully.
    """

    def __init__(self, claim: Claim, index: Index) -> None:
        """Lex the claim; `scores` does the rest."""
        self.index = index
        self.rows = len(index.evidence)
        self.lexed = lex_sentence(claim.text)
        context = lex_sentence(claim.context) if claim.context else None
        language = language_of(self.lexed) or (language_of(context) if context else None)
        self.foreign = index.foreign_to(language)
        self.terms = list(dict.fromkeys(self.lexed.terms))
        self.units = units(claim.text, self.lexed)
        self.claim = claim
        self.context = list(dict.fromkeys(context.terms)) if context else []
        self.columns: dict[str, NDArray[np.floating] | NDArray[np.bool_] | float] = {}

    def scores(self) -> Scores:
        """The features, and the best window of each piece of evidence."""
        index = self.index
        if not self.rows:
            return Scores(FEATURES, np.zeros((0, len(FEATURES)), np.float32), np.zeros((0, 2), np.int32))
        self._weigh()
        cover, soft = self._cover()
        blend = np.asarray((cover + soft) / 2, dtype=np.float32)
        if self.foreign is not None:
            blend = np.where(self.foreign[index.sentence_owner], soft, blend)
        blend -= _LENGTH_PENALTIES
        blend[index.invalid] = _NO_WINDOW
        first, last = _best_window(blend, index)
        self._whole()
        self._misses(first, last)
        self._order(first.tolist(), last.tolist())
        self._numbers(first.tolist(), last.tolist())
        self._polarity(first, last, blend[0])
        features = np.empty((len(FEATURES), self.rows), dtype=np.float32)
        for column, name in enumerate(FEATURES):
            features[column] = self.columns[name]
        windows = np.empty((self.rows, 2), dtype=np.int32)
        windows[:, 0], windows[:, 1] = index.starts[first], index.ends[last]
        return Scores(FEATURES, features.T, windows)

    def _weigh(self) -> None:
        """Where units stand, (U, S) and (U, N), 0..1, and what each weighs."""
        index, found = self.index, self.units
        self.said, self.anywhere = presence(found, index)
        count = len(found.terms)
        self.first_term = count - len(self.terms)
        idf = _idf(np.concatenate((np.floor(self.said) @ index.every, np.ceil(self.said) @ index.every)), index.size)
        self.weights = np.zeros((2 if self.foreign is None else 3, count), dtype=np.float32)
        self.weights[0, self.first_term :] = idf[self.first_term : count]  # of terms
        self.weights[1] = idf[count:] * np.array(found.native, np.float32)
        if self.foreign is not None:
            self.weights[2] = idf[count:] * np.array(found.foreign, np.float32)
        self.totals = np.maximum(self.weights.sum(axis=1), _LEAST)
        if not self.totals[0] > _LEAST:
            self.totals[0] = 1.0

    def _cover(self) -> tuple[Floats, Floats]:
        """(3, S) each: what each window covers by the claim's own terms, and by any way to say it.

        In another language, by what can be recognised there.
        """
        index, columns = self.index, self.columns
        seen = _by_window(self.said, index)
        shape = (WINDOW_SENTENCES, index.size)
        cover = (self.weights[0] @ np.floor(seen)).reshape(shape) / self.totals[0]
        soft = (self.weights[1] @ seen).reshape(shape) / self.totals[1]
        if self.foreign is not None:
            other = (self.weights[2] @ seen).reshape(shape) / self.totals[2]
            soft = np.where(self.foreign[index.sentence_owner], other, soft)
        both = np.concatenate((cover, soft)) * index.valid_twice
        best = np.maximum.reduceat(both, index.first_sentence[:-1], axis=1)
        one, two, three = best[:WINDOW_SENTENCES]
        columns["cover_1"] = one
        columns["cover_2"] = two = np.maximum(one, two)
        columns["cover_3"] = np.maximum(two, three)
        columns["soft_1"] = best[WINDOW_SENTENCES]
        columns["soft_3"] = softest = best[WINDOW_SENTENCES:].max(axis=0)
        columns["best"] = top = max(two.tolist())
        columns["relative"] = two / max(top, 1e-6)
        columns["margin"], columns["soft_margin"] = lead(np.stack((two, softest)))
        columns["anchors"] = 0.0 if self.foreign is None else np.where(self.foreign, softest * self.totals[2], 0.0)
        columns["foreign"] = 0.0 if self.foreign is None else self.foreign
        return cover, soft

    def _whole(self) -> None:
        """What whole excerpts say, and their titles."""
        columns, exact = self.columns, np.floor(self.anywhere[self.first_term :])
        own, total = self.weights[0, self.first_term :], float(self.totals[0])
        columns["title"] = 0.0
        self.shared = exact.any(axis=0)
        columns["context"] = self._context()
        if self.terms:
            self.index.remember(self.claim.text, own @ exact / total)
        self.titled = titled = self._titled()
        if titled is not None:
            columns["title"] = own @ titled / total
            np.maximum(exact, titled, out=exact)
        columns["cover_all"] = own @ exact / total
        columns["novel"] = float(own @ (exact.max(axis=1) == 0)) / total
        names = np.array([term in self.lexed.names for term in self.terms], dtype=np.float32) * own
        columns["names"] = named = float(names.sum()) / total
        columns["names_missing"] = names @ (1 - exact) / total if named else 0.0
        share = self.weights[1:] @ self.anywhere / self.totals[1:, None]
        columns["soft_all"] = share[0] if self.foreign is None else np.where(self.foreign, share[1], share[0])
        columns["terms"] = float(len(self.terms))

    def _context(self) -> Floats | float:
        """(N,): how much of the sentence before the evidence holds: known, where that sentence was compared too."""
        if not self.context:
            return 0.0
        known = self.index.covered.get(self.claim.context)
        if known is not None:
            return known
        before = Units()
        for term in self.context:
            before.add(term, NO_OTHER, 0.0)
        said, anywhere = presence(before, self.index)
        weights = _idf(said @ self.index.every, self.index.size)
        return np.asarray(weights @ anywhere / float(weights.sum()))

    def _titled(self) -> Floats | None:
        """(T, N): the claim's terms in the titles; None where no title has any."""
        found = [(row, self.index.titles[term]) for row, term in enumerate(self.terms) if term in self.index.titles]
        if not found:
            return None
        titled = np.zeros((len(self.terms), self.rows), dtype=np.float32)
        for row, at in found:
            titled[row, at] = 1.0
        return titled

    def _misses(self, first: Ints, last: Ints) -> None:
        """The heaviest thing the window does not say."""
        columns, own = self.columns, self.weights[0, self.first_term :]
        seen = _columns(self.said, first, last)
        exact = np.floor(seen[self.first_term :])
        columns["missing"] = (own[:, None] * (1 - exact)).max(axis=0, initial=0.0)
        titled = exact if self.titled is None else np.maximum(exact, self.titled)
        columns["cover_titled"] = own / float(self.totals[0]) @ titled
        lacking = 1 - seen
        heavy = (self.weights[1, :, None] * lacking).max(axis=0, initial=0.0)
        if self.foreign is not None:
            heavy = np.where(self.foreign, (self.weights[2, :, None] * lacking).max(axis=0, initial=0.0), heavy)
        columns["missing_soft"] = heavy

    def _order(self, first: list[int], last: list[int]) -> None:
        """Neighbouring terms that are neighbours there too, and the longest run of terms both share."""
        index, count = self.index, len(self.lexed.terms)
        longest = self.shared.astype(int).tolist()  # one term, where there is any
        everywhere: set[tuple[int, int]] = set()
        window: set[tuple[int, int]] = set()
        runs: dict[tuple[int, int], int] = {}  # (place, pair of the claim) -> terms of the run that ends there
        pairs, neighbours = index.neighbours(self.lexed.terms)
        for step, pair, place, row, sentence in neighbours:
            runs[place, step] = run = runs.get((place - 1, step - 1), 1) + 1
            longest[row] = max(longest[row], run)
            if sentence >= 0:
                everywhere.add((pair, row))
                if first[row] <= sentence <= last[row]:
                    window.add((pair, row))
        self.columns["run"] = np.array(longest) / max(1, count)
        for name, found in (("pairs", window), ("pairs_all", everywhere)):
            in_row = np.bincount([row for _, row in found], minlength=self.rows) if found else np.zeros(self.rows)
            self.columns[name] = in_row / max(1, pairs)
        size = np.maximum(index.term_ends[np.add(last, 1)] - index.term_ends[first], 1)
        self.columns["focus"] = self.columns["cover_3"] * (count / size)

    def _numbers(self, first: list[int], last: list[int]) -> None:
        index, columns = self.index, self.columns
        quantities = [q for q in self.lexed.quantities if q.strict and q.values]
        columns["numbers"], columns["numbers_window"], columns["numbers_all"] = float(len(quantities)), 1.0, 1.0
        if not quantities:
            return
        window, everywhere = [0] * self.rows, [0] * self.rows
        for quantity in quantities:
            here: set[int] = set()
            there: set[int] = set()
            for value in quantity.values:
                for row, sentence in index.numbers.get(value, ()):
                    there.add(row)
                    if first[row] <= sentence <= last[row]:
                        here.add(row)
            for row in there:
                everywhere[row] += 1
            for row in here:
                window[row] += 1
        columns["numbers_window"] = np.array(window) / len(quantities)
        columns["numbers_all"] = np.array(everywhere) / len(quantities)

    def _polarity(self, first: Ints, last: Ints, single: Floats) -> None:
        """Opposites and negations between the claim and the sentence of the window that is most like it."""
        index = self.index
        three = np.minimum(first[:, None] + np.arange(WINDOW_SENTENCES), last[:, None])
        sentence = three[np.arange(len(three)), single[three].argmax(axis=1)]
        self.columns["negation"] = (index.negations[sentence] > 0) != bool(self.lexed.negations)
        self.columns["opposed"] = 0.0
        mine = {(family, member) for _, family, member in self.lexed.poles}
        for family, member in mine:
            members = index.poles.get(family, {})
            others = [s for other, at in members.items() if other != member and (family, other) not in mine for s in at]
            if others:
                here = np.zeros(index.size)
                here[others] = 1.0
                here[members.get(member, [])] = 0.0
                self.columns["opposed"] = self.columns["opposed"] + here[sentence]


def _idf(found: Floats, sentences: int) -> Floats:
    idf: Floats = np.log(1 + (sentences + _UNSEEN - found.astype(np.float64) + 0.5) / (found + 0.5)).astype(np.float32)
    return idf


def _by_window(said: Floats, index: Index) -> Floats:
    """(U, S) presence to (U, 3 S): how far each window of one sentence, of two, of three says it."""
    seen = np.repeat(said[:, None], WINDOW_SENTENCES, axis=1)
    for size in range(1, min(WINDOW_SENTENCES, index.size)):
        np.maximum(seen[:, size - 1, :-size], said[:, size:], out=seen[:, size, :-size])
    return seen.reshape(len(said), WINDOW_SENTENCES * index.size)


def _best_window(blend: Floats, index: Index) -> tuple[Ints, Ints]:
    """First and last sentence of each best window; of equals the shorter, then the earlier."""
    value = blend.max(axis=0)
    top = np.maximum.reduceat(value, index.first_sentence[:-1])
    at = np.flatnonzero(value == top[index.sentence_owner])
    first = at[np.searchsorted(index.sentence_owner[at], np.arange(len(top)))]
    return first, first + blend[:, first].argmax(axis=0)


def _columns(here: Floats, first: Ints, last: Ints) -> Floats:
    """(T, N): what the windows hold."""
    middle = np.minimum(first + 1, last)
    return np.maximum(np.maximum(here[:, first], here[:, middle]), here[:, last])


def lead(score: NDArray[np.floating]) -> NDArray[np.floating]:
    """(..., N): how far each is above the best of the others; one alone is above nothing."""
    if score.shape[-1] < 2:
        return score
    second, top = np.moveaxis(np.sort(score, axis=-1)[..., -2:, None], -2, 0)
    return np.asarray(score - np.where(score == top, second, top))
