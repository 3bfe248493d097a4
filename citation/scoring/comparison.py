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
from .units import EXACT, places, presence, units

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

    Evidence is short, so what costs is the number of array operations, not the size of the arrays: the claim's terms,
    its units and the terms of its context are rows of one matrix, and most operations are done once for all of them.
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
        """Where terms, units and context stand, (T + U + C, S) and (T + U + C, N), 0..1, and what each weighs."""
        index, found, exact = self.index, self.units, len(self.terms)
        where = [[(index.sentences_of(term), EXACT)] for term in self.terms]
        where += places(found, index)
        where += [[(index.sentences_of(term), EXACT)] for term in self.context]
        self.said, self.anywhere = presence(where, index)
        idf = _idf(np.count_nonzero(self.said, axis=1), index.size)
        self.matter = exact + len(found.terms)  # rows that are the claim's own
        self.weights = np.zeros((3, self.matter), dtype=np.float32)  # of terms; of units, native and foreign
        self.weights[0, :exact] = idf[:exact]
        self.weights[1, exact:] = idf[exact : self.matter] * np.array(found.native, np.float32)
        self.weights[2, exact:] = idf[exact : self.matter] * np.array(found.foreign, np.float32)
        totals = self.weights.sum(axis=1)
        self.totals = np.where(totals > 0, np.maximum(totals, _LEAST), [1.0, _LEAST, _LEAST]).astype(np.float32)
        self.context_weights = idf[self.matter :]

    def _cover(self) -> tuple[Floats, Floats]:
        """(3, S) each: what each window covers by the claim's own terms, and by any way to say it.

        In another language, by what can be recognised there.
        """
        index, columns = self.index, self.columns
        covered = _by_window(self.weights, self.said[: self.matter], index) / self.totals[:, None]  # (3 sizes, 3, S)
        cover, soft = covered[:, 0], covered[:, 1]
        if self.foreign is not None:
            soft = np.where(self.foreign[index.sentence_owner], covered[:, 2], soft)
        both = np.concatenate((cover, soft)) * index.valid_twice
        best = np.maximum.reduceat(both, index.first_sentence[:-1], axis=1)
        exact = np.maximum.accumulate(best[:WINDOW_SENTENCES], axis=0)
        columns["cover_1"], columns["cover_2"], columns["cover_3"] = exact
        columns["margin"] = exact[1] - best_other(exact[1])
        columns["best"] = top = float(exact[1].max())
        columns["relative"] = exact[1] / max(top, 1e-6)
        columns["soft_1"] = best[WINDOW_SENTENCES]
        columns["soft_3"] = softest = best[WINDOW_SENTENCES:].max(axis=0)
        columns["soft_margin"] = softest - best_other(softest)
        columns["anchors"] = 0.0 if self.foreign is None else np.where(self.foreign, softest * self.totals[2], 0.0)
        columns["foreign"] = 0.0 if self.foreign is None else self.foreign
        return cover, soft

    def _whole(self) -> None:
        """What whole excerpts say, and their titles."""
        columns, exact, anywhere = self.columns, len(self.terms), self.anywhere
        units_anywhere = self.weights[:, exact:] @ anywhere[exact : self.matter]
        own, total = self.weights[0, :exact], float(self.totals[0])
        columns["title"] = 0.0
        self.shared = np.asarray(anywhere[:exact].any(axis=0))
        self.titled = titled = self._titled()
        if titled is not None:
            columns["title"] = own @ titled / total
            np.maximum(anywhere[:exact], titled, out=anywhere[:exact])
        said = own @ anywhere[:exact]
        columns["cover_all"] = said / total
        columns["novel"] = float(own @ (anywhere[:exact].max(axis=1) == 0)) / total
        names = np.array([term in self.lexed.names for term in self.terms], dtype=np.float32) * own
        columns["names"] = named = float(names.sum()) / total
        columns["names_missing"] = names @ (1 - anywhere[:exact]) / total if named else 0.0
        share = units_anywhere[1:] / self.totals[1:, None]
        columns["soft_all"] = share[0] if self.foreign is None else np.where(self.foreign, share[1], share[0])
        columns["context"] = 0.0
        if self.context:
            columns["context"] = self.context_weights @ anywhere[self.matter :] / float(self.context_weights.sum())
        columns["terms"] = float(exact)

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
        columns, exact = self.columns, len(self.terms)
        seen = _columns(self.said[: self.matter], first, last)
        lacking = 1 - seen
        own = self.weights[0, :exact]
        columns["missing"] = (own[:, None] * lacking[:exact]).max(axis=0, initial=0.0)
        titled = seen[:exact] if self.titled is None else np.maximum(seen[:exact], self.titled)
        columns["cover_titled"] = own / float(self.totals[0]) @ titled
        heavy = (self.weights[1, exact:, None] * lacking[exact:]).max(axis=0, initial=0.0)
        if self.foreign is not None:
            other = (self.weights[2, exact:, None] * lacking[exact:]).max(axis=0, initial=0.0)
            heavy = np.where(self.foreign, other, heavy)
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
            found = {at for value in quantity.values for at in index.numbers.get(value, ())}
            for row in {row for row, _ in found}:
                everywhere[row] += 1
            for row in {row for row, sentence in found if first[row] <= sentence <= last[row]}:
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


def _idf(found: NDArray[np.intp], sentences: int) -> Floats:
    idf: Floats = np.log(1 + (sentences + _UNSEEN - found + 0.5) / (found + 0.5)).astype(np.float32)
    return idf


def _by_window(weights: Floats, said: Floats, index: Index) -> Floats:
    """(K, T) weights and (T, S) presence to (3, K, S): the weight each window covers."""
    seen = np.repeat(said[None], WINDOW_SENTENCES, axis=0)
    for size in range(1, WINDOW_SENTENCES):
        if size < index.size:
            np.maximum(seen[size - 1, :, :-size], said[:, size:], out=seen[size, :, :-size])
    covered: Floats = np.matmul(weights, seen)
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
