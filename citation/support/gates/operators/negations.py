"""Compare negations and opposite words."""

from collections.abc import Iterator

from ....text.clauses import ContentToken, Statement
from ....text.clauses.statement import DENIALS, EXCEPTIVE, NEGATING
from ..alignment import Alignment, Match
from ..disagreement import Disagreement, Reason
from ..roles.relations import converse_predicates
from .equivalences import same_in_other_operators, states_superlative

_IMPLIES_NOT = frozenset({"only", "not_all", "max", "min"})
_UNFINISHED = frozenset({"plan", "progress"})
_LIMITS = frozenset({"max", "min"})
_NAME_WEIGHT = 0.4  # weight of a name in the comparison of signs; a predicate has the weight 1
_FEWEST_NOUNS = 2  # words that both sides share, if their verbs differ


def negation(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Yield a disagreement if one side denies what the other states, or uses the opposite word."""
    pairs = alignment.pairs(clause)
    if not pairs or not _any_denial(pairs, alignment.passage) or _is_compatible(alignment, clause):
        return
    exceptions = [(t, m) for t, m in pairs if t.excepted or m.token.excepted]
    if states_superlative(alignment):
        yield from _antonym(alignment, [(t, m) for t, m in pairs if m.sign < 0])
        return
    if not exceptions and not _same_predicate(alignment, clause):
        yield from _denied_by_predicate(alignment, clause)
        return
    denied = _contradicted(exceptions) if exceptions else _denied_by_most_words(pairs, alignment, clause)
    if (shared := _shared_denial(pairs)) is not None:
        denied = None if denied else shared  # a second denial cancels the first
    opposites = _opposites(alignment, clause)
    if bool(denied) == (len(opposites) % 2 == 1):
        return  # nothing differs, or a denial and an opposite cancel each other: "not open", "closed"
    if not denied:
        yield from _antonym(alignment, opposites)
        return
    token, match = denied
    excepted = bool(exceptions) and not DENIALS & alignment.claim.kinds()
    implied = token.sign < 0 and not excepted and _implied(alignment, clause)
    if not implied and (exceptions or not _denies_the_same(alignment, clause)):
        yield Disagreement(Reason.NEGATION, _denial(alignment, token, match.token), rule="negation")


def _is_compatible(alignment: Alignment, clause: int) -> bool:
    """Return whether a denial on one side only is no contradiction."""
    return (
        _is_phrase_of_denied_clause(alignment, clause)
        or alignment.passage.question
        or same_in_other_operators(alignment, clause)
    )


def _opposites(alignment: Alignment, clause: int) -> list[tuple[ContentToken, Match]]:
    """Return the words of a clause for which the passage has the opposite, unless they may state the same."""
    return [
        (t, m)
        for t, m in alignment.pairs(clause)
        if m.sign < 0
        and m.token.clause == alignment.matching_clauses[clause]
        and not _denies(t, m)
        and t not in converse_predicates(alignment)
    ]


def _any_denial(pairs: list[tuple[ContentToken, Match]], passage: Statement) -> bool:
    """Return whether anything is denied that the other side might state. In most sentences nothing is."""
    return any(token.denying for token in passage.tokens) or any(
        match.sign < 0 or token.sign != match.token.sign or token.denying or token.excepted or match.token.excepted
        for token, match in pairs
    )


def _implied(alignment: Alignment, clause: int) -> bool:
    """Return whether a bound or "only" in the passage denies what the claim denies, as "only above zero" does.

    A plan, and something in progress, are not yet done.
    """
    if "not_yet" in alignment.claim.kinds(clause) and _UNFINISHED & alignment.passage.kinds():
        return True
    kinds = _IMPLIES_NOT & alignment.passage.kinds(alignment.matching_clauses[clause])
    matches = [match for t, match in alignment.tokens if t.clause == clause]
    same = all(match is not None and match.exact for match in matches)
    return bool(kinds if not same else kinds - _LIMITS)  # "report within a day", "may not report within a day"


def _antonym(alignment: Alignment, opposites: list[tuple[ContentToken, Match]]) -> Iterator[Disagreement]:
    for token, match in opposites[:1]:
        if token.stem in alignment.elsewhere:
            return  # "let it rise for an hour, then bake it … Lower the heat"
        passage_word, claim_word = alignment.passage.text_of(match.token), alignment.claim.text_of(token)
        yield Disagreement(
            Reason.NEGATION, f"the passage says “{passage_word}”, the opposite of “{claim_word}”", rule="antonym"
        )


def _denied_by_predicate(alignment: Alignment, clause: int) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage has a verb that denies in the place of another: "rejected", "paid"."""
    claim, passage, main = alignment.claim, alignment.passage, alignment.matching_clauses[clause]
    if {*NEGATING, *EXCEPTIVE} & claim.kinds(clause):
        return
    verbs = [t for t in passage.tokens if t.clause == main and t.verbal]
    clause_tokens = [(t, m) for t, m in alignment.tokens if t.clause == clause]
    nouns = [match is not None for token, match in clause_tokens if not token.verbal]
    replaced = [token for token, match in clause_tokens if token.verbal and match is None and not token.denying]
    if len(nouns) >= _FEWEST_NOUNS and all(nouns) and replaced and verbs and verbs[0].denying:
        if verbs[0] in alignment.matched or len(passage.kinds(main) & NEGATING) != 1:
            return
        passage_verb, claim_verb = passage.text_of(verbs[0]), claim.text_of(replaced[0])
        yield Disagreement(Reason.NEGATION, f"the passage says “{passage_verb}”, not “{claim_verb}”", rule="denied")


def _denies(token: ContentToken, match: Match) -> bool:
    """Return whether one of two opposite words is an operator that denies: "adopted", "rejected".

    The signs of the other words of its clause already differ.
    """
    return match.sign < 0 and (token.denying or match.token.denying)


def _same_predicate(alignment: Alignment, clause: int) -> bool:
    """Return whether the passage contains most of the predicate of a clause of the claim."""
    stated = [
        (token, match)
        for token, match in alignment.tokens
        if token.clause == clause and not token.in_operator and not token.name and token.quantity is None
    ]
    verbal = [pair for pair in stated if pair[0].verbal] or stated
    contained = sum(match is not None for _, match in verbal)
    return contained * 2 >= len(verbal) or not stated


def _denial(alignment: Alignment, token: ContentToken, passage_token: ContentToken) -> str:
    """Describe what only one side denies."""
    for side, statement, clause in (
        ("sentence", alignment.claim, token.clause),
        ("passage", alignment.passage, passage_token.clause),
    ):
        ops = [op for op in statement.of(*NEGATING, *EXCEPTIVE) if op.clause == clause]
        if len(ops) % 2:
            following = next((t for t in statement.tokens if t.word >= ops[0].after), ops[0])
            return f"only the {side} denies it: “{statement.text_of(ops[0], following)}”"
    return f"only one side denies “{alignment.claim.text_of(token)}”"


def _shared_denial(pairs: list[tuple[ContentToken, Match]]) -> tuple[ContentToken, Match] | None:
    """Return a word that both sides use, but only one as a denial: "did not stop", "stopped". None if there is none."""
    exact = {m.token for _, m in pairs if m.exact}  # in "ceased to stop", "stop" is the word shared with "stops"
    candidates = [(t, m) for t, m in pairs if m.exact or m.token not in exact]
    shared = [(t, m) for t, m in candidates if t.denying != m.token.denying and m.sign > 0]
    return shared[0] if len(shared) % 2 else None


def _contradicted(pairs: list[tuple[ContentToken, Match]]) -> tuple[ContentToken, Match] | None:
    """Return a word of an exception whose sign differs, if that is so for most of its words."""
    differing = [(t, m) for t, m in pairs if t.sign != m.token.sign]
    return differing[0] if len(differing) * 2 > len(pairs) else None


def _denied_by_most_words(
    pairs: list[tuple[ContentToken, Match]], alignment: Alignment, clause: int
) -> tuple[ContentToken, Match] | None:
    """Return a word that only one side denies, if that is so for most words of the clause by their weights."""
    main = alignment.matching_clauses[clause]
    negates, negated_clauses = _shared_verbs(alignment, clause)
    balance, denied = 0.0, None
    for token, match in pairs:
        if (match.token.clause != main and len(pairs) > 1) or _denies(token, match):
            continue
        weight = _NAME_WEIGHT if token.name or token.quantity is not None else 1.0
        sign = -token.sign if negates else token.sign
        if sign != (-match.token.sign if match.token.clause in negated_clauses else match.token.sign):
            balance += weight
            denied = (token, match) if denied is None or (token.verbal and not denied[0].verbal) else denied
        else:
            balance -= weight
    return denied if balance > 0 else None


def _denies_the_same(alignment: Alignment, clause: int) -> bool:
    """Return whether both sides deny the word after a negation of this clause, or of the matching one.

    "No findings came out of the review", "the review was completed with remarks and no findings".
    """
    sides = (alignment.claim, clause), (alignment.passage, alignment.matching_clauses[clause])
    denied = [
        next((t for t in side.tokens if t.clause == clause_of_side and t.word >= op.after and t.quantity is None), None)
        for side, clause_of_side in sides
        for op in side.of(*NEGATING)
        if op.clause == clause_of_side
    ]
    agreeing = [pair for pair in alignment.pairs() if pair[1].sign * pair[1].token.sign == pair[0].sign]
    return any(
        token is denied_token or match.token is denied_token for token, match in agreeing for denied_token in denied
    )


def _shared_verbs(alignment: Alignment, clause: int) -> tuple[bool, set[int]]:
    """Return whether a clause has an odd number of denying verbs that the passage has, too, and the clauses of those.

    "The landlord can withdraw the consent", "she needs the consent of the landlord, who may withdraw it".
    """
    shared = [match for token, match in alignment.pairs(clause) if token.denying and match.token.denying]
    clauses = [match.token.clause for match in shared if match.exact]
    return len(clauses) % 2 == 1, {shared_clause for shared_clause in clauses if clauses.count(shared_clause) % 2}


def _is_phrase_of_denied_clause(alignment: Alignment, clause: int) -> bool:
    """Return whether a condition of the claim is a phrase of a denied clause: "in a storm, the lift does not run"."""
    matching = alignment.matching_clauses
    return "if" in alignment.claim.kinds(clause) and matching.count(matching[clause]) > 1
