"""Compare quantifiers (all, most, some, none) and bounds of numbers (at least, at most)."""

import re
from collections.abc import Iterator

from ....text.clauses import ContentToken, Operator, Statement
from ....text.clauses.statement import DENIALS
from ....text.clauses.vocabulary import vocabulary
from ....text.numbers.quantities import agrees
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason

_BOUNDS = frozenset({"min", "max", "over", "under", "exact"})
LOWER, UPPER = frozenset({"min", "over"}), frozenset({"max", "under"})
_DENYING = frozenset({"not", "no", "may_not"})
_NEGATING = frozenset({"not", "no", "except", "unless"})  # quantifiers are not compared if one side has one of these
_REST = ({"min", "under"}, {"max", "over"})  # bounds that divide all numbers
_FLIP_REACH = 4  # words between a negation and a bound that it reverses
_PART_REACH = 5  # words between a share and what it is a share of
_HAN_MORE = re.compile("[0-9零〇一二三四五六七八九十百千万亿两.,]+[个年]?[多余]")  # 三个多小时, 三十多人
_CONVERTED = 0.01  # conversions are rounded by less
_BOUND_REACH = 3  # words between a bound and its number
# Rank of the share of a set that a word denotes. The share of the claim must not exceed that of the passage.
_SHARE = {"all": 5, "most": 4, "many": 3, "half": 3, "some": 2, "few": 1, "not_all": 2}
_LARGE = frozenset({"all", "most", "many"})  # shares that "few" denies
_QUANTIFIERS = frozenset(_SHARE)


def quantifiers(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Compare quantifiers (all, most, some, none), and `only` with `not only`."""
    claim, passage = alignment.claim, alignment.passage
    claim_kinds, passage_kinds = claim.kinds(), passage.kinds()
    if not _NEGATING & (claim_kinds ^ passage_kinds):
        yield from _larger_share(alignment, clause)
        yield from _all_for_part(alignment, clause)
        yield from _part_for_all(alignment, clause)
        yield from _all_for_only(alignment, clause)
    if "boundless" in claim.kinds(clause) and "boundless" not in passage_kinds:
        yield Disagreement(Reason.QUANTIFIER, "the passage does not say that there is no limit", rule="boundless")
    extends = "not_only" in claim_kinds or _adds(claim)
    if extends and "only" in passage_kinds and "not_only" not in passage_kinds:
        yield Disagreement(Reason.QUANTIFIER, "the passage says “only”, the sentence “not only”", rule="only")


def _larger_share(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Yield the quantifiers of the claim that denote more than that of the passage at the same word."""
    match_of = {token: match.token for token, match in alignment.pairs(clause)}
    passage_quantifiers = [
        op for op in alignment.passage.of(*_QUANTIFIERS) if op.clause == alignment.matching_clauses[clause]
    ]
    for op in alignment.claim.of(*_QUANTIFIERS):
        if op.clause != clause:
            continue
        matched = [match_of[t] for t in _adjacent_tokens(alignment.claim, op) if t in match_of]
        same = [
            quantifier
            for quantifier in passage_quantifiers
            if any(t in matched for t in _adjacent_tokens(alignment.passage, quantifier))
        ]
        excludes = op.kind == "few" and any(quantifier.kind in _LARGE for quantifier in same)
        if same and (excludes or all(_SHARE[op.kind] > _SHARE[quantifier.kind] for quantifier in same)):
            passage_text, claim_text = alignment.passage.text_of(same[0]), alignment.claim.text_of(op)
            yield Disagreement(
                Reason.QUANTIFIER, f"the passage says “{passage_text}”, not “{claim_text}”", rule="quantifier"
            )


def _all_for_part(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim says of all what the passage says of a part: "two thirds of the members"."""
    passage, main = alignment.passage, alignment.matching_clauses[clause]
    clause_kinds, matching_kinds = alignment.claim.kinds(clause), passage.kinds(main)
    if "all" not in clause_kinds or "all" in matching_kinds or alignment.claim.kinds() & {"about", "under"}:
        return
    match_of = {token: match.token for token, match in alignment.pairs(clause)}
    near = [
        match_of[t]
        for op in alignment.claim.of("all")
        for t in _adjacent_tokens(alignment.claim, op)
        if t in match_of and t.word >= op.after
    ]
    parts = [t for t in passage.tokens if t.clause == main and t.quantity is not None and t not in alignment.matched]
    for part in parts:
        if any(0 < t.word - part.word <= _PART_REACH for t in near):
            stated_part = passage.text_of(part)
            yield Disagreement(Reason.QUANTIFIER, f"the passage says “{stated_part}”, not all", rule="part")
            return


def _part_for_all(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim restricts to one thing what the passage says of all."""
    claim, passage = alignment.claim, alignment.passage
    clause_kinds, matching_kinds = claim.kinds(clause), passage.kinds(alignment.matching_clauses[clause])
    if "only" not in clause_kinds or "all" in clause_kinds or "all" not in matching_kinds or "only" in matching_kinds:
        return
    match_of = {token: match.token for token, match in alignment.pairs(clause)}
    restricted = {match_of.get(t) for op in claim.of("only") for t in _adjacent_tokens(claim, op)}
    for op in passage.of("all"):
        if any(t in restricted for t in _adjacent_tokens(passage, op) if t.word >= op.after):
            detail = f"the passage says “{passage.text_of(op)}”, the sentence only some"
            yield Disagreement(Reason.QUANTIFIER, detail, rule="part")
            return


def _all_for_only(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim says of all what the passage says of one thing only."""
    passage, clause_kinds = alignment.passage, alignment.claim.kinds(clause)
    restricted = "only" in passage.kinds() and "all" not in passage.kinds()
    if "all" in clause_kinds and restricted and not {"only", "unless", "if", "not_all"} & clause_kinds:
        op = next(passage.of("only"))
        if op.clause == alignment.matching_clauses[clause]:
            restriction = passage.text_of(op)
            yield Disagreement(Reason.QUANTIFIER, f"the passage says “{restriction}”, the sentence all", rule="only")


def _adjacent_tokens(statement: Statement, op: Operator) -> list[ContentToken]:
    """Return the content words on both sides of an operator: one before it and two after it."""
    before = [t for t in statement.tokens if t.word < op.word][-1:]
    return before + [t for t in statement.tokens if t.word >= op.after][:2]


def bounds(alignment: Alignment) -> Iterator[Disagreement]:
    """Compare the bounds (at least, at most, …) of numbers that both sides contain."""
    for token, match in alignment.pairs():
        if token.quantity is None or match.token.quantity is None or not agrees(token.quantity, match.token.quantity):
            continue
        claim_bound, passage_bound = bound_of(alignment.claim, token), bound_of(alignment.passage, match.token)
        if claim_bound == "over" and token.quantity.unit == "time" and token.word == 1:
            continue  # "Over three years, the rent rises twice."
        if not claim_bound or excludes_the_rest(alignment, token, match.token):
            continue
        wrong = (
            (claim_bound in LOWER and passage_bound in UPPER)
            or (claim_bound in UPPER and passage_bound in LOWER)
            or (claim_bound == "exact" and passage_bound in {"over", "under"})
            or (claim_bound == "over" and passage_bound in {"", "min", "exact"} and not _exceeds(match.token, token))
            or (claim_bound == "under" and passage_bound in {"", "max", "exact"} and not _exceeds(token, match.token))
            or (claim_bound == "max" and passage_bound in {"", "exact"} and _exceeds(match.token, token, _CONVERTED))
            or (claim_bound == "min" and passage_bound in {"", "exact"} and _exceeds(token, match.token, _CONVERTED))
        )
        if wrong:
            number = alignment.claim.text_of(token)
            yield Disagreement(Reason.QUANTIFIER, f"the passage sets another bound on {number}", rule="bound")


def excludes_the_rest(alignment: Alignment, token: ContentToken, passage_token: ContentToken) -> bool:
    """Return whether the two sides name opposite bounds, and one of them is denied.

    Then they may agree: "Bids below 50,000 euros are not considered", "a bid must be at least 50,000 euros".
    """
    raw = {bound_of(alignment.claim, token, flip=False), bound_of(alignment.passage, passage_token, flip=False)}
    if raw not in _REST:
        return False
    return bool(_DENYING & alignment.claim.kinds()) != bool(_DENYING & alignment.passage.kinds())


def bound_of(statement: Statement, token: ContentToken, *, flip: bool = True) -> str:
    """Return the kind of bound of a number, "" if there is none. Negation reverses it: "does not exceed"."""
    for op in statement.operators:
        if op.kind not in _BOUNDS or not statement.same_cell(op.start, token.start):
            continue
        if 0 <= token.word - op.after < _BOUND_REACH or (0 <= op.word - token.word <= 2 and op.start - token.end <= 12):
            if op.kind in {"over", "under"} and op.start > token.end:
                continue
            flipped = any(n.kind in _DENYING and 0 < op.word - n.after + 1 <= _FLIP_REACH for n in statement.operators)
            if flip and flipped and op.kind in {"over", "under"}:
                return "max" if op.kind == "over" else "min"
            return op.kind
    if statement.language == "zh" and _HAN_MORE.match(statement.text, token.start):
        return "over"
    limits = {op.kind for op in statement.of("min", "max") if op.clause == token.clause}
    alone = sum(t.quantity is not None for t in statement.tokens) == 1
    return limits.pop() if alone and len(limits) == 1 else ""  # "the minimum age for drivers is 21"


def _exceeds(number: ContentToken, compared: ContentToken, tolerance: float = 0.0) -> bool:
    """Return whether a number is larger than another of its dimension: 1,950 than "no more than 1,900".

    `tolerance`: the share by which it may be larger.
    """
    a, b = number.quantity, compared.quantity
    if a is None or b is None or not a.values or not b.values:
        return False
    return a.base_value > b.base_value * (1 + tolerance)


def _adds(claim: Statement) -> bool:
    """Return whether a claim says of one more thing what is said of others: "a single household gets it, too"."""
    added = vocabulary(claim.language).role("additive")
    intensified = "too" in claim.words[:-1]  # "too few"
    return not added.isdisjoint(claim.words) and not intensified and not {*DENIALS, "only", "if"} & claim.kinds()
