"""Clauses: a sentence of a lexed text, and what its parts say: the claim, and what the evidence says beside it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import pairwise

from ...text import Analysis, Quantity

# Opposites oppose if a word this near to both is the same.
_NEIGHBOURS = 3
_BREAK = re.compile(r"[,;:，；：、—(){}]|\.\s")
# Where a sentence goes on to say something else.
_PART = re.compile(
    r"[;:，；、]|,(?!\d)|\b(?:and|but|while|whereas|und|aber|sondern|während|y|pero|mientras|et|mais|tandis|e|ma|mas)\b"
)
# Between two numbers of which one becomes the other.
_BECOMES = re.compile(
    r"\W{0,3}(?:(?:down |up )?to|auf|zu|hasta|al?|à|au|升至|降至|增至|减至|升到|降到|增加到|减少到|到|至|->|→)\W{0,3}",
    re.IGNORECASE,
)


class Clause:
    """The part of a lexed text between two offsets."""

    def __init__(self, text: str, lexed: Analysis, start: int, end: int, quantities: Iterable[Quantity]) -> None:
        """`quantities`: those of the text that may stand in it."""
        lo, hi = bisect_left(lexed.starts, start), bisect_left(lexed.starts, end)
        self.terms = lexed.terms[lo:hi]
        self.starts = lexed.starts[lo:hi]
        self.ends = lexed.ends[lo:hi]
        self.text = text
        self.start = start
        self.end = end
        self.quantities = [q for q in quantities if start <= q.start < end and q.values]
        self.negations = [at for at in lexed.negations if start < at <= end]
        self.antonyms = [pole for pole in lexed.antonyms if start <= pole[0] < end]
        self._begins: list[int] = []  # of its parts; none until one is asked for
        self._ends: list[int] = []

    def changes(self) -> list[tuple[Quantity, Quantity]]:
        """Neighbouring numbers of which one becomes the other: "from 12 % to 9 %"."""
        return [
            (before, after)
            for before, after in pairwise(self.quantities)
            if _BECOMES.fullmatch(self.text, before.end, max(before.end, after.start))
        ]

    def denied(self, reach: int, back: int) -> list[slice]:
        """What each negation denies: the next terms in its clause, or those before it where none follow."""
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

    def spelled(self, scope: slice) -> str:
        """Neighbouring terms as the text has them."""
        return self.text[self.starts[scope][0] : self.ends[scope][-1]]

    def beside(self, start: int, stop: int) -> set[str]:
        """The terms of the part of the sentence that holds an offset range."""
        begin, end = self._part(start, stop)
        return {term for term, at in zip(self.terms, self.starts, strict=True) if begin <= at < end}

    def has_beside(self, wanted: set[str], start: int, stop: int) -> bool:
        """Whether one of these terms is among them: half the time where one is, as mostly."""
        begin, end = self._part(start, stop)
        return any(term in wanted and begin <= at < end for term, at in zip(self.terms, self.starts, strict=True))

    def _part(self, start: int, stop: int) -> tuple[int, int]:
        """Where the part begins and ends that holds an offset range."""
        if not self._begins:
            first = self.starts[0] if self.starts else self.start
            parts = [found.span() for found in _PART.finditer(self.text, first, self.end)]
            self._begins = [first, *(after for _, after in parts)]
            self._ends = [*(before for before, _ in parts), self.end]
        begin = self._begins[max(0, bisect_right(self._begins, start) - 1)]
        return begin, self._ends[bisect_left(self._ends, stop, 0, len(self._ends) - 1)]

    def matter(self) -> set[str]:
        """What it is about: the terms that are no numbers and have no opposite."""
        antonyms = {start + near for start, _, _ in self.antonyms for near in (-1, 0, 1)}  # pairs of characters overlap
        plain = zip(self.terms, self.starts, strict=True)
        matter = {term for term, start in plain if term[0] != "#" and start not in antonyms}
        return matter or {term for term in self.terms if term[0] == "#"} or set(self.terms)

    def around(self, offset: int) -> set[str]:
        """The terms near an offset."""
        at = bisect_left(self.starts, offset)
        return set(self.terms[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1])
