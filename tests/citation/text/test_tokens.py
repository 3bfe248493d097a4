"""Tokens: optimized paths return the same tokens as the plain regular expression."""

import re

from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text import analyze_text
from citestream.citation.text.tokens import _TOKEN, _tokens_of_piece, tokenize, word_token

LANGUAGES = (
    "The 3 rivers' v2 été l’eau 港口v3 x. 1,500 km; 5:30 p.m. (naïve) -12 don't 3.10 2021-05-04 über Straße\u0301 ٣٤ "
)


@given(st.text(st.sampled_from(LANGUAGES), max_size=60) | st.text(max_size=60))
def test_fast_path_for_ascii_returns_the_same_tokens(text: str) -> None:
    fast = r"[ \n,;:()\"-]*+", r"[A-Za-z]++(?=[ ,.\n;:)])|"
    assert all(part in _TOKEN.pattern for part in fast)
    plain = re.compile(_TOKEN.pattern.replace(fast[0], "").replace(fast[1], ""))
    assert _spans(plain, text) == _spans(_TOKEN, text)


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[str, int, int]]:
    return [(m.lastgroup, *m.span(m.lastgroup)) for m in pattern.finditer(text) if m.lastgroup]


# Parts of tokens that contain white space or end at it.
SPACED = (
    *("3", "500", ", ", " ", "\n", "1 000", "\u00a0", "12:30", " p", ".", "m.", " PM", ":", "v", "2", "٣", "x", "Été"),
    *("_", "-", "'", "\u0301", "港口", "ี", "\t", "\x1c", "\x85", "\u2028", "\r\n", "2021-05-04", "/", "%", "w" * 70),
)


@given(st.lists(st.sampled_from(SPACED), max_size=12).map("".join))
def test_splitting_at_white_space_returns_the_same_tokens(text: str) -> None:
    tokens = tokenize(text)
    found = zip((token.kind for token in tokens.tokens), tokens.starts, tokens.ends, strict=True)
    assert list(found) == _spans(_TOKEN, text)
    assert [token for token in tokens.tokens if token.kind == "word"] == [
        word_token(text[start:end]) for kind, start, end in _spans(_TOKEN, text) if kind == "word"
    ]


@given(st.lists(st.sampled_from(SPACED), max_size=20).map("".join))
def test_memoization_does_not_change_the_analysis(text: str) -> None:
    known = analyze_text(text)
    for table in (_tokens_of_piece, word_token):
        table.clear()
        table._older.clear()
    assert analyze_text(text) == analyze_text(text) == known
