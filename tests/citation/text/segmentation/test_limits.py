"""Limits of the segmenter: buffered characters, cost, and early releases."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.citation.text.segmentation import Kind, Segmenter, SegmentLimits, Sentence
from tests.citation.text.segmentation.test_properties import cut, segmented, texts
from tests.growth.linear import is_linear

LIMITS = SegmentLimits(characters=100)
LONG = 100_000
UNITS = (
    "word ", "a", "字", "[", "[1", "(", "(ID: ", "`", "` ``", "$", "$a", "<", "<a ", "《", "\\[", "*", "_", "【", "#",
    ".", ". ", " . ", "! ", "。", "?!", "A. ", "1. ", "e.g. ", '"a. ', "(a. B", "U.S. ",
    "\n", "x\n", "```\n", "> ", "- ",
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_a_long_sentence_takes_linear_time(unit: str) -> None:
    """Ten times as much text takes at most twenty times as long."""
    tenth, whole = ((unit * size)[:size] for size in (LONG // 10, LONG))
    assert "".join(sentence.text for sentence in segmented([whole])) == whole
    assert is_linear(lambda text: segmented([text]), tenth, whole, factor=20, negligible=0.2)


def test_sixty_digits_are_not_a_marker() -> None:
    text = "It rose. [" + "1" * 60 + "] and fell."
    assert segmented(list(text)) == segmented([text])


@given(texts, st.lists(st.integers(0, 1000), max_size=20))
@settings(max_examples=200)
def test_splitting_at_the_limit_does_not_depend_on_deltas(text: str, places: list[int]) -> None:
    text *= 3
    whole = segmented([text], LIMITS)
    assert segmented(cut(text, places), LIMITS) == whole
    assert segmented(list(text), LIMITS) == whole
    assert all(len(sentence.text) <= LIMITS.characters for sentence in whole)


@given(texts)
@settings(max_examples=100)
def test_releasable_text_does_not_change_at_the_limit(text: str) -> None:
    segmenter = Segmenter(LIMITS)
    releasable: dict[int, str] = {}
    found: list[Sentence] = []
    for character in text * 3:
        found += segmenter.feed(character)
        held = segmenter.open_sentence
        releasable[held.start] = held.text[: held.releasable_length]
    found += segmenter.flush()
    beginnings = {sentence.start: sentence.text for sentence in found}
    assert all(beginnings.get(start, "").startswith(shown) for start, shown in releasable.items())


def test_words_stay_whole_at_the_limit() -> None:
    pieces = segmented(["tide " * 100], LIMITS)
    assert all(piece.text.endswith("tide ") for piece in pieces)


@pytest.mark.parametrize("place", range(1, 12))
def test_text_after_a_release_inside_a_fence_is_code(place: int) -> None:
    text = "```python\nx = a[1]. B\n```\nSo it is."
    segmenter = Segmenter()
    pieces = segmenter.feed(text[:place]) + segmenter.release() + segmenter.feed(text[place:]) + segmenter.flush()
    code = [piece for piece in pieces if "[1]" in piece.text]
    assert [piece.kind for piece in code] == [Kind.CODE]
    assert pieces[-1].kind is Kind.PROSE


@pytest.mark.parametrize("place", range(1, 4))
def test_a_release_inside_a_closing_fence_closes_it(place: int) -> None:
    segmenter = Segmenter()
    pieces = segmenter.feed("```\nx\n" + "```"[:place]) + segmenter.release()
    pieces += segmenter.feed("```"[place:] + "\nSo it is.") + segmenter.flush()
    assert pieces[-1] == Sentence(10, "So it is.", Kind.PROSE)


def test_text_after_a_release_inside_a_list_number_is_a_list_item() -> None:
    segmenter = Segmenter()
    pieces = segmenter.feed("So:\n1") + segmenter.release() + segmenter.feed(". Ebb. Flow.") + segmenter.flush()
    assert [(piece.text, piece.kind) for piece in pieces[2:]] == [
        (". Ebb. ", Kind.LIST_ITEM),
        ("Flow.", Kind.LIST_ITEM),
    ]


@pytest.mark.parametrize("opening", ["`", "``", "$", "$$", "[", "<a", "\\(", "《", "(", "“"])
def test_an_unclosed_mark_does_not_hold_sentences(opening: str) -> None:
    segmenter = Segmenter()
    assert segmenter.feed(f"It {opening}rose. {'The tide turns. ' * 60}")


def test_a_limit_below_the_minimum_is_refused() -> None:
    with pytest.raises(ValueError, match="100 or more"):
        SegmentLimits(characters=10)
