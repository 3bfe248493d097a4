"""The cache of analyzed excerpts and their indexes. It does not change results."""

import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from threading import Lock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.evidence import Evidence
from citestream.citation.support.features.excerpts import INDEX_SHARE, ExcerptCache, analyze_excerpt
from citestream.citation.support.features.index import Index
from citestream.citation.support.scorers import Claim
from citestream.citation.support.scorers.lexical import LexicalPrepared

TEXTS = (
    "The bridge was opened in 1932. It did not fall. It carries 8 lanes.",
    "Die Brücke wurde 1932 eröffnet. Sie ist nicht lang.",
    "桥于1932年开通。它有八条车道。",
    "",
    "no end",
)


def evidence(*texts: str) -> list[Evidence]:
    return [Evidence(number, text, f"e{number}", title=f"Title {number % 2}") for number, text in enumerate(texts, 1)]


def test_a_cached_excerpt_is_not_analyzed_again() -> None:
    excerpts = ExcerptCache(1000)
    (one,) = evidence(TEXTS[0])
    assert excerpts.analyze(one) is excerpts.analyze(one)


def test_the_same_text_with_another_title_is_a_different_excerpt() -> None:
    excerpts = ExcerptCache(1000)
    assert excerpts.analyze(Evidence(1, "Text.", "e1", title="Rivers")).title_terms == ["riv"]
    assert excerpts.analyze(Evidence(1, "Text.", "e1", title="Towns")).title_terms == ["town"]


def test_the_least_recently_used_excerpt_is_dropped_first() -> None:
    excerpts = ExcerptCache(40)  # two excerpts, each with ten characters and a title of seven
    first, second, third = evidence("a" * 10, "b" * 10, "c" * 10)
    read = excerpts.analyze(first)
    other = excerpts.analyze(second)
    assert excerpts.analyze(first) is read
    excerpts.analyze(third)
    assert excerpts.analyze(first) is read
    assert excerpts.analyze(second) is not other


def test_the_memory_limit_holds_for_all_scripts() -> None:
    rng = Random(7)
    signs = [chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(400)]
    texts: dict[str, Callable[[], str]] = {
        "English": lambda: " ".join(rng.choice(TEXTS[0].split()) for _ in range(60)),
        "Chinese": lambda: "".join(rng.choices(signs, k=300)),
        "numbers": lambda: " ".join(str(rng.randrange(100)) for _ in range(100)),
    }
    for name, text in texts.items():
        excerpts, some = ExcerptCache(100_000), evidence(*(text() for _ in range(400)))
        excerpts.analyze(some[0])  # fills the caches of words
        tracemalloc.start()
        for one in some:
            excerpts.analyze(one)
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert size < 2_000_000, name  # a character of Chinese took as much as ten of English


def test_a_cache_of_size_zero_is_empty() -> None:
    excerpts = ExcerptCache(0)
    (one,) = evidence(TEXTS[0])
    assert excerpts.analyze(one) is not excerpts.analyze(one)


@given(st.lists(st.sampled_from(TEXTS)), st.integers(0, 200))
def test_an_index_from_cached_excerpts_is_the_same(texts: list[str], characters: int) -> None:
    excerpts = ExcerptCache(characters)
    given_evidence = evidence(*texts)
    for one in reversed(given_evidence):
        excerpts.analyze(one)
    kept, fresh = vars(Index(given_evidence, excerpts)), vars(Index(given_evidence))
    assert kept.keys() == fresh.keys()
    kept, fresh = ({**vars(index.pop("title_contrast")), **index} for index in (dict(kept), dict(fresh)))
    for name, value in fresh.items():
        assert np.array_equal(kept[name], value) if isinstance(value, np.ndarray) else kept[name] == value, name


def test_the_index_of_the_same_excerpts_is_cached() -> None:
    excerpts = ExcerptCache(INDEX_SHARE * 1000)
    first = Index(evidence(*TEXTS), excerpts)
    again = Index([replace(one, number=one.number + 7, id="other") for one in evidence(*TEXTS)], excerpts)
    assert again.vocabulary is first.vocabulary
    assert [one.number for one in again.evidence] == [8, 9, 10, 11, 12]
    assert [one.number for one in first.evidence] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("texts", [TEXTS[::-1], TEXTS[:2], (*TEXTS, TEXTS[0])])
def test_another_order_or_number_of_excerpts_is_another_index(texts: tuple[str, ...]) -> None:
    excerpts = ExcerptCache(INDEX_SHARE * 1000)
    first = Index(evidence(*TEXTS), excerpts)
    other = Index(evidence(*texts), excerpts)
    assert other.vocabulary is not first.vocabulary
    assert other.languages == Index(evidence(*texts)).languages


def test_requests_with_the_same_index_do_not_share_coverage() -> None:
    excerpts = ExcerptCache(INDEX_SHARE * 1000)
    first, second = Index(evidence(*TEXTS), excerpts), Index(evidence(*TEXTS), excerpts)
    LexicalPrepared(first).score(Claim("The bridge was opened."))
    assert first.coverage
    assert not second.coverage


def test_shared_arrays_are_read_only() -> None:
    index = Index(evidence(*TEXTS))
    arrays = [value for value in vars(index).values() if isinstance(value, np.ndarray)]
    assert arrays
    assert not any(array.flags.writeable for array in arrays)


def test_the_cache_of_indexes_is_limited() -> None:
    excerpts = ExcerptCache(INDEX_SHARE * 150)
    for one in (*TEXTS, *TEXTS):
        Index(evidence(one, one), excerpts)
    kept = excerpts._indexes._entries
    assert kept
    assert sum(size for _, size in kept.values()) == excerpts._indexes._size <= 150


def test_threads_that_share_a_cache_get_the_same_results() -> None:
    excerpts = ExcerptCache(300, Lock())
    with ThreadPoolExecutor(4) as threads:
        for index in threads.map(lambda n: Index(evidence(*TEXTS[n % 3 :]), excerpts), range(200)):
            assert index.languages == [analyze_excerpt(one.text).language for one in index.evidence]


def test_the_index_finds_the_terms_of_each_sentence() -> None:
    index = Index(evidence(*TEXTS))
    assert index.first_sentence.tolist() == [0, 3, 5, 7, 8, 9]
    assert index.negations.tolist() == [0, 1, 0, 0, 1, 0, 0, 0, 1]
    assert index.sentences_of("#1932").tolist() == [0, 3, 5]
    assert index.sentences_of("#8").tolist() == [2, 6]
    for row, analysis in enumerate(index.analyses):
        for term, start in zip(analysis.terms, analysis.starts, strict=True):
            at = index.first_sentence[row : row + 2].tolist()
            holding = [s for s in range(*at) if index.starts[s] <= start < index.ends[s]]
            assert set(holding) <= set(index.sentences_of(term).tolist())
            assert len(holding) == 1
