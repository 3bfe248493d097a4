"""Text without spaces between words: the analysis of all runs equals the plain analysis of each run."""

import re

from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text import analyze_text
from citestream.citation.text.normalize import UNSPACED
from citestream.citation.text.numbers.numerals import HAN_NUMBER, find_han_numbers
from citestream.citation.text.runs import terms_of_runs
from citestream.citation.text.words.languages import STOP_CHARACTERS
from citestream.citation.text.words.polarity import negations_in_runs
from citestream.citation.text.words.word_finder import WordFinder

RUN = re.compile(f"[{UNSPACED}]+")
WORDS = ["没有", "不同", "上升", "下降", "上升期", "升下", "増加", "減少"]
MIXED = st.lists(
    st.sampled_from(["的", "了", "是", "黄", "河", "上", "升", "ก", "ข", "는", "서", "𠀀", "a", " ", "。", "\ud800"])
).map("".join)
CHINESE = st.lists(st.sampled_from([*WORDS, "不", "没", "无", "黄", "非", "洲", " ", "，"])).map("".join)
NUMERALS = st.lists(st.sampled_from("第百分之一二十三千万点〇年个余多月的黄")).map("".join)


@given(MIXED)
def test_terms_of_runs_are_pairs_of_characters_that_are_not_both_stop_characters(text: str) -> None:
    runs = [found.span() for found in RUN.finditer(text)]
    spans = [(at, min(at + 2, end)) for start, end in runs for at in range(start, max(start + 1, end - 1))]
    expected = [(text[a:b], a, b) for a, b in spans if not STOP_CHARACTERS.issuperset(text[a:b])]
    found = terms_of_runs(text, [start for start, _ in runs], [end for _, end in runs])
    assert list(zip(found.terms, found.starts, found.ends, strict=True)) == expected


@given(CHINESE)
def test_negations_of_a_text_are_those_of_its_runs(text: str) -> None:
    runs = [(found.start(), found[0]) for found in RUN.finditer(text)]
    assert negations_in_runs(text) == [(start + a, start + b) for start, run in runs for a, b in negations_in_runs(run)]


@given(CHINESE)
def test_word_finder_agrees_with_a_regular_expression(text: str) -> None:
    pattern = re.compile("|".join(sorted(WORDS, key=len, reverse=True)))
    finder = WordFinder(WORDS)
    assert list(finder.find(text)) == [(found.start(), found[0]) for found in pattern.finditer(text)]
    for at in range(len(text)):
        found = pattern.match(text, at)
        assert finder.match(text, at) == (found[0] if found else "")


@given(NUMERALS)
def test_chinese_numbers_agree_with_the_regular_expression(run: str) -> None:
    assert [found.span() for found in find_han_numbers(run)] == [found.span() for found in HAN_NUMBER.finditer(run)]


def test_terms_of_words_numbers_and_runs_are_in_order() -> None:
    analysis = analyze_text("2月4日，黄河 GPU 上升三百米。")
    assert analysis.terms == [
        "#month of the year2",
        "月",
        "#4",
        "日",
        "黄河",
        "gpu",
        "#300",
        "上升",
        "升三",
        "三百",
        "百米",
    ]
