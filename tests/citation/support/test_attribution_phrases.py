"""Phrases that attribute a sentence to the evidence are not part of its claim."""

import pytest

from citestream.citation import Evidence, Options, cite
from citestream.citation.support.attribution_phrases import MAX_PHRASE_CHARACTERS, without_attribution

STATED = {  # a sentence with places of markers, and its claim
    "a marker": ("According to [?], the tower is tall.", "the tower is tall."),
    "two markers": ("As stated in [?] and [?], the tower is tall.", "the tower is tall."),
    "a marker at the end": ("The tower is tall, according to [?].", "The tower is tall."),
    "a marker and a colon": ("From [?]: the tower is tall.", "the tower is tall."),
    "a marker with a verb": ("As [?] explains, the tower is tall.", "the tower is tall."),
    "a marker with a verb at the end": ("The tower is tall, as [?] notes.", "The tower is tall."),
    "a preposition at the end": ("The tower is tall, per [?].", "The tower is tall."),
    "a marker as subject": ("[?] says that the tower is tall.", "the tower is tall."),
    "a source as subject": ("Sources [?] and [?] both state that the tower is tall.", "the tower is tall."),
    "the sources": ("Based on the provided sources, the tower is tall.", "the tower is tall."),
    "the document": ("The document states that the tower is tall.", "the tower is tall."),
    "a source with its number": ("Document 1 says that the tower is tall.", "the tower is tall."),
    "a source with its number, without a conjunction": (
        "Source 2 also states the tower is tall.",
        "the tower is tall.",
    ),
    "two sources with their numbers": ("Sources 1 and 2 show that the tower is tall.", "the tower is tall."),
    "according to a source with its number": ("According to document 1, the tower is tall.", "the tower is tall."),
    "a source with its number at the end": ("The tower is tall, according to source 1.", "The tower is tall."),
    "a table": ("Table 2 shows that the tower is tall.", "the tower is tall."),
    "a source with its number in German": ("Dokument 1 besagt, dass der Turm hoch ist.", "der Turm hoch ist."),
    "a source with its number in French": ("Le document 1 indique que la tour est haute.", "la tour est haute."),
    "a source with its number in Chinese": ("文档1指出，塔很高。", "塔很高。"),
    "German": ("Laut den bereitgestellten Dokumenten ist der Turm hoch.", "ist der Turm hoch."),
    "French": ("Selon les documents fournis, la tour est haute.", "la tour est haute."),
    "Spanish": ("Según las fuentes proporcionadas, la torre es alta.", "la torre es alta."),
    "Chinese": ("根据提供的资料，塔很高。", "塔很高。"),
    "a Chinese marker": ("[?]指出，塔很高。", "塔很高。"),
    "only a phrase": ("According to the document.", "According to the document."),
    "only a marker": ("See [?].", "See."),
}


@pytest.mark.parametrize("case", STATED)
def test_a_phrase_that_names_the_evidence_is_removed(case: str) -> None:
    text, stated = STATED[case]
    assert without_attribution(text) == stated


@pytest.mark.parametrize(
    "text",
    [
        "According to analysts, the tower is tall.",
        "According to the mayor, the tower is tall.",
        "The document does not state that the tower is tall.",
        "The document describes the tower.",
        "The report suggests that the tower is tall.",
        "Section 230 says that hosts are not liable.",
        "Document 1.5 says that the tower is tall.",
        "Table 2 shows towers.",
        "根据文件规定，塔很高。",
    ],
)
def test_other_phrases_are_part_of_the_claim(text: str) -> None:
    assert without_attribution(text) == text


def test_only_the_ends_of_a_long_text_are_searched() -> None:
    text = "according to " * 50_000
    assert without_attribution(text) == text.strip()
    assert (
        without_attribution("x" * MAX_PHRASE_CHARACTERS * 2 + ", according to [?].")
        == "x" * MAX_PHRASE_CHARACTERS * 2 + "."
    )


EVIDENCE = [Evidence(1, "The Saturn V was 110.6 metres tall. It flew thirteen times between 1967 and 1973.", "e1")]
PHRASES = ["According to [1], {}.", "Source [1] says that {}.", "According to the provided sources, {} [1]."]
PHRASES += ["The document states that {}.", "{}, as stated in [1]."]


@pytest.mark.parametrize("phrase", PHRASES)
@pytest.mark.parametrize(
    ("claim", "supported"),
    [
        ("the Saturn V flew thirteen times", True),
        ("the Saturn V was 95 metres tall", False),
        ("the Saturn V flew twice", False),
    ],
)
def test_an_attribution_phrase_does_not_change_the_decision(phrase: str, claim: str, supported: bool) -> None:
    plain = cite(f"{claim} [1].", EVIDENCE, Options()).supports
    assert [bool(supports) for supports in plain] == [supported]
    assert [bool(supports) for supports in cite(phrase.format(claim), EVIDENCE, Options()).supports] == [supported]
