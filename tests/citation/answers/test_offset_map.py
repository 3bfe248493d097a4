"""Offsets of the provider's text are mapped to the same words of the shown text."""

import re
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.offset_map import OffsetMap
from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options, Placement, Release
from citestream.citation.support.decision import Decision, Status, Support
from tests.citation.text.segmentation.test_properties import cut, texts
from tests.conftest import Chunkings

EVIDENCE = tuple(Evidence(number, f"Passage {number}.", f"e{number}") for number in (1, 2))
SUPPORTED = Decision((Support(1, 0.9, Status.ADDED, 0, 9),))


def mapped(parts: list[str], options: Options, decision: Decision = SUPPORTED) -> tuple[str, OffsetMap]:
    """Return the shown text and its map, if every claim gets the same decision."""
    answer = Response(EVIDENCE, options).answer(0)
    assert isinstance(answer, Answer)
    drafts = [draft for part in parts for draft in answer.feed(part)] + answer.flush()
    return "".join(answer.cite(draft, decision) for draft in drafts), answer.offsets


# A text, with the words that are looked up
TEXTS: dict[str, tuple[str, list[str]]] = {
    "one sentence": ("Sales rose.", ["Sales", "rose.", "Sales rose."]),
    "two sentences": ("Sales rose. Costs fell.", ["Costs", "fell.", "Sales rose. Costs fell."]),
    "a marker of the model": ("Sales rose [1]. Costs fell [2].", ["Sales rose", "Costs", "fell"]),
    "markers in the middle": ("Both sales [1] and costs [2][1] rose 1 time.", ["sales", "costs", "1 time"]),
    "a number like the marker": ("In 1 [1] of 1 cases.", ["In 1", "of 1", "cases"]),
    "a marker that is a word": ("According to [1], sales rose. Costs fell.", ["According to", "sales", "Costs fell."]),
    "a link": ("It rose ([news](https://ex.org/a?b=1)). So.", ["([news](https://ex.org/a?b=1))", "So."]),
    "a heading and a list": ("# Sales\n\n- One [1]\n- Two [2]\n", ["Sales", "One", "Two"]),
    "a table": ("| a | b |\n|---|---|\n| Sales | rose [1] |\n| Costs | fell |\n", ["Sales", "rose", "Costs", "fell"]),
    "code": ("Use it:\n\n```py\nx = [1]\n```\n\nThen [1] stop.", ["x = [1]", "stop"]),
    "other scripts": ("收入增长[1]。成本下降。🚀 rose [2]. Übel.", ["收入增长", "成本下降。", "🚀 rose", "Übel."]),
    "a list of sources at the end": (
        "Sales rose [1]. Costs fell.\n\nSources:\n[1]: https://ex.org\n[2]: https://ex.com\n",
        ["Sales rose", "Costs fell."],
    ),
    "a label of a marker": ("Sales rose.\nSource: [1]\n\nCosts fell.", ["Sales rose.", "Costs fell."]),
}
OPTIONS: dict[str, Options] = {
    "markers after": Options(),
    "markers before": Options(placement="before"),
    "links": Options(marker="link"),
    "no markers": Options(marker="none"),
    "numbers of the evidence": Options(numbering="evidence"),
    "notes": Options(unsupported="flag"),
}


@pytest.mark.parametrize("style", OPTIONS)
@pytest.mark.parametrize("case", TEXTS)
@pytest.mark.parametrize("release", ["sentence", "live"])
def test_words_are_found_in_the_shown_text(case: str, style: str, release: Release, chunkings: Chunkings) -> None:
    text, words = TEXTS[case]
    for decision in (SUPPORTED, Decision()):
        for parts in chunkings(text, Random(case)):
            shown, offsets = mapped(parts, replace(OPTIONS[style], release=release), decision)
            for word in words:
                start = text.index(word)
                begin, end = offsets.span(start, start + len(word))
                assert _without_markers(shown[begin:end]) == word
                first = len(text[:start].encode())
                begin, end = offsets.bytes_span(first, first + len(word.encode()))
                assert _without_markers(shown.encode()[begin:end].decode()) == word


def _without_markers(text: str) -> str:
    """Remove our markers and notes inside a stretch of several sentences, which the table has in prose only."""
    return re.sub(r"[.]? ?(?:\[1\]|\(no supporting source\))(?=.)", lambda found: "." * (found[0][0] == "."), text)


def test_a_removed_marker_has_an_empty_place() -> None:
    text = "Sales rose [1]. Costs fell."
    shown, offsets = mapped([text], Options())
    start = text.index("[1]")
    begin, end = offsets.span(start, start + 3)
    assert begin == end
    assert shown[:begin] == "Sales rose"


def test_words_after_dropped_sentences_are_found() -> None:
    text = "- “Sales rose. Übel fell.”\n- Costs fell [1].\n\nMargins 桥 held."
    answer = Response(EVIDENCE, Options(unsupported="drop")).answer(0)
    assert isinstance(answer, Answer)
    drafts = answer.feed(text) + answer.flush()
    shown = "".join(answer.cite(one, SUPPORTED if "fell" in one.text else Decision()) for one in drafts)
    assert "Sales" not in shown
    for words in ("Übel fell.", "Costs fell"):
        start = text.index(words)
        assert shown[slice(*answer.offsets.span(start, start + len(words)))] == words
        first = len(text[:start].encode())
        span = answer.offsets.bytes_span(first, first + len(words.encode()))
        assert shown.encode()[slice(*span)].decode() == words


def test_words_of_a_dropped_sentence_have_an_empty_place() -> None:
    _, offsets = mapped(["Sales rose. "], Options(unsupported="drop"), Decision())
    assert offsets.span(0, 5) == (0, 0)


@given(texts, st.lists(st.integers(0, 1000), max_size=8), st.sampled_from(["after", "before"]))
@settings(max_examples=200)
def test_spans_are_in_order_and_inside_the_shown_text(text: str, places: list[int], placement: Placement) -> None:
    shown, offsets = mapped(cut(text, places), Options(placement=placement))
    size = len(shown.encode("utf-8", "surrogatepass"))
    before = 0
    for at in range(len(text)):
        begin, end = offsets.span(at, at + 1)
        assert before <= begin <= end <= len(shown)
        before = begin
        if end - begin == 1 and not text[at].isspace():
            assert shown[begin] == text[at]
        first = len(text[:at].encode("utf-8", "surrogatepass"))
        width = len(text[at].encode("utf-8", "surrogatepass"))
        start, stop = offsets.bytes_span(first, first + width)
        assert 0 <= start <= stop <= size
        encoded = shown.encode("utf-8", "surrogatepass")
        assert encoded[:start].decode("utf-8", "surrogatepass") == shown[:begin]
        assert encoded[:stop].decode("utf-8", "surrogatepass") == shown[:end]
