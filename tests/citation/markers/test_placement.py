"""Our markers: rendering, and placement in sentences of all scripts and kinds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from citestream.citation.evidence import Evidence
from citestream.citation.markers import ANY_NUMBER, MarkerNames, reference_list, render, strip
from citestream.citation.markers.placement import place_marker
from citestream.citation.options import MarkerStyle, Placement
from citestream.citation.prompt.history import strip_history
from citestream.citation.text.segmentation import Kind

PROSE, ITEM, ROW, QUOTE, HTML = Kind.PROSE, Kind.LIST_ITEM, Kind.TABLE_ROW, Kind.QUOTE, Kind.HTML

PLACED: dict[str, tuple[str, Kind, str, str]] = {  # text, kind, after, before
    "a full stop": ("Sales rose. ", PROSE, "Sales rose. [1] ", "Sales rose [1]. "),
    "a question mark": ("Did sales rose? ", PROSE, "Did sales rose? [1] ", "Did sales rose [1]? "),
    "three dots": ("Sales rose... ", PROSE, "Sales rose... [1] ", "Sales rose [1]... "),
    "an ellipsis": ("Sales rose…", PROSE, "Sales rose… [1]", "Sales rose [1]…"),
    "two marks": ("Sales rose?!", PROSE, "Sales rose?! [1]", "Sales rose [1]?!"),
    "no punctuation": ("Sales rose", PROSE, "Sales rose [1]", "Sales rose [1]"),
    "a colon": ("Sales rose:\n", PROSE, "Sales rose: [1]\n", "Sales rose: [1]\n"),
    "a French question mark": ("Vraiment ? ", PROSE, "Vraiment ? [1] ", "Vraiment [1] ? "),
    "a line break": ("Sales rose.\n\n", PROSE, "Sales rose. [1]\n\n", "Sales rose [1].\n\n"),
    "a hard line break": ("Sales rose.  \n", PROSE, "Sales rose. [1]  \n", "Sales rose [1].  \n"),
    "a backslash at the end of the line": ("Sales rose.\\\n", PROSE, "Sales rose. [1]\\\n", "Sales rose [1].\\\n"),
    "Windows line ends": ("Sales rose.\r\n", PROSE, "Sales rose. [1]\r\n", "Sales rose [1].\r\n"),
    "leading spaces": ("  Sales rose.", PROSE, "  Sales rose. [1]", "  Sales rose [1]."),
    "a quotation": ('He said "it rose." ', PROSE, 'He said "it rose." [1] ', 'He said "it rose [1]." '),
    "bold": ("**Sales rose.** ", PROSE, "**Sales rose.** [1] ", "**Sales rose [1].** "),
    "bold before the stop": ("Sales **rose**. ", PROSE, "Sales **rose**. [1] ", "Sales **rose** [1]. "),
    "italic": ("_Sales rose._ ", PROSE, "_Sales rose._ [1] ", "_Sales rose [1]._ "),
    "parentheses": ("(Sales rose.) ", PROSE, "(Sales rose.) [1] ", "(Sales rose [1].) "),
    "inline code": ("Use `a.b`. ", PROSE, "Use `a.b`. [1] ", "Use `a.b` [1]. "),
    "a stop inside of code": ("Use `a.`", PROSE, "Use `a.` [1]", "Use `a.` [1]"),
    "a link": ("See [this](http://a.b/c.) ", PROSE, "See [this](http://a.b/c.) [1] ", "See [this](http://a.b/c.) [1] "),
    "a stop in a link's text": ("[This.](http://a.b) ", PROSE, "[This.](http://a.b) [1] ", "[This.](http://a.b) [1] "),
    "an address": ("See http://a.b/c. ", PROSE, "See http://a.b/c. [1] ", "See http://a.b/c [1]. "),
    "math": ("So $x = 1.$ ", PROSE, "So $x = 1.$ [1] ", "So $x = 1.$ [1] "),
    "a list item": ("- Sales rose\n", ITEM, "- Sales rose [1]\n", "- Sales rose [1]\n"),
    "a list item with a stop": ("1. Sales rose.\n", ITEM, "1. Sales rose. [1]\n", "1. Sales rose [1].\n"),
    "a block quote": ("> Sales rose.\n", QUOTE, "> Sales rose. [1]\n", "> Sales rose [1].\n"),
    "a table row": ("| Sales | rose. |\n", ROW, "| Sales | rose. [1] |\n", "| Sales | rose [1]. |\n"),
    "an open table row": ("Sales | rose\n", ROW, "Sales | rose [1]\n", "Sales | rose [1]\n"),
    "an empty last cell": ("| Sales | rose | |\n", ROW, "| Sales | rose [1] | |\n", "| Sales | rose [1] | |\n"),
    "a row without spaces": ("|Sales|rose|\n", ROW, "|Sales|rose [1]|\n", "|Sales|rose [1]|\n"),
    "an escaped pipe": ("| Sales | a\\|b |\n", ROW, "| Sales | a\\|b [1] |\n", "| Sales | a\\|b [1] |\n"),
    "a Chinese row": ("| 收入 | 增长 |\n", ROW, "| 收入 | 增长[1] |\n", "| 收入 | 增长[1] |\n"),
    "an HTML item": ("<li>Sales rose.</li>\n", HTML, "<li>Sales rose. [1]</li>\n", "<li>Sales rose [1].</li>\n"),
    "an HTML break": ("Sales rose.<br>\n", HTML, "Sales rose. [1]<br>\n", "Sales rose [1].<br>\n"),
    "Chinese": ("收入增长。", PROSE, "收入增长。[1]", "收入增长[1]。"),
    "Chinese in quotes": ("他说“收入增长。”", PROSE, "他说“收入增长。”[1]", "他说“收入增长[1]。”"),
    "Chinese in bold": ("**收入增长。**", PROSE, "**收入增长。**[1]", "**收入增长[1]。**"),
    "Chinese that ends in Latin": ("收入来自 ABC", PROSE, "收入来自 ABC [1]", "收入来自 ABC [1]"),
    "Japanese in quotes": ("「売上は増えた。」", PROSE, "「売上は増えた。」[1]", "「売上は増えた[1]。」"),
    "Korean": ("매출이 늘었다. ", PROSE, "매출이 늘었다. [1] ", "매출이 늘었다 [1]. "),
    "Thai": ("รายได้เพิ่มขึ้น ", PROSE, "รายได้เพิ่มขึ้น[1] ", "รายได้เพิ่มขึ้น[1] "),
    "Arabic": ("هل ارتفعت؟ ", PROSE, "هل ارتفعت؟ [1] ", "هل ارتفعت [1]؟ "),
    "Hebrew": ("המכירות עלו. ", PROSE, "המכירות עלו. [1] ", "המכירות עלו [1]. "),
    "Hindi": ("बिक्री बढ़ी। ", PROSE, "बिक्री बढ़ी। [1] ", "बिक्री बढ़ी [1]। "),
    "Urdu": ("فروخت بڑھی۔ ", PROSE, "فروخت بڑھی۔ [1] ", "فروخت بڑھی [1]۔ "),
    "an emoji": ("Sales rose 🚀 ", PROSE, "Sales rose 🚀 [1] ", "Sales rose 🚀 [1] "),
    "an emoji after the stop": ("Sales rose! 🚀", PROSE, "Sales rose! 🚀 [1]", "Sales rose! 🚀 [1]"),
    "only a full stop": (".", PROSE, ". [1]", ". [1]"),
}  # fmt: skip


@pytest.mark.parametrize("case", PLACED)
def test_a_marker_is_placed_after_or_before_the_punctuation(case: str) -> None:
    text, kind, after, before = PLACED[case]
    for placement, expected in (("after", after), ("before", before)):
        placed = place_marker(text, kind, "[1]", placement)  # type: ignore[arg-type]
        assert placed.text == expected
        assert placed.text.startswith("[1]", placed.marker_start)


def test_the_body_excludes_surrounding_spaces() -> None:
    after = place_marker(" Sales rose. ", PROSE, "[1]")
    assert after.text[after.body_start : after.body_end] == "Sales rose."
    before = place_marker(" Sales rose. ", PROSE, "[1]", "before")
    assert before.text[before.body_start : before.body_end] == "Sales rose [1]."


def test_without_a_marker_nothing_changes() -> None:
    placed = place_marker("Sales rose. ", PROSE, "")
    assert (placed.text, placed.marker_start) == ("Sales rose. ", 11)
    assert place_marker(" \n", PROSE, "[1]").text == " \n"


def test_a_marker_is_placed_after_released_text() -> None:
    assert place_marker("Sales rose. ", PROSE, "[1]", "before", shown=11).text == "Sales rose. [1] "
    assert place_marker("Sales rose. ", PROSE, "[1]", "before", shown=10).text == "Sales rose [1]. "


texts = st.text(st.sampled_from("ab1 .!?。:;|`*_$[]()<>/\\\"'\n収ก한א🚀-"), max_size=30)
kinds = st.sampled_from([PROSE, ITEM, ROW, QUOTE, HTML])
placements: st.SearchStrategy[Placement] = st.sampled_from(["after", "before"])


@given(texts, kinds, placements, st.sampled_from(["[1]", "[1][2]", "[[1]](http://a.b)", "[ID:0]", ""]))
def test_removing_the_marker_restores_the_text(text: str, kind: Kind, placement: Placement, rendered: str) -> None:
    placed = place_marker(text, kind, rendered, placement)
    inserted = rendered if text.strip() else ""
    assert placed.text.startswith(inserted, placed.marker_start)
    before, after = placed.text[: placed.marker_start], placed.text[placed.marker_start + len(inserted) :]
    assert text in (before + after, before.removesuffix(" ") + after)
    body = placed.text[placed.body_start : placed.body_end]
    assert body == body.strip()
    assert text.strip() in (body, body.replace(f" {inserted}", "", 1), body.replace(inserted, "", 1))


@given(
    st.lists(
        st.sampled_from(["Sales", "收入", "`a.b`", "[x.](http://a.b/c)", "$x.$", "**b.**", " ", ".", "。"]), min_size=1
    )
)
def test_a_marker_is_never_inside_code_links_or_math(pieces: list[str]) -> None:
    text = " ".join(pieces)
    for placement in ("after", "before"):
        placed = place_marker(text, PROSE, "[1]", placement)
        for atom in ("`a.b`", "[x.](http://a.b/c)", "$x.$"):
            assert placed.text.count(atom) == text.count(atom)


TRICKY = Evidence(2, "a", "id (1):[x]|y", file_name="a [b] | `c`*\n.pdf", url="https://a.b/c(d) [e]|f\u200b?g=<h>")
PLAIN = Evidence(3, "a", "e3", file_name="report.pdf")

RENDERED: dict[str, tuple[int, Evidence, MarkerStyle, str]] = {
    "a number": (2, PLAIN, "number", "[2]"),
    "a link": (1, Evidence(3, "a", "e3", url="https://a.b/c"), "link", "[[1]](https://a.b/c)"),
    "a link without an address": (1, PLAIN, "link", "[1]"),
    "a link to a script": (1, Evidence(3, "a", "e3", url="javascript:alert(1)"), "link", "[1]"),
    "a link to data": (1, Evidence(3, "a", "e3", url="data:text/html,x"), "link", "[1]"),
    "a link to a script after a space": (1, Evidence(3, "a", "e3", url=" \njavascript:x"), "link", "[1]"),
    "a link to a file": (1, Evidence(3, "a", "e3", url="file:///etc/passwd"), "link", "[1]"),
    "a link in capitals": (1, Evidence(3, "a", "e3", url="HTTPS://A.B"), "link", "[[1]](HTTPS://A.B)"),
    "a link with brackets": (4, TRICKY, "link", "[[4]](https://a.b/c%28d%29%20%5Be%5D%7Cf%E2%80%8B?g=%3Ch%3E)"),
    "RAGFlow": (1, PLAIN, "ragflow", "[ID:0]"),
    "a name": (1, PLAIN, "name", "[report.pdf](e3)"),
    "a title": (1, Evidence(3, "a", "e3", title="Annual report"), "name", "[Annual report](e3)"),
    "a name with an address": (1, Evidence(3, "a", "e3", title="T", url="http://a.b"), "name", "[T](http://a.b)"),
    "neither a name nor a title": (1, Evidence(3, "a", "e3"), "name", "[e3](e3)"),
    "an id that looks like a script": (1, Evidence(3, "a", "javascript:x", title="T"), "name", "[T](javascript%3Ax)"),
    "an id with brackets": (1, Evidence(3, "a", "i(1) x", title="T[1]"), "name", "[T\\[1\\]](i%281%29%20x)"),
    "none": (1, PLAIN, "none", ""),
}


@pytest.mark.parametrize("case", RENDERED)
def test_a_marker_is_rendered(case: str) -> None:
    number, evidence, style, expected = RENDERED[case]
    assert render(number, evidence, style) == expected


@given(st.text(max_size=30), st.text(max_size=30), st.text(min_size=1, max_size=20))
def test_a_rendered_marker_is_exactly_one_link(url: str, title: str, given_id: str) -> None:
    evidence = Evidence(1, "a", given_id, title=title or None, url="https://a.b/" + url)
    for style, page in (("link", "Sales rose. {}\n"), ("name", "| Sales | rose. {} |\n|---|---|\n")):
        marker = render(7, evidence, style)  # type: ignore[arg-type]
        html = MarkdownIt("commonmark").enable("table").render(page.format(marker))
        assert len(re.findall("<a href=", html)) == 1
        assert html.count("<table>") == (style == "name")
        assert not re.search(r'href="(?!https://a\.b/)', html)


@pytest.mark.parametrize("style", ["number", "link", "ragflow", "name", "none"])
@pytest.mark.parametrize("text", ["Sales rose. ", "收入增长。", "**Sales rose.** ", "Sales rose:\n"])
@pytest.mark.parametrize("placement", ["after", "before"])
def test_our_own_markers_can_be_stripped(text: str, style: MarkerStyle, placement: Placement) -> None:
    shown = place_marker(text, PROSE, render(1, PLAIN, style), placement).text
    assert strip_history(shown) == text
    assert strip(shown, MarkerNames.from_evidence([PLAIN]) if style == "name" else ANY_NUMBER).text == text


def test_the_list_of_references_is_stripped() -> None:
    linked = Evidence(9, "a", "x", title="T", url="https://a.b", page_number=3)
    listed = reference_list([(1, PLAIN, ""), (2, linked, "https://a.b")])
    assert listed == "\n\n**References**\n\n- [1] report.pdf\n- [2] [T](https://a.b), page 3\n"
    assert strip_history("Sales rose. [1]" + listed) == "Sales rose."
    assert reference_list([]) == ""
