"""Denials elsewhere in the passage: the claim states what only another clause or sentence names, and denies."""

from collections.abc import Iterator, Sequence

from ....text.clauses import ContentToken, Statement
from ....text.clauses.statement import DENIALS
from ..alignment import Alignment, Match, PassageAlignment
from ..bindings.comparisons import compare_grades
from ..disagreement import Disagreement, Reason
from .framing import retraction_of
from .negations import negation

_DENIALS = DENIALS | {"false"}
_BOUNDS = frozenset({"min", "max", "over", "under"})
# Operators of a claim that states an exception or a condition itself.
_CONDITIONAL = frozenset({"if", "unless", "only", "except", "without"})
_BOTH = 2  # clauses denied: "opens only if it is turned", "stays shut unless it is turned"
_EXCEPTIONS = frozenset({"except", "without", "unless", "only", "if", "need_not"})
# A sentence with one of these does not exclude what it denies from everything.
_NO_EXCLUSION = _EXCEPTIONS | {"plan", "hedge", "must"}


def one_sided_denials(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield the negations on one side only, unless another sentence denies the same, or both compare by degree."""
    claim, best = aligned.claim, aligned.best
    denied = [one for clause in best.comparable_clauses for one in negation(best, clause)]
    if denied and (_denied_elsewhere(aligned) or any(compare_grades(best))):
        return
    if not (len(denied) == _BOTH and _CONDITIONAL & claim.kinds() and _CONDITIONAL & best.passage.kinds()):
        yield from denied


def _denied_elsewhere(aligned: PassageAlignment) -> bool:
    """Return whether a neighbouring sentence denies what the claim denies: "The board did not approve it."."""
    claim, best = aligned.claim, aligned.best
    if not (DENIALS | {"need_not"}) & claim.kinds():
        return False
    others = [one for one in aligned.sentences if one is not best]
    if retraction_of(aligned) or (
        "overturns" in claim.kinds() and any("overturns" in one.passage.kinds() for one in others)
    ):
        return True
    for alignment in others:
        if not DENIALS & alignment.passage.kinds():
            continue
        for (token, match), known in zip(alignment.tokens, best.matches, strict=True):
            denied = match is not None and known is None and token.sign < 0 and match.sign * match.token.sign < 0
            if denied and not (token.preposition and claim.language == "en"):  # "in the library" is no statement
                return True
    return False


def only_denied(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage only denies a word of the claim, in another sentence or clause than its rest.

    "The probe flew past Mars. It did not land there." does not say that the probe landed on Mars, and "notice must be
    given in writing; a call is not enough" does not say that notice can be given by a call.
    """
    claim, best = aligned.claim, aligned.best
    if claim.kinds() & (_DENIALS | _EXCEPTIONS):
        return
    for at, token in enumerate(claim.tokens):
        if token.quantity is not None or token.name or token.in_operator:
            continue
        match = best.matches[at]
        found = [(one, other) for one in aligned.sentences if (other := one.matches[at]) is not None]
        if match is not None:
            denied = _denied_in_clause(token, best, match, [other for _, other in found])
        else:
            there = found and all(_denied_there(token, one, other) for one, other in found)
            denied = found[0][0].passage.text_of() if there else ""
        if denied:
            yield Disagreement(Reason.NEGATION, f"the passage denies this: “{denied}”", rule="denied nearby")
            return


def _denied_in_clause(token: ContentToken, best: Alignment, match: Match, found: Sequence[Match]) -> str:
    """Return the clause of the best sentence that denies a noun, "" if another one states the noun."""
    verbs = [(verb, stated) for verb, stated in best.pairs() if verb.verbal]
    clauses = {stated.token.clause for _, stated in verbs}
    if token.verbal or best.claim.language == "zh" or match.token.clause in clauses or match.token.excepted:
        return ""
    if not any(_agrees(verb, stated) for verb, stated in verbs) or any(_agrees(token, other) for other in found):
        return ""
    own = [t for t in best.passage.tokens if t.clause == match.token.clause]
    return best.passage.text_of(*own)


def excluded(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if a clause denies or excludes something that the claim names in full.

    "Bicycles are insured. Electric bicycles are excluded.": another sentence has the rest of the claim.
    """
    claim, alignments = aligned.claim, aligned.sentences
    if claim.kinds() & (_DENIALS | _EXCEPTIONS):
        return
    for one in alignments:
        if one.passage.question or one.passage.kinds() & _NO_EXCLUSION:
            continue
        for clause in range(one.passage.clauses):
            named = _denied_in_full(one, clause)
            if named and any(_states_of_others(claim, other, one, named) for other in alignments if other is not one):
                own = [t for t in one.passage.tokens if t.clause == clause]
                said = one.passage.text_of(*own)
                yield Disagreement(Reason.NEGATION, f"the passage excludes this: “{said}”", rule="excluded")
                return


def _agrees(token: ContentToken, match: Match) -> bool:
    """Return whether both sides deny a word, or none does."""
    return match.sign * match.token.sign * token.sign > 0


def _denied_in_full(alignment: Alignment, clause: int) -> set[ContentToken]:
    """Return the tokens of the claim that are all the words of a clause, if it denies them."""
    passage = alignment.passage
    own = {t for t in passage.tokens if t.clause == clause and not t.in_operator and t.sign < 0}
    named = {match.token: token for token, match in alignment.pairs() if match.sign > 0}
    stated = [t for t in passage.tokens if t.clause == clause and not t.in_operator]
    denied = bool(_DENIALS & passage.kinds(clause)) and len(own) == len(stated) and own <= named.keys()
    return {named[token] for token in own} if denied else set()


def _states_of_others(claim: Statement, other: Alignment, one: Alignment, named: set[ContentToken]) -> bool:
    """Return whether `other` has more of the rest of the claim than `one`, but not all words of what `one` names."""
    rest = [n for n, token in enumerate(claim.tokens) if token not in named]
    lacks = any(other.matches[n] is None for n, token in enumerate(claim.tokens) if token in named)
    mine, theirs = (sum(side.matches[n] is not None for n in rest) for side in (one, other))
    return lacks and theirs > mine


def _denied_there(token: ContentToken, one: Alignment, match: Match) -> bool:
    """Return whether a sentence denies the predicate that is a word of the claim."""
    other = match.token
    if not (other.verbal or other.after_auxiliary) or _agrees(token, match):
        return False
    denials = [op for op in one.passage.of(*_DENIALS) if op.clause == other.clause]
    return any(other.word >= op.after for op in denials) and not (_BOUNDS | {"if"}) & one.passage.kinds()
