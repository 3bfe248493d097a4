"""Spans of a line that are never split: code, math, links, images, tags, titles.

Each is searched for within a bounded part of one line, so that a span that is never closed costs and buffers little.
"""

import re
from collections.abc import Callable
from typing import Final

from ..need_data import NEED_DATA, NeedData

OPENINGS: Final = "`$\\[<《〈"  # the first characters of spans

MAX_CODE_CHARACTERS = 300  # characters of code in a line
MAX_MATH = 150
MAX_LINK_TEXT = 300
MAX_REMARK_CHARACTERS = 120  # characters of [a remark in brackets] that is not split
MAX_TARGET = 500  # the limit of the marker grammar
MAX_TAG = 200
MAX_TITLE_CHARACTERS = 80  # characters of 《a title》


def span_end(text: str, i: int, *, final: bool) -> int | NeedData | None:
    """Return the end of the span that begins at `i`, None where none does. `final`: nothing follows on this line."""
    return _FINDERS[text[i]](text, i, final)


def certainly_open(text: str, i: int) -> bool:
    """Return whether brackets that begin at `i` are certainly not closed yet, in a tenth of the time of `span_end`."""
    return text[i] == "[" and len(text) - i < MAX_LINK_TEXT and text.find("]", i) < 0 and not _is_array(text, i)


def _is_array(text: str, i: int) -> bool:
    return text.startswith("[[[", i)


def _find_closing(
    text: str, i: int, start: int, closing: re.Pattern[str], limit: int, final: bool
) -> int | NeedData | None:
    """Return the end of `closing` after `start`, within `limit` characters from `i`."""
    reach = i + limit
    match = closing.search(text, start, reach)
    if match is None:
        return None if final or len(text) >= reach else NEED_DATA
    return match.end() if final or match.end() < len(text) else NEED_DATA


def _code_end(text: str, i: int, final: bool) -> int | NeedData | None:
    ticks = _TICKS.match(text, i)
    start = ticks.end() if ticks else i + 1
    if start == len(text):
        return start if final else NEED_DATA
    if start - i > MAX_TICKS:
        return start
    return _find_closing(text, i, start, _CLOSING[start - i], MAX_CODE_CHARACTERS, final) or start


_TICKS: Final = re.compile("`+")
MAX_TICKS = 8
_CLOSING: Final = {count: re.compile(f"(?<!`)`{{{count}}}(?!`)") for count in range(1, MAX_TICKS + 1)}


def _math_end(text: str, i: int, final: bool) -> int | NeedData | None:
    """Match `$x$` and `$$x$$`, but not `$5 and $6` or the end of the marker `##1$$`."""
    following, before = text[i + 1 : i + 2], text[i - 1 : i] if i else ""
    if not following:
        return None if final else NEED_DATA
    if following == "$":
        return i + 2 if before.isdigit() else _find_closing(text, i, i + 2, _DOLLARS, MAX_MATH, final) or i + 2
    if following.isspace() or before.isalnum():
        return None
    if following.isdigit():
        amount = _AMOUNT.match(text, i + 1, i + MAX_MATH)
        end = amount.end() if amount else i + 1
        if end == len(text):
            return None if final else NEED_DATA
        return end + 1 if text[end] == "$" else None
    return _find_closing(text, i, i + 1, _DOLLAR, MAX_MATH, final)


_DOLLARS: Final = re.compile(r"\$\$")
_DOLLAR: Final = re.compile(r"(?<![\s\\])\$(?!\d)")
_AMOUNT: Final = re.compile(r"[^\s$]*")


def _escape_end(text: str, i: int, final: bool) -> int | NeedData | None:
    """Match `\\(x\\)`, `\\[x\\]`, or an escaped character."""
    following = text[i + 1 : i + 2]
    if not following:
        return None if final else NEED_DATA
    if following in _ESCAPED_CLOSING:
        return _find_closing(text, i, i + 2, _ESCAPED_CLOSING[following], MAX_MATH, final) or i + 2
    return i + 2 if following in OPENINGS else None


_ESCAPED_CLOSING: Final = {"(": re.compile(r"\\\)"), "[": re.compile(r"\\\]")}


def _bracket_end(text: str, i: int, final: bool) -> int | NeedData | None:
    """Match a link or an image with its target, or a short remark in brackets."""
    brackets = _BRACKETS.match(text, i, i + MAX_LINK_TEXT)
    if brackets is None:
        return None if final or len(text) - i >= MAX_LINK_TEXT or _is_array(text, i) else NEED_DATA
    end = brackets.end()
    if end == len(text):
        return end if final else NEED_DATA
    if text[end] == "(":
        target = _TARGET.match(text, end, end + MAX_TARGET)
        if target:
            return target.end()
        return end if final or len(text) - end >= MAX_TARGET else NEED_DATA
    return end if end - i <= MAX_REMARK_CHARACTERS else None


_INSIDE: Final = r"(?:[^\[\]\\]|\\.)*"
_BRACKETS: Final = re.compile(rf"\[{_INSIDE}(?:\[{_INSIDE}\](?:\([^()]*\))?{_INSIDE})*\]")
_TARGET: Final = re.compile(r"\((?:[^()]|\([^()]*\))*\)")


def _tag_end(text: str, i: int, final: bool) -> int | NeedData | None:
    following = text[i + 1 : i + 2]
    if not following:
        return None if final else NEED_DATA
    if not (following.isalpha() or following in "/!?"):
        return None
    return _find_closing(text, i, i + 1, _TAG_END, MAX_TAG, final)


_TAG_END: Final = re.compile(">")


def _title_end(text: str, i: int, final: bool) -> int | NeedData | None:
    return _find_closing(text, i, i + 1, _TITLE_END[text[i]], MAX_TITLE_CHARACTERS, final)


_TITLE_END: Final = {"《": re.compile("》"), "〈": re.compile("〉")}

_FINDERS: Final[dict[str, Callable[[str, int, bool], int | NeedData | None]]] = {
    "`": _code_end,
    "$": _math_end,
    "\\": _escape_end,
    "[": _bracket_end,
    "<": _tag_end,
    "《": _title_end,
    "〈": _title_end,
}
