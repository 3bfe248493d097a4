"""Compare conditions: the claim leaves one out, lifts or adds one, or says of all what holds up to a limit only."""

from collections.abc import Iterator
from itertools import pairwise

from ....text.clauses import ContentToken, Statement
from ....text.clauses.statement import DENIALS, RESTRICTIVE
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason

# Operators of a claim that does not state something without a condition.
CONDITIONAL = frozenset({"if", "unless", "only", "even_if", "would", "irrealis", "may", "hedge"})
_CONDITIONS = frozenset({"if", "unless"})
_LIMITS = frozenset({"over", "under", "min", "max", "before", "after", "until"})  # with a number: "above 20 euros"
_REACH = 4  # words between a limit and its number


def conditions(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if one side lifts or leaves out a condition of the other."""
    mine, theirs = alignment.claim.kinds(), alignment.passage.kinds()
    lifted = "even_if" in mine and not {"even_if", "despite"} & theirs and _CONDITIONS & theirs
    imposed = "even_if" in theirs and not {"even_if", "despite"} & mine and {"only", "unless"} & mine
    if lifted or imposed:
        yield modal("one side sets a condition that the other denies", "condition")
    if not lifted and not imposed and (waived := _waived(alignment)):
        yield modal(f"the passage requires what the sentence does without: “{waived}”", "condition")


def universal(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim says of all what the passage says under a condition or up to a limit."""
    mine, theirs = alignment.claim.kinds(), alignment.passage.kinds()
    if (_CONDITIONS | RESTRICTIVE) & mine:
        return
    if not DENIALS & mine and (narrower := _narrower(alignment)):
        yield modal(f"the passage says this only of some: “{narrower}”", "unconditional")
    if "all" in theirs or not _of_all(alignment.claim):
        return
    if "if" in theirs and not _found_condition(alignment):
        yield modal("the passage sets a condition that the sentence leaves out", "unconditional")
    elif any(op.kind == "except" for op in alignment.passage.operators) and not _found_exception(alignment):
        yield modal("the passage makes an exception that the sentence leaves out", "unconditional")
    elif limit := _limit(alignment):
        yield modal(f"the passage limits what the sentence says of all: “{limit}”", "unconditional")


def other_condition(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the condition of the claim is that of another sentence, and the best one has its own.

    "The price is refunded if the concert is cancelled. If it is postponed, tickets remain valid."
    """
    claim, best = aligned.claim, aligned.best
    own = _conditional_tokens(best.passage)
    if all(t in best.matched for t in own):
        return
    mine = _conditional_tokens(claim)
    for at, token in enumerate(claim.tokens):
        if token not in mine or best.matches[at] is not None:
            continue
        for one in aligned.sentences:
            match = one.matches[at] if one is not best else None
            if match is not None and match.token in _conditional_tokens(one.passage):
                said = best.passage.text_of(*own)
                yield modal(f"the passage says this on another condition: “{said}”", "condition")
                return


def unconditional(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage states a condition that the claim leaves out."""
    passage = alignment.passage
    if (CONDITIONAL | DENIALS) & alignment.claim.kinds() or "when" in alignment.claim.words:
        return  # a denial is compared with the passage by `negation`
    main = alignment.mains[clause]
    for op in passage.of("if"):
        condition = [t for t in passage.tokens if t.clause == op.clause]
        if op.clause != main and condition and not any(t in alignment.matched for t in condition):
            said = passage.text_of(op, condition[-1])
            yield modal(f"the passage sets a condition: “{said}”", "unconditional")
            return


def _waived(alignment: Alignment) -> str:
    """Return the words of the claim that does without what the passage requires: "without being closed first"."""
    claim, passage = alignment.claim, alignment.passage
    if (DENIALS | RESTRICTIVE | {"must"}) & claim.kinds() or not DENIALS & passage.kinds():
        return ""
    required = {op.clause for op in passage.of("unless")}
    for op in claim.of("without"):
        for token, match in alignment.pairs(op.clause):
            if token.scoped and token.word >= op.after and match.sign > 0 and match.token.clause in required:
                return claim.text_of(op, token)
    return ""


def _found_condition(alignment: Alignment) -> bool:
    """Return whether the claim has a word of the condition of the passage."""
    for op in alignment.passage.of("if"):
        if any(t in alignment.matched for t in alignment.passage.tokens if t.piece == op.piece and t.word >= op.after):
            return True
    return False


def _found_exception(alignment: Alignment) -> bool:
    """Return whether the claim has a word of the exception of the passage."""
    return any(match.token.scoped for _, match in alignment.pairs())


def _of_all(claim: Statement) -> bool:
    """Return whether a claim is about all of something: not "both", "anyone", and not "every day"."""
    words = vocabulary(claim.language)
    for op in claim.of("all"):
        if claim.text_of(op).lower().replace(" ", "_") not in words.role("indefinite"):
            behind = next((t for t in claim.tokens if t.word >= op.after), None)
            if behind is None or behind.kind != "unit" or behind.word > op.after:
                return True
    return False


def _narrower(alignment: Alignment) -> str:
    """Return a noun with a word that the claim, which says it of all, lacks: "every Tuesday morning"."""
    token_of = {m.token: t for t, m in alignment.pairs() if not t.verbal and t.quantity is None}
    firsts = {
        next((t.word for t in alignment.claim.tokens if t.word >= op.after), -1) for op in alignment.claim.of("all")
    }
    tokens = alignment.passage.tokens
    for before, noun in pairwise(tokens):
        token = token_of.get(noun)
        adjoins = noun.word == before.word + 1 and noun.piece == before.piece and not noun.clausal
        if token is None or token.word not in firsts or not adjoins or before in token_of:
            continue
        acts = before.verbal and (alignment.claim.language != "zh" or before.word > 0)  # 研发部门 is a noun
        if not (before.quantity or acts or before.operator or (before.name and noun.name)):
            return alignment.passage.text_of(before, noun)
    return ""


def _limit(alignment: Alignment) -> str:
    """Return a limit of the passage, with a number that the claim lacks: "above 20 euros". "" if there is none."""
    passage = alignment.passage
    if DENIALS & (alignment.claim.kinds() | passage.kinds()):
        return ""
    for op in passage.of(*_LIMITS):
        number = next((t for t in passage.tokens if 0 <= t.word - op.after < _REACH and t.quantity is not None), None)
        if number is not None and number not in alignment.matched:
            return passage.text_of(op, number)
    return ""


def _conditional_tokens(statement: Statement) -> list[ContentToken]:
    """Return the words of the conditions of a sentence."""
    begins = [(op.clause, op.after) for op in statement.of("if")]
    if "when" in statement.words:
        at = statement.words.index("when")
        begins += [(t.clause, at) for t in statement.tokens if t.word > at][:1]
    return [t for t in statement.tokens if any(t.clause == clause and t.word >= after for clause, after in begins)]


def modal(detail: str, rule: str) -> Disagreement:
    """Return a disagreement about modality."""
    return Disagreement(Reason.MODALITY, detail, rule=rule)
