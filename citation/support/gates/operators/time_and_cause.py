"""Compare directions, times and causes: from and to, before and until, because and despite."""

from collections.abc import Iterator

from ....text.clauses import ContentToken, Operator, Statement
from ....text.clauses.statement import DENIALS
from ....text.clauses.vocabulary import vocabulary
from ....text.numbers.derived.differences import changes, differences
from ....text.numbers.quantities import agrees
from ..alignment import COMPARABLE, Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason


def swapped_motion(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if origin and destination are swapped: "from A to B", "from B to A"."""
    words = vocabulary(alignment.claim.language)
    source, target = words.role("from"), words.role("to")
    left = [(t, m) for t, m in alignment.pairs() if t.before in source and m.token.before in target]
    right = [(t, m) for t, m in alignment.pairs() if t.before in target and m.token.before in source]
    if left and right:
        word = alignment.claim.text_of(left[0][0])
        yield Disagreement(
            Reason.DIRECTION,
            f"the passage has the direction the other way round: to “{word}”, not from it",
            rule="from",
        )


_NOT_MOVED = DENIALS | {"plan", "would", "irrealis", "until", "before", "hedge", "should"}


def origin_of_move(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim has the date, number or place that something was moved away from.

    "The fair was moved from 14 to 21 June", "the fair takes place on 14 June".
    """
    words = vocabulary(alignment.claim.language)
    moving, source, target = words.role("moving"), words.role("from"), words.role("to") | words.role("target")
    if not moving.isdisjoint(alignment.claim.words) or _NOT_MOVED & alignment.claim.kinds():
        return
    matched = {match.token: token for token, match in alignment.pairs()}
    moved = {token.clause for token in alignment.passage.tokens if token.folded in moving}
    ends = [token for token in alignment.passage.tokens if token.clause in moved and token.before in source | target]
    for origin in ends:
        token = matched.get(origin)
        if token is None or origin.before not in source or token.before in source:
            continue
        goal = next((one for one in ends if one.before in target and one.word > origin.word), None)
        if goal is not None and goal not in matched and (goal.quantity is None) == (origin.quantity is None):
            said = alignment.passage.text_of(origin, goal)
            yield Disagreement(Reason.DIRECTION, f"the passage says that it was moved: “{said}”", rule="from")
            return


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
    fall = {(family, 1 - side) for family, side in rise}
    signs = set()
    for token in claim.tokens:
        sides = antonyms.sides(token.folded)
        signs |= {token.sign} if rise & sides else {-token.sign} if fall & sides else set()
    return signs.pop() if len(signs) == 1 else 0


_FEWEST = 2  # words of an effect that the passage must state
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


_ENDED = frozenset({"until", "before"})


def ended(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim states as present what the passage says was so until some time."""
    claim, passage = alignment.claim, alignment.passage
    if not claim.has_word("present") or claim.has_word("past") or not passage.has_word("past"):
        return
    if _ENDED & claim.kinds() or any(t.quantity is not None for t in claim.tokens):
        return
    clauses = {*alignment.mains, *(match.token.clause for _, match in alignment.pairs())}
    for op in passage.of("until"):
        if op.clause in clauses:
            said = passage.text_of(op, passage.tokens[-1])
            yield Disagreement(Reason.DIRECTION, f"the passage says that it was so only “{said}”", rule="until")
            return


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


def effect_as_cause(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim names as the cause what the passage has behind its predicate.

    "Lower rents attracted artists", "the artists caused lower rents".
    """
    claim, passage = alignment.claim, alignment.passage
    if {"leads", "because"} & passage.kinds() or "by" in passage.kinds():
        return
    verbs = [t for t in passage.tokens if t.verbal and not t.name]
    for op in claim.of("leads"):
        pairs = [(t, match.token) for t, match in alignment.pairs() if not (t.before or match.token.verbal)]
        causes = [other for token, other in pairs if token.word < op.word and token.clause == op.clause]
        effects = [other for token, other in pairs if token.word >= op.after and token.clause == op.clause]
        pivot = next((t for t in verbs if all(e.word < t.word and e.clause == t.clause for e in effects)), None)
        if not causes or not effects or pivot is None:
            continue
        if all(pivot.word < cause.word and cause.clause == pivot.clause and not cause.before for cause in causes):
            word = passage.text_of(pivot)
            detail = f"the passage has the two sides of “{word}” the other way round"
            yield Disagreement(Reason.DIRECTION, detail, rule="cause")
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


def unknown_reason(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the best sentence states what the claim gives a reason for, but not the reason."""
    reasons = {op.clause for op in aligned.claim.of("because")}
    if not reasons or aligned.best.coverage >= COMPARABLE:
        return
    effect = [match for token, match in aligned.best.tokens if token.clause not in reasons]
    if sum(match is not None for match in effect) >= max(_FEWEST, COMPARABLE * len(effect)):
        yield from unknown_cause(aligned)
