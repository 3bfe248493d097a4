"""Words that are divided at the ends of lines are read as one word, and all other offsets stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.cite import cite
from citestream.citation.evidence import Evidence
from citestream.citation.text.line_hyphens import join_divided_words

WORDS: dict[str, tuple[str, str]] = {
    "divided words": (
        "The com-\nmittee approved the bud-\nget of the munici-\npality.",
        "The committee   approved the budget   of the municipality  .",
    ),
    "a word at the end of its line": ("the com-\nmittee\nmet", "the   committee\nmet"),
    "a word at the end of the text": ("the com-\nmittee", "the   committee"),
    "two divisions in a word": ("inter-\nnatio-\nnal law", "international     law"),
    "carriage returns and indentation": ("a com-\r\n  mittee met", "a committee      met"),
    "spaces at the end of a line": ("a com- \nmittee met", "a committee    met"),
    "a typographic hyphen": ("a com‐\nmittee met", "a committee   met"),
    "a soft hyphen": ("a com\u00admit\u00adtee met", "a committee   met"),
    "a soft hyphen at the end of a line": ("a com\u00ad\nmittee met", "a committee   met"),
    "German": ("Der Vor-\nstand tagt.", "Der Vorstand   tagt."),
    "French": ("la munici-\npalité vote", "la municipalité   vote"),
    "a compound of known words": ("the well-\nknown author", "the well-\nknown author"),
    "a compound of three words": ("a state-of-\nthe-art pump", "a state-of-\nthe-art pump"),
    "a capital after the hyphen": ("Anglo-\nSaxon", "Anglo-\nSaxon"),
    "a suspended hyphen": ("Vor-\nund Nachteile", "Vor-\nund Nachteile"),
    "numbers": ("5-\n10 m", "5-\n10 m"),
    "a list": ("It has\n- wheels", "It has\n- wheels"),
    "a dash": ("It rose -\nit fell", "It rose -\nit fell"),
    "a hyphen within a line": ("a well-known com- mittee", "a well-known com- mittee"),
}


@pytest.mark.parametrize(("text", "joined"), WORDS.values(), ids=WORDS)
def test_a_divided_word_is_joined(text: str, joined: str) -> None:
    assert join_divided_words(text) == joined
    assert len(joined) == len(text)


@given(
    st.lists(st.sampled_from(["com", "mittee", "-", "\n", "-\n", "\u00ad", "‐\r\n", " ", ".", "Well", "5", "é"])).map(
        "".join
    )
)
def test_only_hyphens_and_line_ends_move(text: str) -> None:
    joined = join_divided_words(text)
    assert len(joined) == len(text)
    signs = str.maketrans("", "", "-‐\u00ad \r\n")
    assert joined.translate(signs) == text.translate(signs)


SUPPORTED: dict[str, tuple[str, str, bool]] = {  # evidence, sentence, whether it is supported
    "English": ("The com-\nmittee was con-\nvened in 2019.", "The committee was convened in 2019.", True),
    "a number word": ("The rocket. It flew thir-\nteen times.", "It flew thirteen times.", True),
    "another number word": ("The rocket. It flew thir-\nteen times.", "It flew fourteen times.", False),
    "German": ("Der Vor-\nstand geneh-\nmigte den Haus-\nhalt.", "Der Vorstand genehmigte den Haushalt.", True),
    "a compound": ("The well-\nknown author wrote the report.", "The well-known author wrote the report.", True),
}


@pytest.mark.parametrize(("text", "claim", "supported"), SUPPORTED.values(), ids=SUPPORTED)
def test_evidence_with_divided_words_supports_sentences(text: str, claim: str, supported: bool) -> None:
    cited = cite(claim, [Evidence(1, text, "e1")])
    assert [bool(supports) for supports in cited.supports] == [supported]
    for reference in cited.fields["references"]:
        (span,) = reference["spans"]
        assert span["quote"] == text[span["quote_start"] : span["quote_end"]]
        assert text.strip().endswith(span["quote"])
