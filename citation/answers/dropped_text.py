"""The remains of the sentences that `unsupported: drop` leaves out, so that the Markdown around them stays intact.

The line of a list item, table row or paragraph of which nothing is shown goes with its line break. The marker of a list
item whose first sentence is dropped stands before the next one. A mark that a dropped sentence opens or closes, of
emphasis or a quotation, stays if the other one does.
"""

import re

from ..text.segmentation.blocks import prefix_length

_MARKS = r"\*\*|__|~~|[*_\"“”„«»‘’()「」『』]"
_OPENING = re.compile(rf"(?:{_MARKS})+")
_CLOSING = re.compile(rf"(?:{_MARKS})+\Z")
_MARK = re.compile(_MARKS)
_PAIRS = {"“": "”", "„": "“", "«": "»", "‘": "’", "(": ")", "「": "」", "『": "』"}
_OPENERS = {close: opening for opening, close in _PAIRS.items()} | {"“": "„"}
_PARAGRAPH = 2  # line breaks


class DroppedText:
    """Follows the sentences of a text, some of which are dropped, and returns what is shown around the others."""

    def __init__(self) -> None:
        """Begin a text."""
        self._waiting = ""  # the marker of a list item and opening marks, until a sentence of their line is shown
        self._space = ""  # after the latest shown sentence; a closing mark may have to stand before it
        self._begins_line = True  # whether the next sentence begins a line of the model's text
        self._is_line_empty = True  # whether nothing of the line is shown
        self._breaks = _PARAGRAPH  # line breaks at the end of the shown text; nothing needs one at its beginning
        self._dropped_breaks = 0  # line breaks since then, after lines of which nothing is shown

    def before(self) -> str:
        """Return what stands before the next sentence that is shown."""
        text_before, self._space, self._waiting = self._space + self._waiting, "", ""
        return text_before

    def shown(self, text: str) -> str:
        """Return the text of a shown sentence without the spaces at its end, which `before` returns."""
        if self._dropped_breaks and not text.strip():
            return self._needed(text.count("\n"))
        self._dropped_breaks = 0
        body = text.rstrip(" ")
        self._space = text[len(body) :]
        breaks = len(body) - len(body.rstrip("\n"))
        self._breaks = breaks + (self._breaks if breaks == len(body) else 0)
        self._begins_line = text.endswith("\n")
        self._is_line_empty = self._begins_line or (self._is_line_empty and not body)
        return body

    def dropped(self, text: str) -> str:
        """Return what is shown instead of a dropped sentence."""
        body = text.rstrip()
        breaks = text[len(body) :].count("\n")
        prefix = prefix_length(body) if self._begins_line else 0
        opening, closing = _unpaired(body[prefix:])
        self._waiting += body[:prefix] + opening
        for mark in closing:
            if self._waiting.endswith(_OPENERS.get(mark, mark)):
                self._waiting = self._waiting[: -len(mark)]
                closing = closing[1:]
        self._begins_line = breaks > 0
        remaining = "".join(closing)
        if not breaks:
            return remaining
        self._waiting = self._space = ""
        if self._is_line_empty:
            return remaining + self._needed(breaks)
        self._breaks, self._is_line_empty = breaks, True
        return remaining + "\n" * breaks

    def _needed(self, breaks: int) -> str:
        """Return the line breaks after a dropped line that those before it do not replace."""
        self._dropped_breaks += breaks
        needed = max(0, self._dropped_breaks - self._breaks)
        self._breaks += needed
        return "\n" * needed


def _unpaired(text: str) -> tuple[str, list[str]]:
    """Return the marks at the beginning that nothing in the text closes, and those at the end that nothing opens."""
    first, last = _OPENING.match(text), _CLOSING.search(text)
    opening = [mark for mark in _MARK.findall(first[0]) if _is_single(mark, text)] if first else []
    closing = [mark for mark in _MARK.findall(last[0]) if _is_single(mark, text)] if last else []
    return (
        "".join(mark for mark in opening if mark in _PAIRS or mark not in _OPENERS),
        [mark for mark in closing if mark in _OPENERS or mark not in _PAIRS],
    )


def _is_single(mark: str, text: str) -> bool:
    """Return whether a text has this mark without the other one of the pair."""
    marks = _MARK.findall(text)
    if mark in _PAIRS or mark in _OPENERS:
        pair = {_PAIRS.get(mark), _OPENERS.get(mark)}
        return marks.count(mark) > sum(candidate in pair for candidate in marks)
    return marks.count(mark) % 2 == 1
