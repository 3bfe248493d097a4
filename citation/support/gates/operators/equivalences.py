"""Operators that say the same in other words: "not above 25 degrees", "at 25 degrees or below"."""

from ....text.clauses import Statement
from ....text.clauses.statement import DENIALS
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment
from ..instances import is_outside, ranges
from .quantifiers import excludes_the_rest

_CONDITIONS = frozenset({"unless", "without", "except"})
_REQUIRING = frozenset({"must", "only"})


def same_in_other_operators(alignment: Alignment, clause: int) -> bool:
    """Return whether a denial on one side says the same as a duty or a bound on the other.

    "Nobody may drive without a licence", "drivers need a licence"; "not above 25 degrees", "at 25 degrees or below".
    """
    clause_kinds = alignment.claim.kinds(clause)
    matching_kinds = alignment.passage.kinds(alignment.matching_clauses[clause])
    sides = (clause_kinds, matching_kinds), (matching_kinds, clause_kinds)
    until = "until" in alignment.passage.kinds() and "until" not in alignment.claim.kinds()
    if until and not (clause_kinds | matching_kinds) & DENIALS:
        return True  # "open until 2015", "closed in 2015"
    permits = any(
        "need_not" in permitting and opposite & {"may", "must", "need_not"} == {"may"} for permitting, opposite in sides
    )
    return (
        permits
        or _requires(alignment)
        or is_outside(alignment)
        or _ends_range(alignment)
        or any(
            token.quantity is not None
            and match.token.quantity is not None
            and excludes_the_rest(alignment, token, match.token)
            for token, match in alignment.pairs()
        )
    )


def states_superlative(alignment: Alignment) -> bool:
    """Return whether one side has a superlative where the other denies a comparison, as "no river is longer"."""
    sides = alignment.claim, alignment.passage
    return any(
        "no" in denying.kinds() and "no" not in opposite.kinds() and _compares(denying) and _superlative(opposite)
        for denying, opposite in (sides, sides[::-1])
    )


def _requires(alignment: Alignment) -> bool:
    """Return whether one side denies something up to a condition from which the other states it.

    "Nobody may drive without a licence", "drivers need a licence".
    """
    sides = alignment.claim.kinds(), alignment.passage.kinds()
    for denying, opposite in (sides, sides[::-1]):
        if not denying & DENIALS or opposite & (DENIALS | _CONDITIONS):
            continue
        if denying & _CONDITIONS and opposite & _REQUIRING:
            return True
    return False


def _compares(statement: Statement) -> bool:
    """Return whether a sentence has "than" or "as … as"."""
    return "than" in statement.kinds() or statement.words.count("as") > 1


def _superlative(statement: Statement) -> bool:
    """Return whether a sentence has a superlative."""
    marks = vocabulary(statement.language).role("superlative")
    endings = tuple(mark[1:] for mark in marks if mark.startswith("-"))
    if statement.language == "zh":
        return "最" in statement.text
    return any(word in marks or (endings and word.endswith(endings)) for word in statement.words)


def _ends_range(alignment: Alignment) -> bool:
    """Return whether the claim has a number that ends a range of the passage: "open from 9 to 6", "closes at 6"."""
    ends = [end for _, end in ranges(alignment.passage)] if alignment.claim.has_word("boundary") else []
    return any(match.token in ends for _, match in alignment.pairs())
