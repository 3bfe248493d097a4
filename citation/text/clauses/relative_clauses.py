"""Relative clauses without commas: "A delivery that is not answered is repeated" states two things of a delivery."""

from collections.abc import Sequence
from itertools import pairwise

from ..tokens import Tokens
from .vocabulary import WordRoles

LANGUAGE = "en"
_PERSON = "who"
_SUBJECTS = frozenset({_PERSON, "that", "which"})
_NOT_FINITE = frozenset({"be", "been", "being"})
_ADVERBS = frozenset({"not", "never", "also", "only", "still", "already"})
_NO_VERB_AFTER = _ADVERBS | {"to"}


def boundaries(tokens: Tokens, keys: Sequence[str], roles: Sequence[WordRoles]) -> dict[int, int | None]:
    """Return where the relative clauses of subjects begin, with None, and end, with the word where they began.

    Words are given by their index. A relative clause of a subject ends before the predicate of the main clause.
    """
    clause_bounds: dict[int, int | None] = {}
    begin = 0  # the first word after the last comma or conjunction
    for i, key in enumerate(keys[:-2]):
        adjoins = i > 0 and tokens.starts[i] - tokens.ends[i - 1] == 1
        if not adjoins or roles[i].conjunction:
            begin = i
        if key not in _SUBJECTS or not adjoins or not roles[i - 1].content or not _is_subject(roles, begin, i):
            continue
        following = roles[i + 1]
        stated = following.auxiliary or following.verb_form or (key == _PERSON and following.content)
        if stated and (resumed := _resumed(tokens, keys, roles, i)):  # not "the report that Ida wrote"
            clause_bounds |= {i: None, resumed: i}
    return clause_bounds


def _is_subject(roles: Sequence[WordRoles], begin: int, after: int) -> bool:
    """Return whether words are a noun phrase without a preposition and without a predicate."""
    if any(role.preposition or role.subordinator for role in roles[begin : min(begin + 2, after)]):
        return False
    return not any(
        role.auxiliary or (role.verb_form and not (before.article or before.preposition or role.plural))
        for before, role in pairwise(roles[begin:after])
    )


def _resumed(tokens: Tokens, keys: Sequence[str], roles: Sequence[WordRoles], pronoun: int) -> int:
    """Return the predicate of the main clause after a relative clause, 0 if there is none.

    It is the first auxiliary after the predicate of the relative clause, or else the last verb.
    """
    first = pronoun + 1
    while first + 1 < len(keys) and (roles[first].auxiliary or keys[first] in _ADVERBS):
        first += 1
    verb = 0
    for k in range(first + 1, len(keys)):
        role, before = roles[k], roles[k - 1]
        if tokens.starts[k] - tokens.ends[k - 1] > 1 or role.subordinator:
            break
        bound = before.conjunction or before.pronoun or keys[k - 1] in _NO_VERB_AFTER
        bound = bound or (before.auxiliary and not tokens.tokens[k - 1].capitalized)  # the month of May
        if bound or tokens.tokens[k].capitalized or keys[k] in _NOT_FINITE:
            continue
        if role.auxiliary:
            return k
        if role.content and not role.word_class and (role.verb_form or before.plural):
            verb = verb if before.article or before.preposition else k
    return verb
