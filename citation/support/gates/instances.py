"""Numbers of a claim that a bound or a range of the passage covers: "a child of 12" for "children under 14".

The rule of a passage holds for every number on the stated side of its bound. A claim applies the rule to one such
number where that number is not what the claim states, but a condition: it stands in a prepositional phrase or before a
predicate.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import inf
from typing import NamedTuple

from ...text import Quantity
from ...text.clauses import ContentToken, Statement
from ...text.numbers.quantities import MONTH
from .bindings.values import same_content
from .operators.quantifiers import LOWER, UPPER, bound_of

_RANGE = re.compile(
    r"\W{0,2}(?:-|–|—|~|to|and|until|through|bis|und|hasta|al?|y|à|et|jusqu'à|至|到|和)\W{0,2}", re.IGNORECASE
)


def is_instance(quantity: Quantity, claim: Statement, passages: Iterable[Statement]) -> bool:
    """Return whether `quantity`, a number of `claim`, meets a condition that one of `passages` states as a bound."""
    token = next((t for t in claim.tokens if t.quantity is not None and t.start == quantity.start), None)
    if (
        token is None
        or not quantity.values
        or quantity.may_be_year
        or not _is_condition(claim, token)
        or bound_of(claim, token)
    ):
        return False
    rules = [rule for passage in passages for rule in _rules(passage, token, claim)]
    most = max((rule.shared for rule in rules), default=0)
    return most > 0 and any(rule.covers and rule.shared == most for rule in rules)


def _is_condition(claim: Statement, token: ContentToken) -> bool:
    """Return whether a number is part of a condition, and not what the claim states."""
    if any(op.kind == "to" and op.after == token.word for op in claim.operators):
        return False  # "it fell to 7 %"
    if token.before or token.piece < claim.pieces - 1:
        return True
    return any(t.verbal and t.word > token.word for t in claim.tokens)


class _Rule(NamedTuple):
    """A bound or a range of the passage, and what it is a rule about."""

    covers: bool  # the number of the claim is on the stated side
    shared: int  # words and numbers of the claim in the part of the sentence that the bound begins


def _rules(passage: Statement, token: ContentToken, claim: Statement) -> Iterator[_Rule]:
    """Yield the bounds of numbers that count or measure the same as a number of the claim."""
    number = token.quantity
    if number is None:
        return
    value = number.values[0] * number.factor
    found = [
        (other, low <= value <= high or (number.unit == MONTH and high < low and not high < value < low))
        for other, low, high in _intervals(passage)
        if other.quantity is not None and other.quantity.unit == number.unit
        if number.unit or _counted(claim, token) == _counted(passage, other)
    ]
    others = [t for t in claim.tokens if t is not token]
    for n, (one, covers) in enumerate(found):
        last = max(one.piece + 1, found[n + 1][0].piece) if n + 1 < len(found) else passage.pieces
        part = [t for t in passage.tokens if one.piece <= t.piece < last]
        yield _Rule(covers, sum(any(same_content(t, other) for other in part) for t in others))


def _intervals(passage: Statement) -> Iterator[tuple[ContentToken, float, float]]:
    """Yield each bounded number of the passage with the lowest and the highest number that it admits."""
    numbers = [t for t in passage.tokens if t.quantity is not None and t.quantity.values and not t.quantity.ordinal]
    for one, other in pairwise(numbers):
        if _RANGE.fullmatch(passage.text, one.end, max(one.end, other.start)):
            yield other, _value(one, other), _value(other, other)
    for token in numbers:
        bound = bound_of(passage, token)
        if bound in LOWER:
            yield token, _value(token, token), inf
        elif bound in UPPER:
            yield token, -inf, _value(token, token)


def _value(token: ContentToken, unit: ContentToken) -> float:
    """Return a number in the first unit of its dimension; the first of a range may lack the unit of the second."""
    quantity, named = token.quantity, unit.quantity
    if quantity is None or named is None:
        return 0.0
    return quantity.values[0] * (quantity.factor if quantity.unit else named.factor)


def _counted(statement: Statement, token: ContentToken) -> str:
    """Return the stem of the word directly behind a number, "" if there is none."""
    following = next((t for t in statement.tokens if t.start >= token.end), None)
    return following.stem if following is not None and following.start - token.end <= 1 else ""
