"""Analysis of texts in all scripts: terms, names, negations and sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text import analyze_text, fold, split_sentences, stem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("stopped", "stops"),
        ("organisations", "organisation"),
        ("Brücken", "Brücke"),
        ("ciudades", "ciudad"),
        ("книги", "книга"),
        ("CAFÉ", "café"),
        ("Curie’s", "Curie's"),
        ("don＇t", "don't"),
        ("ＣＡＦＥ", "cafe"),
    ],
)
def test_inflected_words_have_the_same_stem(one: str, other: str) -> None:
    assert stem(fold(one)) == stem(fold(other))


def test_stop_words_depend_on_the_language() -> None:
    assert "war" in analyze_text("The war ended and the peace was long.").terms
    assert "war" not in analyze_text("Das Haus war nicht von der Stadt.").terms


def test_a_portuguese_contraction_does_not_negate() -> None:
    assert not analyze_text("O museu fica no centro da cidade e foi construído em 1900.").negations
    assert analyze_text("O museu não fica no centro da cidade.").negations


def test_traditional_and_simplified_characters_are_equal() -> None:
    assert set(analyze_text("經濟發展").terms) == set(analyze_text("经济发展").terms)


@pytest.mark.parametrize(
    "text", ["ภาษาไทยสวยงาม", "한국어 문장입니다", "हिन्दी में वाक्य", "جملة عربية جديدة", "日本語の文章"]
)
def test_every_script_has_terms(text: str) -> None:
    assert analyze_text(text).terms


def test_capitalized_words_inside_a_sentence_are_names() -> None:
    assert analyze_text("Yesterday Marie met Curie.").names == {stem("marie"), stem("curie")}


@pytest.mark.parametrize(
    "text", ["It does not work.", "Es geht nicht.", "No funciona.", "Ça ne marche pas.", "这个没有用。", "Не работает."]
)
def test_negations_are_found(text: str) -> None:
    assert analyze_text(text).negations


@pytest.mark.parametrize("text", ["Not only cheap but good.", "这不仅便宜。", "非常好", "Elle est née à Paris."])
def test_words_that_contain_a_negation_do_not_negate(text: str) -> None:
    assert not analyze_text(text).negations


def test_sentences_do_not_end_at_abbreviations_and_decimals() -> None:
    text = "Dr. Lee paid 3.5 million to J. Smith. He left. 他走了。她来了！"
    assert [text[a:b].strip() for a, b in split_sentences(text)] == [
        "Dr. Lee paid 3.5 million to J. Smith.",
        "He left.",
        "他走了。",
        "她来了！",
    ]


@given(st.text(max_size=200))
def test_offsets_are_inside_the_text(text: str) -> None:
    analysis = analyze_text(text)
    assert len(analysis.terms) == len(analysis.starts) == len(analysis.ends)
    assert all(0 <= a < b <= len(text) for a, b in zip(analysis.starts, analysis.ends, strict=True))
    assert all(0 <= q.start < q.end <= len(text) for q in analysis.quantities)


@given(st.text(max_size=300))
def test_sentences_cover_the_text(text: str) -> None:
    assert "".join(text[a:b] for a, b in split_sentences(text)) == text
