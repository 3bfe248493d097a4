"""Properties of stripping for any text: it does not depend on deltas, changes only markers and takes linear time."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from citestream.citation.markers import (
    MAX_MARKER_CHARACTERS,
    MarkerNames,
    MarkerStripper,
    Match,
    StrippedText,
    match_marker,
    strip,
)
from citestream.citation.markers.code_spans import CODE_REACH_CHARACTERS
from citestream.citation.text.need_data import NEED_DATA
from tests.growth.linear import is_linear

NAMES = MarkerNames(frozenset(range(1, 6)), {"a.pdf": (1,), "e1": (1,), "my file.txt": (2, 3)})

MARKERS = """
[1]|[2]|[9]|[1, 2]|[1-3]|[[1]]|[[1]](http://x)|【1】|［2］|【3†source】|[^1]|[ID:1]|(ID: 2)|[Source 1]|##1$$|**[1]**|
([1])|[١]|&#91;1&#93;|[<b>1</b>]|[1<!-- x -->]|[[[1]]]|[①]|[#1]|\\[1]|[a.pdf](e1)|[DC] a.pdf|
¹|<sup>1, 2</sup>|$^{[1]}$|[[1](http://x)]|(see [1])|[[1], [2]]|(see [1] and [2])|[Source 1](http://x)|
~~[1]~~|^[1]^|\\(^{[1]}\\)|([1], p. 3)|(see also [1])|[n°1]|
[a.pdf, page 3]|[a.pdf:3]|[1: p. 3]|[S1]|[webpage 1]|\\cite{1}|\\citep[p. 3]{a.pdf}|(source: Source 1)|
<ref>1</ref>|<ref name="2"/>|<cite index="1-1">|</cite>|[cite_start]|[cite: 1]|\ue200cite\ue202turn0search1\ue201
""".replace("\n", "").split("|")
WORDS = [
    "Sales", "rose", "in", "2023", "by", "12 %", "é", "收入", "增长", "المبيعات", "बिक्री", "🚀", "arr", "x_1", "U.S.",
    "and",
]  # fmt: skip
MARKS = [*'.,!?。，:;–()"', " ", " ", " ", "  ", "\n", "\n\n", "\r\n", "- ", "| ", " |", "> "]
SYNTAX = [
    *"[]1`$\\*_#†^=<>~!", "``", "```", "$$", "\\(", "\\)", "**", "__", "##", "<b>", "<sup>", "</sup>", "](", "[DC] ",
]  # fmt: skip
SYNTAX += [
    "<ref>",
    "</cite>",
    '<cite index="1',
    "\\cite",
    "{",
    "}",
    "[cite_",
    "a.pdf",
    ", page ",
    "\ue200cite\ue202",
    "\ue201",
]
SYNTAX += ["[Source ", "$^{", "}$", "²", "(see ", "[2024]", "[0, 1]"]

prose = st.lists(st.sampled_from(MARKERS + WORDS + MARKS), max_size=25).map("".join)
hostile = st.lists(st.sampled_from(MARKERS + WORDS + MARKS + SYNTAX * 2), max_size=25).map("".join)


@given(hostile, st.data())
def test_result_does_not_depend_on_how_the_text_is_split(text: str, data: st.DataObject) -> None:
    whole = strip(text, NAMES)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    for cut in (pieces, list(text)):
        stripper = MarkerStripper(NAMES)
        shown = "".join([stripper.feed(piece) for piece in cut]) + stripper.flush()
        assert (shown, stripper.cited, stripper.unknown) == (whole.text, whole.cited, whole.unknown)


@given(prose, st.lists(st.sampled_from(["[1]", "[2]", "[12]", "[7]", "[01]"]), max_size=6), st.sampled_from(".!?,。"))
def test_whole_sentences_and_streams_have_the_same_result(text: str, numbers: list[str], end: str) -> None:
    for word in ("rose ", "rose", "stieß ", "上升"):
        sentence = f"{text} {word}{''.join(numbers)}{end} "
        stripper = MarkerStripper(NAMES)
        shown = stripper.feed(sentence) + stripper.flush()
        found = StrippedText(shown, stripper.cited, stripper.unknown, tuple(stripper.words))
        assert strip(sentence, NAMES) == found


@given(hostile)
def test_text_shown_early_is_a_prefix_of_the_result(text: str) -> None:
    final = strip(text, NAMES).text
    stripper, shown = MarkerStripper(NAMES), ""
    for character in text:
        shown += stripper.feed(character)
        assert final.startswith(shown)
    assert shown + stripper.flush() == final


@given(prose)
@example("[DC] a.pdfin【1】")
@example("[DC] a.pdfSales【1】[1]U.S.")
@example("[DC] a.pdfSalesé[1]U.S.[1]–")
@example("arr[1]##1$$[1]Sales##1$$")
@example("arr(##1$$[1]Sales##1$$")
@example("##1$$:[1]Sales##1$$")
@example("Sales&#91;1&#93;([1])")
@example("and[1][[1]](http://x)- [1]")
@example("Sales[1]$^{[1]}$")
@example("Sales[1](see [1])")
def test_stripping_is_idempotent(text: str) -> None:
    once = strip(text, NAMES)
    again = strip(once.text, NAMES)
    assert (again.text, again.cited, again.unknown) == (once.text, (), ())


@given(hostile)
def test_only_spaces_are_added(text: str) -> None:
    shown = iter("".join(strip(text, NAMES).text.split()))
    kept = next(shown, None)
    for character in text:  # apart from spaces, the shown text is a subsequence of the input
        if character == kept:
            kept = next(shown, None)
    assert kept is None


@given(st.lists(st.sampled_from(WORDS + MARKS), max_size=25).map("".join))
def test_a_text_without_markers_is_unchanged(text: str) -> None:
    assert strip(text, NAMES).text == text


@given(hostile)
def test_only_numbers_of_the_evidence_are_cited(text: str) -> None:
    stripped = strip(text, NAMES)
    assert set(stripped.cited) <= NAMES.numbers
    assert not set(stripped.unknown) & NAMES.numbers


@given(hostile)
def test_a_marker_is_undecided_only_at_the_end_of_the_text(text: str) -> None:
    for at in range(len(text)):
        found = match_marker(text, at, NAMES, final=True)
        assert found is not NEED_DATA
        if isinstance(found, Match):
            assert at < found.end <= len(text)


@given(
    st.lists(st.sampled_from(["word ", "[1]", "[", "1", "(", "`", "$", "*", " ", "](", "a", ", "]), max_size=200).map(
        "".join
    )
)
def test_held_text_is_bounded(text: str) -> None:
    stripper = MarkerStripper(NAMES)
    for character in text:
        stripper.feed(character)
        assert len(stripper.held) <= CODE_REACH_CHARACTERS + 17 * MAX_MARKER_CHARACTERS


STRUCTURES = {
    "paragraphs": "Sales rose [1]. Costs fell [2].\n\nMargins held [3].\n",
    "bold and italic": "**Sales rose [1].** Costs *fell* [2], **margins [1]** held.\n",
    "lists": "- Sales rose [1]\n- Costs fell [2]\n  - deeper [3]\n\n1. one [1]\n2. two\n",
    "tables": "| A | B |\n|---|---|\n| x [1] | y [2] |\n| z | [3] |\n",
    "quotes": "> Sales rose [1].\n> Costs fell [2].\n",
    "headings": "# Sales [1]\n\nText [2].\n",
    "links": "See [this](http://a.b/c) [1], [one](http://a.b) and ![i](j.png) [2].\n",
    "code": "Use `a[1]` [1].\n\n```py\na[1] = [1]\n```\n\n    b[2] = [2]\n",
    "definitions": "See [that][r] [1].\n\n[r]: http://a.b\n[5]: http://c.d\n",
    "hard breaks": "Sales rose [1]  \nCosts fell [2]\\\nMargins held.\n",
    "HTML": "<p>Sales rose [1]</p>\n\n<ul><li>x [2]</li></ul>\n",
}


@pytest.mark.parametrize("case", STRUCTURES)
def test_stripping_does_not_change_the_structure_of_markdown(case: str) -> None:
    text = STRUCTURES[case]
    parts = text.split("```")
    shown = "```".join(part if index % 2 else strip(part, NAMES).text for index, part in enumerate(parts))
    if case == "code":
        shown = shown.replace("    b =", "    b[2] =").replace(
            "b[2] =\n", "b[2] = [2]\n"
        )  # indented code is not stripped
    assert _structure(shown) == _structure(text)


def _structure(text: str) -> list[str]:
    found: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        found.append(token.type)
        found += [child.type for child in token.children or () if child.type != "text"]
    return found


LARGE = {
    "ten thousand brackets": "[" * 10_000,
    "a hundred thousand characters": "word " * 20_000,
    "sixty digits after a bracket": ("[" + "1" * 60) * 500,
    "a hundred thousand digits": "[" + "1" * 100_000,
    "open lists": "[1, " * 10_000,
    "adjacent markers": "[1]" * 10_000,
    "word markers": "according to [1] and [2] " * 4_000,
    "markers at the beginning of clauses": ", [1] " * 1_000,
    "backticks": "`" * 20_000,
    "open code": "` x [1] " * 5_000,
    "dollars": "$x [1] " * 5_000,
    "stars": "**" * 10_000,
    "underscores": "_[" * 10_000,
    "parentheses": "(" * 20_000,
    "open links": "[1](aaaa" * 5_000,
    "spaces": " " * 50_000,
    "tags": '<a b="' * 8_000,
    "nested arrays": "[[1]," * 10_000,
    "sources": "[Source 1, " * 4_000,
    "words in parentheses": "(ID " * 10_000,
    "tagged files": "[DC] " * 10_000,
    "lists in open brackets": "[[1]; [1]; [1]" * 1_000,
    "markers before parentheses": "[1](" * 5_000,
}


@pytest.mark.parametrize("case", LARGE)
def test_stripping_takes_linear_time(case: str) -> None:
    """Twice the text takes about twice the time; a quadratic algorithm would take more than five times as long."""
    text = LARGE[case]
    strip(text[: len(text) // 8], NAMES)
    assert is_linear(fed, text[: len(text) // 2], text, factor=5, negligible=0.05)


def fed(text: str) -> None:
    """Feed a text in deltas of four characters."""
    stripper = MarkerStripper(NAMES)
    for at in range(0, len(text), 4):
        stripper.feed(text[at : at + 4])
    stripper.flush()
