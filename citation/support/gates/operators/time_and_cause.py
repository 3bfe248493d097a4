"""Compare directions, times and causes: from and to, before and until, because and despite."""

from collections.abc import Iterator

from ....text.clauses import ContentToken, Operator, Statement
from ....text.clauses.vocabulary import vocabulary
from ....text.numbers.derived.differences import changes, differences
from ....text.numbers.quantities import agrees
from ..alignment import COMPARABLE, Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason


def swapped_motion(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if origin and destination are swapped: "from A to B", "from B to A"."""
    words = vocabulary(alignment.claim.language)
    source, target = words.role("from"), words.role("to")
    left = [(t, m) for t, m in alignment.pairs() if t.preposition in source and m.token.preposition in target]
    right = [(t, m) for t, m in alignment.pairs() if t.preposition in target and m.token.preposition in source]
    if left and right:
        word = alignment.claim.text_of(left[0][0])
        yield Disagreement(
            Reason.DIRECTION,
            f"the passage has the direction the other way round: to “{word}”, not from it",
            rule="from",
        )


def opposite_change(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the numbers of the passage fall where the claim speaks of a rise, or the reverse.

    The claim must have one of the numbers, or their difference. Without a number, its words are enough.
    """
    direction = _direction(aligned.claim) if aligned.best.shared else 0
    numbers, similar = aligned.claim.quantities, aligned.best.coverage >= COMPARABLE
    for passage in aligned.passages if direction else ():
        for one, other in changes(passage.text, passage.quantities):
            known = [one, other, *differences(one, other)]
            if not (any(agrees(mine, q) for mine in numbers for q in known) or (similar and not numbers)):
                continue
            if (other.base_value - one.base_value) * direction < 0:
                said = passage.text_of(one, other)
                yield Disagreement(Reason.DIRECTION, f"the passage says a change from “{said}”", rule="from")
                return


def _direction(claim: Statement) -> int:
    """Return 1 if a claim speaks of a rise, -1 of a fall, 0 of none, of both, or denies it."""
    words = vocabulary(claim.language)
    antonyms = words.antonyms
    rise = {side for word in words.role("rise") for side in antonyms.sides(word)}
    fall = {(group, 1 - side) for group, side in rise}
    signs = set()
    for token in claim.tokens:
        sides = antonyms.sides(token.folded)
        signs |= {token.sign} if rise & sides else {-token.sign} if fall & sides else set()
    return signs.pop() if len(signs) == 1 else 0


_CAUSES = {"because": "despite", "despite": "because"}
_TIMES = ("before", "after", "until", "since", "upon", "during")
_SAME_TIME = frozenset(
    {
        ("after", "since"),
        ("before", "until"),
        ("until", "before"),
        ("since", "after"),
        ("after", "upon"),
        ("upon", "after"),
        ("upon", "during"),
        ("during", "upon"),
    }
)


def different_time(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the same event has another temporal word: "due before delivery", "due upon delivery"."""
    theirs = {token: op for op in alignment.passage.of(*_TIMES) if (token := _next_token(alignment.passage, op))}
    mine = [(op, token) for op in alignment.claim.of(*_TIMES) if (token := _next_token(alignment.claim, op))]
    for op, token in mine:
        match = alignment.match_of.get(token)
        other = theirs.get(match.token) if match else None
        if token.unit:
            continue
        if other is None or other.kind == op.kind or (op.kind, other.kind) in _SAME_TIME:
            continue
        said, mine_said = alignment.passage.text_of(other), alignment.claim.text_of(op)
        if said.casefold() != mine_said.casefold():
            yield Disagreement(Reason.DIRECTION, f"the passage says “{said}”, not “{mine_said}”", rule="when")


def _next_token(statement: Statement, op: Operator) -> ContentToken | None:
    """Return the token that a preposition belongs to: the next of its piece; the one before it in Chinese."""
    if statement.language == "zh" and op.kind in {"before", "after"}:
        return next((t for t in reversed(statement.tokens) if t.word < op.word and t.piece == op.piece), None)
    return next((t for t in statement.tokens if t.word >= op.after and t.piece == op.piece), None)


def opposite_cause(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if one side names as a reason what the other calls an obstacle: "despite", "because of"."""
    theirs = [(op, _next_token(alignment.passage, op)) for op in alignment.passage.of(*_CAUSES)]
    for op in alignment.claim.of(*_CAUSES):
        token = _next_token(alignment.claim, op)
        for other, reason in theirs:
            match = alignment.match_of.get(token) if token is not None else None
            if other.kind == _CAUSES[op.kind] and match is not None and match.token is reason:
                said = alignment.passage.text_of(other)
                mine = alignment.claim.text_of(op)
                yield Disagreement(Reason.DIRECTION, f"the passage says “{said}”, not “{mine}”", rule="obstacle")
                return


def unknown_cause(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim gives a reason of which the passage has no word."""
    alignment = aligned.best
    given = bool({"because", "leads"} & alignment.passage.kinds())
    for op in alignment.claim.of("because"):
        following = [
            (token, any(one.matches[n] for one in aligned.sentences if given or one is alignment))
            for n, token in enumerate(alignment.claim.tokens)
            if token.word >= op.after and token.clause == op.clause
        ]
        if following and not any(found for _, found in following):
            said = alignment.claim.text_of(op, following[-1][0])
            yield Disagreement(Reason.BINDING, f"the passage does not give this reason: “{said}”", rule="cause")


def ended(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim states as present what the passage says was so until some time."""
    claim, passage = alignment.claim, alignment.passage
    if not claim.has_word("present") or claim.has_word("past") or not passage.has_word("past"):
        return
    if {"until", "before"} & claim.kinds() or any(t.quantity is not None for t in claim.tokens):
        return
    clauses = {*alignment.matching_clauses, *(match.token.clause for _, match in alignment.pairs())}
    for op in passage.of("until"):
        if op.clause in clauses:
            said = passage.text_of(op, passage.tokens[-1])
            yield Disagreement(Reason.DIRECTION, f"the passage says that it was so only “{said}”", rule="until")
            return
