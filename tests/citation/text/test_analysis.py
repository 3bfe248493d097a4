"""Terms, names, polarity and sentences of every script."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text import analyze_text, fold, split_sentences, stem
from citestream.citation.text.tokenizer import _PIECE, _stretch, tokenize
from citestream.citation.text.words import word


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("stopped", "stops"),
        ("organisations", "organisation"),
        ("Brücken", "Brücke"),
        ("ciudades", "ciudad"),
        ("книги", "книга"),
        ("CAFÉ", "café"),
    ],
)
def test_inflected_words_meet(one: str, other: str) -> None:
    assert stem(fold(one)) == stem(fold(other))


def test_function_words_are_those_of_the_language() -> None:
    assert "war" in analyze_text("The war ended and the peace was long.").terms
    assert "war" not in analyze_text("Das Haus war nicht von der Stadt.").terms


def test_traditional_and_simplified_characters_meet() -> None:
    assert set(analyze_text("經濟發展").terms) == set(analyze_text("经济发展").terms)


@pytest.mark.parametrize(
    "text", ["ภาษาไทยสวยงาม", "한국어 문장입니다", "हिन्दी में वाक्य", "جملة عربية جديدة", "日本語の文章"]
)
def test_every_script_has_terms(text: str) -> None:
    assert analyze_text(text).terms


def test_names_are_capitals_inside_a_sentence() -> None:
    assert analyze_text("Yesterday Marie met Curie.").names == {stem("marie"), stem("curie")}


@pytest.mark.parametrize(
    "text", ["It does not work.", "Es geht nicht.", "No funciona.", "Ça ne marche pas.", "这个没有用。", "Не работает."]
)
def test_negations(text: str) -> None:
    assert analyze_text(text).negations


@pytest.mark.parametrize("text", ["Not only cheap but good.", "这不仅便宜。", "非常好", "Elle est née à Paris."])
def test_what_only_looks_like_a_negation(text: str) -> None:
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
def test_any_text_is_read_and_offsets_stay_inside(text: str) -> None:
    lexed = analyze_text(text)
    assert len(lexed.terms) == len(lexed.starts) == len(lexed.ends)
    assert all(0 <= a < b <= len(text) for a, b in zip(lexed.starts, lexed.ends, strict=True))
    assert all(0 <= q.start < q.end <= len(text) for q in lexed.quantities)


@given(st.text(max_size=300))
def test_sentences_cover_the_text(text: str) -> None:
    cut = split_sentences(text)
    assert "".join(text[a:b] for a, b in cut) == text


LANGUAGES = (
    "The 3 rivers' v2 été l’eau 港口v3 x. 1,500 km; 5:30 p.m. (naïve) -12 don't 3.10 2021-05-04 über Straße\u0301 ٣٤ "
)


@given(st.text(st.sampled_from(LANGUAGES), max_size=60) | st.text(max_size=60))
def test_the_short_cut_for_ascii_finds_the_same_pieces(text: str) -> None:
    quick = r"[ \n,;:()\"-]*+", r"[A-Za-z]++(?=[ ,.\n;:)])|"
    assert all(part in _PIECE.pattern for part in quick)
    plain = re.compile(_PIECE.pattern.replace(quick[0], "").replace(quick[1], ""))
    assert _spans(plain, text) == _spans(_PIECE, text)


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[str, int, int]]:
    return [(m.lastgroup, *m.span(m.lastgroup)) for m in pattern.finditer(text) if m.lastgroup]


# Whatever may hold white space, or end where it does.
SPACED = (
    *("3", "500", ", ", " ", "\n", "1 000", "\u00a0", "12:30", " p", ".", "m.", " PM", ":", "v", "2", "٣", "x", "Été"),
    *("_", "-", "'", "\u0301", "港口", "ี", "\t", "\x1c", "\x85", "\u2028", "\r\n", "2021-05-04", "/", "%", "w" * 70),
)


@given(st.lists(st.sampled_from(SPACED), max_size=12).map("".join))
def test_read_from_space_to_space_a_text_has_the_same_pieces(text: str) -> None:
    pieces = tokenize(text)
    found = zip((word.kind for word in pieces.words), pieces.starts, pieces.ends, strict=True)
    assert list(found) == _spans(_PIECE, text)
    assert [known for known in pieces.words if known.kind == "word"] == [
        word(text[start:end]) for kind, start, end in _spans(_PIECE, text) if kind == "word"
    ]


@given(st.lists(st.sampled_from(SPACED), max_size=20).map("".join))
def test_what_is_known_of_words_changes_nothing(text: str) -> None:
    known = analyze_text(text)
    for kept in (_stretch, word):
        kept.clear()
        kept._older.clear()
    assert analyze_text(text) == analyze_text(text) == known
