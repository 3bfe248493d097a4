"""The default scorer: no model, no network. How much of what a sentence says the best passage says too."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evidence import Evidence
from ..lexicon import Lexed, lex
from . import Claim, Scores, Vectors
from .index import Index, language_of
from .units import presence, units

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

FEATURES = (
    "cover_1", "cover_2", "cover_3", "cover_all", "cover_titled", "soft_1", "soft_3", "soft_all", "pairs", "pairs_all", "run",
    "names_missing", "names", "numbers_window", "numbers_all", "numbers", "context", "margin", "best", "relative", "terms",
    "missing", "missing_soft", "title", "novel", "focus", "foreign", "opposed", "negation", "anchors", "soft_margin",
)  # fmt: skip

# The window wins by coverage; a longer one must bring more than chance does.
_LENGTH_PENALTY = 0.03
# Robertson's IDF over the sentences of the request, softened as if this many more had been seen without the term.
_UNSEEN = 10


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
        return Comparison(claim, self.index).scores()


class Comparison:
    """One claim against the index."""

    def __init__(self, claim: Claim, index: Index) -> None:
        self.index = index
        self.claim = claim
        self.rows = len(index.evidence)
        self.lexed = lex(claim.text)
        self.foreign = self._foreign()

    def scores(self) -> Scores:
        index = self.index
        columns: dict[str, Floats] = {}
        cover, seen, weights, here = self._exact(columns)
        soft, soft_seen, soft_weights = self._soft(columns)
        foreign = self.foreign[index.window_owner]
        blend = np.where(foreign, soft, (cover + soft) / 2) - _LENGTH_PENALTY * (index.window_sizes - 1)
        best = _best_windows(blend, index.window_starts)
        self._misses(columns, seen[:, best], weights, here, soft_seen[:, best], soft_weights)
        self._order(columns, best)
        self._numbers(columns, best)
        self._polarity(columns, best, blend)
        columns["context"] = self._context()
        columns["foreign"] = self.foreign.astype(float)
        features = np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32)
        return Scores(FEATURES, features, index.window_spans[best].astype(np.int32))

    def _foreign(self) -> Bools:
        language = language_of(self.lexed)
        if language is None:
            language = language_of(lex(self.claim.context))
        return np.array([bool(language and other and other != language) for other in self.index.languages])

    def _exact(self, columns: dict[str, Floats]) -> tuple[Floats, Bools, Floats, Bools]:
        index = self.index
        terms = list(dict.fromkeys(self.lexed.terms))
        here = np.zeros((len(terms), len(index.sentence_owner)), dtype=bool)
        for row, term in enumerate(terms):
            here[row, index.sentences_of(term)] = True
        weights = _idf(here.sum(axis=1), here.shape[1])
        total = float(weights.sum()) or 1.0
        w = index.window_sentences
        seen = here[:, w[:, 0]] | here[:, w[:, 1]] | here[:, w[:, 2]]
        cover: Floats = weights @ seen / total
        titled = np.array([[t in title for title in index.titles] for t in terms], dtype=bool).reshape(-1, self.rows)
        anywhere = self._by_evidence(here) | titled
        for size in (1, 2, 3):
            columns[f"cover_{size}"] = self._best(np.where(index.window_sizes <= size, cover, 0.0))
        columns["cover_titled"] = self._best(weights @ (seen | titled[:, index.window_owner]) / total)
        columns["cover_all"] = weights @ anywhere / total
        columns["title"] = weights @ titled / total
        others = _best_other(columns["cover_2"])
        columns["margin"] = columns["cover_2"] - others
        columns["best"] = np.maximum(columns["cover_2"], others)
        columns["relative"] = columns["cover_2"] / np.maximum(columns["best"], 1e-6)
        columns["novel"] = self._all(float(weights @ ~anywhere.any(axis=1)) / total)
        columns["terms"] = self._all(float(len(terms)))
        named = np.array([t in self.lexed.names for t in terms], dtype=bool)
        columns["names"] = self._all(float(weights @ named) / total)
        columns["names_missing"] = weights @ (named[:, None] & ~anywhere) / total
        return cover, seen, weights, here

    def _soft(self, columns: dict[str, Floats]) -> tuple[Floats, NDArray[np.float32], Floats]:
        index = self.index
        found = units(self.claim.text, self.lexed)
        credit = presence(found, index)
        idf = _idf((credit > 0).sum(axis=1), credit.shape[1])
        abroad = idf * np.array(found.foreign)
        native = idf * np.array(
            [
                not ("\u2e80" < term[0] and len(term) > 1 and ways)
                for term, ways in zip(found.terms, found.ways, strict=True)
            ]
        )
        w = index.window_sentences
        seen = np.maximum(np.maximum(credit[:, w[:, 0]], credit[:, w[:, 1]]), credit[:, w[:, 2]])
        both = np.stack((native, abroad))
        totals = np.maximum(both.sum(axis=1), 1e-6)
        cover = (both @ seen) / totals[:, None]
        soft: Floats = np.where(self.foreign[index.window_owner], cover[1], cover[0])
        columns["soft_1"] = self._best(np.where(index.window_sizes == 1, soft, 0.0))
        columns["soft_3"] = self._best(soft)
        everywhere = self._by_evidence(credit, np.maximum)
        share = both @ everywhere / totals[:, None]
        columns["soft_all"] = np.where(self.foreign, share[1], share[0])
        columns["anchors"] = np.where(self.foreign, self._best(abroad @ seen), 0.0)
        columns["soft_margin"] = columns["soft_3"] - _best_other(columns["soft_3"])
        return (
            soft,
            seen,
            np.where(self.foreign, 1.0, 0.0)[None, :] * abroad[:, None]
            + np.where(self.foreign, 0.0, 1.0)[None, :] * native[:, None],
        )

    def _misses(
        self,
        columns: dict[str, Floats],
        seen: Bools,
        weights: Floats,
        here: Bools,
        soft: NDArray[np.float32],
        soft_weights: Floats,
    ) -> None:
        columns["missing"] = (weights[:, None] * ~seen).max(axis=0, initial=0.0)
        columns["missing_soft"] = (soft_weights * (1 - soft)).max(axis=0, initial=0.0)

    def _order(self, columns: dict[str, Floats], best: Ints) -> None:
        """Neighbouring terms that are neighbours there too, and the longest run of terms both share."""
        index, rows = self.index, self.rows
        at = index.sentences_of_pairs(self.lexed.terms)
        lo, hi = index.window_sentences[best, 0], index.window_sentences[best, -1]
        window, everywhere = np.zeros(rows), np.zeros(rows)
        for sentences in at:
            if len(sentences):
                owner = index.sentence_owner[sentences]
                everywhere[np.unique(owner)] += 1
                window[np.unique(owner[(sentences >= lo[owner]) & (sentences <= hi[owner])])] += 1
        columns["pairs"] = window / max(1, len(at))
        columns["pairs_all"] = everywhere / max(1, len(at))
        columns["run"] = self._run()
        size = np.add.reduceat(np.append(index.sentence_terms, 0), np.stack((lo, hi + 1), axis=1).ravel())[::2]
        columns["focus"] = columns["cover_3"] * len(self.lexed.terms) / np.maximum(size, 1)

    def _run(self) -> Floats:
        places = [self.index.positions_of(term) for term in self.lexed.terms]
        at = np.concatenate(places) if places else np.zeros(0, np.int64)
        result = np.zeros(self.rows)
        if not len(at):
            return result
        i = np.repeat(np.arange(len(places)), [len(p) for p in places])
        owner = self.index.sentence_owner[self.index.term_sentences[at]]
        order = np.lexsort((at, at - i))
        at, i, owner = at[order], i[order], owner[order]
        joined = (at[1:] == at[:-1] + 1) & (i[1:] == i[:-1] + 1) & (owner[1:] == owner[:-1])
        starts = np.flatnonzero(np.concatenate(([True], ~joined)))
        lengths = np.diff(np.concatenate((starts, [len(at)])))
        np.maximum.at(result, owner[starts], lengths / len(self.lexed.terms))
        return result

    def _numbers(self, columns: dict[str, Floats], best: Ints) -> None:
        index = self.index
        window, everywhere = np.zeros(self.rows), np.zeros(self.rows)
        lo, hi = index.window_sentences[best, 0], index.window_sentences[best, -1]
        quantities = [q for q in self.lexed.quantities if q.strict and q.values]
        for quantity in quantities:
            at = np.array(
                sorted({s for value in quantity.values for s in index.numbers.get(value, ())}), dtype=np.int64
            )
            owner = index.sentence_owner[at]
            everywhere[np.unique(owner)] += 1
            window[np.unique(owner[(at >= lo[owner]) & (at <= hi[owner])])] += 1
        count = len(quantities)
        columns["numbers"] = self._all(float(count))
        columns["numbers_window"] = window / count if count else self._all(1.0)
        columns["numbers_all"] = everywhere / count if count else self._all(1.0)

    def _polarity(self, columns: dict[str, Floats], best: Ints, blend: Floats) -> None:
        """Opposites and negations between the claim and the sentence of the window that is most like it."""
        index = self.index
        opposed = np.zeros(len(index.sentence_owner))
        mine = {(family, member) for _, family, member in self.lexed.poles}
        for family, member in mine:
            members = index.poles.get(family, {})
            others = [s for other, at in members.items() if other != member and (family, other) not in mine for s in at]
            if others:
                here = np.zeros(len(opposed), dtype=bool)
                here[others] = True
                here[members.get(member, [])] = False
                opposed += here
        sentence = _nearest(best, blend, index)
        columns["opposed"] = opposed[sentence]
        columns["negation"] = np.abs(float(len(self.lexed.negations) > 0) - (index.negations[sentence] > 0))

    def _context(self) -> Floats:
        terms = list(dict.fromkeys(lex(self.claim.context).terms))
        if not terms:
            return self._all(0.0)
        here = np.zeros((len(terms), len(self.index.sentence_owner)), dtype=bool)
        for row, term in enumerate(terms):
            here[row, self.index.sentences_of(term)] = True
        weights = _idf(here.sum(axis=1), here.shape[1])
        covered: Floats = weights @ self._by_evidence(here) / float(weights.sum())
        return covered

    def _best(self, by_window: Floats) -> Floats:
        return np.maximum.reduceat(by_window, self.index.window_starts)

    def _by_evidence(self, by_sentence: NDArray[Any], join: np.ufunc = np.logical_or) -> NDArray[Any]:
        return join.reduceat(by_sentence, self.index.first_sentence[:-1], axis=1)

    def _all(self, value: float) -> Floats:
        return np.full(self.rows, value)


def _idf(found: Ints, sentences: int) -> Floats:
    idf: Floats = np.log(1 + (sentences + _UNSEEN - found + 0.5) / (found + 0.5))
    return idf


def _best_windows(score: Floats, starts: Ints) -> Ints:
    ends = np.append(starts[1:], len(score))
    return np.array([lo + int(np.argmax(score[lo:hi])) for lo, hi in zip(starts, ends, strict=True)], dtype=np.int64)


def _nearest(best: Ints, blend: Floats, index: Index) -> Ints:
    """The sentence of each best window with the highest score of its own."""
    single = np.full(len(index.sentence_owner), -1.0)
    alone = index.window_sizes == 1
    single[index.window_sentences[alone, 0]] = blend[alone]
    three = index.window_sentences[best]
    return np.asarray(three[np.arange(len(three)), np.argmax(single[three], axis=1)])


def _best_other(score: Floats) -> Floats:
    if len(score) < 2:
        return np.zeros_like(score)
    top = np.sort(score)[-2:]
    return np.where(score == top[1], top[0], top[1])
