"""Stretches of a line that are never cut inside: code, math, links, images, tags, titles.

Each is looked for in a bounded stretch of one line, so that what never closes costs and holds little.
"""

import re
from collections.abc import Callable
from typing import Final

from .lookahead import NEED_DATA, NeedData

OPENINGS: Final = "`$\\[<《〈"  # what a span can begin with

MAX_CODE = 300  # characters of code in a line
MAX_MATH = 150
MAX_LINK_TEXT = 300
MAX_REMARK = 120  # characters of [a remark in brackets] that is kept whole
MAX_TARGET = 500  # as many as the grammar of markers allows
MAX_TAG = 200
MAX_TITLE = 80  # characters of 《a title》


def span_end(text: str, i: int, *, final: bool) -> int | NeedData | None:
    """Where the span ends that begins at `i`, None where none does. `final`: nothing follows `text` on this line."""
    return _FINDERS[text[i]](text, i, final)


def certainly_open(text: str, i: int) -> bool:
    """Whether brackets that begin at `i` do not end yet, told in a tenth of the time that `span_end` takes."""
    return text[i] == "[" and len(text) - i < MAX_LINK_TEXT and text.find("]", i) < 0 and not _is_array(text, i)


def _is_array(text: str, i: int) -> bool:
    return text.startswith("[[[", i)


def _closed(text: str, i: int, start: int, closing: re.Pattern[str], most: int, final: bool) -> int | NeedData | None:
    """The end of `closing` behind `start`, within `most` characters from `i`."""
    reach = i + most
    found = closing.search(text, start, reach)
    if found is None:
        return None if final or len(text) >= reach else NEED_DATA
    return found.end() if final or found.end() < len(text) else NEED_DATA


def _code(text: str, i: int, final: bool) -> int | NeedData | None:
    ticks = _TICKS.match(text, i)
    start = ticks.end() if ticks else i + 1
    if start == len(text):
        return start if final else NEED_DATA
    if start - i > MAX_TICKS:
        return start
    return _closed(text, i, start, _CLOSING[start - i], MAX_CODE, final) or start


_TICKS: Final = re.compile("`+")
MAX_TICKS = 8
_CLOSING: Final = {count: re.compile(f"(?<!`)`{{{count}}}(?!`)") for count in range(1, MAX_TICKS + 1)}


def _math(text: str, i: int, final: bool) -> int | NeedData | None:
    """`$x$`, `$$x$$`; not `$5 and $6`, not the end of `##1$$`."""
    following, before = text[i + 1 : i + 2], text[i - 1 : i] if i else ""
    if not following:
        return None if final else NEED_DATA
    if following == "$":
        return i + 2 if before.isdigit() else _closed(text, i, i + 2, _DOLLARS, MAX_MATH, final) or i + 2
    if following.isspace() or before.isalnum():
        return None
    if following.isdigit():
        amount = _AMOUNT.match(text, i + 1, i + MAX_MATH)
        end = amount.end() if amount else i + 1
        if end == len(text):
            return None if final else NEED_DATA
        return end + 1 if text[end] == "$" else None
    return _closed(text, i, i + 1, _DOLLAR, MAX_MATH, final)


_DOLLARS: Final = re.compile(r"\$\$")
_DOLLAR: Final = re.compile(r"(?<![\s\\])\$(?!\d)")
_AMOUNT: Final = re.compile(r"[^\s$]*")


def _backslash(text: str, i: int, final: bool) -> int | NeedData | None:
    """`\\(x\\)`, `\\[x\\]`, or a character that has lost its meaning."""
    following = text[i + 1 : i + 2]
    if not following:
        return None if final else NEED_DATA
    if following in _ESCAPED_CLOSING:
        return _closed(text, i, i + 2, _ESCAPED_CLOSING[following], MAX_MATH, final) or i + 2
    return i + 2 if following in OPENINGS else None


_ESCAPED_CLOSING: Final = {"(": re.compile(r"\\\)"), "[": re.compile(r"\\\]")}


def _brackets(text: str, i: int, final: bool) -> int | NeedData | None:
    """A link or an image with its target, or a short remark in brackets."""
    found = _BRACKETS.match(text, i, i + MAX_LINK_TEXT)
    if found is None:
        return None if final or len(text) - i >= MAX_LINK_TEXT or _is_array(text, i) else NEED_DATA
    end = found.end()
    if end == len(text):
        return end if final else NEED_DATA
    if text[end] == "(":
        target = _TARGET.match(text, end, end + MAX_TARGET)
        if target:
            return target.end()
        return end if final or len(text) - end >= MAX_TARGET else NEED_DATA
    return end if end - i <= MAX_REMARK else None


_INSIDE: Final = r"(?:[^\[\]\\]|\\.)*"
_BRACKETS: Final = re.compile(rf"\[{_INSIDE}(?:\[{_INSIDE}\](?:\([^()]*\))?{_INSIDE})*\]")
_TARGET: Final = re.compile(r"\((?:[^()]|\([^()]*\))*\)")


def _tag(text: str, i: int, final: bool) -> int | NeedData | None:
    following = text[i + 1 : i + 2]
    if not following:
        return None if final else NEED_DATA
    if not (following.isalpha() or following in "/!?"):
        return None
    return _closed(text, i, i + 1, _TAG_END, MAX_TAG, final)


_TAG_END: Final = re.compile(">")


def _title(text: str, i: int, final: bool) -> int | NeedData | None:
    return _closed(text, i, i + 1, _TITLE_END[text[i]], MAX_TITLE, final)


_TITLE_END: Final = {"《": re.compile("》"), "〈": re.compile("〉")}

_FINDERS: Final[dict[str, Callable[[str, int, bool], int | NeedData | None]]] = {
    "`": _code,
    "$": _math,
    "\\": _backslash,
    "[": _brackets,
    "<": _tag,
    "《": _title,
    "〈": _title,
}
