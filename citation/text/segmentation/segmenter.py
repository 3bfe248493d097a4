"""The segmenter's state machine: lines, and within lines of prose the marks that may end a sentence.

Whatever is decided is decided from the text alone, never from how it arrived: a rule that needs more of it answers
NEED_DATA, and no rule sees beyond the limit of what may be held, where a cut is forced.
"""

import re
from typing import Final

from .blocks import (
    BLANK,
    BlockContext,
    Fence,
    LineType,
    closes_fence,
    leaves_quote,
    line_kind,
    next_context,
    prefix_length,
)
from .boundaries import ENDS, LOOKALIKES, next_number, sentence_end
from .lookahead import NEED_DATA, NeedData
from .protected_spans import OPENINGS, certainly_open, span_end
from .punctuation import ARMENIAN, GREEK, THAI_CLAUSE, THAI_LAO
from .releasable import releasable_length
from .sentence import VERBATIM, Kind, OpenSentence, SegmentLimits, Sentence

_MARKS: Final = re.compile(f"[{re.escape(ENDS + OPENINGS)})]")
_POINTS: Final = re.compile(f"{_MARKS.pattern}|(?<=[{THAI_LAO}]) |{LOOKALIKES}")
_MORE_THAN_MARKS: Final = re.compile(f"[{THAI_LAO}{GREEK}{ARMENIAN}]")  # scripts that other points are of
# What has none of them, in a fifth of the time: most tokens
_PLAIN: Final = f"[^\n;:{THAI_LAO}{re.escape(ENDS + OPENINGS)})]*+"
_NO_POINT: Final = re.compile(f"(?:(?<![{THAI_LAO}])|(?! )){_PLAIN}(?:[{THAI_LAO}]++(?! ){_PLAIN})*+\\Z")
_THAI_LAO: Final = re.compile(f"[{THAI_LAO}]")
_OPENINGS: Final = frozenset(OPENINGS)


class Segmenter:
    """Takes an answer apart while it arrives. Holds only the sentence that is not complete."""

    def __init__(self, limits: SegmentLimits | None = None) -> None:
        """`limits`: how much may be held."""
        self._most = (limits or SegmentLimits()).characters
        self._start = 0  # offset of `_held` in the answer
        self._held = ""
        self._from = 0  # where in `_held` the open sentence begins; 0 between calls
        self._at = 0  # how far `_held` has been looked at
        self._line: LineType | None = None  # what the line is; None while its beginning decides nothing
        self._left = ""  # the beginning of the line that has left already
        self._fence: Fence | None = None  # what opened the code or math that is open
        self._before = BlockContext()

    @property
    def has_open_sentence(self) -> bool:
        """Whether anything is held."""
        return bool(self._held)

    @property
    def next_character(self) -> str:
        """The first character behind the sentences handed out; nothing where none has come."""
        return self._held[:1]

    @property
    def in_code(self) -> bool:
        """Whether what is held is code."""
        line = self._line
        return line is not None and line.whole and line.kind is Kind.CODE and bool(self._held)

    @property
    def open_sentence(self) -> OpenSentence:
        """What is held."""
        if self._line is None:
            return OpenSentence(self._start, self._held, Kind.PROSE, 0)
        return OpenSentence(self._start, self._held, self._line.kind, self._releasable_length())

    def feed(self, text: str) -> list[Sentence]:
        """Take in a piece; return the sentences that are complete."""
        self._held += text
        return [] if self._passes() else self._advance(final=False)

    def flush(self) -> list[Sentence]:
        """The text is over, or something else comes between: return all that is held."""
        return self._advance(final=True) + self.release()

    def release(self) -> list[Sentence]:
        """Return what is held as a sentence of its own; what follows goes on in the same line."""
        if not self._held:
            return []
        sentence = self._cut(len(self._held))
        self._trim()
        return [sentence]

    def _passes(self) -> bool:
        """Whether the latest piece only makes the sentence longer, as nine of ten do: half the cost of a stream."""
        line, held, size = self._line, self._held, len(self._held)
        if line is None or size > self._most:
            return False
        if not line.whole and _NO_POINT.match(held, self._at):
            self._at = size
            return True
        if held.find("\n", self._at) >= 0:
            return False
        point = None if line.whole else _points(held, self._at).search(held, self._at)
        at = point.start() if point else size
        if at < size - 1 and not certainly_open(held, at):
            return False
        self._at = at  # of what ends with a point, more has to come
        return True

    def _advance(self, *, final: bool) -> list[Sentence]:
        found: list[Sentence] = []
        while self._from < len(self._held):
            stop = min(len(self._held), self._from + self._most)
            full = stop < len(self._held)  # nothing that arrives later can be waited for
            sentence = self._next(stop, full, final and not full)
            if sentence is None and not full:
                break
            found.append(sentence or self._cut(self._forced(stop)))
        self._trim()
        return found

    def _next(self, stop: int, full: bool, final: bool) -> Sentence | None:
        """The next complete sentence of those that end before `stop`."""
        newline = self._held.find("\n", self._at if self._line else self._from, stop)
        complete = final or newline >= 0
        if self._line is None and not self._begin_line(stop if newline < 0 else newline, complete or full):
            return None
        if self._line is None or self._line.whole:
            self._at = stop
        else:
            cut = self._scan(stop if newline < 0 else newline, full, complete)
            if cut is not None:
                return self._cut(cut)
        return self._end_line(newline) if newline >= 0 else None

    def _begin_line(self, end: int, complete: bool) -> bool:
        """Find out what the line is, if its beginning decides it."""
        text = self._left + self._held[self._from : end]
        if self._fence and self._fence.quoted and not text.strip(BLANK) and not complete:
            return False
        if self._fence and leaves_quote(self._fence, text):
            self._fence = None
        if self._fence:
            self._line = LineType(Kind.MATH if self._fence.mark[0] in "$\\" else Kind.CODE, True)
            return True
        self._line = line_kind(text, self._before, final=complete)
        if self._line is None:
            return False
        self._at = max(self._from, self._from + prefix_length(text) - len(self._left))
        self._before = next_context(self._before, self._line, text)
        return True

    def _end_line(self, newline: int) -> Sentence:
        line = self._left + self._held[self._from : newline]
        if self._fence:
            self._fence = None if closes_fence(self._fence, line) else self._fence
        elif self._line and self._line.fence:
            fence = self._line.fence
            inside = line[line.lower().find(fence.mark) + len(fence.mark) :]
            self._fence = None if fence.mark[0] not in "`~" and closes_fence(fence, inside) else fence
        elif self._line and self._line.kind is Kind.RULE and "|" in line and "[" not in line:
            self._before = BlockContext(table=True)
        sentence = self._cut(newline + 1)
        self._line, self._left = None, ""
        return sentence

    def _scan(self, stop: int, full: bool, complete: bool) -> int | None:
        """Where the open sentence ends before `stop`, if that is known; `_at` is where to look on."""
        text, begin = self._held[self._from : stop], self._from
        points = _points(text, self._at - begin)
        while point := points.search(text, self._at - begin):
            i = point.start()
            spans = text[i] in _OPENINGS
            end = span_end(text, i, final=complete or full) if spans else _boundary(text, i, complete)
            if end is NEED_DATA and not full:
                self._at = begin + i
                return None
            if not isinstance(end, int) or (end == len(text) and complete and not spans):
                self._at = begin + i + 1
            elif spans:
                self._at = begin + end
            else:
                return begin + end
        self._at = max(self._at, stop)
        return None

    def _forced(self, stop: int) -> int:
        """Where to cut what has grown too long: behind its last space, code and math at the limit."""
        return stop if self._verbatim else (self._held.rfind(" ", stop - self._most // 2, stop) + 1) or stop

    def _cut(self, end: int) -> Sentence:
        kind = self._line.kind if self._line else Kind.PROSE
        text = self._held[self._from : end]
        sentence = Sentence(self._start + self._from, text, kind)
        if len(self._left) < _LINE_BEGINNING:
            self._left += text[:_LINE_BEGINNING]
        self._from = end
        self._at = max(self._at, end)
        return sentence

    def _trim(self) -> None:
        self._held = self._held[self._from :]
        self._start += self._from
        self._at -= self._from
        self._from = 0

    @property
    def _verbatim(self) -> bool:
        return self._line is not None and self._line.kind in VERBATIM

    def _releasable_length(self) -> int:
        if self._verbatim:
            closing = self._fence is not None and not (self._left + self._held).strip(" >\t`~")
            return 0 if closing else len(self._held)
        end = releasable_length(self._held[: self._at])  # what has not been looked at waits for what follows
        cut = self._held.rfind(" ", self._most - self._most // 2) + 1  # where it may have to be cut
        return min(end, cut or end)


_LINE_BEGINNING = 200  # characters of a line that tell what it is


def _points(text: str, at: int) -> re.Pattern[str]:
    """What finds the points of a text from `at` on; marks alone, as mostly, in a tenth of the time."""
    return _MARKS if text.isascii() or not _MORE_THAN_MARKS.search(text, max(0, at - 1)) else _POINTS


def _boundary(text: str, i: int, complete: bool) -> int | NeedData | None:
    """Where the sentence `text` ends whose mark stands at `i`; NEED_DATA; or None."""
    if i + 1 == len(text) and not complete:
        return NEED_DATA
    if text[i] == " ":
        return i + 1 if i >= THAI_CLAUSE and _THAI_LAO.match(text, i + 1) else None
    if text[i] in ".)" and (begins := next_number(text, i)) is not None:
        return begins
    return None if text[i] == ")" else sentence_end(text, i, final=complete)
