"""Links that open a quote in its document: which address, which text directive, and which selector."""

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.evidence import Evidence
from citestream.citation.references.deep_links import CONTEXT, MAX_TERM, deep_link, quote_selector, text_directive

PAGE = "https://ex.org/a"
LONG = (
    "The committee met again in the spring of 1932 and discussed the plans for the bridge. The committee met again in "
    "the summer. It asked the engineers of three firms for an estimate of the cost, of the time and of the number of "
    "workers that would be necessary. After two weeks of talks, the plans for the bridge were changed, and it agreed "
    "to the plans for the bridge."
)

# The text, a part that occurs in it once or the beginning of its last place, and the directive without its encoding.
DIRECTIVES: dict[str, tuple[str, str, str]] = {
    "a short quote is written in full": ("It is red. It opened in 1932.", "It opened in 1932.", "It opened in 1932."),
    "space is collapsed as on a page": ("It  opened \u00a0in 1932.", "It  opened \u00a0in 1932.", "It opened in 1932."),
    "a quote that begins and ends inside words is extended to both": (
        "It opened in 1932.",
        "pened in 19",
        "opened in 1932",
    ),
    "a quote in a script without spaces begins where it begins": ("大桥于1932年开放。", "于1932年", "于1932年"),
    "a repeated quote follows the words before it": (
        "The car is red. It is red. The bus came. It is red.",
        "It is red.",
        "came.-,It is red.",
    ),
    "a repeated quote at the beginning of a line precedes the words after it": (
        "It is red.\nIt is red. The bus came.",
        "It is red.",
        "It is red.,-The",
    ),
    "a long quote has its beginning and its end": (
        LONG,
        LONG,
        "The committee met again in the spring,to the plans for the bridge.",
    ),
    "lines are different blocks": (
        "# Height\nIt is 330 m tall.",
        "# Height\nIt is 330 m tall.",
        "Height,It is 330 m tall.",
    ),
    "the cells of a row are different blocks": ("| Height | 330 m |", "| Height | 330 m |", "Height,330 m"),
    "cells that are separated by tabs are different blocks": ("Height\t330 m", "Height\t330 m", "Height,330 m"),
    "the signs of Markdown are not shown": (
        "- **It** opened in [the *year*](https://ex.org/1_(x)) `1932`.",
        "- **It** opened in [the *year*](https://ex.org/1_(x)) `1932`.",
        "It opened in the year 1932.",
    ),
    "signs inside words are no emphasis": (
        "Set max_long_size to 5 * 3.",
        "Set max_long_size to 5 * 3.",
        "Set max_long_size to 5 * 3.",
    ),
    "tags are not shown": ("H<sub>2</sub>O is <b>wet</b>.", "H<sub>2</sub>O is <b>wet</b>.", "H2O is wet."),
    "elements of HTML are different blocks": (
        "<p>It is red.<br/>Or not.",
        "<p>It is red.<br/>Or not.",
        "It is red.,Or not.",
    ),
    "a line without a word is no block": ("It is red.\n---\n***\n", "It is red.\n---\n***\n", "It is red."),
}


@pytest.mark.parametrize("case", DIRECTIVES)
def test_a_directive_has_the_words_that_a_page_shows(case: str) -> None:
    text, part, expected = DIRECTIVES[case]
    start = text.rindex(part)
    directive = text_directive(text, start, start + len(part))
    assert directive.startswith("text=")
    assert unquote(directive.removeprefix("text=")) == expected


def test_signs_of_the_directive_are_encoded_in_its_words() -> None:
    text = "Smith-Jones & Co., 50% – ü"
    assert text_directive(text, 0, len(text)) == "text=Smith%2DJones%20%26%20Co.%2C%2050%25%20%E2%80%93%20%C3%BC"


def test_the_ends_of_a_long_quote_are_found_there_only() -> None:
    opening, closing = (unquote(term) for term in text_directive(LONG, 0, len(LONG))[5:].split(","))
    assert LONG.startswith(opening)
    assert LONG.endswith(closing)
    assert LONG.count(closing) == 1


def test_a_long_text_without_boundaries_has_no_directive() -> None:
    assert text_directive("x" * (MAX_TERM + 1), 0, MAX_TERM + 1) == ""


def test_a_long_text_in_a_script_without_spaces_ends_at_its_punctuation() -> None:
    text = "".join(f"大桥于{year}年开放，并于第二年关闭。" for year in range(1900, 1930))
    opening, closing = (unquote(term) for term in text_directive(text, 0, len(text))[5:].split(","))
    assert (text.startswith(opening), opening[-1]) == (True, "，" if opening.endswith("，") else "。")
    assert text.endswith(closing)


EVIDENCE: dict[str, tuple[Evidence, str | None]] = {
    "a web page": (Evidence(1, "It is red.", "e", url=PAGE), f"{PAGE}#:~:text=It%20is%20red."),
    "a page with an anchor": (Evidence(1, "It is red.", "e", url=f"{PAGE}#x"), f"{PAGE}#x:~:text=It%20is%20red."),
    "a page with a directive": (
        Evidence(1, "It is red.", "e", url=f"{PAGE}#:~:text=blue"),
        f"{PAGE}#:~:text=It%20is%20red.",
    ),
    "an address that would break a Markdown link": (
        Evidence(1, "It is red.", "e", url="https://ex.org/a (b)"),
        "https://ex.org/a%20%28b%29#:~:text=It%20is%20red.",
    ),
    "a page of a PDF": (Evidence(1, "It is red.", "e", url=f"{PAGE}.PDF", page_number=3), f"{PAGE}.PDF#page=3"),
    "a page of a PDF with an anchor": (
        Evidence(1, "It is red.", "e", url=f"{PAGE}.pdf?x=1#page=1", page_number=3),
        f"{PAGE}.pdf?x=1#page=3",
    ),
    "a PDF by the name of its file": (
        Evidence(1, "It is red.", "e", url=PAGE, file_name="a.pdf", page_number=3),
        f"{PAGE}#page=3",
    ),
    "a PDF without an ending": (
        Evidence(1, "It is red.", "e", url="https://arxiv.org/pdf/1706.03762", page_number=3),
        "https://arxiv.org/pdf/1706.03762#page=3",
    ),
    "a PDF without a page": (Evidence(1, "It is red.", "e", url=f"{PAGE}.pdf"), f"{PAGE}.pdf"),
    "a page of another document": (
        Evidence(1, "It is red.", "e", url=f"{PAGE}.html", page_number=3),
        f"{PAGE}.html#:~:text=It%20is%20red.",
    ),
    "a generated artifact, whose text is not on the page": (
        Evidence(1, "It is red.", "e", url=PAGE, is_generated_artifact=True),
        PAGE,
    ),
    "no address": (Evidence(1, "It is red.", "e", file_name="a.pdf", page_number=3), None),
    "a script": (Evidence(1, "It is red.", "e", url="javascript:alert(1)"), None),
    "a file": (Evidence(1, "It is red.", "e", url="file:///etc/passwd"), None),
}


@pytest.mark.parametrize("case", EVIDENCE)
def test_the_link_opens_the_quote(case: str) -> None:
    evidence, link = EVIDENCE[case]
    assert deep_link(evidence, (0, len(evidence.text))) == link


@given(st.text(), st.integers(0, 50), st.integers(0, 50))
def test_every_text_has_a_link_that_leads_to_the_same_document(text: str, start: int, length: int) -> None:
    link = deep_link(Evidence(1, text, "e", url=PAGE), (start, start + length))
    assert link
    parts = urlsplit(link)
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "ex.org", "/a")
    assert link.isascii()
    assert not set(link) & set(" \"'<>()[]\\`{}|^")


@given(st.text(min_size=1), st.data())
def test_a_selector_has_the_quote_and_its_surroundings(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    selector = quote_selector(text, start, end)
    assert selector["exact"] == text[start:end]
    assert selector["prefix"] + selector["exact"] + selector["suffix"] in text
    assert (len(selector["prefix"]), len(selector["suffix"])) == (min(start, CONTEXT), min(len(text) - end, CONTEXT))
