"""`unsupported: drop` leaves the Markdown around the dropped sentences intact."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.dropped_text import DroppedText
from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.decision import Decision, Status, Support
from tests.conftest import Chunkings

EVIDENCE = [Evidence(1, "Tides turn twice a day.", "e1")]
SUPPORTED = Decision((Support(1, 0.9, Status.ADDED, 0, 9),))


def shown(parts: list[str]) -> str:
    """Return the text with the sentences dropped that contain "not"."""
    response = Response(EVIDENCE, Options(unsupported="drop", marker="none"))
    answer = response.answer(0)
    assert isinstance(answer, Answer)
    drafts = [draft for part in parts for draft in answer.feed(part)] + answer.flush()
    text = ""
    for draft in drafts:
        decision = Decision() if "not" in draft.text else SUPPORTED
        text += answer.cite(draft, decision if draft.claim else Decision())
    for reference in response.references.cited():
        for span in reference.spans:
            assert "Tides turn" in text[span.start : span.end]
    return text


A, B = "Tides turn twice a day.", "Rivers do not turn at all."
CASES: dict[str, tuple[str, str]] = {
    "a list item": (f"- {A}\n- {B}\n- {A}", f"- {A}\n- {A}"),
    "the first list item": (f"- {B}\n- {A}", f"- {A}"),
    "the last list item": (f"- {A}\n- {B}", f"- {A}\n"),
    "all list items": (f"- {B}\n- {B}\n", ""),
    "the first sentence of a list item": (f"- {A}\n- {B} {A}\n", f"- {A}\n- {A}\n"),
    "the second sentence of a list item": (f"- {A} {B}\n- {A}\n", f"- {A}\n- {A}\n"),
    "both sentences of a list item": (f"- {A}\n- {B} {B}\n- {A}\n", f"- {A}\n- {A}\n"),
    "the first sentence of a quotation": (f"> {B} {A}\n", f"> {A}\n"),
    "a numbered item": (f"1. {A}\n2. {B}\n3. {A}\n", f"1. {A}\n3. {A}\n"),
    "a row": (f"| a |\n|---|\n| {A} |\n| {B} |\n| {A} |\n", f"| a |\n|---|\n| {A} |\n| {A} |\n"),
    "the first row": (f"| a |\n|---|\n| {B} |\n| {A} |\n", f"| a |\n|---|\n| {A} |\n"),
    "a paragraph": (f"{A}\n\n{B}\n\n{A}", f"{A}\n\n{A}"),
    "the first paragraph": (f"{B}\n\n{A}", f"{A}"),
    "a sentence of a paragraph": (f"{A} {B} {A}\n\n{A}", f"{A} {A}\n\n{A}"),
    "the last sentence of a paragraph": (f"{A} {B}\n\n{A}", f"{A}\n\n{A}"),
    "a paragraph between a list and a text": (f"- {A}\n\n{B}\n\n{A}", f"- {A}\n\n{A}"),
    "the end of emphasis": (f"*{A} {B}*", f"*{A}*"),
    "the beginning of emphasis": (f"*{B} {A}*", f"*{A}*"),
    "the middle of emphasis": (f"**{A} {B} {A}**", f"**{A} {A}**"),
    "all of it": (f"*{B} {B}*", ""),
    "the beginning of a quotation": (f'"{B} {A}"', f'"{A}"'),
    "the end of a typographic quotation": (f"“{A} {B}”", f"“{A}”"),
    "the end of a German quotation": (f"„{A} {B}“", f"„{A}“"),
    "a sentence with emphasis of its own": (f"{A} *Rivers* do not turn. {A}", f"{A} {A}"),
    "emphasis in a list item": (f"- **{B} {A}**\n- {A}", f"- **{A}**\n- {A}"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_remains_is_intact(case: str, chunkings: Chunkings) -> None:
    text, expected = CASES[case]
    for parts in chunkings(text, Random(1)):
        assert shown(parts).rstrip(" ") == expected


@given(
    st.lists(st.tuples(st.sampled_from(["- A.\n", "B. ", "*C. ", "D.* ", '"E. ', 'F."\n\n', "> G.\n"]), st.booleans()))
)
def test_shown_sentences_keep_their_text_and_order(sentences: list[tuple[str, bool]]) -> None:
    gaps, text = DroppedText(), ""
    for sentence, is_dropped in sentences:
        text += gaps.dropped(sentence) if is_dropped else gaps.before() + gaps.shown(sentence)
    letters = "".join(character for character in text if character.isalpha())
    assert letters == "".join(sentence.strip('-*" .>\n') for sentence, is_dropped in sentences if not is_dropped)
