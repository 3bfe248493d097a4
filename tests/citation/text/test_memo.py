"""The caches of words are bounded for all texts that clients send."""

import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import scorer
from citestream.citation.text.memo import MAX_LENGTH, MemoTable, memoize

WORDS = 100
LONG = 10_000  # letters of one


def test_a_short_text_is_worked_out_once_a_long_one_each_time() -> None:
    asked: list[str] = []

    @memoize()
    def length(text: str) -> int:
        """Of a text."""
        asked.append(text)
        return len(text)

    for _ in range(2):
        assert length("word") == 4
        assert length("w" * (MAX_LENGTH + 1)) == MAX_LENGTH + 1
    assert asked == ["word", *["w" * (MAX_LENGTH + 1)] * 2]
    assert length.__doc__ == "Of a text."


def test_more_than_may_be_kept_is_forgotten_what_is_asked_for_stays() -> None:
    asked: list[str] = []

    @memoize(max_entries=8)
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    for n in range(100):
        assert length(f"word {n}") == length("word") + len(f" {n}")
        assert len(length) + len(length._older) <= 8
    assert asked.count("word") == 1


def test_threads_may_ask_at_once() -> None:
    length: MemoTable[int] = memoize(max_entries=8)(len)
    texts = [f"{n:0{n % 13}d}" for n in range(3000)]
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: [length(text) for text in texts], range(8)):
            assert found == list(map(len, texts))
    assert len(length) + len(length._older) <= 2 * 8  # each thread may be about to keep one more


@pytest.mark.parametrize("name", ["lexical", "ragflow"])
def test_words_of_ten_thousand_letters_are_not_kept(name: str) -> None:
    rng = Random(3)
    texts = [" ".join("".join(rng.choices("aeiounrst", k=LONG)) for _ in range(WORDS)) for _ in range(2)]
    made = scorer(name)
    made.prepare((Evidence(1, texts[0], "e", title=texts[0]),))  # whatever is loaded at the first use
    gc.collect()
    tracemalloc.start()
    try:
        made.prepare((Evidence(1, texts[1], "e", title=texts[1]),))
        gc.collect()
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < WORDS * LONG / 2  # both texts once; with cached words it was more than three times as much
