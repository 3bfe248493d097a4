"""Normal forms of Unicode: bounded marks, and otherwise those of Python."""

import unicodedata
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text.normalize import MAX_FOLDED, MAX_MARKS, NormalForm, fold, normalize

FORMS: tuple[NormalForm, ...] = ("NFC", "NFD", "NFKC", "NFKD")
LONGEST_EXPANSION = 4  # marks that one character becomes
CODE_POINTS = range(0x110000)


def longest_row(text: str) -> int:
    """Return the length of the longest row of combining marks."""
    rows = groupby(map(unicodedata.combining, text), bool)
    return max((len(list(row)) for is_mark, row in rows if is_mark), default=0)


def test_the_marks_of_a_character_are_bounded_for_every_code_point() -> None:
    bounded = {
        code: row
        for code in CODE_POINTS
        if (row := longest_row(normalize("NFKD", "a" + chr(code) * 10 * MAX_MARKS))) > LONGEST_EXPANSION * MAX_MARKS
    }
    assert bounded == {}


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text(alphabet="a\u00e9\u0300\u0316\u0344\u0f71\u0f73\u0f81\u3099\uff76\uff9e\ufdfa\u1100\u1161"))
def test_texts_with_few_marks_have_the_normal_form_of_unicode(form: NormalForm, text: str) -> None:
    padded = "a" * MAX_MARKS + "".join(text[start : start + 8] + "b" for start in range(0, len(text), 8))
    assert normalize(form, padded) == unicodedata.normalize(form, padded)


def test_marks_beyond_the_limit_are_left_out_and_the_text_after_them_stays() -> None:
    text = "a" + "\u0300" * 100 + "b" + "\u0316" * 100 + "c"
    assert normalize("NFD", text) == "a" + "\u0300" * MAX_MARKS + "b" + "\u0316" * MAX_MARKS + "c"


def test_a_long_word_is_folded_without_its_marks() -> None:
    assert fold("E" + "\u0301" * (MAX_FOLDED - 1)) == "e"
    assert fold("é" * 40) == "e" * 40


def test_long_words_that_differ_at_their_end_stay_different() -> None:
    word = "é" * 2 * MAX_FOLDED
    assert fold(f"{word}1") != fold(f"{word}2")
