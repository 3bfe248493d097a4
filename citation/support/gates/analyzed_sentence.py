"""A sentence of an analyzed text, and the terms, numbers and negations of its parts."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from ...text import Analysis, Quantity
from ...text.words.polarity import antonym_sides

_BREAK = re.compile(r"[,;:，；：、—(){}]|\.\s")
# Separates the parts of a sentence that make different statements.
_PART = re.compile(
    r"[;:，；、]|,(?!\d)|\b(?:and|but|while|whereas|und|aber|sondern|während|y|pero|mientras|et|mais|tandis|e|ma|mas)\b"
)


class AnalyzedSentence:
    """The part of an analyzed text between two offsets."""

    def __init__(self, text: str, analysis: Analysis, start: int, end: int, quantities: Iterable[Quantity]) -> None:
        """`quantities`: those of the text that may be in the sentence."""
        lo, hi = bisect_left(analysis.starts, start), bisect_left(analysis.starts, end)
        self.terms = analysis.terms[lo:hi]
        self.starts = analysis.starts[lo:hi]
        self.ends = analysis.ends[lo:hi]
        self.text = text
        self.start = start
        self.end = end
        self.quantities = [q for q in quantities if start <= q.start < end and q.values]
        self.negations = analysis.negations_in(start, end)
        self._part_starts: list[int] = []  # computed when first needed
        self._part_ends: list[int] = []

    def negation_scopes(self, reach: int, back: int) -> list[slice]:
        """Return the terms that each negation applies to: the next `reach` in its clause, or the last `back`."""
        if not self.negations:
            return []
        breaks = [mark.start() for mark in _BREAK.finditer(self.text, self.start, self.end)]
        breaks.append(self.end)
        scopes = []
        for end in self.negations:
            index = bisect_left(self.starts, end)
            clause = bisect_left(breaks, end)
            stop = bisect_left(self.starts, breaks[clause])
            begin = bisect_left(self.starts, breaks[clause - 1]) if clause else 0
            after = slice(index, min(stop, index + reach))
            scopes.append(after if self.terms[after] else slice(max(begin, index - back), index))
        return scopes

    def original_text(self, scope: slice) -> str:
        """Return the text of neighbouring terms."""
        return self.text[self.starts[scope][0] : self.ends[scope][-1]]

    def part_has_any(self, wanted: set[str], start: int, stop: int) -> bool:
        """Return whether the part that contains a range of offsets has any of these terms."""
        begin, end = self._part(start, stop)
        return any(
            term in wanted and begin <= offset < end for term, offset in zip(self.terms, self.starts, strict=True)
        )

    def in_first_part(self, start: int) -> bool:
        """Return whether an offset is in the first part of the sentence."""
        return self._part(start, start)[0] <= self._part_starts[0]

    def _part(self, start: int, stop: int) -> tuple[int, int]:
        """Return the span of the part that contains a range of offsets."""
        if not self._part_starts:
            first = self.starts[0] if self.starts else self.start
            separators = [separator.span() for separator in _PART.finditer(self.text, first, self.end)]
            self._part_starts = [first, *(after for _, after in separators)]
            self._part_ends = [*(before for before, _ in separators), self.end]
        begin = self._part_starts[max(0, bisect_right(self._part_starts, start) - 1)]
        return begin, self._part_ends[bisect_left(self._part_ends, stop, 0, len(self._part_ends) - 1)]

    def topic_terms(self) -> set[str]:
        """Return the terms that say what the sentence is about: neither numbers nor words with an antonym."""
        topic = {term for term in self.terms if term[0] != "#" and not antonym_sides(term)}
        return topic or {term for term in self.terms if term[0] == "#"} or set(self.terms)
