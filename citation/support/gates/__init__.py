"""Gates: what refuses a piece of evidence however alike it looks. Deterministic, and each names its reason.

Numbers: every number of the claim must stand in the supporting passage, with its unit. Polarity: what one side says and
the other denies, or says with the opposite word, is no support.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...text import analyze_sentence
from ..index import Index
from ..passages import language_of
from ..scorers import Claim
from .clause import Clause
from .number_gate import Numbers, Passage
from .polarity_gate import contrary

__all__ = ["Gate", "Gates", "Reason"]

# Below this share of common terms two sentences speak of different things, and their polarities cannot be compared.
_COMPARABLE = 0.7
# Of pairs of characters fewer are common: one character more or less changes two of them.
_COMPARABLE_HAN = 0.4


class Reason(StrEnum):
    """Why a citation of the model was taken out."""

    UNKNOWN_NUMBER = "unknown_number"
    NO_SUPPORT = "no_support"
    NUMBER_MISMATCH = "number_mismatch"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True)
class Gate:
    """A refusal: the reason, and the words of the claim and the evidence that show it."""

    reason: Reason
    detail: str
    close: bool = True  # the passage is about the same; otherwise it would be no support with the right number either


class Gates:
    """The gates of one claim: what it says is read once, for all evidence."""

    def __init__(self, claim: Claim, index: Index) -> None:
        """`index`: of the evidence that will be checked."""
        self.index = index
        lexed = analyze_sentence(claim.text)
        han = language_of(lexed) == "han"
        self.mine = Clause(claim.text, lexed, 0, len(claim.text), lexed.quantities)
        self.numbers = Numbers(claim.text, lexed, self.mine, han=han)
        self.matter = self.mine.matter()
        self.least = (_COMPARABLE_HAN if han else _COMPARABLE) * len(self.matter)

    def check(self, row: int, window: tuple[int, int]) -> Gate | None:
        """The first gate that refuses `window` (offsets) of the evidence in `row`, or None."""
        passage = self._passage(row, window)
        mismatch, close = self.numbers.mismatch(passage)
        if mismatch:
            return Gate(Reason.NUMBER_MISMATCH, mismatch, close)
        contradiction = contrary(self.mine, passage.nearest) if passage.nearest else ""
        return Gate(Reason.NEGATION, contradiction) if contradiction else None

    def _passage(self, row: int, window: tuple[int, int]) -> Passage:
        """What the gates look at; the numbers of one sentence more on each side of the window.

        A year or a unit is often said there, once for all.
        """
        evidence, lexed = self.index.evidence[row], self.index.lexed[row]
        spans, (start, end) = self.index.around(row, *window)
        quantities = [q for q in lexed.quantities if start <= q.start < end] if self.numbers.quantities else []
        nearest = self._nearest(row, spans)
        return Passage(
            evidence.text,
            lexed,
            evidence.title or "",
            quantities,
            Clause(evidence.text, lexed, *nearest, quantities) if nearest else None,
        )

    def _nearest(self, row: int, spans: Sequence[Sequence[int]]) -> tuple[int, int] | None:
        """The sentence of these that shares most with the claim, if it is about the same."""
        lexed = self.index.lexed[row]
        best, most = None, self.least
        for start, end in spans:
            said = lexed.terms[bisect_left(lexed.starts, start) : bisect_left(lexed.starts, end)]
            shared = len(self.matter.intersection(said))
            if shared and shared >= most and (best is None or shared > most):
                best, most = (start, end), shared
        return best
