"""Match markers by what a page displays.

`&#91;1&#93;`, `[<b>1</b>]`, `[1<!-- x -->]`, `[[[1]]]`, `[①]` and `[#1]` all look like `[1]`. The grammar has the forms
that models usually write. Other text is decoded here: character references, escapes, tags, comments, emphasis and
invisible characters. Then its numbers are read.
"""

import re
import unicodedata
from collections.abc import Iterator
from html import unescape
from typing import Final

from ..text.need_data import NEED_DATA, NeedData
from .grammar import (
    MAX_LISTED,
    MAX_MARKER_CHARACTERS,
    WORDS,
    Brackets,
    Form,
    match_form,
    match_link_target,
    parse_numbers,
)

MAX_DISPLAYED_CHARACTERS = 80  # characters between the brackets, as displayed
MAX_NESTED = 4  # opening brackets in a row
MAX_ENCLOSED = 50  # the largest number that is one character: ㊿

# Brackets that look like [ and ]
LOOKALIKES: Final = ("［］", "〔〕", "〖〗", "﹝﹞", "⟦⟧", "❲❳", "⁅⁆", "〚〛", "⦋⦌", "﹇﹈")


def match_brackets(text: str, i: int) -> Brackets | NeedData | None:
    """Match the brackets that begin at `i`, whatever is around them. NEED_DATA if the text ends inside them."""
    brackets = match_form(text, i)
    return _match_displayed(text, i) if brackets is None and text[i] in _STARTS else brackets


_OPENING = frozenset("[【") | {pair[0] for pair in LOOKALIKES}
_CLOSING = frozenset("]】") | {pair[1] for pair in LOOKALIKES}
_STARTS = _OPENING | frozenset("&\\")


def _match_displayed(text: str, i: int) -> Brackets | NeedData | None:
    depth, body = 0, ""
    for character, end in _decode(text, i):
        if end - i > MAX_MARKER_CHARACTERS:
            return None
        if character in _CLOSING and depth:
            return _close(text, end, depth, body)
        if character in _OPENING and not body.strip():
            depth += 1
        else:
            body += character
        if not (0 < depth <= MAX_NESTED and len(body) <= MAX_DISPLAYED_CHARACTERS and _is_beginning(body)):
            return None
    return NEED_DATA if len(text) - i < MAX_MARKER_CHARACTERS else None


def _close(text: str, position: int, depth: int, body: str) -> Brackets | NeedData | None:
    """Match the other closing brackets from `position`, and read the numbers. The inner brackets can be a link."""
    numbers = _numbers(body)
    closed = 1
    if numbers is None or depth == 1:
        return numbers and Brackets(position, *numbers)
    form, ranges = numbers
    is_row = depth == 2 and len(ranges) == 1  # [[1], [2]], but not the matrix [[1, 2], [3, 4]]
    while is_row and len(ranges) < MAX_LISTED and (following := _NEXT_INNER.match(text, position)):
        inner = match_form(text, following.end()) if following.end() < len(text) else NEED_DATA
        if not isinstance(inner, Brackets) or inner.form is not form or len(inner.ranges) > 1:
            return NEED_DATA if inner is NEED_DATA else None
        ranges, position = (*ranges, *inner.ranges), inner.end
    while closed < depth:
        if text[position : position + 1] == "(":  # each pair of brackets may be a link: [ [[1]](url)](url)
            target = match_link_target(text, position)
            if not isinstance(target, int):
                return target
            position = target
        bracket = _next_bracket(text, position)
        if not isinstance(bracket, int):
            return bracket
        closed, position = closed + 1, bracket
    return Brackets(position, Form.LINK if form is Form.PLAIN else form, ranges)


def _next_bracket(text: str, position: int) -> int | NeedData | None:
    """Return the end of the closing bracket that follows after spaces."""
    for character, beyond in _decode(text, position):
        if character in _CLOSING:
            return beyond
        if character not in " \t" or beyond - position > MAX_MARKER_CHARACTERS:
            return None
    return NEED_DATA


_NEXT_INNER = re.compile(r"[ \t]{0,3}[,;，；、]?[ \t]{0,3}(?=\[|\Z)")


# --- decoding -----------------------------------------------------------------------------------------------------

_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,24});")
_REFERENCE_PREFIX = re.compile(r"&(?:#[0-9]{0,7}|#[xX][0-9a-fA-F]{0,6}|[A-Za-z][A-Za-z0-9]{0,24})?\Z")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL)
_TAG_PREFIX = re.compile(r"<(?:/?(?:[A-Za-z][^<>]*)?|!-?|!--.*)\Z", re.DOTALL)
_EMPHASIS = re.compile(r"[*_`$]+|~~+|==+")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def _decode(text: str, i: int) -> Iterator[tuple[str, int]]:
    """Yield the displayed characters with the position after them. Stop at markup that is incomplete."""
    while i < len(text):
        shown, end = text[i], i + 1
        if markup := _REFERENCE.match(text, i):
            shown, end = _displayed(unescape(markup[0])), markup.end()
        elif markup := _TAG.match(text, i, i + MAX_MARKER_CHARACTERS) or _EMPHASIS.match(text, i):
            shown, end = "", markup.end()
        elif _ends_inside_markup(text, i):
            return
        elif shown == "\\" and text[end] in _PUNCTUATION:
            shown, end = text[end], end + 1
        elif not shown.isascii():
            shown = _displayed(shown)
        for character in shown or ("",):
            yield character, end
        i = end


def _ends_inside_markup(text: str, i: int) -> bool:
    if text[i] == "&":
        return _REFERENCE_PREFIX.match(text, i) is not None
    if text[i] == "<":
        return _TAG_PREFIX.match(text, i, i + MAX_MARKER_CHARACTERS) is not None
    return text[i] in "\\~=" and i + 1 == len(text)


def _displayed(characters: str) -> str:
    return "".join(map(_plain, characters))


def _plain(character: str) -> str:
    """Return 1 for ①, ₁ and ⒈, nothing for an invisible or combining character, and others as they are."""
    category = unicodedata.category(character)
    if category in ("Cf", "Mn", "Me"):
        return ""
    if category in ("Nd", "No"):
        value = unicodedata.numeric(character, -1)
        return str(int(value)) if value in range(MAX_ENCLOSED + 1) else character
    return " " if category == "Zs" else character


# --- numbers ------------------------------------------------------------------------------------------------------

_WORDS_IN_BRACKETS = WORDS["see"] | WORDS["bracketed"]
_NAME = r"(?:[^\W\d_]++[\s.:：°\-]*+)*+"
_NUMBER = r"[#№]?+\s*+\d{1,18}+"
_RANGE = rf"{_NAME}{_NUMBER}(?:\s*+(?:[\-\u2010-\u2015\u2212~〜]|\.\.\.?|…)\s*+{_NAME}{_NUMBER})?"
_BODY = re.compile(rf"[\s,;(（^]*+{_RANGE}(?:[\s,;&，；、|]++{_RANGE})*[\s,;.:)）^]*+")
_BEGINNING = re.compile(r"(?:[\s\d,;&，；、|()（）^#№°.:：…~〜\-\u2010-\u2015\u2212]|(?<![^\W\d_])[^\W\d_]{1,12}+)*+")


def _numbers(body: str) -> tuple[Form, tuple[tuple[int, int], ...]] | None:
    return parse_numbers(body, Form.PLAIN, _WORDS_IN_BRACKETS) if _BODY.fullmatch(body) else None


def _is_beginning(body: str) -> bool:
    """Return whether numbers in brackets can begin like this."""
    return _BEGINNING.fullmatch(body) is not None
