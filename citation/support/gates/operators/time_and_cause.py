"""Compare directions, times and causes: from and to, before and until, because and despite."""

from collections.abc import Iterator

from ....text.clauses import ContentToken, Operator, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment
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
    passage_times = {token: op for op in alignment.passage.of(*_TIMES) if (token := _next_token(alignment.passage, op))}
    claim_times = [(op, token) for op in alignment.claim.of(*_TIMES) if (token := _next_token(alignment.claim, op))]
    for op, token in claim_times:
        match = alignment.match_of.get(token)
        passage_time = passage_times.get(match.token) if match else None
        if token.unit:
            continue
        if passage_time is None or passage_time.kind == op.kind or (op.kind, passage_time.kind) in _SAME_TIME:
            continue
        passage_text, claim_text = alignment.passage.text_of(passage_time), alignment.claim.text_of(op)
        if passage_text.casefold() != claim_text.casefold():
            yield Disagreement(Reason.DIRECTION, f"the passage says “{passage_text}”, not “{claim_text}”", rule="when")


def _next_token(statement: Statement, op: Operator) -> ContentToken | None:
    """Return the token that a preposition belongs to: the next of its piece; the one before it in Chinese."""
    if statement.language == "zh" and op.kind in {"before", "after"}:
        return next((t for t in reversed(statement.tokens) if t.word < op.word and t.piece == op.piece), None)
    return next((t for t in statement.tokens if t.word >= op.after and t.piece == op.piece), None)


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
            period = passage.text_of(op, passage.tokens[-1])
            yield Disagreement(Reason.DIRECTION, f"the passage says that it was so only “{period}”", rule="until")
            return
