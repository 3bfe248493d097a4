"""The features, compared with a plain implementation of their definitions."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.citation.evidence import Evidence
from citestream.citation.support.features.excerpts import language_of
from citestream.citation.support.features.features import (
    FEATURES,
    MAX_BATCH_SENTENCES,
    FeatureComputation,
    compute_features,
)
from citestream.citation.support.features.index import Index
from citestream.citation.support.features.query_terms import COGNATE, SYNONYM, query_terms
from citestream.citation.support.scorers import MAX_BATCH, Claim
from citestream.citation.text import analyze_sentence
from citestream.citation.text.words.concepts import consonant_skeleton

# Words with synonyms, cognates, translations and opposites among them, and numbers.
WORDS = "harbour froze winter rivers war Krieg evolution evolución government 1,500 three percent Paris increased fell"
SENTENCES = st.lists(st.sampled_from([*WORDS.split(), "港口", "结冰", "战争。"]), min_size=1, max_size=6).map(
    lambda words: " ".join(words) + ". "
)
TEXTS = st.lists(SENTENCES, min_size=1, max_size=5).map("".join)


class Plain:
    """A plain implementation: presence and coverage of one term in one sentence at a time."""

    def __init__(self, claim: str, index: Index) -> None:
        self.index = index
        self.analysis = analyze_sentence(claim, index.known_languages)
        self.terms = list(dict.fromkeys(self.analysis.terms))
        self.query = query_terms(claim, self.analysis, language_of(self.analysis) or index.language, index)
        self.sentences = [self._terms_of(s) for s in range(index.size)]

    def _terms_of(self, sentence: int) -> set[str]:
        analysis = self.index.analyses[self.index.sentence_owner[sentence]]
        start, end = self.index.sentence_spans[sentence]
        return {term for term, at in zip(analysis.terms, analysis.starts, strict=True) if start <= at < end}

    def exact(self, term: str, sentence: int) -> float:
        return float(term in self.sentences[sentence])

    def soft(self, unit: int, sentence: int) -> float:
        terms = self.sentences[sentence]
        term, (single, multiple) = self.query.terms[unit], self.query.alternatives[unit]
        if term in terms:
            return 1.0
        if single & terms or any(set(way) <= terms for way in multiple):
            return SYNONYM
        return (
            COGNATE
            if consonant_skeleton(term)
            and any(consonant_skeleton(other) == consonant_skeleton(term) for other in terms)
            else 0.0
        )

    def idf(self, presence: Callable[[int], float]) -> float:
        found = sum(presence(sentence) > 0 for sentence in range(self.index.size))
        return float(np.log(1 + (self.index.size + 10 - found + 0.5) / (found + 0.5)))

    def cover(self, row: int, size: int) -> float:
        """Return the coverage of the best window of at most `size` sentences."""
        weight = {term: self.idf(partial(self.exact, term)) for term in self.terms}
        return max(
            sum(weight[term] * max(self.exact(term, s) for s in window) for term in self.terms)
            / (sum(weight.values()) or 1)
            for window in self.windows(row, size)
        )

    def soft_cover(self, row: int, size: int) -> float:
        """Return the coverage of the best window, with credit for synonyms and cognates."""
        every = range(len(self.query.terms))
        weight = [self.idf(partial(self.soft, u)) * self.query.same_language[u] for u in every]
        return max(
            sum(weight[u] * max(self.soft(u, s) for s in window) for u in every) / (sum(weight) or 1)
            for window in self.windows(row, size)
        )

    def windows(self, row: int, size: int) -> list[range]:
        first, last = self.index.first_sentence[row], self.index.first_sentence[row + 1]
        return [range(s, s + n) for n in range(1, size + 1) for s in range(first, last - n + 1)]


@settings(max_examples=40)
@given(st.lists(TEXTS, min_size=1, max_size=4), SENTENCES, SENTENCES)
def test_features_match_their_definitions(texts: list[str], text: str, before: str) -> None:
    index = Index([Evidence(n, text, f"e{n}") for n, text in enumerate(texts, 1)])
    compared = FeatureComputation([Claim(text, before)], index)
    (scores,) = compared.scores()
    column = dict(zip(FEATURES, scores.features.T.tolist(), strict=True))
    plain, context = Plain(text, index), Plain(before, index)
    for row in range(len(texts)):
        every = len(plain.windows(row, 1))
        for size in (1, 2, 3):
            assert column[f"cover_{size}"][row] == pytest.approx(plain.cover(row, size), rel=1e-4)
        assert column["cover_all"][row] == pytest.approx(plain.cover(row, every), rel=1e-4)
        assert column["context"][row] == pytest.approx(context.cover(row, every), rel=1e-4)
        if compared.foreign is None:
            assert column["soft_1"][row] == pytest.approx(plain.soft_cover(row, 1), rel=1e-4)
            assert column["soft_3"][row] == pytest.approx(plain.soft_cover(row, 3), rel=1e-4)
            assert column["soft_all"][row] == pytest.approx(plain.soft_cover(row, every), rel=1e-4)


@settings(max_examples=40)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(SENTENCES, min_size=2, max_size=4))
def test_features_do_not_depend_on_earlier_claims(texts: list[str], answer: list[str]) -> None:
    evidence = [Evidence(n, text, f"e{n}", title=text[:9]) for n, text in enumerate(texts, 1)]
    one = Index(evidence)
    for before, text in zip(["", *answer], answer, strict=False):
        claim = Claim(text, before)
        (reused,), (fresh,) = compute_features([claim], one), compute_features([claim], Index(evidence))
        np.testing.assert_allclose(reused.features, fresh.features, rtol=1e-5)
        assert reused.windows.tolist() == fresh.windows.tolist()


@settings(max_examples=40)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(SENTENCES, min_size=2, max_size=MAX_BATCH + 2))
def test_features_do_not_depend_on_the_batch(texts: list[str], answer: list[str]) -> None:
    evidence = [Evidence(n, text, f"e{n}", title=text[:9]) for n, text in enumerate(texts, 1)]
    claims = [Claim(text, before) for before, text in zip(["", *answer], answer, strict=False)]
    batch = compute_features(claims, Index(evidence))
    single = [compute_features([claim], one) for one in [Index(evidence)] for claim in claims]
    for one, (other,) in zip(batch, single, strict=True):
        assert one.features.tolist() == other.features.tolist()
        assert one.windows.tolist() == other.windows.tolist()


def test_batches_of_claims_have_the_same_context_as_single_claims() -> None:
    texts = "The organisation knows the theatre of the nation. ", "La organización y la nación modernas."
    evidence = [Evidence(number, text, f"e{number}") for number, text in enumerate(texts, 1)]
    words = ("nation", "culture", "organization")
    sentences = ["", *(f"The {words[at % 3]} {words[at % 2]} number {at} is good." for at in range(150))]
    claims = [Claim(text, before) for before, text in pairwise(sentences)]
    one_by_one, in_tens = Index(evidence), Index(evidence)
    single = [scores for claim in claims for scores in compute_features([claim], one_by_one)]
    batches = [scores for at in range(0, len(claims), 10) for scores in compute_features(claims[at : at + 10], in_tens)]
    for one, other in zip(single, batches, strict=True):
        np.testing.assert_array_equal(one.features, other.features)


def test_batches_with_long_evidence_do_not_need_more_memory() -> None:
    index = Index([Evidence(1, "The river froze. " * MAX_BATCH_SENTENCES, "e1")])
    claims = [Claim(f"The harbour and river {number} froze in winter.") for number in range(MAX_BATCH)]
    peaks = []
    for some in (claims[:1], claims):
        tracemalloc.start()
        compute_features(some, index)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]
