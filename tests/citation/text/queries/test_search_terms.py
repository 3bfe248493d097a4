"""Search terms, for every script: different spellings of the same word have the same term."""

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text.memo import MAX_LENGTH
from citestream.citation.text.queries.search_terms import TERMS_VERSION, query_terms, search_terms

TERMS = {
    "case and accents do not matter": ("ÉMILE Émile emile", ["emil"] * 3),
    "endings do not matter": ("stations stopped", ["stat", "stop"]),
    "apostrophes do not matter": ("Curie's Curie’s l'eau l’eau l＇eau", ["curi", "curi", "eau", "eau", "eau"]),
    "decimals and versions are not split": ("3.5 km, v1.2", ["3.5", "km", "v1.2"]),
    "separators of thousands do not matter": ("1,500 1 500 1500", ["1500"] * 3),
    "the parts of a date": ("2021-05-04", ["2021", "05", "04"]),
    "pairs of characters in scripts without spaces": ("東京がどこ", ["东京", "京が", "がど", "どこ"]),
    "traditional and simplified characters are equal": ("經濟", ["经济"]),
    "voiced kana are separate letters": ("がぎ", ["がぎ"]),
    "half-width kana are kana": ("ｶﾞｷﾞ", ["ガギ"]),
    "Hangul by pairs, because endings are attached to words": ("한국어는", ["한국", "국어", "어는"]),
    "vowel signs are part of the word": ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
    "Thai": ("ภาษา", ["ภา", "าษ", "ษา"]),
    "full-width letters and digits": ("ＡＢＣ １２", ["abc", "12"]),
    "Arabic digits": ("١٢٣", ["123"]),
    "no terms": ("— … !", []),
}


@pytest.mark.parametrize(("text", "terms"), TERMS.values(), ids=TERMS)
def test_terms_are_normalized(text: str, terms: list[str]) -> None:
    assert search_terms(text) == terms


QUERIES = {
    "without question words": ("When was the bridge opened?", ["bridg", "open"]),
    "in German": ("Wann wurde die Brücke eröffnet?", ["bruck", "eroffnet"]),
    "in German, where English would keep a word": ("Wann war die Brücke für die Bahn?", ["bruck", "bahn"]),
    "in English, where German would drop a word": ("How did the war end?", ["war", "end"]),
    "in English, by one word that is also German": ("Facts about Thirty Years' War", ["fact", "thirt", "year", "war"]),
    "in Chinese": ("这座桥什么时候通车?", ["这座", "座桥", "时候", "候通", "通车"]),
    "in Chinese, after a phrase that asks for a measure": ("灯塔有多高？", ["灯塔", "高"]),
    "in Chinese, after a phrase that asks for a number": ("灯塔有多少台阶？", ["灯塔", "台阶"]),
    "each term once": ("bridge, bridges!", ["bridg"]),
    "numbers": ("What happened in 1969?", ["happ", "1969"]),
    "no terms in a question of question words": ("Who are you?", []),
}


@pytest.mark.parametrize(("question", "terms"), QUERIES.values(), ids=QUERIES)
def test_terms_of_a_question_exclude_question_words(question: str, terms: list[str]) -> None:
    assert query_terms(question) == terms


@given(st.text(max_size=200))
def test_terms_are_bounded_and_contain_no_space(text: str) -> None:
    for term in search_terms(text):
        assert 0 < len(term) <= MAX_LENGTH
        assert term.split() == [term]


SAMPLE = (
    "The Harbour's 1,500 stations froze at the mayor's; né en 2021-05-04, Straßen über Москва, "
    "東京が 경제는 ภาษา हिन्दी ＡＢＣ v1.2 e.g. l’eau, ciudades organisations of reddish government"
)
SAMPLE_DIGESTS = {3: "b71302e3c5950a8d"}


def test_a_change_of_terms_requires_another_version() -> None:
    digest = blake2b(" ".join(search_terms(SAMPLE)).encode(), digest_size=8).hexdigest()
    assert SAMPLE_DIGESTS[TERMS_VERSION] == digest, "the terms changed: increase TERMS_VERSION and add the digest"
