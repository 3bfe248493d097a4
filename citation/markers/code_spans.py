"""Detect inline code, math and HTML tags, where brackets are not citations. Incremental, with bounded lookback."""

import re
from dataclasses import dataclass

from ..text.need_data import NEED_DATA, NeedData

CODE_REACH_CHARACTERS = 500  # characters of inline code; a backtick that is not closed by then is an ordinary character
MATH_REACH_CHARACTERS = 200  # characters between two dollar signs; a longer span is about money

_TICKS = re.compile("`+")
_MONEY = re.compile(r"\$\d[\d,.]*(?:\s|[kKmMbB]|%|-|–|/)")
_IN_TAG = re.compile(r"""<(?:[A-Za-z][^<>]*=\s*(?:"[^"<>]*|'[^'<>]*)|https?:[^\s<>]*)\Z""")
_TAG_REACH_CHARACTERS = 300  # characters before a position that are searched for the beginning of a tag
_CLOSERS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}


@dataclass(slots=True)
class OpenSpans:
    """Code and math that may be open at the current position of a text. Positions are offsets into the text."""

    code: int | None = None  # position of the first run of backticks that is not closed
    math: tuple[str, int] | None = None  # the opening delimiter and its position

    def shift(self, by: int) -> None:
        """Adjust the positions after the first `by` characters were removed."""
        if self.code is not None:
            self.code = self.code - by if self.code >= by else None
        if self.math is not None:
            self.math = (self.math[0], self.math[1] - by) if self.math[1] >= by else None

    def add_backticks(self, text: str, start: int, end: int) -> None:
        """Register a run of backticks at `start`."""
        if self.code is None or start - self.code > CODE_REACH_CHARACTERS or "\n\n" in text[self.code : start]:
            self.code = start
        elif _closing_ticks(text, self.code, end) == end:
            self.code = None

    def add_math_delimiter(self, text: str, start: int, mark: str) -> None:
        """Register a math delimiter at `start`: `$`, `$$`, or a backslash and a bracket."""
        if self.math is not None:
            opening, position = self.math
            closes = mark == _CLOSERS.get(opening) or (mark == opening == "$" and _closes(text, start))
            if closes and start - position <= (MATH_REACH_CHARACTERS if mark == "$" else CODE_REACH_CHARACTERS):
                self.math = None
                return
        if mark in _CLOSERS or (mark == "$" and text[start + 1 : start + 2].strip()):
            self.math = (mark, start)

    def covers(self, text: str, start: int, end: int, final: bool) -> bool | NeedData:
        """Return whether `text[start:end]` is inside code, math or a tag. NEED_DATA if more text is needed."""
        if _IN_TAG.search(text, max(0, start - _TAG_REACH_CHARACTERS), start):
            return True
        in_code = self._in_code(text, start, final)
        return in_code if in_code is not False else self._in_math(text, start, end, final)

    def _in_code(self, text: str, start: int, final: bool) -> bool | NeedData:
        position = self.code
        while position is not None and position < start:
            run = _TICKS.match(text, position)
            if run is None:
                return False
            closing = _closing_ticks(text, position, min(len(text), position + CODE_REACH_CHARACTERS))
            if closing == len(text) and not final:
                return NEED_DATA  # the run of backticks may continue
            if closing is None:
                if _may_close(text, position, CODE_REACH_CHARACTERS, final):
                    return NEED_DATA
                closing = run.end()  # an ordinary character; the next run may open a span
            elif closing > start:
                return True
            following = _TICKS.search(text, closing, start)
            position = following.start() if following else None
        return False

    def _in_math(self, text: str, start: int, end: int, final: bool) -> bool | NeedData:
        if self.math is None:
            return False
        opening, position = self.math
        if opening != "$":
            closing = text.find(_CLOSERS[opening], end, position + CODE_REACH_CHARACTERS)
            if closing >= 0:
                return "\n\n" not in text[position:closing]
            return NEED_DATA if _may_close(text, position, CODE_REACH_CHARACTERS, final) else False
        if _MONEY.match(text, position) or "\n\n" in text[position:start]:
            return False
        closing = text.find("$", end, position + MATH_REACH_CHARACTERS)
        if closing < 0:
            return NEED_DATA if _may_close(text, position, MATH_REACH_CHARACTERS, final) else False
        if closing + 1 == len(text) and not final:
            return NEED_DATA
        return _closes(text, closing) and "\n\n" not in text[position:closing]


def _may_close(text: str, position: int, reach: int, final: bool) -> bool:
    """Return whether text that has not arrived can close the span that begins at `position`."""
    return not final and len(text) < position + reach and "\n\n" not in text[position:]


def _closing_ticks(text: str, position: int, most: int) -> int | None:
    """Return the end of the run of backticks before `most` that closes the one at `position`."""
    opening = _TICKS.match(text, position)
    if opening is None:
        return None
    length = opening.end() - position
    for run in _TICKS.finditer(text, opening.end(), most):
        if run.end() - run.start() == length:
            return None if "\n\n" in text[position : run.start()] else run.end()
    return None


def _closes(text: str, position: int) -> bool:
    """Return whether a dollar sign can end math: no space before it, no digit after it (Pandoc's rule)."""
    return (
        not text[position - 1 : position].isspace()
        and text[position - 1] != "\\"
        and not text[position + 1 : position + 2].isdigit()
    )
