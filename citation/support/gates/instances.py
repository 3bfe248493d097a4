"""Numbers of a claim that a bound or a range of the passage covers: "a child of 12" for "children under 14".

The rule of a passage holds for every number on the stated side of its bound. A claim applies the rule to one such
number where that number is not what the claim states, but a condition: it stands in a prepositional phrase or before a
predicate. The opposite of the rule holds for the numbers on the other side.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import inf
from typing import NamedTuple

from ...text import Quantity
from ...text.clauses import ContentToken, Statement
from ...text.clauses.statement import NEGATING
from ...text.numbers.quantities import CLOCK, MONTH
from .alignment import Alignment
from .bindings.values import same_content
from .operators.quantifiers import LOWER, UPPER, bound_of

_RANGE = re.compile(
    r"\W{0,2}(?:-|–|—|~|to|and|until|through|bis|und|hasta|al?|y|à|et|jusqu'à|至|到|和)\W{0,2}",
    re.IGNORECASE,
)
_CALENDAR = frozenset({MONTH, CLOCK})
_UNTIL, _SINCE = UPPER | {"until", "before"}, LOWER | {"since", "after"}


def is_instance(quantity: Quantity, claim: Statement, passages: Iterable[Statement]) -> bool:
    """Return whether a rule of `passages`, sentences in order, holds for `quantity`, a number of `claim`.

    The rule states what the claim states and covers the number, or one of them denies it and it does not.
    """
    token = next((t for t in claim.tokens if t.quantity is not None and t.start == quantity.start), None)
    if token is None or not quantity.values or quantity.may_be_year or not _is_condition(claim, token):
        return False
    if quantity.unit in _CALENDAR and len(set(_interval(claim, token))) > 1:
        return False  # "since May" is not what "since April" says
    rules = list(_rules(passages, token, claim))
    most = max((rule.shared for rule in rules), default=0)
    return most > 0 and any(rule.holds for rule in rules if rule.shared == most)


def is_outside(alignment: Alignment) -> bool:
    """Return whether the claim has a number that a bound of the passage excludes, and so denies what it states."""
    claim = alignment.claim
    for token, match in alignment.tokens:
        if match is None and token.quantity is not None and token.quantity.values and _is_condition(claim, token):
            low, high = _interval(claim, token)
            if any(high < least or most < low for _, least, most in _comparable(claim, token, alignment.passage)):
                return True
    return False


def _is_condition(claim: Statement, token: ContentToken) -> bool:
    """Return whether a number is part of a condition, and not what the claim states."""
    if any(op.kind == "to" and op.after == token.word and claim.words[op.word] != "en" for op in claim.operators):
        return False  # "it fell to 7 %"; not "en juillet"
    if claim.has_word("boundary"):
        return False  # "the shop opens at 10 am"
    if token.preposition or token.piece < claim.pieces - 1:
        return True
    return any(t.verbal and t.word > token.word for t in claim.tokens)


class _Rule(NamedTuple):
    """A bound or a range of the passage, and what it is a rule about."""

    holds: bool  # for the number of the claim
    shared: int  # words and numbers of the claim in the part of the sentence that the bound begins


def _rules(passages: Iterable[Statement], token: ContentToken, claim: Statement) -> Iterator[_Rule]:
    """Yield the bounds of numbers that count or measure the same as a number of the claim."""
    low, high = _interval(claim, token)
    context = [t for t in claim.tokens if t is not token]
    for passage in passages:
        bounded = list(_comparable(claim, token, passage))
        for n, (bound, least, most) in enumerate(bounded):
            last = max(bound.piece + 1, bounded[n + 1][0].piece) if n + 1 < len(bounded) else passage.pieces
            part = [t for t in passage.tokens if bound.piece <= t.piece < last]
            inside, outside = least <= low and high <= most, high < least or most < low
            shared = sum(any(same_content(t, passage_token) for passage_token in part) for t in context)
            yield _Rule(inside or (outside and _denies(claim) != _denies(passage, bound)), shared)


def _comparable(
    claim: Statement, token: ContentToken, passage: Statement
) -> Iterator[tuple[ContentToken, float, float]]:
    """Yield the bounded numbers of a sentence that count or measure the same as a number of the claim."""
    number = token.quantity
    for bound, low, high in _intervals(passage):
        if number is None or bound.quantity is None:
            continue
        if bound.quantity.unit != number.unit:
            continue
        elif number.unit == MONTH and high < low:  # "from October to April"
            yield (bound, low, inf) if number.values[0] >= low else (bound, -inf, high)
        elif number.unit or _counted(claim, token) == _counted(passage, bound):
            yield bound, low, high


def _denies(statement: Statement, bound: ContentToken | None = None) -> bool:
    """Return whether a sentence, or the clause of `bound` if it is no condition, has an odd number of negations."""
    clause = None if bound is None or "if" in statement.kinds(bound.clause) else bound.clause
    return len({op.word for op in statement.of(*NEGATING) if clause in {None, op.clause}}) % 2 == 1


def _intervals(passage: Statement) -> Iterator[tuple[ContentToken, float, float]]:
    """Yield each bounded number of the passage with the lowest and the highest number that it admits."""
    for first, last in ranges(passage):
        yield last, _value(first, last), _value(last, last)
    for token in _numbers(passage):
        low, high = _interval(passage, token)
        if low < high:
            yield token, low, high


def _interval(statement: Statement, token: ContentToken) -> tuple[float, float]:
    """Return the lowest and the highest number that a number with its bound admits."""
    value, bounds = _value(token, token), {bound_of(statement, token)}
    if token.unit in _CALENDAR:
        bounds.update(op.kind for op in statement.operators if op.after == token.word)  # "before noon"
    return -inf if bounds & _UNTIL else value, inf if bounds & _SINCE else value


def ranges(passage: Statement) -> Iterator[tuple[ContentToken, ContentToken]]:
    """Yield the first and the last number of each range: "from 9 to 5"."""
    for first, last in pairwise(_numbers(passage)):
        if _RANGE.fullmatch(passage.text, first.end, max(first.end, last.start)):
            yield first, last


def _numbers(passage: Statement) -> list[ContentToken]:
    return [t for t in passage.tokens if t.quantity is not None and t.quantity.values and not t.quantity.ordinal]


def _value(token: ContentToken, unit: ContentToken) -> float:
    """Return a number in the first unit of its dimension; the first of a range may lack the unit of the second."""
    quantity, named = token.quantity, unit.quantity
    if quantity is None or named is None:
        return 0.0
    return quantity.values[0] * (quantity.factor if quantity.unit else named.factor)


def _counted(statement: Statement, token: ContentToken) -> str:
    """Return the stem of the word directly after a number, "" if there is none. In Chinese it is one character."""
    if statement.language == "zh":
        return statement.text[token.end : token.end + 1]
    following = next((t for t in statement.tokens if t.start >= token.end), None)
    return following.stem if following is not None and following.start - token.end <= 1 else ""
