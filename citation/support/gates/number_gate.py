"""Numbers: every number of the claim must stand in the supporting passage, with its unit, beside the same things."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from ...text import Analysis, Quantity, agrees, analyze_title
from .clause import Clause

# What a claim begins with is mostly what it is about, and stands in the first part of the evidence's sentence.
_TOPIC_TERMS, _TOPIC_TERMS_HAN = 1, 2
_CHANGE = 2  # numbers that one takes


class Passage(NamedTuple):
    """Where the numbers of the evidence are looked for."""

    text: str
    lexed: Analysis
    title: str
    quantities: Sequence[Quantity]  # of the window and what stands around it
    nearest: Clause | None  # the sentence that is about the same as the claim, if there is one

    @property
    def known(self) -> list[Quantity]:
        """Those of the title, too."""
        return [*self.quantities, *analyze_title(self.title).quantities]


class Numbers:
    """Those of one claim, read once for all evidence."""

    def __init__(self, text: str, lexed: Analysis, mine: Clause, *, han: bool) -> None:
        """`mine`: all of the claim. `han`: its script has no spaces."""
        self.text = text
        self.mine = mine
        self.quantities = [(quantity, _counted(quantity, lexed)) for quantity in lexed.quantities]
        words = [term for term in mine.terms if term[0] != "#"] if self.quantities else []
        self.said = set(mine.terms).difference(words[: _TOPIC_TERMS_HAN if han else _TOPIC_TERMS])

    def mismatch(self, passage: Passage) -> tuple[str, bool]:
        """What the passage says of the claim's numbers, and whether it is about the same; "" where nothing is wrong."""
        theirs = passage.nearest
        for quantity, counted in self.quantities:
            near = [q for q in theirs.quantities if agrees(quantity, q)] if theirs else []
            if not any(_says_so(q, quantity, counted, passage.lexed) for q in near):  # as mostly one does
                agreeing = [q for q in passage.known if agrees(quantity, q)]
                if quantity.strict and not _borne_out(quantity, agreeing, passage):
                    return f"the passage does not say {self._words(quantity)}", theirs is not None
                if theirs and (other := _otherwise(quantity, counted, agreeing, passage)):
                    return f"the passage says {other}, not {self._words(quantity)}", True
            if theirs and (other := self._elsewhere(quantity, near, theirs)):
                return f"the passage says {other}, not {self._words(quantity)}", True
        return (self._turned(theirs) if theirs else ""), True

    def _words(self, quantity: Quantity) -> str:
        return self.text[quantity.start : quantity.end]

    def _elsewhere(self, quantity: Quantity, near: Sequence[Quantity], theirs: Clause) -> str:
        """The number that stands beside what the claim says, where the claim's stands beside something else only.

        `near`: those of their sentence that agree.
        """
        if len(near) in (0, len(theirs.quantities)):
            return ""
        year = _is_year(quantity)
        here = [q for q in near if _like(q, quantity, year)]
        if not here:
            return ""
        said = self.said - {quantity.term}
        for q in here:
            if theirs.has_beside(said, q.start, q.end):
                return ""
        others = [q for q in theirs.quantities if _like(q, quantity, year) and q not in here]
        if any(agrees(own, q) for own in self.mine.quantities for q in others):
            return ""  # the claim gives several
        others = [q for q in others if theirs.has_beside(said, q.start, q.end)]
        return theirs.text[others[0].start : others[0].end] if others else ""

    def _turned(self, theirs: Clause) -> str:
        """A change from one number to another that the passage tells the other way round."""
        if len(theirs.quantities) < _CHANGE or len(self.mine.quantities) < _CHANGE:
            return ""
        for before, after in self.mine.changes():
            for first, second in theirs.changes():
                turned = agrees(before, second) and agrees(after, first)
                if turned and not (agrees(before, first) and agrees(after, second)):
                    mine, said = self.text[before.start : after.end], theirs.text[first.start : second.end]
                    return f"the passage says {said}, not {mine}"
        return ""


def _counted(quantity: Quantity, lexed: Analysis) -> str:
    """What a number of the claim counts, where that is a thing that can be looked for."""
    counted = _next_term(lexed, quantity.end)
    return "" if not counted or counted[0] == "#" or not quantity.values or _is_year(quantity) else counted


def _says_so(theirs: Quantity, quantity: Quantity, counted: str, lexed: Analysis) -> bool:
    """Whether a number that agrees leaves nothing open: it is written and counts as the claim's."""
    return bool(
        (theirs.unit or not quantity.unit)
        and (theirs.ordinal or not quantity.ordinal)
        and (not counted or _counts(theirs, counted, lexed))
    )


def _borne_out(quantity: Quantity, agreeing: Sequence[Quantity], passage: Passage) -> bool:
    """Whether a number of the passage agrees; one without a unit only if none is in the claim's unit."""
    if not agreeing or not quantity.unit or any(other.unit for other in agreeing):
        return bool(agreeing)
    return not any(other.unit == quantity.unit for other in passage.known)


def _otherwise(quantity: Quantity, counted: str, agreeing: Sequence[Quantity], passage: Passage) -> str:
    """What the passage counts of the same thing, where it counts it and never as the claim does.

    A number of the title, a year or an edition, bears one out but counts nothing itself.
    """
    text, lexed, numbers = passage.text, passage.lexed, passage.quantities
    if quantity.ordinal and not quantity.strict and not any(q.ordinal for q in agreeing):
        ordinal = next((q for q in numbers if q.ordinal), None)
        if ordinal:
            return text[ordinal.start : ordinal.end]
    here = [q for q in numbers if agrees(quantity, q)] if counted else []
    if not counted or any(_counts(q, counted, lexed) for q in here):
        return ""
    same = next((q for q in numbers if _counts(q, counted, lexed)), None)
    if same is None or any(not q.unit and not _next_term(lexed, q.end) for q in here):
        return ""  # or a number that counts nothing
    return text[same.start : same.end]


def _counts(quantity: Quantity, counted: str, lexed: Analysis) -> bool:
    """Whether a number of the evidence counts this."""
    return bool(quantity.values) and _next_term(lexed, quantity.end) == counted and not _is_year(quantity)


def _like(quantity: Quantity, other: Quantity, year: bool) -> bool:
    """Whether it is one of the same kind. `year`: the other is the number of a year."""
    return quantity.unit == other.unit and _is_year(quantity) == year


def _is_year(quantity: Quantity) -> bool:
    return bool(quantity.values) and not quantity.unit and 1000 <= quantity.values[0] < 2100


def _next_term(lexed: Analysis, offset: int) -> str:
    at = bisect_left(lexed.starts, offset)
    return lexed.terms[at] if at < len(lexed.starts) and lexed.starts[at] - offset <= 1 else ""
