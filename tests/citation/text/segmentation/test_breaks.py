"""Tags of HTML that a reader sees as breaks: they end sentences, and markers stand before them."""

from random import Random

import pytest

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options, Release
from citestream.citation.support.decision import Decision, Status, Support
from tests.citation.text.segmentation.test_properties import cut, segmented

SUPPORTED = Decision((Support(1, 0.9, Status.ADDED, 0, 2),))

TEXTS: dict[str, tuple[tuple[str, ...], str, list[str]]] = {  # the sentences, the shown text, the cited parts
    "line breaks": (
        ("It rose.<br>", "It fell.<br/>", "It turned.<BR />", "It sank."),
        "It rose. [1]<br>It fell. [1]<br/>It turned. [1]<BR />It sank. [1]",
        ["It rose.", "It fell.", "It turned.", "It sank."],
    ),
    "line breaks between spaces": (
        ("It rose. <br> ", "It fell. <br>\n", "It sank."),
        "It rose. [1] <br> It fell. [1] <br>\nIt sank. [1]",
        ["It rose.", "It fell.", "It sank."],
    ),
    "two line breaks": (
        ("It rose.<br><br>", "It fell."),
        "It rose. [1]<br><br>It fell. [1]",
        ["It rose.", "It fell."],
    ),
    "no mark before a line break": (
        ("The pump is off<br>", "The tank is empty"),
        "The pump is off [1]<br>The tank is empty [1]",
        ["The pump is off", "The tank is empty"],
    ),
    "a list": (
        ("<ul><li>It rose.</li>", "<li>It fell</li></ul>"),
        "<ul><li>It rose. [1]</li><li>It fell [1]</li></ul>",
        ["It rose.", "It fell"],
    ),
    "a list with attributes": (
        ('<ol class="a"><li id="x">It rose.</li> ', '<li id="y">It fell.</li></ol>'),
        '<ol class="a"><li id="x">It rose. [1]</li> <li id="y">It fell. [1]</li></ol>',
        ["It rose.", "It fell."],
    ),
    "items without closing tags": (
        ("<ul><li>It rose. ", "<li>It fell.</ul>"),
        "<ul><li>It rose. [1] <li>It fell. [1]</ul>",
        ["It rose.", "It fell."],
    ),
    "paragraphs": (
        ("<p>It rose. ", "It fell.</p>", "<p>It sank.</p>"),
        "<p>It rose. [1] It fell. [1]</p><p>It sank. [1]</p>",
        ["It rose.", "It fell.", "It sank."],
    ),
    "cells": (
        ("<table><tr><td>It rose.</td>", "<td>It fell.</td></tr>", "<tr><td>It sank.</td></tr></table>"),
        "<table><tr><td>It rose. [1]</td><td>It fell. [1]</td></tr><tr><td>It sank. [1]</td></tr></table>",
        ["It rose.", "It fell.", "It sank."],
    ),
    "a block after text": (
        ("It rose.", "<p>It fell.</p>"),
        "It rose. [1]<p>It fell. [1]</p>",
        ["It rose.", "It fell."],
    ),
    "inline tags are no breaks": (
        ("It <b>rose</b> to <i>ten</i> m. ", "It fell."),
        "It <b>rose</b> to <i>ten</i> m. [1] It fell. [1]",
        ["It <b>rose</b> to <i>ten</i> m.", "It fell."],
    ),
    "an inline tag before a break": (
        ("<b>It rose.</b><br>", "It fell."),
        "<b>It rose. [1]</b><br>It fell. [1]",
        ["<b>It rose. [1]</b>", "It fell."],
    ),
    "inline tags around sentences": (
        ('<q id="1">It rose.</q> ', '<q id="2">It fell.</q>', "<b>It sank.</b>"),
        '<q id="1">It rose. [1]</q> <q id="2">It fell. [1]</q><b>It sank. [1]</b>',
        ['<q id="1">It rose. [1]</q>', '<q id="2">It fell. [1]</q>', "<b>It sank. [1]</b>"],
    ),
    "an inline tag in a sentence": (
        ("It is 5 m, i.e. <b>high</b>. ", "It fell."),
        "It is 5 m, i.e. <b>high</b>. [1] It fell. [1]",
        ["It is 5 m, i.e. <b>high</b>.", "It fell."],
    ),
    "code is no break": (
        ("Write `<br>` to break the line. ", "It works."),
        "Write `<br>` to break the line. [1] It works. [1]",
        ["Write `<br>` to break the line.", "It works."],
    ),
    "a comparison is no break": (("It is < 5 and > 3.",), "It is < 5 and > 3. [1]", ["It is < 5 and > 3."]),
    "the end of thoughts": (
        ("It rose.</think>", "It fell."),
        "It rose. [1]</think>It fell. [1]",
        ["It rose. [1]</think>", "It fell."],
    ),
}


@pytest.mark.parametrize("sentences", [sentences for sentences, _, _ in TEXTS.values()], ids=TEXTS)
def test_a_break_ends_a_sentence(sentences: tuple[str, ...]) -> None:
    for parts in splits("".join(sentences)):
        assert tuple(sentence.text for sentence in segmented(parts)) == sentences


@pytest.mark.parametrize("release", ["sentence", "live"])
@pytest.mark.parametrize(("sentences", "expected", "cited"), TEXTS.values(), ids=TEXTS)
def test_markers_stand_before_breaks(
    sentences: tuple[str, ...], expected: str, cited: list[str], release: Release
) -> None:
    for parts in splits("".join(sentences)):
        response = Response((Evidence(1, "It rose.", "e1"),), Options(release=release))
        answer = response.answer(0)
        assert isinstance(answer, Answer)
        shown = "".join(answer.cite(draft, SUPPORTED) for part in parts for draft in answer.feed(part))
        shown += "".join(answer.cite(draft, SUPPORTED) for draft in answer.flush())
        assert shown == expected
        spans = [(span.start, span.end) for reference in response.references.cited() for span in reference.spans]
        assert [shown[start:end] for start, end in spans] == cited


def splits(text: str) -> list[list[str]]:
    rng = Random(3)
    return [[text], list(text), *(cut(text, [rng.randrange(10_000) for _ in range(6)]) for _ in range(3))]
