"""Measured values and the reference values that a passage gives with them: "haemoglobin 12.1 (normal: 12.0 to 15.5)".

A reference value is not what was measured. Whether a measured value is above, below or inside its range is computed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ....text.numbers.quantities import agrees
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason

_LOWER_ROLE, _UPPER_ROLE = "lower_reference", "upper_reference"
_DENIALS = frozenset({"not", "no", "denies"})
_DENIED_SIDES = {"above": frozenset({"max"}), "below": frozenset({"min"})}  # operators such as "not above"
_NEAR = 4  # words between "reference" and its number
_BRACKETS = "(（["


@dataclass(frozen=True, slots=True)
class _Measured:
    """A measured value with the range of its reference values."""

    passage: Statement
    token: ContentToken
    references: tuple[ContentToken, ...]
    low: float
    high: float

    @property
    def value(self) -> float:
        quantity = self.token.quantity
        return quantity.values[0] if quantity is not None else 0.0

    def is_on(self, side: str) -> bool:
        """Return whether the value is above, below or inside its range. A single limit divides all values in two."""
        if side == "above":
            return self.value > (self.low if self.high == inf else self.high)
        if side == "below":
            return self.value < (self.high if self.low == -inf else self.low)
        return self.low <= self.value <= self.high

    @property
    def spelled(self) -> str:
        last = next((t for t in self.passage.tokens if t is self.references[-1]), self.token)
        return self.passage.spelled(min(self.token.start, last.start), max(self.token.end, last.end))


def reference_as_value(claim: Statement, alignments: Sequence[Alignment]) -> Iterator[Disagreement]:
    """Yield a disagreement if a number that the claim states as measured is a reference value of the passage."""
    if _words(claim, "reference"):
        return
    numbers = [t.quantity for t in claim.tokens if t.quantity is not None and t.quantity.values]
    for measured in _measurements(claim, alignments):
        stated = [q for q in numbers if any(t.quantity and agrees(q, t.quantity) for t in measured.references)]
        if stated and not any(measured.token.quantity and agrees(q, measured.token.quantity) for q in numbers):
            detail = f"the passage says “{measured.spelled}”, and the number is the reference"
            yield Disagreement(Reason.BINDING, detail, rule="reference")
            return


def wrong_side_of_reference(claim: Statement, alignments: Sequence[Alignment]) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim places a measured value on the wrong side of its reference values."""
    if not _words(claim, "reference"):
        return
    sides = [side for side in ("above", "below", "inside") if _words(claim, f"{side}_reference")]
    if len(sides) > 1:
        sides = [side for side in sides if side != "inside"]  # "above the normal range"
    if len(sides) != 1:
        return
    denied = bool((_DENIALS | _DENIED_SIDES.get(sides[0], frozenset())) & claim.kinds())
    for measured in _measurements(claim, alignments):
        if measured.is_on(sides[0]) == denied:
            detail = f"the passage says “{measured.spelled}”"
            yield Disagreement(Reason.QUANTIFIER, detail, rule="reference")
            return


def _words(statement: Statement, role: str) -> list[int]:
    """Return the positions of the words of a role."""
    words = vocabulary(statement.language).role(role)
    return [at for at, word in enumerate(statement.words) if word in words]


def _measurements(claim: Statement, alignments: Sequence[Alignment]) -> Iterator[_Measured]:
    """Yield the measured values that stand behind the claim's subject, and have reference values."""
    words = vocabulary(claim.language)
    general = words.role("reference") | words.role("measurement")
    for n, alignment in enumerate(alignments):
        subjects = [
            match.token
            for token, match in alignment.pairs()
            if token.quantity is None and not token.operator and token.folded not in general and match.sign > 0
        ]
        passages = [one.passage for one in alignments[n : n + 2]]
        found = (_measured(subject, passages) for subject in subjects)
        if (first := next(filter(None, found), None)) is not None:
            yield first


def _measured(subject: ContentToken, passages: Sequence[Statement]) -> _Measured | None:
    """Return the number of a word, with the reference values before the next other number.

    It is the first number behind the word, or else the last one before it: "38 mg of nitrate (limit 50 mg)".
    """
    passage = passages[0]
    references = _references(passage)
    numbers = [t for t in passage.tokens if t.quantity is not None and t.quantity.values]
    behind = next((n for n, t in enumerate(numbers) if t.start > subject.start), len(numbers))
    if behind and (behind == len(numbers) or id(numbers[behind]) in references):
        behind -= 1
        if numbers[behind].piece != subject.piece:
            return None
    numbers = numbers[behind:]
    if not numbers or id(numbers[0]) in references:
        return None
    own: list[ContentToken] = []
    for token in numbers[1:]:
        if id(token) not in references:
            break
        own.append(token)
    home = passage
    if not own and len(numbers) == 1 and len(passages) > 1:  # "The normal range is 3.5 to 5.1." follows
        home = passages[1]
        known = _references(home)
        own = [t for t in home.tokens if id(t) in known]
    values = [t.quantity.values[0] for t in own if t.quantity is not None]
    if not 0 < len(values) <= 2:
        return None
    low, high = (values[0], values[-1]) if len(values) > 1 else _limits(home, values[0])
    return _Measured(passage, numbers[0], tuple(own), low, high) if low < high else None


def _limits(passage: Statement, value: float) -> tuple[float, float]:
    """Return the range of a single reference value: up to a limit, or from a minimum."""
    if _words(passage, _LOWER_ROLE):
        return value, inf
    return (-inf, value) if _words(passage, _UPPER_ROLE) else (inf, -inf)


def _references(passage: Statement) -> set[int]:
    """Return the ids of the reference values: numbers behind "reference" or "limit", and ranges in brackets."""
    numbers = [t for t in passage.tokens if t.quantity is not None and t.quantity.values]
    found: set[int] = set()
    for at in _words(passage, "reference"):
        behind = [t for t in numbers if 0 < t.word - at <= _NEAR]
        found |= {id(t) for t in behind[:1]}
    for one, other in pairwise(numbers):
        spaced = other.word - one.word <= _NEAR - 2 and one.piece == other.piece
        bracketed = passage.text[max(0, one.start - 1) : one.start] in _BRACKETS and one.start > 0
        if spaced and (id(one) in found or bracketed):
            found |= {id(one), id(other)}
    return found
