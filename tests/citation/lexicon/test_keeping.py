"""What is kept of words stays bounded, whatever clients send."""

import gc
import tracemalloc
from random import Random

import pytest

from citation.evidence import Evidence
from citation.lexicon.keeping import LONGEST, kept
from citation.scoring import scorer

WORDS = 100
LONG = 10_000  # letters of one


def test_a_short_text_is_worked_out_once_a_long_one_each_time() -> None:
    asked: list[str] = []

    @kept()
    def length(text: str) -> int:
        """Of a text."""
        asked.append(text)
        return len(text)

    for _ in range(2):
        assert length("word") == 4
        assert length("w" * (LONGEST + 1)) == LONGEST + 1
    assert asked == ["word", *["w" * (LONGEST + 1)] * 2]
    assert length.__doc__ == "Of a text."


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
    assert grown < WORDS * LONG / 2  # of both texts once; where words were kept it was three times as much and more
