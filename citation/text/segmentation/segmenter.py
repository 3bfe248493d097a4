"""The segmenter: an incremental, lossless sentence splitter for Markdown in any script.

A state machine over lines, and within lines of prose over the marks that may end a sentence. All decisions depend on
the text alone, never on how it arrives: a rule that needs more text returns NEED_DATA. No rule looks beyond the length
limit, where a split is forced.
"""

import re
from typing import Final

from ..need_data import NEED_DATA, NeedData
from .blocks import (
    BLANK,
    BlockContext,
    Fence,
    LineType,
    closes_fence,
    leaves_quote,
    line_type,
    next_context,
    prefix_length,
)
from .boundaries import (
    ARMENIAN,
    ENDS,
    GREEK,
    LOOKALIKES,
    THAI_LAO,
    MarkerEnd,
    before_next_number,
    next_number,
    sentence_end,
)
from .breaks import break_end
from .protected_spans import OPENINGS, certainly_open, span_end
from .sentence import VERBATIM, Kind, OpenSentence, SegmentLimits, Sentence, releasable_length
from .structured_blocks import StructuredBlocks

MIN_THAI_SENTENCE: Final = 40  # Thai and Lao have no full stop: a space ends a sentence of this many characters or more
MAX_LINE_START_CHARACTERS: Final = 200  # characters of a line that decide its type

_MARKS: Final = re.compile(f"[{re.escape(ENDS + OPENINGS)})]")
_ALL_MARKS: Final = re.compile(f"{_MARKS.pattern}|(?<=[{THAI_LAO}]) |{LOOKALIKES}")
_SCRIPTS_WITH_OTHER_MARKS: Final = re.compile(f"[{THAI_LAO}{GREEK}{ARMENIAN}]")
# Text without any mark, which most deltas are, matched in a fifth of the time.
_PLAIN: Final = f"[^\n;:{THAI_LAO}{re.escape(ENDS + OPENINGS)})]*+"
_NO_MARK: Final = re.compile(f"(?:(?<![{THAI_LAO}])|(?! )){_PLAIN}(?:[{THAI_LAO}]++(?! ){_PLAIN})*+\\Z")
_THAI_LAO: Final = re.compile(f"[{THAI_LAO}]")
_OPENINGS: Final = frozenset(OPENINGS)


def _no_marker(_text: str, _at: int, _final: bool) -> None:
    """Recognise no markers."""


class Segmenter:
    """Split an answer into sentences while it arrives. Only the incomplete sentence is buffered."""

    def __init__(
        self,
        limits: SegmentLimits | None = None,
        marker_end: MarkerEnd = _no_marker,
        blocks: StructuredBlocks | None = None,
    ) -> None:
        """Create a segmenter.

        `limits`: the maximum length of a sentence. `marker_end`: recognises the citation markers after a sentence,
        which belong to it. Without it, they begin the next sentence. `blocks`: finds JSON and other structured text
        that is not in a fence. Without it, such text is prose.
        """
        self._max_length = (limits or SegmentLimits()).characters
        self._marker_end = marker_end
        self._offset = 0  # offset of the buffer in the answer
        self._buffer = ""
        self._begin = 0  # where the open sentence begins in the buffer; 0 between calls
        self._scanned = 0  # where the scan of the buffer continues
        self._line: LineType | None = None  # None until the beginning of the line decides its type
        self._line_start = ""  # the beginning of the line that was returned already
        self._fence: Fence | None = None  # the open code or math block
        self._context = BlockContext()
        self._blocks = blocks

    @property
    def has_open_sentence(self) -> bool:
        """Whether text is buffered."""
        return bool(self._buffer)

    @property
    def next_character(self) -> str:
        """The first character after the returned sentences, "" where none has arrived."""
        return self._buffer[:1]

    @property
    def in_code(self) -> bool:
        """Whether the buffered text is code, structured text or a thought."""
        line = self._line
        is_code = line is not None and line.whole and line.kind in VERBATIM and line.kind not in (Kind.MATH, Kind.RULE)
        return is_code and bool(self._buffer)

    @property
    def open_sentence(self) -> OpenSentence:
        """The buffered text."""
        if self._line is None:
            return OpenSentence(self._offset, self._buffer, Kind.PROSE, 0)
        return OpenSentence(self._offset, self._buffer, self._line.kind, self._releasable_length())

    def feed(self, text: str) -> list[Sentence]:
        """Add a piece of text. Return the sentences that are complete."""
        self._buffer += text
        return [] if self._continues_sentence() else self._advance(final=False)

    def flush(self) -> list[Sentence]:
        """End the text. Return all that is buffered."""
        return self._advance(final=True) + self.release()

    def release(self) -> list[Sentence]:
        """Return the buffered text as a sentence. The text that follows continues the same line."""
        if not self._buffer:
            return []
        sentence = self._cut(len(self._buffer))
        self._trim()
        return [sentence]

    def _continues_sentence(self) -> bool:
        """Return whether the latest piece only makes the open sentence longer.

        This is true of nine in ten deltas, and half the cost of a stream.
        """
        line, buffer, size = self._line, self._buffer, len(self._buffer)
        if line is None or size > self._max_length or self._in_block:
            return False
        if not line.whole and _NO_MARK.match(buffer, self._scanned):
            self._scanned = size
            return True
        if buffer.find("\n", self._scanned) >= 0:
            return False
        mark = None if line.whole else _mark_pattern(buffer, self._scanned).search(buffer, self._scanned)
        position = mark.start() if mark else size
        if position < size - 1 and not certainly_open(buffer, position):
            return False
        self._scanned = position  # a mark at the end is decided by the text after it
        return True

    def _advance(self, *, final: bool) -> list[Sentence]:
        """Return the sentences that are complete. `final`: no more text follows."""
        sentences: list[Sentence] = []
        while self._begin < len(self._buffer):
            stop = min(len(self._buffer), self._begin + self._max_length)
            full = stop < len(self._buffer)  # the limit is reached: no rule can wait for more text
            sentence = self._next(stop, full, final and not full)
            if sentence is None and not full:
                break
            sentences.append(sentence or self._cut(self._forced_split(stop), continues=True))
        self._trim()
        return sentences

    def _next(self, stop: int, full: bool, final: bool) -> Sentence | None:
        """Return the next complete sentence that ends before `stop`."""
        newline = self._buffer.find("\n", self._scanned if self._line else self._begin, stop)
        complete = final or newline >= 0
        if self._line is None:
            if not self._begin_block(stop, complete or full, final or full):
                return None
            if self._line is None and not self._begin_line(stop if newline < 0 else newline, complete or full):
                return None
        if self._blocks and self._in_block:
            return self._next_of_block(self._blocks, newline, stop, final or full)
        if self._line is None or self._line.whole:
            self._scanned = stop
        else:
            end = self._scan(stop if newline < 0 else newline, full, complete)
            if end is not None:
                return self._cut(end)
        return self._end_line(newline) if newline >= 0 else None

    def _begin_block(self, stop: int, complete: bool, final: bool) -> bool:
        """Determine whether the line belongs to a structured block. Return False where more text decides it."""
        if self._blocks is None or self._fence:
            return True
        kind: Kind | NeedData | None = self._blocks.kind
        if self._line_start:  # its beginning was returned
            self._blocks.continue_line()
        else:
            kind = self._blocks.begin_line(self._buffer[self._begin : stop], complete=complete, final=final)
        if kind is NEED_DATA:
            return False
        if isinstance(kind, Kind):
            self._line, self._context, self._scanned = LineType(kind, True), BlockContext(), self._begin
        return True

    def _next_of_block(self, blocks: StructuredBlocks, newline: int, stop: int, final: bool) -> Sentence | None:
        """Return the line of a structured block, or the part of it with which the block ends."""
        stop = stop if newline < 0 else newline
        end = blocks.end(self._buffer, self._begin, self._scanned, stop)
        self._scanned = stop
        if end is not None:
            after = next((i for i in range(end, stop) if self._buffer[i] not in BLANK), stop)
            if after == stop and newline < 0 and not final:
                self._scanned = end
                return None
            blocks.close()
            if after < stop:
                sentence = self._cut(after)
                self._line, self._line_start = None, ""
                return sentence
        if newline < 0:
            return None
        blocks.end_line(self._line_start + self._buffer[self._begin : newline])
        return self._end_line(newline)

    def _begin_line(self, end: int, complete: bool) -> bool:
        """Determine the type of the line. Return False where its beginning does not decide it yet."""
        text = self._line_start + self._buffer[self._begin : end]
        if self._fence and self._fence.quoted and not text.strip(BLANK) and not complete:
            return False
        if self._fence and leaves_quote(self._fence, text):
            self._fence = None
        if self._fence:
            self._line = LineType(Kind.MATH if self._fence.mark[0] in "$\\" else Kind.CODE, True)
            return True
        self._line = line_type(text, self._context, final=complete)
        if self._line is None:
            return False
        self._scanned = max(self._begin, self._begin + prefix_length(text) - len(self._line_start))
        self._context = next_context(self._context, self._line, text)
        return True

    def _end_line(self, newline: int) -> Sentence:
        """Return the last sentence of the line that ends at `newline`, and note the blocks that it opens or closes."""
        line = self._line_start + self._buffer[self._begin : newline]
        if self._fence:
            self._fence = None if closes_fence(self._fence, line) else self._fence
        elif self._line and self._line.fence:
            fence = self._line.fence
            inside = line[line.lower().find(fence.mark) + len(fence.mark) :]
            self._fence = None if fence.mark[0] not in "`~" and closes_fence(fence, inside) else fence
        elif self._line and self._line.kind is Kind.RULE and "|" in line and "[" not in line:
            self._context = BlockContext(table=True)
        sentence = self._cut(newline + 1)
        self._line, self._line_start = None, ""
        return sentence

    def _scan(self, stop: int, full: bool, complete: bool) -> int | None:
        """Return where the open sentence ends before `stop`, None where that is not known."""
        text, begin = self._buffer[self._begin : stop], self._begin
        marks = _mark_pattern(text, self._scanned - begin)
        while mark := marks.search(text, self._scanned - begin):
            i = mark.start()
            is_span = text[i] in _OPENINGS
            end = (
                span_end(text, i, final=complete or full) if is_span else _boundary(text, i, complete, self._marker_end)
            )
            if text[i] == "<" and isinstance(end, int):
                tag_end, end = end, break_end(text, i, final=complete or full)
                is_span, end = (True, tag_end) if end is None else (False, end)
            if end is NEED_DATA and not full:
                self._scanned = begin + i
                return None
            if not isinstance(end, int) or (end == len(text) and complete and not is_span):
                self._scanned = begin + i + 1
            elif is_span:
                self._scanned = begin + end
            else:
                return begin + end
        self._scanned = max(self._scanned, stop)
        return None

    def _forced_split(self, stop: int) -> int:
        """Return where to split a sentence at the limit: after its last space; code and math exactly there."""
        return stop if self._is_verbatim else (self._buffer.rfind(" ", stop - self._max_length // 2, stop) + 1) or stop

    def _cut(self, end: int, *, continues: bool = False) -> Sentence:
        """Return the open sentence up to `end`. `continues`: the length limit splits it there."""
        kind = self._line.kind if self._line else Kind.PROSE
        text = self._buffer[self._begin : end]
        sentence = Sentence(self._offset + self._begin, text, kind, continues)
        if len(self._line_start) < MAX_LINE_START_CHARACTERS:
            self._line_start += text[:MAX_LINE_START_CHARACTERS]
        self._begin = end
        self._scanned = max(self._scanned, end)
        return sentence

    def _trim(self) -> None:
        """Remove the returned sentences from the buffer."""
        self._buffer = self._buffer[self._begin :]
        self._offset += self._begin
        self._scanned -= self._begin
        self._begin = 0

    @property
    def _in_block(self) -> bool:
        return self._blocks is not None and self._blocks.kind is not None and self._line is not None

    @property
    def _is_verbatim(self) -> bool:
        return self._line is not None and self._line.kind in VERBATIM

    def _releasable_length(self) -> int:
        """Return the number of buffered characters that can be shown already; see `OpenSentence`."""
        if self._is_verbatim:
            may_close = self._fence is not None and not (self._line_start + self._buffer).strip(" >\t`~")
            return 0 if may_close else len(self._buffer)
        text = self._buffer[: self._scanned]  # the text after that waits for the rules
        end = min(releasable_length(text), before_next_number(text))
        split = self._buffer.rfind(" ", self._max_length - self._max_length // 2) + 1  # a split may be forced here
        return min(end, split or end)


def _mark_pattern(text: str, start: int) -> re.Pattern[str]:
    """Return the pattern for the marks of a text after `start`. Without rare scripts it takes a tenth of the time."""
    has_other_marks = not text.isascii() and _SCRIPTS_WITH_OTHER_MARKS.search(text, max(0, start - 1))
    return _ALL_MARKS if has_other_marks else _MARKS


def _boundary(text: str, i: int, complete: bool, marker_end: MarkerEnd) -> int | NeedData | None:
    """Return where the sentence ends whose mark is at `i`, None where it continues."""
    if i + 1 == len(text) and not complete:
        return NEED_DATA
    if text[i] == " ":
        return i + 1 if i >= MIN_THAI_SENTENCE and _THAI_LAO.match(text, i + 1) else None
    if text[i] in ".)" and (begins := next_number(text, i)) is not None:
        return begins
    return None if text[i] == ")" else sentence_end(text, i, marker_end, final=complete)
