"""Compute features of a claim and each piece of evidence, which distinguish support from similarity.

Array shapes: K claims, U query terms of all claims, S sentences, N pieces of evidence. A value of the window that
starts at sentence `s` and has `size` sentences is at [size - 1, s] of a (3, S) array, so that windows are slices
without copies.
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ...text import analyze_sentence
from ...text.words.concepts import NO_SYNONYMS
from ...text.words.frequencies import rarity
from ..scores import MAX_BATCH, Claim, Scores
from . import across_excerpts
from .across_excerpts import Contained, compare_excerpts
from .index import WINDOW_SENTENCES, Index
from .query_terms import AnalyzedClaim, QueryTerms, presence
from .rivals import lead, rival_groups
from .term_order import count_ordered_pairs
from .windows import best_sentences, best_windows, by_window, in_windows

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

PAIR_FEATURES = (
    "cover_1",  # share of the claim's weight that the best single sentence contains
    "cover_2",  # the best two neighbouring sentences
    "cover_3",
    "cover_all",  # the whole excerpt and its title
    "cover_titled",  # the best window and the title
    "soft_1",  # the same with synonyms, translations and cognates
    "soft_3",
    "soft_all",
    "rare",  # share of the claim's terms, weighted by rarity, that the best window or the title contains
    "rare_soft",  # the same with synonyms, translations and cognates
    "rare_all",  # the whole excerpt and its title
    "lacking",  # total rarity of the terms that neither the window nor the title contains
    "lacking_words",  # the same without numbers
    "pairs",  # share of the claim's neighbouring terms that are neighbours in the window
    "pairs_all",  # and in the whole excerpt
    "run",  # longest run of terms that both share, relative to the claim's length
    "names",  # share of the claim's weight that is names
    "names_missing",  # share of the claim's weight that is names the excerpt does not contain
    "numbers",  # how many numbers the claim has
    "context",  # share of the previous sentence that the excerpt contains
    "margin",  # lead over the best other evidence
    "soft_margin",
    "best",  # coverage of the best evidence
    "relative",  # share of that
    "terms",  # total rarity of the claim's terms
    "missing",  # weight of the heaviest term that the window lacks
    "missing_soft",
    "title",  # share of the claim's weight that the title contains
    "novel",  # share that no evidence contains
    "focus",  # how much of the window the claim accounts for
    "foreign",  # 1 if the evidence is in another language
    "anchors",  # weight of what evidence in another language shares nevertheless
    "negation",  # 1 if only one side has a negation
)
FEATURES = PAIR_FEATURES + across_excerpts.FEATURES
_SOFT = FEATURES.index("soft_3")
_MARGINS, _LEADING = (
    [FEATURES.index(name) for name in names] for names in (("margin", "soft_margin"), ("cover_2", "soft_3"))
)

# A window wins by its coverage; a longer one must add more than chance does.
_LENGTH_PENALTIES = 0.03 * np.arange(WINDOW_SENTENCES, dtype=np.float32)[:, None]
# Robertson's IDF over the sentences of the request, smoothed as if this many more sentences lacked the term.
_IDF_PRIOR = 10
_INVALID_WINDOW = -1.0
_MIN_WEIGHT = 1e-6  # total weight of a claim whose terms have none, to avoid division by zero
# Sentences times claims that are compared in one batch. Larger batches are slower than single claims, and each claim
# takes 40 MB at 100,000 sentences.
MAX_BATCH_SENTENCES = 8_000
# Query terms times sentences: 40 MB. Of a long claim about very long evidence, only the rarest terms are compared.
MAX_CELLS, MIN_QUERY_TERMS = 10_000_000, 50
# Rows of the weights: exact terms only; all alternatives, in evidence of the claim's language; how rare a term is in
# ordinary text, whatever the evidence; all alternatives, in evidence of another language.
_EXACT, _SAME_LANGUAGE, _RARITY, _OTHER_LANGUAGE = 0, 1, 2, 3


def compute_features(claims: Sequence[Claim], index: Index) -> list[Scores]:
    """Return the features of each claim with the best window of each evidence. Claims do not affect each other."""
    if not index.evidence:
        return [Scores(FEATURES, np.zeros((0, len(FEATURES)), np.float32), np.zeros((0, 2), np.int32)) for _ in claims]
    size = min(MAX_BATCH, max(1, MAX_BATCH_SENTENCES // index.size))
    batches = (claims[first : first + size] for first in range(0, len(claims), size))
    return [scores for batch in batches for scores in FeatureComputation(batch, index).scores()]


class FeatureComputation:
    """Computes the features of one batch of claims, one (K, N) column after the other.

    Evidence is short, so the time goes into the number of array operations, not into their size. Therefore the query
    terms of all claims are the rows of one matrix, claim after claim. A term occurs exactly where its credit is 1.

    The methods set these arrays one after the other: `by_sentence`, (U, S), and `by_evidence`, (U, N), the credit of
    each term; `weights`, (3, U) or (4, U), and `totals`, the sums of these weights per claim, (3, K, 1) or (4, K, 1);
    `in_titles`, (U, N), or None; `shared`, (K, N), 1 where the evidence has any term of the claim.
    """

    def __init__(self, claims: Sequence[Claim], index: Index) -> None:
        """Analyze the claims; `scores` does the rest."""
        self.index = index
        self.given = claims
        most_terms = max(MIN_QUERY_TERMS, MAX_CELLS // max(1, index.size))
        self.claims = [AnalyzedClaim.analyze(claim, index, most_terms) for claim in claims]
        self.shape = (len(claims), len(index.evidence))
        self.query = QueryTerms.concatenate([claim.query for claim in self.claims])
        self.is_term = np.array(self.query.is_term, dtype=np.float32)
        counts = [len(claim.query.terms) for claim in self.claims]
        ends = list(accumulate(counts))
        self.begins = [0, *ends[:-1]]
        self.rows = list(zip(self.begins, ends, strict=True))  # the rows of each claim's terms
        self.owner = np.repeat(np.arange(len(claims)), counts)  # (U,), the claim of each term
        self.foreign = self._foreign()
        self.columns: dict[str, NDArray[np.floating] | NDArray[np.integer] | NDArray[np.bool_] | float] = {}

    def scores(self) -> list[Scores]:
        """Return the features, and the best window of each evidence."""
        index = self.index
        self._compute_weights()
        cover, soft = self._window_coverage()
        self._coverage_columns(cover, soft)
        blend = np.asarray((cover + soft) / 2, dtype=np.float32)
        if self.foreign is not None:
            blend = np.where(self.foreign[:, None, index.sentence_owner], soft, blend)
        blend -= _LENGTH_PENALTIES
        np.copyto(blend, _INVALID_WINDOW, where=index.invalid)
        first, last = best_windows(blend, index)
        self._excerpt_columns()
        self._missing_columns(first, last)
        self._order_columns(first.tolist(), last.tolist(), index.term_ends[last + 1] - index.term_ends[first])
        self._negation_column(best_sentences(blend[:, 0], first, last))
        features = np.empty((len(FEATURES), *self.shape), dtype=np.float32)
        windows = np.empty((*self.shape, 2), dtype=np.int32)
        windows[..., 0], windows[..., 1] = index.starts[first], index.ends[last]
        for column, name in enumerate(PAIR_FEATURES):
            if name in self.columns:
                features[column] = self.columns[name]
        for k in range(self.shape[0]):
            groups = rival_groups(windows[k], features[_SOFT, k], index)
            features[_MARGINS, k] = lead(features[_LEADING, k], groups)
            features[len(PAIR_FEATURES) :, k] = self._across_excerpts(k, groups)
        return [Scores(FEATURES, features[:, k].T, windows[k]) for k in range(self.shape[0])]

    def _foreign(self) -> Bools | None:
        """Return which evidence is in another language than the claim, (K, N), or None if none is."""
        foreign = [claim.foreign for claim in self.claims]
        if all(foreign_rows is None for foreign_rows in foreign):
            return None
        none = np.zeros(self.shape[1], dtype=bool)
        return np.array([none if foreign_rows is None else foreign_rows for foreign_rows in foreign])

    def _compute_weights(self) -> None:
        """Set the credit of terms by sentence and by evidence, (U, S) and (U, N), and the weights of the terms."""
        index, query = self.index, self.query
        self.by_sentence, self.by_evidence = presence(query, index)
        count = len(query.terms)
        exact, any_form = np.floor(self.by_sentence) @ index.ones, np.ceil(self.by_sentence) @ index.ones
        idf = _idf(np.concatenate((exact, any_form)), index.size)
        self.weights = np.empty((3 if self.foreign is None else 4, count), dtype=np.float32)
        self.weights[_EXACT] = idf[:count] * np.array(query.same_language, np.float32)
        self.weights[_SAME_LANGUAGE] = idf[count:] * np.array(query.same_language, np.float32)
        self.weights[_RARITY] = self.is_term * np.array([rarity(term) for term in query.terms], np.float32)
        if self.foreign is not None:
            self.weights[_OTHER_LANGUAGE] = idf[count:] * np.array(query.other_language, np.float32)
        sums = np.add.reduceat(self.weights, self.begins, axis=1)
        self.totals = np.maximum(sums, _MIN_WEIGHT)[..., None]  # (rows, K, 1)
        np.copyto(self.totals[_EXACT], 1.0, where=self.totals[_EXACT] <= _MIN_WEIGHT)

    def _window_coverage(self) -> tuple[Floats, Floats]:
        """Return what each window covers, (K, 3, S): by exact terms, and by all alternatives.

        In evidence of another language, the second counts only what can be recognised there.
        """
        index = self.index
        seen = by_window(self.by_sentence, index)
        cover = self._share(_EXACT, np.floor(seen))
        soft = self._share(_SAME_LANGUAGE, seen)
        if self.foreign is not None:
            owner = np.tile(index.sentence_owner, WINDOW_SENTENCES)
            soft = np.where(self.foreign[:, owner], self._share(_OTHER_LANGUAGE, seen), soft)
        shape = (self.shape[0], WINDOW_SENTENCES, index.size)
        return cover.reshape(shape), soft.reshape(shape)

    def _coverage_columns(self, cover: Floats, soft: Floats) -> None:
        """Set the coverage of the best windows, and their lead over those of other evidence."""
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
        columns["foreign"] = columns["anchors"] = 0.0
        if self.foreign is not None:
            columns["foreign"] = self.foreign
            columns["anchors"] = np.where(self.foreign, softest * self.totals[_OTHER_LANGUAGE], 0.0)

    def _share(self, kind: int, seen: Floats) -> Floats:
        """Turn credits, (U, X), into the share of each claim's weight, (K, X)."""
        shares = self._sums(self.weights[kind], seen)
        shares /= self.totals[kind]
        return shares

    def _sums(self, weights: Floats, seen: Floats) -> Floats:
        """Sum weights, (U,), times credits, (U, X), per claim, (K, X).

        One product per claim: a product over all claims would round differently, depending on the other claims.
        """
        if len(self.rows) == 1:
            return np.asarray(weights @ seen)[None]
        sums = np.empty((self.shape[0], seen.shape[1]), dtype=np.float32)
        for (begin, end), row in zip(self.rows, sums, strict=True):
            np.dot(weights[begin:end], seen[begin:end], out=row)
        return sums

    def _excerpt_columns(self) -> None:
        """Set the coverage by whole excerpts and their titles."""
        columns, exact = self.columns, np.floor(self.by_evidence) * self.is_term[:, None]
        self.shared = np.maximum.reduceat(exact, self.begins, axis=0)
        for claim, coverage in zip(self.claims, self._share(_EXACT, exact), strict=True):
            if claim.terms:
                self.index.remember_coverage(claim.text, coverage)
        columns["context"] = np.array([self._context(claim) for claim in self.claims])  # needs the stored coverage
        columns["title"] = 0.0
        self.in_titles = self._title_presence()
        if self.in_titles is not None:
            columns["title"] = self._share(_EXACT, self.in_titles)
        exact = self._or_in_title(exact)
        columns["cover_all"] = self._share(_EXACT, exact)
        columns["rare_all"] = self._share(_RARITY, exact)
        columns["novel"] = self._share(_EXACT, np.asarray(exact.max(axis=1, keepdims=True) == 0, dtype=np.float32))
        self._name_columns(1 - exact)
        columns["soft_all"] = self._share(_SAME_LANGUAGE, self.by_evidence)
        if self.foreign is not None:
            across_languages = self._share(_OTHER_LANGUAGE, self.by_evidence)
            columns["soft_all"] = np.where(self.foreign, across_languages, columns["soft_all"])
        columns["terms"] = np.add.reduceat(self.weights[_RARITY], self.begins)[:, None]
        columns["numbers"] = np.array([[claim.number_count] for claim in self.claims])

    def _context(self, claim: AnalyzedClaim) -> Floats:
        """Return the share of the previous sentence in each evidence, (N,), stored if it was compared too."""
        if not claim.previous_terms:
            return np.zeros(self.shape[1], dtype=np.float32)
        stored = self.index.coverage.get(claim.previous)
        if stored is not None:
            return stored
        previous = QueryTerms()
        for term in claim.previous_terms:
            previous.add(term, NO_SYNONYMS, 0.0)
        by_sentence, by_evidence = presence(previous, self.index)
        weights = _idf(by_sentence @ self.index.ones, self.index.size)
        return np.asarray(weights @ by_evidence / float(weights.sum()))

    def _across_excerpts(self, k: int, groups: Ints) -> Floats:
        """Return the features of claim `k` that compare the excerpts, (number of features, N)."""
        analyzed, claim, index = self.claims[k], self.given[k], self.index
        begin, end = self.rows[k]
        credit = self.by_evidence[begin:end]
        titled = credit if self.in_titles is None else np.maximum(credit, self.in_titles[begin:end])
        share = self.weights[_SAME_LANGUAGE, begin:end, None] * titled / self.totals[_SAME_LANGUAGE, k]
        if self.foreign is not None and analyzed.foreign is not None:
            foreign = self.weights[_OTHER_LANGUAGE, begin:end, None] * titled / self.totals[_OTHER_LANGUAGE, k]
            share = np.where(analyzed.foreign, foreign, share)
        numbers = [row for row, term in enumerate(analyzed.query.terms) if term[:1] == "#"]
        question, question_title, question_contrast = self._question(claim.question)
        counts = claim.cited_before
        cited_before = {row: counts[item.number] for row, item in enumerate(index.evidence) if item.number in counts}
        contained = Contained(
            share=share,
            rare=np.asarray(self.columns["rare_all"])[k],
            numbers=credit[numbers] > 0,
            question=question,
            question_title=question_title,
            context=np.asarray(self.columns["context"])[k],
            context_title=self._share_in_titles(analyzed.previous_terms),
            question_contrast=question_contrast,
            cited_contrast=index.title_contrast.with_titles(cited_before),
        )
        cited = np.array([item.number in claim.cited for item in index.evidence])
        return compare_excerpts(contained, groups, cited, model_cites=claim.model_cites)

    def _question(self, question: str) -> tuple[Floats, Floats, Floats]:
        """Return the share of the question in each excerpt with its title, and in the title, and its contrast, stored.

        The shape of each is (N,).
        """
        stored = self.index.questions.get(question)
        if stored is None:
            terms = list(dict.fromkeys(analyze_sentence(question, self.index.known_languages).terms))
            contrast = self.index.title_contrast.with_terms(terms)
            stored = self._share_in_excerpts(terms), self._share_in_titles(terms), contrast
            self.index.remember_question(question, stored)
        return stored

    def _share_in_excerpts(self, terms: Sequence[str]) -> Floats:
        """Return the share of these terms, weighted by rarity in the evidence, in each excerpt or its title, (N,)."""
        if not terms:
            return np.zeros(self.shape[1], dtype=np.float32)
        query = QueryTerms()
        for term in terms:
            query.add(term, NO_SYNONYMS, 0.0)
        by_sentence, by_evidence = presence(query, self.index)
        weights = _idf(by_sentence @ self.index.ones, self.index.size)
        for row, term in enumerate(terms):
            by_evidence[row, self.index.titles.get(term, [])] = 1.0
        return np.asarray(weights @ by_evidence / float(weights.sum()))

    def _share_in_titles(self, terms: Sequence[str]) -> Floats:
        """Return the share of these terms, weighted by rarity in ordinary text, in each title, (N,)."""
        shares = np.zeros(self.shape[1], dtype=np.float32)
        total = 0.0
        for term in terms:
            weight = rarity(term)
            total += weight
            if term in self.index.titles:
                shares[self.index.titles[term]] += weight
        return shares / max(total, _MIN_WEIGHT)

    def _title_presence(self) -> Floats | None:
        """Return which titles contain which terms, (U, N), or None if none does."""
        titles = self.index.titles
        matches = [
            (row, titles[term]) for row, term in enumerate(self.query.terms) if term in titles and self.is_term[row]
        ]
        if not matches:
            return None
        in_titles = np.zeros((len(self.is_term), self.shape[1]), dtype=np.float32)
        for row, titled_rows in matches:
            in_titles[row, titled_rows] = 1.0
        return in_titles

    def _or_in_title(self, exact: Floats) -> Floats:
        """Return credits, (U, N), raised to 1 for the terms that the title contains."""
        return exact if self.in_titles is None else np.maximum(exact, self.in_titles)

    def _name_columns(self, missing: Floats) -> None:
        """Set the share of the claims that is names, and names that are `missing`, (U, N)."""
        if not any(claim.analysis.names for claim in self.claims):
            self.columns["names"] = self.columns["names_missing"] = 0.0
            return
        is_name = [term in claim.analysis.names for claim in self.claims for term in claim.query.terms]
        weights = self.weights[_EXACT] * np.array(is_name, dtype=np.float32)
        self.columns["names"] = np.add.reduceat(weights, self.begins)[:, None] / self.totals[_EXACT]
        self.columns["names_missing"] = self._sums(weights, missing) / self.totals[_EXACT]

    def _missing_columns(self, first: Ints, last: Ints) -> None:
        """Set the weights of the heaviest terms that the windows lack, and the shares of terms that they contain."""
        columns = self.columns
        seen = in_windows(self.by_sentence, first[self.owner], last[self.owner])
        exact, lacking = np.floor(seen), 1 - seen
        columns["missing"] = self._heaviest(_EXACT, 1 - exact)
        exact = self._or_in_title(exact)
        columns["cover_titled"] = self._share(_EXACT, exact)
        columns["rare"] = rare = self._share(_RARITY, exact)
        columns["rare_soft"] = self._share(_RARITY, self._or_in_title(seen))
        columns["lacking"] = (1 - rare) * columns["terms"]
        is_number = np.array([term[:1] == "#" for term in self.query.terms], dtype=np.float32)
        lacking_numbers = self._sums(self.weights[_RARITY] * is_number, 1 - exact)
        columns["lacking_words"] = np.maximum(columns["lacking"] - lacking_numbers, 0.0)
        columns["missing_soft"] = self._heaviest(_SAME_LANGUAGE, lacking)
        if self.foreign is not None:
            across_languages = self._heaviest(_OTHER_LANGUAGE, lacking)
            columns["missing_soft"] = np.where(self.foreign, across_languages, columns["missing_soft"])

    def _heaviest(self, kind: int, lacking: Floats) -> Floats:
        """Return the weight, (K, N), of the heaviest term that each claim lacks; `lacking` is (U, N), 0..1."""
        return np.asarray(np.maximum.reduceat(self.weights[kind, :, None] * lacking, self.begins, axis=0))

    def _order_columns(self, first: list[list[int]], last: list[list[int]], window_terms: Ints) -> None:
        """Set shared pairs and runs of terms; `window_terms`, (K, N), is the number of terms in each window."""
        count = np.array([[len(claim.analysis.terms)] for claim in self.claims])
        rows = zip(self.claims, self.shared.tolist(), first, last, strict=True)
        orders = [count_ordered_pairs(claim.analysis.terms, self.index, *windows) for claim, *windows in rows]
        longest, in_window, in_excerpt, pairs = (np.array(column) for column in zip(*orders, strict=True))
        columns, pairs = self.columns, pairs[:, None]
        columns["run"] = longest / np.maximum(1, count)
        columns["pairs"], columns["pairs_all"] = in_window / pairs, in_excerpt / pairs
        columns["focus"] = columns["cover_3"] * (count / np.maximum(window_terms, 1))

    def _negation_column(self, sentence: Ints) -> None:
        """Set whether only one has a negation: the claim, or the most similar sentence of the window, (K, N)."""
        negated = np.array([[bool(claim.analysis.negations)] for claim in self.claims])
        self.columns["negation"] = (self.index.negations[sentence] > 0) != negated


def _idf(frequencies: Floats, sentences: int) -> Floats:
    """Return log(1 + (S + prior - n + 0.5) / (n + 0.5)) for terms that occur in n of S sentences."""
    inner = 1 + (sentences + _IDF_PRIOR - frequencies.astype(np.float64) + 0.5) / (frequencies + 0.5)
    idf: Floats = np.log(inner).astype(np.float32)
    return idf
