"""Properties of the comparison of clauses."""

from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.support.gates import Reason
from citestream.citation.support.gates.clause_comparison import compare
from citestream.citation.text import analyze_text
from citestream.citation.text.clauses import LANGUAGES, Statement, parse
from citestream.citation.text.clauses.vocabulary import vocabulary

SHARED = (
    "the a not no may must all some before after Anna Berg Oslo sold bought opened closed 12 30 % plans to from in and"
    " if unless without rises falls , . der nicht le pas el no 不 公司 可以"
)
WORDS = st.sampled_from(SHARED.split())


def parsed(text: str, language: str) -> Statement:
    return parse(text, language, analyze_text(text, language).quantities)


@given(st.lists(WORDS, min_size=1, max_size=25).map(" ".join), st.sampled_from(sorted(LANGUAGES)))
def test_a_sentence_does_not_disagree_with_itself(text: str, language: str) -> None:
    statement = parsed(text, language)
    found = list(compare(statement, [parsed(text, language)], set()))
    assert [one for one in found if one.reason is not Reason.FRAMING] == []


@given(st.text(max_size=120), st.text(max_size=120), st.sampled_from(sorted(LANGUAGES)))
def test_any_two_texts_can_be_compared(one: str, other: str, language: str) -> None:
    for found in compare(parsed(one, language), [parsed(other, language)], set()):
        assert found.rule
        assert found.detail


@st.composite
def claim_and_passages(draw: st.DrawFn) -> tuple[str, list[str], str]:
    """Draw a claim, one to three sentences with shared words, and their language. Many words are function words."""
    language = draw(st.sampled_from(sorted(LANGUAGES)))
    listed = sorted({word for words in vocabulary(language).roles.values() for word in words})
    known = draw(st.lists(st.one_of(st.sampled_from(listed), WORDS), min_size=1, max_size=8))
    sentence = st.lists(st.sampled_from(known), max_size=10).map(("" if language == "zh" else " ").join)
    return draw(sentence), draw(st.lists(sentence, min_size=1, max_size=3)), language


@given(claim_and_passages())
def test_sentences_without_content_can_be_compared(drawn: tuple[str, list[str], str]) -> None:
    claim, passages, language = drawn
    for found in compare(parsed(claim, language), [parsed(passage, language) for passage in passages], set()):
        assert found.detail


def test_a_chinese_passage_without_content_does_not_disagree() -> None:
    assert list(compare(parsed("老师看书了的是在", "zh"), [parsed("了的是在", "zh")], set())) == []
