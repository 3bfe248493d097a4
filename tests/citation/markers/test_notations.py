"""Notations of citations with words, names, places or delimiters of their own, in the text and in a sentence."""

from random import Random

import pytest

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.markers import MarkerNames
from citestream.citation.options import Options, Release
from citestream.citation.support.decision import Decision, Status, Support
from tests.citation.markers.stripping import check
from tests.conftest import Chunkings

EVIDENCE = (
    Evidence(1, "Sales rose.", "d1", file_name="doc1.md", title="Saturn V"),
    Evidence(2, "Costs fell.", "d2", file_name="doc2.md", title="Tides"),
    Evidence(3, "Margins held.", "d3", file_name='Rapport [2023] (v2) & "final" #1.pdf'),
)
NAMES = MarkerNames.from_evidence(EVIDENCE)

NOTATIONS: dict[str, tuple[str, tuple[int, ...]]] = {  # the marker, and the evidence that it cites
    "a web page": ("[webpage 1]", (1,)),
    "a website": ("[Website 2]", (2,)),
    "a search result": ("[search result 1]", (1,)),
    "search results": ("[search results 1, 2]", (1, 2)),
    "a file and a page": ("[doc1.md, page 1]", (1,)),
    "a file and a page without a comma": ("[doc2.md p. 3]", (2,)),
    "a file and a page in German": ("[doc1.md, S. 3]", (1,)),
    "a file and a page in Roman numerals": ("[doc1.md, p. iv]", (1,)),
    "a file and a page in parentheses": ("[doc1.md (page 3)]", (1,)),
    "a file and a fragment": ("[doc1.md#page=3]", (1,)),
    "a file and a line": ("[doc1.md:1]", (1,)),
    "a file and lines": ("[doc1.md:12-14]", (1,)),
    "a file and lines in words": ("[doc1.md, lines 3-5]", (1,)),
    "a file, a section and a page": ("[doc1.md, section 2, p. 3]", (1,)),
    "a file with brackets in its name": ('[Rapport [2023] (v2) & "final" #1.pdf, page 2]', (3,)),
    "files and pages": ("[doc1.md, page 1; doc2.md, page 2]", (1, 2)),
    "two files": ("[doc1.md, doc2.md]", (1, 2)),
    "files side by side": ("[doc1.md, p. 1][doc2.md, p. 2]", (1, 2)),
    "a file after a word for source": ("[Source: doc1.md]", (1,)),
    "a file and a page in parentheses after a word for source": ("(source: doc1.md, page 2)", (1,)),
    "a file and a page in parentheses only": ("(doc2.md, page 1)", (2,)),
    "a file to see": ("(see doc1.md)", (1,)),
    "a title after a word for source": ("[Source: Saturn V]", (1,)),
    "a title and a page": ("[Tides, p. 3]", (2,)),
    "a file with an at sign": ("[@doc1.md]", (1,)),
    "a file as a footnote": ("[^doc1.md]", (1,)),
    "a file in lenticular brackets": ("【doc1.md】", (1,)),
    "a file with a dagger and lines": ("【doc1.md†L1-L3】", (1,)),
    "a number and a page after a colon": ("[1: p. 3]", (1,)),
    "a number and a page without a space": ("[1:p3]", (1,)),
    "numbers and pages after colons": ("[1: page 3, 2: page 4]", (1, 2)),
    "a number and a file": ("[1: doc1.md]", (1,)),
    "a number, a dash and a file": ("[1 - doc1.md]", (1,)),
    "a source, its number and its file": ("[Source 1: doc1.md]", (1,)),
    "a letter for source": ("[S1]", (1,)),
    "letters for documents": ("[D1, D2]", (1, 2)),
    "letters for sources side by side": ("[S1][S2]", (1, 2)),
    "a range with letters": ("[S1-S3]", (1, 2, 3)),
    "an at sign": ("[@1]", (1,)),
    "a command": ("\\cite{1}", (1,)),
    "a command with a list": ("\\cite{1, 2}", (1, 2)),
    "a command with a page": ("\\citep[p. 3]{1}", (1,)),
    "a command with a file": ("\\autocite{doc2.md}", (2,)),
    "a command with a word": ("\\cite{source1}", (1,)),
    "a command after a tie": ("~\\cite{1}", (1,)),
    "commands side by side": ("\\cite{1}\\cite{2}", (1, 2)),
    "a command in parentheses": ("(see \\cite{1})", (1,)),
    "two words for source": ("(source: Source 1)", (1,)),
    "two words for source in German": ("(Quelle: Dokument 2)", (2,)),
    "an element": ("<ref>1</ref>", (1,)),
    "an element with a list": ("<ref>1, 2</ref>", (1, 2)),
    "an element with a marker": ("<ref>[1]</ref>", (1,)),
    "an element with a file": ("<cite>doc1.md</cite>", (1,)),
    "elements side by side": ("<source>1</source><source>2</source>", (1, 2)),
    "an empty element with a name": ('<ref name="1"/>', (1,)),
    "an empty element with a closing tag": ('<ref id="2"></ref>', (2,)),
    "an empty element with an index": ('<cite index="1-1,2-3"/>', (1, 2)),
}


@pytest.mark.parametrize("case", NOTATIONS)
def test_a_notation_with_a_word_or_name_is_a_marker(case: str) -> None:
    marker, cited = NOTATIONS[case]
    check(f"Sales rose {marker}.", "Sales rose.", cited, (), NAMES)


@pytest.mark.parametrize("case", NOTATIONS)
def test_a_notation_is_kept_in_code(case: str) -> None:
    code = f"Write ``` {NOTATIONS[case][0]} ``` to cite."
    check(code, code, (), (), NAMES)


UNKNOWN: dict[str, tuple[str, tuple[int, ...]]] = {
    "a web page": ("[webpage 9]", (9,)),
    "a number and a page": ("[9: p. 3]", (9,)),
    "a command": ("\\cite{9}", (9,)),
    "an element": ("<ref>9</ref>", (9,)),
    "an empty element": ('<ref name="9"/>', (9,)),
    "a result of a search of the model": ("\ue200cite\ue202turn0search1\ue201", (0,)),
    "results of searches of the model": ("\ue200cite\ue202turn0search1\ue202turn1news3\ue201", (0,)),
    "a file of the model": ("\ue200filecite\ue202turn0file0\ue202L10-L20\ue201", (0,)),
    "a result of a search in ASCII": ("\\ue200cite\\ue202turn0search1\\ue201", (0,)),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_a_notation_without_evidence_is_removed_and_reported(case: str) -> None:
    marker, unknown = UNKNOWN[case]
    check(f"Sales rose {marker}.", "Sales rose.", (), unknown, NAMES)


AROUND_TEXT: dict[str, tuple[str, str, tuple[int, ...]]] = {
    "an element with indexes of sentences": (
        '<cite index="1-1,1-2">Sales rose.</cite> <cite index="2-1">Costs fell</cite>.',
        "Sales rose. Costs fell.",
        (1, 2),
    ),
    "an element with a range of sentences": (
        'It says <cite index="2-3:5">costs fell</cite>.',
        "It says costs fell.",
        (2,),
    ),
    "a start and an end": ("[cite_start]Sales rose[cite: 1, 2].", "Sales rose.", (1, 2)),
    "an element after a colon": ('It says: <cite index="2-3">costs fell</cite>.', "It says: costs fell.", (2,)),
    "a start after a word that governs a marker": (
        "According to [cite_start]him, it rose.",
        "According to him, it rose.",
        (),
    ),
    "an index after a word that governs a marker": (
        'According to <cite index="1-1">the board</cite>, it rose.',
        "According to the board, it rose.",
        (1,),
    ),
}


@pytest.mark.parametrize("case", AROUND_TEXT)
def test_tags_around_cited_text_are_removed_without_the_text(case: str) -> None:
    raw, shown, cited = AROUND_TEXT[case]
    check(raw, shown, cited, (), NAMES)


NOT_MARKERS = r"""
See [Smith 2020, page 3] and [other.pdf, page 3].
See (Smith 2020, p. 3), (see Smith 2020) or (see section 3).
The [Saturn V] and the [Tides] are titles.
Open the settings (doc1.md) first.
It says [1: 3], [1:3] and [2:1].
At [12:30], in [RFC 2119], [A1], [A1:B2], [B12] and [H2].
The [S9], the [D77] and [s1] are labels.
The type is [S1x] or [C1_x].
See [Figure 1], [Table 2] and [S. 3].
Write \footnote{1}, \ref{1}, \label{1} and \frac{1}{2}.
As \cite{smith2020} and \citep{doe:2021} show.
He wrote <cite>Moby Dick</cite> and <cite>1984</cite>.
It is <b>1</b>, <i>1</i> or <code>1</code>.
The data <item><ref>1</ref></item> are XML.
Play <source src="a.mp4"> or <source src="1.mp4" type="video/mp4">.
Write <doc id="x">1</doc> or <ref name="smith2020"/>.
Read <ref>Smith 2020</ref>.
See [doc1.md](https://example.org) and [that](doc1.md).
The character \ue200 and \ue2 and \cite are text.
"""
TEXTS = {line: line for line in NOT_MARKERS.strip().splitlines()}


@pytest.mark.parametrize("text", TEXTS)
def test_text_that_resembles_a_notation_is_kept(text: str) -> None:
    check(text, text, (), (), NAMES)


SUPPORTED = Decision((Support(1, 0.9, Status.VERIFIED, 0, 9),))
SENTENCES: dict[str, tuple[str, str]] = {
    f"{case}, {place}": (template.format(marker), shown)
    for case, (marker, _) in {**NOTATIONS, **UNKNOWN}.items()
    for place, template, shown in (
        ("before the full stop", "Sales rose {}. Costs fell.", "Sales rose. [1] Costs fell. [1]"),
        ("after the full stop", "Sales rose. {} Costs fell.", "Sales rose. [1] Costs fell. [1]"),
        ("at the end", "Sales rose.\n\nCosts fell {}", "Sales rose. [1]\n\nCosts fell [1]"),
    )
} | {
    "an element around each sentence": (
        '<cite index="1-1,1-2">Sales rose.</cite> <cite index="2-1">Costs fell</cite>.',
        "Sales rose. [1] Costs fell. [1]",
    ),
    "starts and ends around each sentence": (
        "[cite_start]Sales rose. [cite: 1] [cite_start]Costs fell[cite: 2].",
        "Sales rose. [1] Costs fell. [1]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("release", ["sentence", "live"])
@pytest.mark.parametrize("case", SENTENCES)
def test_an_answer_has_our_marker_in_place_of_the_notation(case: str, release: Release, chunkings: Chunkings) -> None:
    text, expected = SENTENCES[case]
    for parts in chunkings(text, Random(case)):
        answer = Response(EVIDENCE, Options(release=release)).answer(0)
        assert isinstance(answer, Answer)
        drafts = [draft for part in parts for draft in answer.feed(part)] + answer.flush()
        assert "".join(answer.cite(draft, SUPPORTED) for draft in drafts) == expected
