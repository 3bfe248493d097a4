"""Compare modality: permission and duty, plan and fact, hedge and fact, conditions, proposals and decisions."""

from collections.abc import Iterator, Sequence

from ....text.clauses import ContentToken, Operator, Statement
from ....text.clauses.statement import DENIALS, RESTRICTIVE
from ....text.clauses.vocabulary import vocabulary
from ....text.numbers.quantities import MONTH
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason
from ..relevance import reports

_CONDITIONS = frozenset({"if", "unless"})
# Verbs of speech that state as a fact what the passage says with reservation.
_UNREAL = frozenset({"would", "irrealis", "if", "unless", "hedge", "may", "plan"})
_NOT_DONE = frozenset({"plan", "would", "must", "should", "may", "hedge", "if", "false", "fiction"})
_ON_CONDITION = frozenset({"after", "during", "in", "at", "with", "on", "under"})  # prepositions of a condition
_LIMITS = frozenset({"over", "under", "max", "before", "after", "until"})
_REACH = 4  # words between an operator and a word that it applies to
_REACH_HAN = 8  # characters


def modality(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Compare permission and duty, plan and fact, hedge and fact, and conditions of a clause."""
    mine, theirs = alignment.claim.kinds(clause), _governing(alignment, clause)
    everywhere, elsewhere = alignment.claim.kinds(), alignment.passage.kinds()
    yield from _permission(mine, theirs, everywhere, elsewhere)
    yield from _unconditional(alignment, clause)
    if _denies(alignment):
        return
    done = _done(alignment.claim, clause) and not _scheduled(alignment)
    if "plan" in theirs and done and not _NOT_DONE & everywhere:
        yield _modal("the passage speaks of a plan, the sentence of a fact", "plan")
    if "done" in theirs or _done(alignment.passage, alignment.mains[clause]):
        yield from _only_planned(alignment, clause, theirs | elsewhere)
    planned = {op.word for op in alignment.passage.of("plan")}  # the German "soll" is both
    only_planned = all(op.word in planned for op in alignment.passage.of("hedge"))
    plan = {"plan"} if only_planned or "plan" not in elsewhere else set()
    may = {"may"} - theirs  # "it is said that it can …" is not hedged by "can"
    excused = {"hedge", "false", "fiction", "would", *may, *plan} & everywhere or _same_speech(alignment)
    if "alleges" in theirs and not (excused or {"alleges", "said"} & everywhere):
        yield _modal("the passage says that somebody claims it, the sentence that it is so", "alleges")
    elif "hedge" in theirs and not excused:
        yield _modal("the passage says it with reservation, the sentence as a fact", "hedge")
    if _UNREAL & everywhere:
        return
    if "irrealis" in theirs or ("would" in theirs and "if" in elsewhere):
        yield _modal("the passage speaks of what would have been, the sentence of what was", "condition")
    elif "would" in theirs and done and not {"said", "by"} & mine:
        yield _modal("the passage speaks of what would be, the sentence of what was", "would")


def _scheduled(alignment: Alignment) -> bool:
    """Return whether the claim states in the present tense what the passage plans for the same date.

    "Elle sera fermée en août", "en août, elle est fermée".
    """
    words = vocabulary(alignment.claim.language)
    completed = words.role("completed").intersection(alignment.claim.words)
    dated = any(token.quantity is not None and token.quantity.unit == MONTH for token, _ in alignment.pairs())
    return dated and bool(completed) and completed <= words.role("stative")


def _denies(alignment: Alignment) -> bool:
    """Return whether the claim denies something, other than by a verb that the passage has, too."""
    shared = {token.word for token, match in alignment.pairs() if token.denying and match.token.denying}
    return any(shared.isdisjoint(range(op.word, op.after)) for op in alignment.claim.of(*DENIALS))


def _only_planned(alignment: Alignment, clause: int, theirs: set[str]) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage states as done what the claim calls a plan, in a word of its own."""
    if {"plan", "hedge", "may", "proposal", "would", "if", "must", "should", "open"} & theirs:
        return
    unmatched = {
        token.word for token, match in zip(alignment.claim.tokens, alignment.matches, strict=True) if match is None
    }
    for op in alignment.claim.of("plan"):
        if op.clause == clause and unmatched & set(range(op.word, op.after)):
            word = alignment.claim.spelled(op.start, op.end)
            yield _modal(f"the passage states as done what the sentence plans: “{word}”", "done")
            return


def _same_speech(alignment: Alignment) -> bool:
    """Return whether the claim quotes somebody as the passage does: "says that …", but not "announced that …"."""
    stems = alignment.passage.stems
    announcing = vocabulary(alignment.claim.language).role("announcing")
    return any(
        alignment.claim.text[op.start : op.end].lower() not in announcing
        or any(t.stem in stems for t in alignment.claim.tokens if op.word <= t.word < op.after)
        for op in alignment.claim.of("said")
    )


def _permission(mine: set[str], theirs: set[str], everywhere: set[str], elsewhere: set[str]) -> Iterator[Disagreement]:
    """Compare permission, duty, advice and prohibition, by the kinds of operators of both clauses and sentences."""
    required = elsewhere & DENIALS and elsewhere & {"unless", "without", "except"}  # "nobody may … without"
    if "must" in mine and "may" in theirs and not {"must", "should"} & theirs and "may" not in mine and not required:
        yield _modal("the passage permits what the sentence demands", "permission")
    elif (
        "may" in mine
        and "must" in theirs
        and "may" not in theirs
        and not {"only", "not", "no", "unless"} & (everywhere | elsewhere)
    ):
        yield _modal("the passage demands what the sentence permits", "duty")
    elif "must" in mine and "should" in theirs and not {"must", *DENIALS} & theirs and "should" not in everywhere:
        yield _modal("the passage recommends what the sentence demands", "recommendation")
    forbidden = "may_not" in theirs and "need_not" in everywhere - elsewhere
    if forbidden or ("need_not" in theirs and "may_not" in mine and "need_not" not in everywhere):
        yield _modal("one side forbids what the other leaves open", "prohibition")


@reports("modality/condition")
def conditions(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if one side lifts or leaves out a condition of the other."""
    mine, theirs = alignment.claim.kinds(), alignment.passage.kinds()
    lifted = "even_if" in mine and not {"even_if", "despite"} & theirs and _CONDITIONS & theirs
    imposed = "even_if" in theirs and not {"even_if", "despite"} & mine and {"only", "unless"} & mine
    if lifted or imposed:
        yield _modal("one side sets a condition that the other denies", "condition")
    if not lifted and not imposed and (waived := _waived(alignment)):
        yield _modal(f"the passage requires what the sentence does without: “{waived}”", "condition")


@reports("modality/unconditional")
def universal(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim says of all what the passage says under a condition or up to a limit."""
    mine, theirs = alignment.claim.kinds(), alignment.passage.kinds()
    if "all" in theirs or (_CONDITIONS | RESTRICTIVE) & mine or not _of_all(alignment.claim):
        return
    if "if" in theirs and not _found_condition(alignment):
        yield _modal("the passage sets a condition that the sentence leaves out", "unconditional")
    elif limit := _limit(alignment):
        yield _modal(f"the passage limits what the sentence says of all: “{limit}”", "unconditional")


def _of_all(claim: Statement) -> bool:
    """Return whether a claim is about all of something: not "both", "anyone", and not "every day"."""
    words = vocabulary(claim.language)
    for op in claim.of("all"):
        if claim.spelled(op.start, op.end).lower().replace(" ", "_") not in words.role("indefinite"):
            behind = next((t for t in claim.tokens if t.word >= op.after), None)
            if behind is None or behind.kind != "unit" or behind.word > op.after:
                return True
    return False


def _limit(alignment: Alignment) -> str:
    """Return a limit of the passage, with a number that the claim lacks: "above 20 euros". "" if there is none."""
    passage = alignment.passage
    if DENIALS & (alignment.claim.kinds() | passage.kinds()):
        return ""
    matched = {id(match.token) for _, match in alignment.pairs()}
    for op in passage.of(*_LIMITS):
        number = next((t for t in passage.tokens if 0 <= t.word - op.after < _REACH and t.quantity is not None), None)
        if number is not None and id(number) not in matched:
            return passage.spelled(op.start, number.end)
    return ""


@reports("modality/condition")
def other_condition(claim: Statement, best: Alignment, alignments: Sequence[Alignment]) -> Iterator[Disagreement]:
    """Yield a disagreement if the condition of the claim is that of another sentence, and the best one has its own.

    "The price is refunded if the concert is cancelled. If it is postponed, tickets remain valid."
    """
    own = _conditional_tokens(best.passage)
    taken = {id(match.token) for _, match in best.pairs()}
    if all(id(t) in taken for t in own):
        return
    mine = {id(t) for t in _conditional_tokens(claim)}
    for at, token in enumerate(claim.tokens):
        if id(token) not in mine or best.matches[at] is not None:
            continue
        for one in alignments:
            match = one.matches[at]
            if (
                one is not best
                and match is not None
                and any(t is match.token for t in _conditional_tokens(one.passage))
            ):
                said = best.passage.spelled(own[0].start, own[-1].end)
                yield _modal(f"the passage says this on another condition: “{said}”", "condition")
                return


def _conditional_tokens(statement: Statement) -> list[ContentToken]:
    """Return the words of the conditions of a sentence."""
    begins = [(op.clause, op.after) for op in statement.of("if")]
    if "when" in statement.words:
        at = statement.words.index("when")
        begins += [(t.clause, at) for t in statement.tokens if t.word > at][:1]
    return [t for t in statement.tokens if any(t.clause == clause and t.word >= after for clause, after in begins)]


def _waived(alignment: Alignment) -> str:
    """Return the words of the claim that does without what the passage requires: "without being closed first"."""
    claim, passage = alignment.claim, alignment.passage
    if (DENIALS | RESTRICTIVE | {"must"}) & claim.kinds() or not DENIALS & passage.kinds():
        return ""
    required = {op.clause for op in passage.of("unless")}
    for op in claim.of("without"):
        for token, match in alignment.pairs(op.clause):
            if token.scoped and token.word >= op.after and match.sign > 0 and match.token.clause in required:
                return claim.spelled(op.start, token.end)
    return ""


def _found_condition(alignment: Alignment) -> bool:
    """Return whether the claim has a word of the condition of the passage."""
    matched = {id(match.token) for _, match in alignment.pairs()}
    for op in alignment.passage.of("if"):
        if any(id(t) in matched for t in alignment.passage.tokens if t.piece == op.piece and t.word >= op.after):
            return True
    return False


@reports("modality/certain", "modality/open")
def certainty(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if one side calls certain what the other believes or leaves open."""
    mine, theirs = alignment.claim.kinds(), alignment.passage.kinds()
    if "fact" in mine and "hedge" in theirs and not {"hedge", "not", "no"} & mine and "fact" not in theirs:
        yield _modal("the passage says it with reservation, the sentence calls it certain", "certain")
    if "open" in mine - theirs and not {"hedge", "not", "no", "denies"} & theirs:
        yield _modal("the sentence leaves open what the passage states", "open")
    left_open = bool({"open", "asks"} & theirs) or _asked_indirectly(alignment)
    if left_open and not {"open", "asks", "hedge", "not", "no", "may", "denies", "decision"} & mine:
        yield _modal("the passage leaves open what the sentence states", "open")


def _asked_indirectly(alignment: Alignment) -> bool:
    """Return whether most words of the claim are in an indirect question: "Whether it helps is not known"."""
    passage, claim = alignment.passage, alignment.claim
    if {"even_if"} & passage.kinds():
        return False  # "whether or not it helps"
    words = vocabulary(claim.language).role("indirect_question")
    if not words.isdisjoint(claim.words):
        return False
    for at, word in enumerate(passage.words):
        if word in words:
            piece = next((t.piece for t in passage.tokens if t.word > at), 0)
            found = [m.token for _, m in alignment.pairs() if m.token.word > at and m.token.piece == piece]
            verbs = [t for t in passage.tokens if t.verbal and t.word > at and t.piece == piece]
            if len(verbs) > 1 and any(t is verbs[-1] for t in found):
                return False  # the claim is about the question: "Whether it moves will be decided in May"
            return 2 * len(found) > len(alignment.pairs())
    return False


@reports("modality/decision")
def undecided(alignment: Alignment, following: Statement | None) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim states a decision, and the passage only a proposal or a delay."""
    mine, theirs = alignment.claim.kinds(), alignment.passage.kinds()
    if "decision" not in mine or DENIALS & mine:
        return
    later = following.kinds() if following is not None else set()
    if "decision" in theirs:
        return
    if "proposal" in theirs and ("decision" not in later or DENIALS & later):
        yield _modal("the passage speaks of a proposal, the sentence of a decision", "decision")


def _governing(alignment: Alignment, clause: int) -> set[str]:
    """Return the kinds of operators of the passage near the words that match the claim."""
    main = alignment.mains[clause]
    words = [match.token.word for _, match in alignment.pairs(clause) if match.token.clause == main]
    reach = _REACH_HAN if alignment.claim.language == "zh" else _REACH
    return {
        op.kind
        for op in alignment.passage.operators
        if op.clause == main and any(op.word - reach <= word < op.after + reach for word in words)
    }


_CONDITIONAL = frozenset({"if", "unless", "only", "even_if", "would", "irrealis", "may", "hedge"})


def _unconditional(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage states a condition that the claim leaves out."""
    passage = alignment.passage
    if (_CONDITIONAL | DENIALS) & alignment.claim.kinds() or "when" in alignment.claim.words:
        return  # a denial is compared with the passage by `negation`
    main = alignment.mains[clause]
    for op in passage.of("if"):
        condition = [t for t in passage.tokens if t.clause == op.clause]
        matched = {id(match.token) for _, match in alignment.pairs()}
        if op.clause != main and condition and not any(id(t) in matched for t in condition):
            said = passage.spelled(op.start, condition[-1].end)
            yield _modal(f"the passage sets a condition: “{said}”", "unconditional")
            return


@reports("modality/supposed")
def supposed(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim states as done what the passage only supposes: "should the pump fail"."""
    claim, words = alignment.claim, vocabulary(alignment.claim.language)
    general = not words.role("general").isdisjoint(claim.words)
    if general or (_CONDITIONAL | DENIALS) & claim.kinds() or not _done(claim, clause):
        return
    stated = {match.token.piece for token, match in alignment.pairs(clause) if token.verbal or token.clausal}
    for op in alignment.passage.of("if"):
        said = alignment.passage.spelled(op.start, op.end)
        if _named_as_condition(alignment, op):
            continue
        if op.clause == alignment.mains[clause] and op.piece in stated and said.casefold() not in words.role("whoever"):
            yield _modal(f"the passage only supposes what the sentence states: “{said}”", "supposed")
            return


def _named_as_condition(alignment: Alignment, op: Operator) -> bool:
    """Return whether the claim names the condition behind a preposition: "in the case of an accident", "after one"."""
    return any(
        token.before in _ON_CONDITION and match.token.piece == op.piece and match.token.word >= op.after
        for token, match in alignment.pairs()
    )


_SHORTEST_PAST = 4  # letters; "red" is an adjective


def _done(statement: Statement, clause: int) -> bool:
    """Return whether a clause states something as completed."""
    if statement.language == "zh":
        return "done" in statement.kinds() or "了" in statement.text
    words = vocabulary(statement.language)
    if not words.role("completed").isdisjoint(statement.words) or "done" in statement.kinds(clause):
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


def _modal(detail: str, rule: str) -> Disagreement:
    return Disagreement(Reason.MODALITY, detail, rule=rule)
