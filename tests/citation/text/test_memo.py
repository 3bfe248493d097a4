"""Memoization of functions of words, with bounded memory for any text."""

import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import scorer
from citestream.citation.text.memo import MAX_LENGTH, MemoTable, memoize

WORDS = 100
LONG = 10_000  # letters of one word


def test_only_results_for_short_texts_are_cached() -> None:
    computed: list[str] = []

    @memoize()
    def length(text: str) -> int:
        """Return the length."""
        computed.append(text)
        return len(text)

    for _ in range(2):
        assert length("word") == 4
        assert length("w" * (MAX_LENGTH + 1)) == MAX_LENGTH + 1
    assert computed == ["word", *["w" * (MAX_LENGTH + 1)] * 2]
    assert length.__doc__ == "Return the length."


def test_least_recently_used_results_are_evicted() -> None:
    computed: list[str] = []

    @memoize(max_entries=8)
    def length(text: str) -> int:
        computed.append(text)
        return len(text)

    for n in range(100):
        assert length(f"word {n}") == length("word") + len(f" {n}")
        assert len(length) + len(length._older) <= 8
    assert computed.count("word") == 1


def test_threads_can_share_a_table() -> None:
    length: MemoTable[int] = memoize(max_entries=8)(len)
    texts = [f"{n:0{n % 13}d}" for n in range(3000)]
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: [length(text) for text in texts], range(8)):
            assert found == list(map(len, texts))
    assert len(length) + len(length._older) <= 2 * 8  # each thread may add one more at the same time


@pytest.mark.parametrize("name", ["lexical", "ragflow"])
def test_words_of_ten_thousand_letters_are_not_cached(name: str) -> None:
    rng = Random(3)
    texts = [" ".join("".join(rng.choices("aeiounrst", k=LONG)) for _ in range(WORDS)) for _ in range(2)]
    built = scorer(name)
    built.prepare((Evidence(1, texts[0], "e", title=texts[0]),))  # loads word lists
    gc.collect()
    tracemalloc.start()
    try:
        built.prepare((Evidence(1, texts[1], "e", title=texts[1]),))
        gc.collect()
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < WORDS * LONG / 2  # with cached words, memory grew by more than three times as much
