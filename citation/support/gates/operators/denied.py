"""Denials on one side only: the claim denies what the passage states, or the reverse."""

from collections.abc import Iterator

from ....text.clauses.statement import DENIALS
from ..alignment import PassageAlignment
from ..bindings.comparisons import compare_grades
from ..disagreement import Disagreement
from .negations import negation

# Operators of a claim that states an exception or a condition itself.
_CONDITIONAL = frozenset({"if", "unless", "only", "except", "without"})
_BOTH = 2  # clauses denied: "opens only if it is turned", "stays shut unless it is turned"


def one_sided_denials(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield the negations on one side only, unless another sentence denies the same, or both compare by degree."""
    claim, best = aligned.claim, aligned.best
    denied = [disagreement for clause in best.comparable_clauses for disagreement in negation(best, clause)]
    if denied and (_denied_elsewhere(aligned) or any(compare_grades(best))):
        return
    if not (len(denied) == _BOTH and _CONDITIONAL & claim.kinds() and _CONDITIONAL & best.passage.kinds()):
        yield from denied


def _denied_elsewhere(aligned: PassageAlignment) -> bool:
    """Return whether a neighbouring sentence denies what the claim denies: "The board did not approve it."."""
    claim, best = aligned.claim, aligned.best
    if not (DENIALS | {"need_not"}) & claim.kinds():
        return False
    neighbours = [alignment for alignment in aligned.sentences if alignment is not best]
    for alignment in neighbours:
        if not DENIALS & alignment.passage.kinds():
            continue
        for (token, match), best_match in zip(alignment.tokens, best.matches, strict=True):
            denied = match is not None and best_match is None and token.sign < 0 and match.sign * match.token.sign < 0
            if denied and not (token.preposition and claim.language == "en"):  # "in the library" is no statement
                return True
    return False
