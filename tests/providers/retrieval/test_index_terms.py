"""Tokens of every script: what is written differently and means the same meets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.providers.retrieval.index_terms import LONGEST, asked, tokens

FOUND = {
    "case and accents do not matter": ("ÉMILE Émile emile", ["emil"] * 3),
    "endings do not matter": ("stations stopped", ["station", "stop"]),
    "numbers stay whole": ("3.5 km, v1.2", ["3.5", "km", "v1.2"]),
    "pairs where words are not spaced": ("東京がどこ", ["東京", "京が", "がど", "どこ"]),
    "what makes another kana is no accent": ("がぎ", ["がぎ"]),
    "Hangul by pairs, since endings cling to words": ("한국어는", ["한국", "국어", "어는"]),
    "vowel signs belong to the word": ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
    "Thai": ("ภาษา", ["ภา", "าษ", "ษา"]),
    "wide letters are letters": ("ＡＢＣ", ["abc"]),
    "nothing": ("— … !", []),
}


@pytest.mark.parametrize(("text", "found"), FOUND.values(), ids=FOUND)
def test_a_text_has_these_tokens(text: str, found: list[str]) -> None:
    assert tokens(text) == found


ASKED = {
    "without question words": ("When was the bridge opened?", ["bridg", "open"]),
    "in German": ("Wann wurde die Brücke eröffnet?", ["bruck", "eroffnet"]),
    "in Chinese": ("这座桥什么时候通车?", ["这座", "座桥", "时候", "候通", "通车"]),
    "each once": ("bridge, bridges!", ["bridg"]),
    "of question words alone, all of them": ("Who are you?", ["who", "are", "you"]),
}


@pytest.mark.parametrize(("question", "found"), ASKED.values(), ids=ASKED)
def test_a_question_is_about_these(question: str, found: list[str]) -> None:
    assert asked(question) == found


@given(st.text(max_size=200))
def test_tokens_are_bounded_and_hold_no_space(text: str) -> None:
    for token in tokens(text):
        assert 0 < len(token) <= LONGEST
        assert token.split() == [token]
