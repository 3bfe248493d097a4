"""Spans: parts of a text, given by the offsets of their first character and after their last."""

from typing import Protocol


class Span(Protocol):
    """A part of a text: a token, an operator, a number, a date."""

    @property
    def start(self) -> int:
        """The offset of its first character."""

    @property
    def end(self) -> int:
        """The offset after its last character."""


def gap(first: Span, second: Span) -> int:
    """Return the number of characters between two spans, 0 if they overlap."""
    return max(0, second.start - first.end, first.start - second.end)
