"""Compare what comes first and what follows, in time or as cause and effect, and find swapped sides."""

from collections.abc import Iterator

from ....text.clauses import ContentToken, Operator, Statement
from ....text.clauses.statement import DENIALS
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason
from .sides import Sides, crossed_sides

# Words of a temporal or causal relation. 0: the side before the word comes first; 1: the side after it.
_ORDER = {"before": 0, "then": 0, "after": 1, "because": 1, "leads": 0}
_GROUPS = {"before": "time", "then": "time", "after": "time", "because": "cause", "leads": "cause"}
_PARTS = ";:；："  # between two statements of a sentence


def swapped_order(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield swapped temporal and causal relations."""
    passage_operators = list(alignment.passage.of(*_ORDER))
    if not passage_operators:
        return
    for op in alignment.claim.of(*_ORDER):
        for passage_operator in passage_operators:
            if _GROUPS[op.kind] != _GROUPS[passage_operator.kind]:
                continue
            claim_sides, passage_sides = _around(alignment.claim, op), _around(alignment.passage, passage_operator)
            crossed, straight = crossed_sides(claim_sides, passage_sides, alignment.match_of)
            if crossed and not straight:
                word = alignment.passage.text_of(passage_operator)
                detail = f"the passage has the order of “{word}” the other way round"
                yield Disagreement(Reason.DIRECTION, detail, rule=_GROUPS[op.kind])


def _around(statement: Statement, op: Operator) -> Sides:
    """Return the two sides of a temporal or causal word, the earlier one or the cause first."""
    begin = max(statement.text.rfind(mark, 0, op.start) for mark in _PARTS)
    ends = [position for mark in _PARTS if (position := statement.text.find(mark, op.end)) >= 0]
    tokens = [t for t in statement.tokens if begin < t.start < min(ends, default=len(statement.text))]
    following = [t for t in tokens if t.word >= op.after]
    before = [t for t in tokens if t.word < op.word]
    if all(map(_is_length, before)):  # "Before the doors were locked, …", "Two days before the doors were locked, …"
        first_piece = following[0].piece if following else 0
        before = [t for t in following if t.piece != first_piece]
        following = [t for t in following if t.piece == first_piece]
    sides = (before, following)
    passive = op.kind == "leads" and any(by.word == op.after for by in statement.of("by"))  # "provoquée par"
    until = op.kind == "before" and "until" in statement.kinds(op.clause)
    not_before = until and bool(DENIALS & statement.kinds(op.clause))  # "cannot fly until", "flies after"
    first = _ORDER[op.kind] ^ (passive or not_before)
    return Sides.of(sides[first], sides[1 - first])


def _is_length(token: ContentToken) -> bool:
    """Return whether a token is a length of time."""
    return token.word_class == "unit" or token.unit == "time"
