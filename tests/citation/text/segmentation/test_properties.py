"""Properties of every text and every way of splitting it into deltas."""

import itertools
from collections.abc import Sequence

from hypothesis import example, given, settings
from hypothesis import strategies as st

from citestream.citation.markers import marker_end
from citestream.citation.text.segmentation import Kind, Segmenter, SegmentLimits, Sentence

PIECES = [
    "The bridge opened in 1932.", " It is red!", " Really?",
    " npm is free.", " sure! ok", " e.g. this", " Dr. Smith", " v1.2.3", " 3.5 %",
    " a.m. He",
    " [1]", "[2].", " [1][2]", "【1】", "【1†source】", " [ID:1]", " (ID: 2)", "##1$$", " [^1]", "[Source 1]", " [1",
    "[", "]",
    "\n", "\n\n", "\n- item", "\n1. one", "\n2) two", "\n> quote", "\n# Head", "\n    code", "\n\t- nested",
    "\n***\n", "\n===",
    "```", "\n```py\n", "\n```\n", "\n~~~\n", "\n````\n", "`a. B`", "`", "``", "$x. y$", "\n$$\nx\n$$\n", "\\[ x \\]",
    "$5",
    "\n| a | b. |", "\n|---|---|\n", "[text](http://x.y/z. )", "![i](u)", "[1]: http://x", "<b>x</b>", "<div>\n",
    "<br>", "</li><li>", "<p>",
    "**Bold.**",
    "收入增长了。", "真的吗？", "他说：“好。”", "」", "です。", "Привет. ", "Как дела?", "مرحبا؟ ", "नमस्ते। ",
    "สวัสดีครับ ", "ያ። ", "Բարև։ ",
    "…", " . . .", "!!", "?!", " ", "  ", "\t", "\r\n", "\u00a0", "😀", "🇩🇪", "a\u0301", "\u200b", "U.S.", " J. R. R.",
    "No. 5", "z. B.",
    "1.", "2.)", " b) ", "• 9. ", "(in brackets. yes)", "«Oui.»", "„Ja.“", "x != y", "https://a.b/c.d", "file.pdf",
    "- - -", "_a._",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=25).map("".join)
LIMIT = 100


def segmented(parts: Sequence[str], limits: SegmentLimits | None = None) -> list[Sentence]:
    segmenter = Segmenter(limits, marker_end())
    return [sentence for part in parts for sentence in segmenter.feed(part)] + segmenter.flush()


def cut(text: str, places: Sequence[int]) -> list[str]:
    """Split the text at these positions, modulo its length."""
    edges = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    return [text[a:b] for a, b in itertools.pairwise(edges)]


@given(texts, st.lists(st.integers(0, 1000), max_size=30))
@example("\n\r\t\rb-.\t |a>\n", list(range(12)))  # a bare carriage return does not end a line
@settings(max_examples=300)
def test_sentences_cover_the_text_and_do_not_depend_on_deltas(text: str, places: list[int]) -> None:
    whole = segmented([text])
    assert "".join(sentence.text for sentence in whole) == text
    assert all(sentence.text for sentence in whole)
    offset = 0
    for sentence in whole:
        assert sentence.start == offset
        offset += len(sentence.text)
    assert segmented(cut(text, places)) == whole
    assert segmented(list(text)) == whole


@given(texts, st.lists(st.integers(0, 1000), max_size=20))
@settings(max_examples=150)
def test_buffered_text_is_bounded(text: str, places: list[int]) -> None:
    segmenter = Segmenter(SegmentLimits(characters=LIMIT), marker_end())
    shown = 0
    for part in cut(text * 5, places):
        shown += sum(len(sentence.text) for sentence in segmenter.feed(part))
        held = segmenter.open_sentence
        assert held.start == shown
        assert len(held.text) <= LIMIT


@given(texts)
@example("1. First 2. Second 3. Third")
@example("a) this • b) that 12) other")
@settings(max_examples=150)
def test_releasable_text_does_not_change(text: str) -> None:
    """The releasable part of the open sentence is the beginning of the sentence that is returned."""
    segmenter = Segmenter(marker_end=marker_end())
    releasable: dict[int, tuple[str, Kind]] = {}
    found: list[Sentence] = []
    for character in text:
        found += segmenter.feed(character)
        held = segmenter.open_sentence
        if held.releasable_length:
            releasable[held.start] = held.text[: held.releasable_length], held.kind
    found += segmenter.flush()
    by_start = {sentence.start: sentence for sentence in found}
    for start, (beginning, kind) in releasable.items():
        assert by_start[start].text.startswith(beginning)
        assert by_start[start].kind is kind


@given(texts, st.integers(0, 200))
@settings(max_examples=100)
def test_a_release_keeps_all_text(text: str, place: int) -> None:
    segmenter = Segmenter(marker_end=marker_end())
    place %= len(text) + 1
    pieces = segmenter.feed(text[:place]) + segmenter.release()
    assert not segmenter.has_open_sentence
    pieces += segmenter.feed(text[place:]) + segmenter.flush()
    assert "".join(sentence.text for sentence in pieces) == text
