"""The segmenter's state machine."""

import re

from .blocks import PROSE, Line, closes, item_length, line_kind
from .boundaries import ENDS, GREEK_QUESTION, WAIT, next_number, sentence_end
from .scripts import THAI_CLAUSE, THAI_LAO
from .sentence import Kind, Open, SegmentLimits, Sentence

_POINTS = re.compile(f"[{re.escape(ENDS)}\n`)]|(?<=[{THAI_LAO}]) |{GREEK_QUESTION}")
# What may yet stand behind our marker, or go: closing punctuation, tags, the model's markers; the last may be cut off
_TAIL = re.compile(
    r"(?:[\s.!?…。！？；:,;\"'”’)\]}*_»›」』】》`$|#\\^]|</?[A-Za-z][^<>\n]{0,100}>|\[[^\]\n]{0,60}\]|【[^】\n]{0,60}】|\([^)\n]{0,60}\)|##\d{1,18})*"
    r"(?:[\[［【(（<][^\])】］）>\n]{0,100})?\Z"
)
TAIL = 300  # characters at the end of what is held that are looked at for that
_SOFT = " \t\n\r\f\v\u00a0\u3000.!?…。！？；:,;\"'”’)]}*_»›」』】》`$|#\\^"  # the single characters of that
_OPENS = re.compile(r"[\[［【(（<#]")  # without one of these before them, nothing but those can be such a tail
_TEXT = frozenset({Kind.PROSE, Kind.LIST_ITEM, Kind.QUOTE, Kind.HTML})


class Segmenter:
    """Takes an answer apart while it arrives. Holds only the sentence that is not complete."""

    def __init__(self, limits: SegmentLimits | None = None) -> None:
        """`limits`: how much may be held."""
        self._limits = limits or SegmentLimits()
        self._start = 0  # offset of what is held
        self._held = ""
        self._at = 0  # how far what is held has been looked at
        self._line: Line | None = None  # what the line is; None while its beginning decides nothing
        self._line_start = 0  # where in what is held the line begins; negative: before it
        self._fence = ""  # what opened the code or math that is open
        self._paragraph = False
        self._listed = False
        self._fresh = True  # a line begins

    @property
    def holds(self) -> bool:
        """Whether anything is held."""
        return bool(self._held)

    @property
    def in_code(self) -> bool:
        """Whether what is held is code."""
        return bool(self._held) and self._line is not None and self._line.kind is Kind.CODE

    @property
    def open(self) -> Open:
        """What is held."""
        kind = self._line.kind if self._line else Kind.PROSE
        return Open(self._start, self._held, kind, self._settled())

    def feed(self, text: str) -> list[Sentence]:
        """Take in a piece; return the sentences that are complete."""
        self._held += text
        return [] if self._passes() else self._advance(final=False)

    def _passes(self) -> bool:
        """Whether the latest piece only makes the sentence longer, as four of five do: half the cost of a stream."""
        line, size = self._line, len(self._held)
        if line is None or size > self._limits.characters:
            return False
        if (self._held.find("\n", self._at) >= 0) if line.whole else _POINTS.search(self._held, self._at):
            return False
        self._at = size
        return True

    def flush(self) -> list[Sentence]:
        """The text is over: return all that is held."""
        found = self._advance(final=True)
        found += self._cut(len(self._held)) if self._held else []
        self._fresh, self._line, self._fence = True, None, ""
        return found

    def release(self) -> list[Sentence]:
        """Return what is held as a sentence of its own; what follows goes on in the same line."""
        return self._cut(len(self._held)) if self._held else []

    def _advance(self, *, final: bool) -> list[Sentence]:
        found: list[Sentence] = []
        while self._held:
            before = len(self._held), self._at, self._line
            cut = self._step(final)
            found += cut
            if not cut and before == (len(self._held), self._at, self._line):
                break
        while len(self._held) > self._limits.characters:
            found += self._cut(self._forced())
        return found

    def _step(self, final: bool) -> list[Sentence]:
        if self._line is None:
            return self._begin_line(final)
        newline = self._held.find("\n", max(self._at, 0)) if self._line.whole else -1
        if self._line.whole:
            if newline < 0:
                self._at = len(self._held)
                return []
            return self._end_line(newline)
        point = _POINTS.search(self._held, self._at)
        if point is None:
            self._at = len(self._held)
            return []
        return self._at_point(point.start(), final)

    def _begin_line(self, final: bool) -> list[Sentence]:
        newline = self._held.find("\n")
        text = self._held if newline < 0 else self._held[:newline]
        if self._fence:
            self._line = Line(Kind.CODE if self._fence[0] in "`~" else Kind.MATH, True)
            return []
        if newline >= 0 and not text.strip(" \t\r"):
            self._paragraph = False
            return self._end_line(newline)
        complete = final or newline >= 0
        self._line = line_kind(text, final=complete, paragraph=self._paragraph, listed=self._listed)
        if self._line is None:
            return []
        if self._line.kind is Kind.LIST_ITEM:
            self._listed = True
            self._at = item_length(text)
        elif self._line is PROSE and not text[:1].isspace():
            self._listed = False
        self._paragraph = self._line.kind in _TEXT
        return []

    def _end_line(self, newline: int) -> list[Sentence]:
        """A line is complete: it leaves with the blank lines that follow as far as they are here."""
        line = self._held[:newline]
        if self._line is not None and self._line.fence and not self._fence:
            opened = self._line.fence
            rest = line.strip()[len(opened) :]
            self._fence = "" if opened in ("$$", "\\[") and closes(opened, rest) else opened
        elif self._fence and closes(self._fence, line):
            self._fence = ""
        found = self._cut(newline + 1)
        self._line = None
        return found

    def _at_point(self, at: int, final: bool) -> list[Sentence]:
        character = self._held[at]
        if character == "\n":
            return self._end_line(at)
        if character == "`":
            return self._over_code(at, final)
        if character == " ":
            if at >= THAI_CLAUSE:
                return self._cut(at + 1)
            self._at = at + 1
            return []
        newline = self._held.find("\n", at)
        text = self._held if newline < 0 else self._held[:newline]
        complete = final or newline >= 0
        if at + 1 == len(self._held) and not complete:
            return []
        if character in ".)" and (begins := next_number(text, at)) is not None:
            return self._cut(begins)
        if character == ")":
            self._at = at + 1
            return []
        end = sentence_end(text, at, final=complete)
        if end is WAIT:
            return []
        if not isinstance(end, int) or (end >= len(text) and newline >= 0):
            self._at = at + 1
            return []
        return self._cut(end)

    def _over_code(self, at: int, final: bool) -> list[Sentence]:
        ticks = re.compile("`+").match(self._held, at)
        length = len(ticks[0]) if ticks else 1
        newline = self._held.find("\n", at)
        closing = re.compile(f"(?<!`)`{{{length}}}(?!`)").search(self._held, at + length)
        if closing and (newline < 0 or closing.start() < newline) and (final or closing.end() < len(self._held)):
            self._at = closing.end()
        elif newline >= 0 or final or len(self._held) - at > 500:
            self._at = at + length
        return []

    def _forced(self) -> int:
        """Where to cut what has grown too long: at its last space, else at the limit."""
        limit = self._limits.characters
        space = max(self._held.rfind(" ", limit // 2, limit), self._held.rfind("\n", limit // 2, limit))
        return space + 1 if space > 0 else limit

    def _cut(self, end: int) -> list[Sentence]:
        kind = self._line.kind if self._line else Kind.PROSE
        sentence = Sentence(self._start, self._held[:end], kind)
        self._start += end
        self._held = self._held[end:]
        self._at = max(0, self._at - end)
        return [sentence]

    def _settled(self) -> int:
        if self._line is None:
            return 0
        if self._line.kind is Kind.CODE:
            possible = self._held.strip(" >\t")
            return 0 if not possible.strip("`~") else len(self._held)
        if self._line.whole or self._line.kind not in _TEXT:
            return 0
        waiting = _POINTS.search(self._held, self._at)  # a mark that what follows decides
        end = waiting.start() if waiting else len(self._held)
        least = max(0, end - TAIL)
        if not _OPENS.search(self._held, least, end):
            return len(self._held[:end].rstrip(_SOFT))
        tail = _TAIL.search(self._held[least:end])
        return least + tail.start() if tail else end
