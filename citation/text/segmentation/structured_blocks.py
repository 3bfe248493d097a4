"""Structured text of an answer while it arrives: which block is open, and where it ends.

JSON ends with its last bracket, thoughts and XML with their closing tag. Other blocks end at a blank line before a line
of prose. Only JSON and thoughts can begin after other text.
"""

import re
from typing import Final

from ..need_data import NEED_DATA, NeedData
from .data_formats import line_kind, opening_kind, root_of, thought_end
from .sentence import Kind

MAX_CLOSING_CHARACTERS: Final = 100  # characters of what ends thoughts or XML
_YAML_RULE: Final = "---"  # ends the metadata at the beginning of a page


class StructuredBlocks:
    """The blocks of one answer."""

    def __init__(self, *, expected: bool = False) -> None:
        """Create the state before the answer. `expected`: the prompt asks for structured text."""
        self.kind: Kind | None = None  # the open block
        self._expected = expected
        self._begins = True  # whether nothing but blocks came before
        self._after_blank = False
        self._has_lines = False  # whether the open block has lines of YAML
        self._json = JsonScanner()
        self._closing: re.Pattern[str] | None = None

    def begin_line(self, text: str, *, complete: bool, final: bool) -> Kind | NeedData | None:
        """Return the kind of the line that `text` begins with, None if it belongs to no block.

        `complete`: the whole line has arrived. `final`: nothing follows the text.
        """
        if self.kind not in (None, Kind.THOUGHT) and self._after_blank:
            line = text.partition("\n")[0]
            if _PROSE.match(line):
                self.close()
            elif not (complete or final) and _MAY_BE_PROSE.fullmatch(line):
                return NEED_DATA
        if self.kind or not text.partition("\n")[0].strip():
            return self.kind
        kind = (
            opening_kind(text, expected=self._expected, final=final) if self._begins else line_kind(text, final=final)
        )
        if kind is None:
            self._begins = False
        elif kind is not NEED_DATA:
            self._open(kind, text)
        return kind

    def end_line(self, line: str) -> None:
        """Note the end of a line of the open block."""
        self._after_blank = not line.strip()
        is_rule = self.kind is Kind.YAML and line.rstrip() == _YAML_RULE
        if is_rule and self._has_lines:
            self.close()
        self._has_lines = not is_rule or self._has_lines

    def continue_line(self) -> None:
        """Note that a part of the line was returned before its kind was decided. It is prose."""
        self._begins = False

    def end(self, text: str, begin: int, start: int, stop: int) -> int | None:
        """Return where the open block ends in a line, None if not between `start` and `stop`.

        `begin`: where the line begins. Each stretch of the text may be given once only.
        """
        if self.kind is Kind.JSON:
            return self._json.end(text, start, stop)
        if self._closing:
            closed = self._closing.search(text, max(begin, start - MAX_CLOSING_CHARACTERS), stop)
            return closed.end() if closed else None
        return None

    def close(self) -> None:
        """End the open block."""
        self.kind, self._closing, self._after_blank, self._has_lines = None, None, False, False

    def _open(self, kind: Kind, text: str) -> None:
        self.kind = kind
        self._json = JsonScanner()
        if kind is Kind.THOUGHT:
            self._closing = thought_end(text)
        elif kind is Kind.XML and (root := root_of(text)):
            self._closing = re.compile(rf"</{re.escape(root)}\s*>")


class JsonScanner:
    """Finds the end of a value of JSON that arrives in pieces."""

    def __init__(self) -> None:
        """Create a scanner before the value."""
        self._depth = 0
        self._quote = ""  # the quotation mark of the open string
        self._escaped = False  # whether the next character of it is escaped
        self._ended = False

    def end(self, text: str, start: int, stop: int) -> int | None:
        """Return where the value ends, None if not between `start` and `stop`."""
        if self._ended:
            return start
        position = start
        while position < stop:
            if self._escaped:
                self._escaped = False
                position += 1
                continue
            mark = (_IN_STRING[self._quote] if self._quote else _STRUCTURE).search(text, position, stop)
            if mark is None:
                return None
            position = mark.end()
            self._take(mark[0])
            if not (self._depth or self._quote):
                self._ended = True
                return position
        return None

    def _take(self, mark: str) -> None:
        if mark == "\\":
            self._escaped = True
        elif mark in "\"'":
            self._quote = "" if self._quote else mark
        else:
            self._depth += 1 if mark in "{[" else -1


_STRUCTURE = re.compile(r"[{}\[\]\"]|(?<=[{\[,: ])'")
_IN_STRING = {quote: re.compile(rf"[\\{quote}]") for quote in "\"'"}
# Three words, the first of which begins with a capital but has more letters: "SELECT" and "A" do not begin prose.
_PROSE = re.compile(r"[\"“*_]{0,3}(?:[A-ZÀ-Þ][a-zß-ÿ’'-]*|[A-ZÀ-Þ]),? [\w’'-]+,? [\w’'-]+|[\u2e80-\u9fff]{4}")
_MAY_BE_PROSE = re.compile(r"[\"“*_]{0,3}(?:[A-ZÀ-Þ][a-zß-ÿ’'-]*,? ?(?:[\w’'-]+,? ?[\w’'-]*)?)?|[\u2e80-\u9fff]{1,3}")
