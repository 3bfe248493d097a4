"""Ordered pairs of terms, compared with a plain implementation of their definitions."""

from itertools import chain, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.evidence import Evidence
from citestream.citation.support.features import term_order
from citestream.citation.support.features.index import Index
from citestream.citation.support.features.term_order import MAX_REPEATS, count_ordered_pairs
from citestream.citation.text import analyze_text

WORDS = ["harbour", "froze", "winter", "river", "1,500", "Paris", "港口结冰"]
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=6).map(lambda words: f"So {' '.join(words)}. ")
TEXTS = st.lists(SENTENCES, min_size=1, max_size=3).map("".join)


def terms_of(index: Index, row: int) -> list[list[str]]:
    """Return the terms of each sentence, in order."""
    analysis = index.analyses[row]
    spans = index.sentence_spans[index.sentence_owner == row].tolist()
    placed = list(zip(analysis.terms, analysis.starts, strict=True))
    return [[term for term, at in placed if start <= at < end] for start, end in spans]


def longest_run(one: list[str], other: list[str]) -> int:
    every = [one[i:j] for i in range(len(one)) for j in range(i + 1, len(one) + 1)]
    return max((len(run) for run in every if run in [other[k : k + len(run)] for k in range(len(other))]), default=0)


@pytest.mark.parametrize("many", [0, term_order._MANY_POSTINGS], ids=["arrays", "lists"])
@given(texts=st.lists(TEXTS, min_size=1, max_size=3), claim=SENTENCES)
def test_counts_match_their_definitions(many: int, texts: list[str], claim: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_order, "_MANY_POSTINGS", many)
        check_counts(texts, claim)


def check_counts(texts: list[str], claim: str) -> None:
    index = Index([Evidence(n, text, f"e{n}") for n, text in enumerate(texts, 1)])
    terms = analyze_text(claim).terms
    pairs = set(pairwise(terms))
    sentences = [terms_of(index, row) for row in range(len(texts))]
    shared = [float(any(term in sentence for sentence in one for term in terms)) for one in sentences]
    first = index.first_sentence[:-1].tolist()  # the window is the first sentence
    found = count_ordered_pairs(terms, index, shared, first, first)
    assert found.longest == [longest_run(terms, list(chain(*one))) for one in sentences]
    assert found.in_window == [len(pairs & set(pairwise(one[0]))) for one in sentences]
    assert found.in_excerpt == [
        len(pairs & {pair for sentence in one for pair in pairwise(sentence)}) for one in sentences
    ]
    unknown = [pair for pair in pairwise(terms) if not index.vocabulary.keys() >= set(pair)]
    assert found.pairs == max(1, len(pairs - set(unknown)) + len(unknown))


def test_counted_repeats_of_a_pair_are_limited() -> None:
    index = Index([Evidence(1, "bridge " * 20_000, "e1"), Evidence(2, "The bridge is red.", "e2")])
    found = count_ordered_pairs(["bridg"] * 2_000, index, [1.0, 1.0], [0, index.size - 1], [0, index.size - 1])
    assert found.longest == [MAX_REPEATS + 1, 1]
    assert (found.in_excerpt, found.pairs) == ([1, 0], 1)
