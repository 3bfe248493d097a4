"""Compare operators: negation, quantifiers, and bounds of numbers."""

from collections.abc import Iterator

from ...text.clauses import ContentToken, Operator, Statement
from ...text.clauses.statement import DENIALS, EXCEPTIVE, NEGATING, RESTRICTIVE
from ...text.clauses.vocabulary import vocabulary
from ...text.numbers.quantities import agrees
from .alignment import Alignment, Match, opposed
from .disagreement import Disagreement, Reason
from .relations import swapped_pivots

_IMPLIES_NOT = frozenset({"only", "not_all", "max", "min"})
_NAME_WEIGHT = 0.4  # weight of a name in the comparison of signs; a predicate has the weight 1
_BOUNDS = frozenset({"min", "max", "over", "under", "exact"})
_LOWER, _UPPER = frozenset({"min", "over"}), frozenset({"max", "under"})
_BOUND_REACH = 3  # words between a bound and its number
# Rank of the share of a set that a word denotes. The share of the claim must not exceed that of the passage.
_SHARE = {"all": 5, "most": 4, "many": 3, "half": 3, "some": 2, "few": 1, "not_all": 2}
_QUANTIFIERS = frozenset(_SHARE)


def negation(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Yield a disagreement if one side denies what the other states, or uses the opposite word."""
    pairs = alignment.pairs(clause)
    if not pairs:
        return
    exceptions = [(t, m) for t, m in pairs if t.scoped or m.token.scoped]
    if not exceptions and not _same_predicate(alignment, clause):
        return
    denied = _contradicted(exceptions) if exceptions else _outvoted(pairs, alignment.mains[clause])
    if (shared := _shared_denial(pairs)) is not None:
        denied = None if denied else shared
    opposites = [
        (t, m)
        for t, m in pairs
        if m.sign < 0
        and m.token.clause == alignment.mains[clause]
        and not _denies(t, m)
        and id(t) not in swapped_pivots(alignment)
    ]
    if bool(denied) == (len(opposites) % 2 == 1):
        return
    if denied and denied[0].sign < 0 and _IMPLIES_NOT & alignment.passage.kinds(alignment.mains[clause]):
        return  # "only above freezing" says that below it does not
    if denied:
        if _restated(alignment, clause):
            return
        token, match = denied
        yield Disagreement(Reason.NEGATION, _denial(alignment, token, match.token), rule="negation")
    else:
        token, match = opposites[0]
        said = alignment.passage.text[match.token.start : match.token.end]
        yield Disagreement(
            Reason.NEGATION, f"the passage says “{said}”, the opposite of “{_word(alignment, token)}”", rule="antonym"
        )


def _denies(token: ContentToken, match: Match) -> bool:
    """Return whether one of two opposite words is an operator that denies: "adopted", "rejected".

    The signs of the other words of its clause already differ.
    """
    return match.sign < 0 and (token.denying or match.token.denying)


def _restated(alignment: Alignment, clause: int) -> bool:
    """Return whether one side restricts what the other denies of the rest: "only above zero", "not below zero"."""
    claim, passage = alignment.claim, alignment.passage
    mine, theirs = claim.kinds(), passage.kinds()
    for restricting, denying in ((mine, theirs), (theirs, mine)):
        if restricting & RESTRICTIVE and denying & DENIALS and not denying & RESTRICTIVE:
            return True
    return _complementary(alignment, clause)


def _complementary(alignment: Alignment, clause: int) -> bool:
    """Return whether the claim counts the rest of a total: "two of five did", "three of five did not"."""
    counts = [
        (token, match)
        for token, match in zip(alignment.claim.tokens, alignment.matches, strict=True)
        if token.clause == clause and token.quantity is not None and not token.quantity.unit
    ]
    rest = [token for token, match in counts if match is None]
    return len(rest) == 1 and len(counts) > 1 and len(alignment.pairs(clause)) > len(counts)


def _same_predicate(alignment: Alignment, clause: int) -> bool:
    """Return whether the passage contains most of the predicate of a clause of the claim."""
    stated = [
        (token, match)
        for token, match in zip(alignment.claim.tokens, alignment.matches, strict=True)
        if token.clause == clause and not token.operator and not token.name and token.quantity is None
    ]
    verbal = [pair for pair in stated if pair[0].verbal] or stated
    found = sum(match is not None or _denied_there(alignment, token) for token, match in verbal)
    return found * 2 > len(verbal) or not stated


def _denial(alignment: Alignment, token: ContentToken, other: ContentToken) -> str:
    """Describe what only one side denies."""
    for side, statement, clause in (
        ("sentence", alignment.claim, token.clause),
        ("passage", alignment.passage, other.clause),
    ):
        ops = [op for op in statement.of(*NEGATING, *EXCEPTIVE) if op.clause == clause]
        if len(ops) % 2:
            following = next((t for t in statement.tokens if t.word >= ops[0].after), None)
            end = following.end if following is not None else ops[0].end
            return f"only the {side} denies it: “{statement.spelled(ops[0].start, end)}”"
    return f"only one side denies “{_word(alignment, token)}”"


def _denied_there(alignment: Alignment, token: ContentToken) -> bool:
    """Return whether the passage has an antonym of the word as a denying operator: "rejected" for "adopted"."""
    antonyms = vocabulary(alignment.claim.language).antonyms
    sides = antonyms.sides(token.folded)
    return any(t.denying and opposed(sides, antonyms.sides(t.folded)) for t in alignment.passage.tokens)


def _shared_denial(pairs: list[tuple[ContentToken, Match]]) -> tuple[ContentToken, Match] | None:
    """Return a word that both sides use, but only one as a denial: "did not stop", "stopped". None if there is none."""
    shared = [(t, m) for t, m in pairs if t.denying != m.token.denying and m.sign > 0]
    return shared[0] if len(shared) % 2 else None


def _contradicted(pairs: list[tuple[ContentToken, Match]]) -> tuple[ContentToken, Match] | None:
    """Return a word of an exception whose sign differs, if that is so for most of its words."""
    differing = [(t, m) for t, m in pairs if t.sign != m.token.sign]
    return differing[0] if len(differing) * 2 > len(pairs) else None


def _outvoted(pairs: list[tuple[ContentToken, Match]], main: int) -> tuple[ContentToken, Match] | None:
    """Return a word that only one side denies, if that is so for most words of the clause."""
    balance, found = 0.0, None
    for token, match in pairs:
        if (match.token.clause != main and len(pairs) > 1) or _denies(token, match):
            continue
        weight = _NAME_WEIGHT if token.name or token.quantity is not None else 1.0
        if token.sign != match.token.sign:
            balance += weight
            found = (token, match) if found is None or (token.verbal and not found[0].verbal) else found
        else:
            balance -= weight
    return found if balance > 0 else None


def quantifiers(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Compare quantifiers (all, most, some, none), and `only` with `not only`."""
    negated = bool({"not", "no", "except", "unless"} & (alignment.claim.kinds() ^ alignment.passage.kinds()))
    match_of = {id(token): match.token for token, match in alignment.pairs(clause)}
    theirs = [op for op in alignment.passage.of(*_QUANTIFIERS) if op.clause == alignment.mains[clause]]
    for op in alignment.claim.of(*_QUANTIFIERS):
        if op.clause != clause or negated:
            continue
        mine = [match_of[id(t)] for t in _adjacent_tokens(alignment.claim, op) if id(t) in match_of]
        same = [other for other in theirs if any(t in mine for t in _adjacent_tokens(alignment.passage, other))]
        if same and all(_SHARE[op.kind] > _SHARE[other.kind] for other in same):
            said, mine_said = _phrase(alignment.passage, same[0]), _phrase(alignment.claim, op)
            yield Disagreement(Reason.QUANTIFIER, f"the passage says “{said}”, not “{mine_said}”", rule="quantifier")
    yield from _ranked(alignment)
    claims = alignment.claim.kinds(clause)
    if "all" in claims and "only" in alignment.passage.kinds() and not {"only", "unless", "if", "not_all"} & claims:
        op = next(alignment.passage.of("only"))
        if op.clause == alignment.mains[clause] and not negated:
            said = _phrase(alignment.passage, op)
            yield Disagreement(Reason.QUANTIFIER, f"the passage says “{said}”, the sentence all", rule="only")
    if "boundless" in claims and "boundless" not in alignment.passage.kinds():
        yield Disagreement(Reason.QUANTIFIER, "the passage does not say that there is no limit", rule="boundless")
    everywhere, elsewhere = alignment.claim.kinds(), alignment.passage.kinds()
    if "not_only" in everywhere and "only" in elsewhere and "not_only" not in elsewhere:
        yield Disagreement(Reason.QUANTIFIER, "the passage says “only”, the sentence “not only”", rule="only")
    if "only" in everywhere and "not_only" in elsewhere:
        yield Disagreement(Reason.QUANTIFIER, "the passage says “not only”, the sentence “only”", rule="only")


def _ranked(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim leaves out a rank: "the second deepest lake" is not the deepest."""
    passage = alignment.passage
    for token, match in alignment.pairs():
        rank = next(
            (
                t
                for t in passage.tokens
                if t.quantity is not None and t.quantity.ordinal and t.word == match.token.word - 1
            ),
            None,
        )
        own = [t for t in alignment.claim.tokens if t.quantity is not None]
        if rank is not None and token.folded.endswith("est") and not own:
            said = passage.text[rank.start : match.token.end]
            yield Disagreement(Reason.QUANTIFIER, f"the passage says “{said}”", rule="rank")


def _adjacent_tokens(statement: Statement, op: Operator) -> list[ContentToken]:
    """Return the content words on both sides of an operator: one before it and two after it."""
    before = [t for t in statement.tokens if t.word < op.word][-1:]
    return before + [t for t in statement.tokens if t.word >= op.after][:2]


def _phrase(statement: Statement, op: Operator) -> str:
    return statement.spelled(op.start, op.end)


def bounds(alignment: Alignment) -> Iterator[Disagreement]:
    """Compare the bounds (at least, at most, …) of numbers that both sides contain."""
    for token, match in alignment.pairs():
        if token.quantity is None or match.token.quantity is None or not agrees(token.quantity, match.token.quantity):
            continue
        mine, theirs = _bound(alignment.claim, token), _bound(alignment.passage, match.token)
        if not mine:
            continue
        wrong = (
            (mine in _LOWER and theirs in _UPPER)
            or (mine in _UPPER and theirs in _LOWER)
            or (mine == "exact" and theirs in {"over", "under"})
            or (mine == "over" and theirs in {"", "min", "exact"} and not _larger(match, token))
            or (mine == "under" and theirs in {"", "max", "exact"} and not _larger(match, token, below=True))
        )
        if wrong:
            number = alignment.claim.text[token.start : token.end]
            yield Disagreement(Reason.QUANTIFIER, f"the passage sets another bound on {number}", rule="bound")


def _larger(match: Match, token: ContentToken, *, below: bool = False) -> bool:
    """Return whether the number of the passage is larger (or, with `below`, smaller) than that of the claim."""
    mine, theirs = token.quantity, match.token.quantity
    if mine is None or theirs is None or not mine.values or not theirs.values:
        return True
    a, b = mine.values[0] * mine.factor, theirs.values[0] * theirs.factor
    return b < a if below else b > a


def _bound(statement: Statement, token: ContentToken) -> str:
    """Return the kind of bound of a number, "" if there is none. Negation reverses it: "does not exceed"."""
    for op in statement.operators:
        if op.kind not in _BOUNDS:
            continue
        if 0 <= token.word - op.after < _BOUND_REACH or (0 <= op.word - token.word <= 2 and op.start - token.end <= 12):
            if op.kind in {"over", "under"} and op.start > token.end:
                continue
            flipped = any(n.kind in {"not", "no"} and 0 < op.word - n.after + 1 <= 2 for n in statement.operators)
            if flipped and op.kind in {"over", "under"}:
                return "max" if op.kind == "over" else "min"
            return op.kind
    return ""


def _word(alignment: Alignment, token: ContentToken) -> str:
    return alignment.claim.text[token.start : token.end]
