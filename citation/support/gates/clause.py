"""A sentence of an analyzed text, and the terms, numbers and negations of its parts."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise

from ...text import Analysis, Quantity
from ...text.analysis import antonyms
from ...text.words.polarity import antonym_sides

# Antonyms contradict each other if a term this near to both is the same.
_NEARBY_TERMS = 3
_UNSPACED = "\u2e80"  # the first character of the scripts whose terms are pairs of characters
_BREAK = re.compile(r"[,;:，；：、—(){}]|\.\s")
# Separates the parts of a sentence that make different statements.
_PART = re.compile(
    r"[;:，；、]|,(?!\d)|\b(?:and|but|while|whereas|und|aber|sondern|während|y|pero|mientras|et|mais|tandis|e|ma|mas)\b"
)
# Between the two numbers of a change: "from 12 % to 9 %".
_CHANGE_TO = re.compile(
    r"\W{0,3}(?:(?:down |up )?to(?: [a-z]+)?|auf|zu|hasta|al?|à|au"
    r"|升至|降至|增至|减至|升到|降到|增加到|减少到|到|至|->|→)\W{0,3}",
    re.IGNORECASE,
)


class Clause:
    """The part of an analyzed text between two offsets."""

    def __init__(self, text: str, analysis: Analysis, start: int, end: int, quantities: Iterable[Quantity]) -> None:
        """`quantities`: those of the text that may be in the clause."""
        lo, hi = bisect_left(analysis.starts, start), bisect_left(analysis.starts, end)
        self.terms = analysis.terms[lo:hi]
        self.starts = analysis.starts[lo:hi]
        self.ends = analysis.ends[lo:hi]
        self.text = text
        self.start = start
        self.end = end
        self.quantities = [q for q in quantities if start <= q.start < end and q.values]
        self.negations = analysis.negations_in(start, end)
        self._analysis = analysis
        self._part_starts: list[int] = []  # computed when first needed
        self._part_ends: list[int] = []

    @cached_property
    def antonyms(self) -> list[tuple[int, int, int]]:
        """Start, group and side of the words that have an antonym, in order."""
        return antonyms(self.text, self._analysis, self.start, self.end)

    def changes(self) -> list[tuple[Quantity, Quantity]]:
        """Return the pairs of neighbouring numbers that describe a change: "from 12 % to 9 %"."""
        return [
            (before, after)
            for before, after in pairwise(self.quantities)
            if _CHANGE_TO.fullmatch(self.text, before.end, max(before.end, after.start))
        ]

    def negation_scopes(self, reach: int, back: int) -> list[slice]:
        """Return the terms that each negation applies to: the next `reach` in its clause, or the last `back`."""
        if not self.negations:
            return []
        breaks = [found.start() for found in _BREAK.finditer(self.text, self.start, self.end)]
        breaks.append(self.end)
        scopes = []
        for end in self.negations:
            at = bisect_left(self.starts, end)
            clause = bisect_left(breaks, end)
            stop = bisect_left(self.starts, breaks[clause])
            begin = bisect_left(self.starts, breaks[clause - 1]) if clause else 0
            after = slice(at, min(stop, at + reach))
            scopes.append(after if self.terms[after] else slice(max(begin, at - back), at))
        return scopes

    def original_text(self, scope: slice) -> str:
        """Return the text of neighbouring terms."""
        return self.text[self.starts[scope][0] : self.ends[scope][-1]]

    def part_terms(self, start: int, stop: int) -> set[str]:
        """Return the terms of the part of the sentence that contains a range of offsets."""
        begin, end = self._part(start, stop)
        return {term for term, at in zip(self.terms, self.starts, strict=True) if begin <= at < end}

    def part_has_any(self, wanted: set[str], start: int, stop: int) -> bool:
        """Return whether that part contains any of these terms. Twice as fast as `part_terms`, since most do."""
        begin, end = self._part(start, stop)
        return any(term in wanted and begin <= at < end for term, at in zip(self.terms, self.starts, strict=True))

    def in_first_part(self, start: int) -> bool:
        """Return whether an offset is in the first part of the sentence."""
        return self._part(start, start)[0] <= self._part_starts[0]

    def _part(self, start: int, stop: int) -> tuple[int, int]:
        """Return the span of the part that contains a range of offsets."""
        if not self._part_starts:
            first = self.starts[0] if self.starts else self.start
            separators = [found.span() for found in _PART.finditer(self.text, first, self.end)]
            self._part_starts = [first, *(after for _, after in separators)]
            self._part_ends = [*(before for before, _ in separators), self.end]
        begin = self._part_starts[max(0, bisect_right(self._part_starts, start) - 1)]
        return begin, self._part_ends[bisect_left(self._part_ends, stop, 0, len(self._part_ends) - 1)]

    def topic_terms(self) -> set[str]:
        """Return the terms that say what the clause is about: neither numbers nor words with an antonym."""
        topic = {term for term in self.terms if term[0] != "#" and not antonym_sides(term)}
        if any(term >= _UNSPACED for term in topic):  # an antonym overlaps with pairs of characters
            near = {start + offset for start, _, _ in self.antonyms for offset in (-1, 0, 1)}
            topic &= {term for term, start in zip(self.terms, self.starts, strict=True) if start not in near}
        return topic or {term for term in self.terms if term[0] == "#"} or set(self.terms)

    def nearby_terms(self, offset: int) -> set[str]:
        """Return the terms near an offset."""
        at = bisect_left(self.starts, offset)
        return set(self.terms[max(0, at - _NEARBY_TERMS) : at + _NEARBY_TERMS + 1])
