"""The terms of a question that are searched for: rare terms alone, common terms in combination."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.providers.retrieval import term_selection
from citestream.providers.retrieval.folder.store import Store
from citestream.providers.retrieval.term_selection import MAX_ROWS, TermSelection, select_terms

ROWS = 1000 * MAX_ROWS
SELECTIONS: dict[str, tuple[Mapping[str, float], TermSelection]] = {
    "rare terms are all searched for": ({"b": 5, "a": 3}, TermSelection(("a", "b"))),
    "a question without terms": ({}, TermSelection(())),
    "a term that no row contains": ({"a": 0, "b": MAX_ROWS}, TermSelection(("a", "b"))),
    "a common term does not displace a rare one": (
        {"of": ROWS / 2, "harlan": 3},
        TermSelection(("harlan",), (), is_complete=False),
    ),
    "a single common term is searched for": ({"of": ROWS / 2}, TermSelection((), ("of",), is_complete=False)),
    "two common terms are enough to match few rows": (
        {"a": ROWS / 100, "b": ROWS / 50, "c": ROWS / 2},
        TermSelection((), ("a", "b"), is_complete=False),
    ),
    "all common terms are necessary": (
        {"a": ROWS / 4, "b": ROWS / 3, "c": ROWS / 2},
        TermSelection((), ("a", "b", "c"), is_complete=False),
    ),
    "rare terms that match too many rows in sum": (
        {"b": MAX_ROWS / 2, "a": MAX_ROWS / 4, "c": MAX_ROWS, "d": MAX_ROWS},
        TermSelection(("a", "b"), ("c", "d"), is_complete=False),
    ),
}


@pytest.mark.parametrize("case", SELECTIONS)
def test_rare_terms_are_searched_alone_and_common_ones_together(case: str) -> None:
    counts, expected = SELECTIONS[case]
    assert select_terms(counts, ROWS) == expected


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 10 * MAX_ROWS)), st.integers(0, 10 * MAX_ROWS))
def test_the_rarest_terms_are_selected_within_the_limit(counts: dict[str, int], rows: int) -> None:
    selection = select_terms(counts, rows)
    selected = [*selection.rare, *selection.together]
    assert selected == sorted(counts, key=lambda term: (counts[term], term))[: len(selected)]
    assert sum(counts[term] for term in selection.rare) <= MAX_ROWS
    assert selection.is_complete == (list(selection.rare) == selected and len(selected) == len(counts))
    assert selected or not counts
    assert not (selection.is_complete and selection.together)


TEXTS = {
    "the rare term": "station zebra",
    "both common terms": "station ticket north south",
    **{f"one common term, {number}": f"station north {number}" for number in range(30)},
    **{f"the other common term, {number}": f"ticket south {number}" for number in range(30)},
}
SEARCHES = {
    "a rare term among common ones": ("zebra station ticket", "the rare term"),
    "a combination of common terms": ("station ticket", "both common terms"),
    "single common terms, if there are few results": ("north ticket", "both common terms"),
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "evidence.db", create=True)
    with store.transaction():
        folder = store.folder(tmp_path).number
        for name, text in TEXTS.items():
            store.add_excerpt(store.add_file(folder, name, b""), 0, "", {"id": name, "text": text})
    return store


@pytest.mark.parametrize("case", SEARCHES)
def test_the_store_finds_the_same_excerpt_with_and_without_the_limit(
    case: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    question, expected = SEARCHES[case]
    for limit in (10, MAX_ROWS):
        monkeypatch.setattr(term_selection, "MAX_ROWS", limit)
        hits = store.words.search(store.words.counts(question), 100)
        excerpts = store.excerpts(hit.excerpt for hit in hits)
        assert excerpts[hits[0].excerpt].entry["id"] == expected
        assert len(hits) == len({hit.excerpt for hit in hits}) >= 10
    store.close()


def test_common_terms_are_left_out_in_a_large_store(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term_selection, "MAX_ROWS", 20)
    monkeypatch.setattr("citestream.providers.retrieval.folder.word_index.MIN_FOUND", 1)
    hits = store.words.search(store.words.counts("zebra north south"), 100)
    assert {store.excerpts([hit.excerpt])[hit.excerpt].entry["id"] for hit in hits} == {
        "the rare term",
        "both common terms",
    }
    store.close()
