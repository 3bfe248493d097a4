"""Markers in frames other than numbers in square brackets, and text that resembles them."""

import pytest

from tests.citation.markers.stripping import FIVE, Case, check
from tests.citation.markers.test_strip import FILES

FRAMES: dict[str, Case] = {
    "a LaTeX command": (r"Sales rose \cite{1}.", "Sales rose.", (1,), ()),
    "a LaTeX command with two numbers": (r"Sales rose \citep{1, 3}.", "Sales rose.", (1, 3), ()),
    "a LaTeX command with a page": (r"Sales rose \cite[p. 3]{2}.", "Sales rose.", (2,), ()),
    "a LaTeX command with an unknown number": (r"Sales rose \cite{9}.", "Sales rose.", (), (9,)),
    "a reference of a wiki": ("Sales rose.<ref>1</ref> Costs fell.", "Sales rose. Costs fell.", (1,), ()),
    "a reference with a space": ("Sales rose <ref>1</ref>.", "Sales rose.", (1,), ()),
    "an element for citations": ("Sales rose <cite>1, 2</cite>.", "Sales rose.", (1, 2), ()),
    "an element with another name": ("Sales rose <citation>Source 3</citation>.", "Sales rose.", (3,), ()),
    "an element around the text": (
        'Yes. <cite index="1-1,2-3">Sales rose</cite> and costs fell.',
        "Yes. Sales rose and costs fell.",
        (1, 2),
        (),
    ),
    "tags for the beginning of a citation": ("[cite_start]Sales rose.[cite: 2] Ok.", "Sales rose. Ok.", (2,), ()),
    "a tag alone": ("Sales rose [cite_start].", "Sales rose.", (), ()),
    "private characters": ("Sales rose \ue200cite\ue202turn0search0\ue201.", "Sales rose.", (), (0,)),
    "private characters with two sources": (
        "Sales rose.\ue200filecite\ue202turn0file0\ue202turn1view2\ue201 Ok.",
        "Sales rose. Ok.",
        (),
        (0,),
    ),
    "a web page": ("Sales rose [webpage 1].", "Sales rose.", (1,), ()),
    "two web pages": ("Sales rose [webpage 1][webpage 2].", "Sales rose.", (1, 2), ()),
    "a web site": ("Sales rose [website 2].", "Sales rose.", (2,), ()),
    "a search result": ("Sales rose [search result 2].", "Sales rose.", (2,), ()),
    "a letter for source": ("Sales rose [S1].", "Sales rose.", (1,), ()),
    "letters for documents": ("Sales rose [D1, D3].", "Sales rose.", (1, 3), ()),
    "a page after a colon": ("Sales rose [1: p. 3].", "Sales rose.", (1,), ()),
    "a page after a colon without a space": ("Sales rose [2:page 12].", "Sales rose.", (2,), ()),
    "two pages": ("Sales rose [1: pp. 3-5; 2: p. 7].", "Sales rose.", (1, 2), ()),
    "a source in parentheses after its label": ("Sales rose (source: Source 1).", "Sales rose.", (1,), ()),
    "a document in parentheses after a label": ("Sales rose (see document 2).", "Sales rose.", (2,), ()),
}
NAMED: dict[str, Case] = {
    "a page": ("Sales rose [notes.md, page 1].", "Sales rose.", (4,), ()),
    "a short page": ("Sales rose [notes.md, p. 12].", "Sales rose.", (4,), ()),
    "a number after a colon": ("Sales rose [notes.md:1].", "Sales rose.", (4,), ()),
    "a fragment": ("Sales rose [notes.md#3].", "Sales rose.", (4,), ()),
    "a page after a space": ("Sales rose [annual report.pdf p. 3-5].", "Sales rose.", (1, 2), ()),
    "lines": ("Sales rose [notes.md, lines 3-8].", "Sales rose.", (4,), ()),
}
NONE = {
    "another LaTeX command": r"See \ref{1} and \emph{1}.",
    "a LaTeX citation of a book": r"See \cite{knuth84}.",
    "an element with text": "Sales <ref>rose</ref> again.",
    "an element of HTML": "Press <kbd>1</kbd> and <code>2</code>.",
    "a chess move": "White plays [Q1].",
    "a variable of code": "Use `S[1]` there.",
    "an unknown letter with a number": "The vitamin [B12] helps.",
    "a slice": "Write a[1:3] here.",
    "a ratio in brackets": "The scale [1:3] fits.",
    "a time in brackets": "It starts [12:30].",
    "another file with a page": "See [other.md, page 1].",
    "a book with a page": "See [Smith 2020, page 3].",
    "a number in parentheses": "It has two parts (see 1).",
    "an example in parentheses": "Some (for example 3) failed.",
    "a figure in parentheses": "Sales rose (see figure 2).",
    "a page in parentheses": "Sales rose (p. 3).",
    "a tag of another kind": "It says [start].",
    "less than": "If 1 <ref and 2> ref.",
}


@pytest.mark.parametrize("case", FRAMES)
def test_markers_in_other_frames_are_removed(case: str) -> None:
    check(*FRAMES[case], FIVE)


@pytest.mark.parametrize("case", NAMED)
def test_names_of_files_may_have_a_place(case: str) -> None:
    check(*NAMED[case], FILES)


@pytest.mark.parametrize("case", NONE)
@pytest.mark.parametrize("names", [FIVE, FILES], ids=["numbers", "names"])
def test_text_that_resembles_them_stays(case: str, names: object) -> None:
    check(NONE[case], NONE[case], (), (), names)  # type: ignore[arg-type]
