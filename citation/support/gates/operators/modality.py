"""Compare modality: permission and duty, plan and fact, hedge and fact."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from ....text.clauses import Statement
from ....text.clauses.statement import DENIALS
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment
from ..disagreement import Disagreement
from .conditions import modal_disagreement

Kinds = AbstractSet[str]
# A claim with one of these does not state a fact.
_UNREAL = frozenset({"would", "irrealis", "if", "unless", "hedge", "may", "plan"})
_NOT_DONE = frozenset({"plan", "would", "must", "should", "may", "hedge", "if", "false", "fiction"})
_REACH = 4  # words between an operator and a word that it applies to
_HAN_REACH_CHARACTERS = 8


def modality(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Compare permission and duty, plan and fact, hedge and fact of a clause."""
    clause_kinds, matching_kinds = alignment.claim.kinds(clause), _governing(alignment, clause)
    claim_kinds, passage_kinds = alignment.claim.kinds(), alignment.passage.kinds()
    yield from _permission(clause_kinds, matching_kinds, claim_kinds, passage_kinds)
    if _denies(alignment):
        return
    done = _done(alignment.claim, clause)
    if "plan" in matching_kinds and done and not _NOT_DONE & claim_kinds:
        yield modal_disagreement("the passage speaks of a plan, the sentence of a fact", "plan")
    planned = {op.word for op in alignment.passage.of("plan")}  # the German "soll" is both
    only_planned = all(op.word in planned for op in alignment.passage.of("hedge"))
    plan = {"plan"} if only_planned or "plan" not in passage_kinds else set()
    may = {"may"} - matching_kinds  # "it is said that it can …" is not hedged by "can"
    if "hedge" in matching_kinds and not {"hedge", "said", "false", "fiction", "would", *may, *plan} & claim_kinds:
        yield modal_disagreement("the passage says it with reservation, the sentence as a fact", "hedge")
    imagined = "irrealis" in matching_kinds or ("would" in matching_kinds and (done or "if" in passage_kinds))
    if imagined and not (_UNREAL & claim_kinds or {"said", "by"} & clause_kinds):
        yield modal_disagreement("the passage speaks of what would be, the sentence of what is", "condition")


def _denies(alignment: Alignment) -> bool:
    """Return whether the claim denies something, other than by a verb that the passage has, too."""
    shared = {token.word for token, match in alignment.pairs() if token.denying and match.token.denying}
    return any(shared.isdisjoint(range(op.word, op.after)) for op in alignment.claim.of(*DENIALS))


def _permission(
    clause_kinds: Kinds, matching_kinds: Kinds, claim_kinds: Kinds, passage_kinds: Kinds
) -> Iterator[Disagreement]:
    """Compare permission, duty, advice and prohibition.

    `clause_kinds`: kinds of operators of a clause of the claim. `matching_kinds`: of the passage, near the words that
    match this clause. `claim_kinds`, `passage_kinds`: of the whole sentences.
    """
    required = passage_kinds & DENIALS and passage_kinds & {"unless", "without", "except"}  # "nobody may … without"
    allowed = (
        {"may", "should"} & matching_kinds and "must" not in matching_kinds and not {"may", "should"} & claim_kinds
    )
    if "must" in clause_kinds and allowed and not required:
        yield modal_disagreement("the passage permits or recommends what the sentence demands", "permission")
    elif (
        "may" in clause_kinds
        and "must" in matching_kinds
        and "may" not in matching_kinds
        and not {"only", "not", "no", "unless"} & (claim_kinds | passage_kinds)
    ):
        yield modal_disagreement("the passage demands what the sentence permits", "duty")
    forbidden = "may_not" in matching_kinds and "need_not" in claim_kinds - passage_kinds
    if forbidden or ("need_not" in matching_kinds and "may_not" in clause_kinds and "need_not" not in claim_kinds):
        yield modal_disagreement("one side forbids what the other leaves open", "prohibition")


def _governing(alignment: Alignment, clause: int) -> set[str]:
    """Return the kinds of operators of the passage near the words that match the claim."""
    main = alignment.matching_clauses[clause]
    words = [match.token.word for _, match in alignment.pairs(clause) if match.token.clause == main]
    reach = _HAN_REACH_CHARACTERS if alignment.claim.language == "zh" else _REACH
    return {
        op.kind
        for op in alignment.passage.operators
        if op.clause == main and any(op.word - reach <= word < op.after + reach for word in words)
    }


_SHORTEST_PAST = 4  # letters; "red" is an adjective


def _done(statement: Statement, clause: int) -> bool:
    """Return whether a clause states something as completed."""
    if statement.language == "zh":
        return "done" in statement.kinds() or "了" in statement.text
    words = vocabulary(statement.language)
    if statement.has_word("completed") or "done" in statement.kinds(clause):
        return True
    endings, irregular = tuple(words.role("completed_ending")), words.role("irregular")
    planned = {op.word for op in statement.of("plan")}  # the French "partira" ends like the past "parla"
    return any(
        t.verbal
        and t.clause == clause
        and t.word not in planned
        and (_ends_in_past(t.folded, endings) or t.folded in irregular)
        for t in statement.tokens
    )


def _ends_in_past(word: str, endings: tuple[str, ...]) -> bool:
    return len(word) >= _SHORTEST_PAST and word.endswith(endings)
