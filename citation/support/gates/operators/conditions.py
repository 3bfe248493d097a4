"""Compare conditions: the claim leaves one out, lifts or adds one, or says of all what holds up to a limit only."""

from collections.abc import Iterator
from itertools import pairwise

from ....text.clauses import Statement
from ....text.clauses.statement import DENIALS, RESTRICTIVE
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason

_CONDITIONS = frozenset({"if", "unless"})
_LIMITS = frozenset({"over", "under", "min", "max", "before", "after", "until"})  # with a number: "above 20 euros"
_REACH = 4  # words between a limit and its number


def conditions(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if one side has a condition, and the other holds even without it."""
    claim_kinds, passage_kinds = alignment.claim.kinds(), alignment.passage.kinds()
    lifted = "even_if" in claim_kinds and not {"even_if", "despite"} & passage_kinds and _CONDITIONS & passage_kinds
    imposed = (
        "even_if" in passage_kinds and not {"even_if", "despite"} & claim_kinds and {"only", "unless"} & claim_kinds
    )
    if lifted or imposed:
        yield modal_disagreement("one side sets a condition that the other denies", "condition")


def universal(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim says of all what the passage says under a condition or up to a limit."""
    claim_kinds, passage_kinds = alignment.claim.kinds(), alignment.passage.kinds()
    if (_CONDITIONS | RESTRICTIVE) & claim_kinds:
        return
    if not DENIALS & claim_kinds and (narrower := _narrower(alignment)):
        yield modal_disagreement(f"the passage says this only of some: “{narrower}”", "unconditional")
    if "all" in passage_kinds or not _of_all(alignment.claim):
        return
    if "if" in passage_kinds:
        yield modal_disagreement("the passage sets a condition that the sentence leaves out", "unconditional")
    elif any(op.kind == "except" for op in alignment.passage.operators) and not _found_exception(alignment):
        yield modal_disagreement("the passage makes an exception that the sentence leaves out", "unconditional")
    elif limit := _limit(alignment):
        yield modal_disagreement(f"the passage limits what the sentence says of all: “{limit}”", "unconditional")


def _found_exception(alignment: Alignment) -> bool:
    """Return whether the claim has a word of the exception of the passage."""
    return any(match.token.excepted for _, match in alignment.pairs())


def _of_all(claim: Statement) -> bool:
    """Return whether a claim is about all of something: not "both", "anyone", and not "every day"."""
    words = vocabulary(claim.language)
    for op in claim.of("all"):
        if claim.text_of(op).lower().replace(" ", "_") not in words.role("indefinite"):
            following = next((t for t in claim.tokens if t.word >= op.after), None)
            if following is None or following.word_class != "unit" or following.word > op.after:
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
        adjoins = noun.word == before.word + 1 and noun.piece == before.piece and not noun.after_auxiliary
        if token is None or token.word not in firsts or not adjoins or before in token_of:
            continue
        acts = before.verbal and (alignment.claim.language != "zh" or before.word > 0)  # 研发部门 is a noun
        if not (before.quantity or acts or before.in_operator or (before.name and noun.name)):
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


def modal_disagreement(detail: str, rule: str) -> Disagreement:
    """Return a disagreement about modality."""
    return Disagreement(Reason.MODALITY, detail, rule=rule)
