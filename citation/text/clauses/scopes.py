"""Scopes: the words of a sentence that a negation or an exception applies to."""

from bisect import bisect_right
from collections.abc import Iterable

from .statement import EXCEPTIVE, NEGATING, ContentToken, Operator, Statement
from .vocabulary import vocabulary

# Maximum content words in the phrase of `except` or `without`.
_PHRASE = 5
_ONCE = frozenset({"fr", "es"})  # two negations in one clause are one: "no … nadie", "ne … jamais"


def set_signs(statement: Statement) -> None:
    """Set the sign of every token."""
    negative = _negative_clauses(statement)
    for token in statement.tokens:
        if token.clause in negative:
            token.sign = -token.sign
    for op in statement.operators:
        if op.kind == "because" and op.clause in negative:
            _flip(_outside_denial(statement, op))
        if (
            op.kind == "without"
            and statement.language == "en"
            and op.clause in negative
            and _denied_before(statement, op)
        ):  # "no runner finished without a medal" denies nothing
            _flip(token for token in statement.tokens if token.clause == op.clause)
        elif op.kind in EXCEPTIVE:
            phrase = _phrase(statement, op)
            stated = _stated_clause(statement, op, phrase)
            for token in phrase:
                if stated is None:
                    token.sign, token.excepted = -token.sign, True
                else:
                    token.clause = stated


def _stated_clause(statement: Statement, op: Operator, phrase: list[ContentToken]) -> int | None:
    """Return the clause that says what holds in an exception: "except on Thursday, when it is open until nine"."""
    if op.kind != "except" or not phrase or phrase[0].word < op.word:
        return None
    following = next((token for token in statement.tokens if token.word > phrase[-1].word), None)
    if following is None or following.clause <= op.clause:
        return None
    words = statement.words[phrase[-1].word + 1 : phrase[-1].word + 2]
    return None if vocabulary(statement.language).role("relative_adverb").isdisjoint(words) else following.clause


def _flip(tokens: Iterable[ContentToken]) -> None:
    """Reverse the signs of tokens."""
    for token in tokens:
        token.sign = -token.sign


def _outside_denial(statement: Statement, op: Operator) -> list[ContentToken]:
    """Return the words of a reason in a negative clause that are not denied.

    "The barges could not sail because of the low river", "because of the low river, the barges could not sail".
    """
    following = [token for token in statement.tokens if token.clause == op.clause and token.word >= op.after]
    if _denied_before(statement, op):
        return following
    denials = [
        negation for negation in statement.operators if negation.kind in NEGATING and negation.clause == op.clause
    ]
    first = all(negation.piece > op.piece for negation in denials)
    return [token for token in following if token.piece == op.piece] if first else []


def _denied_before(statement: Statement, op: Operator) -> bool:
    """Return whether a negation is before an operator in its clause."""
    return any(
        negation.kind in NEGATING and negation.clause == op.clause and negation.word < op.word
        for negation in statement.operators
    )


def _negative_clauses(statement: Statement) -> set[int]:
    """Return the clauses with an odd number of negations."""
    count: dict[int, int] = {}
    counted = -1
    coordinated = vocabulary(statement.language).role("coordinated")
    for op in statement.operators:
        if op.clause in count and statement.words[op.word] in coordinated:
            continue  # "neither … nor" denies once
        if op.kind in NEGATING and op.word != counted:
            counted = op.word  # a phrase of two kinds negates once
            clause = op.clause + (op.kind == "false" and not _states(statement, op.clause))  # "es stimmt nicht, dass …"
            if _relative(statement, op) and clause not in count and count.get(clause - 1) == 1:
                count[clause - 1], count[clause] = 2, 2  # "es gab keinen Spieler, der nicht …"
                continue
            single = statement.language in _ONCE and op.kind in {"not", "no"} and not _relative(statement, op)
            count[clause] = 1 if single and clause in count else count.get(clause, 0) + 1
    return {clause for clause, negations in count.items() if negations % 2}


def _states(statement: Statement, clause: int) -> bool:
    """Return whether a clause has content besides its operators."""
    return any(token.clause == clause and not token.in_operator for token in statement.tokens)


def _relative(statement: Statement, op: Operator) -> bool:
    """Return whether a negation begins a relative clause, and so cancels another: "no hay nadie que no …"."""
    before = statement.words[op.word - 1 : op.word] if op.word else []
    return not vocabulary(statement.language).role("relative").isdisjoint(before)


def _phrase(statement: Statement, op: Operator) -> list[ContentToken]:
    """Return the tokens of the phrase after an operator, up to the next predicate or the end of its piece.

    If there are none, return those before it: "goalkeepers aside, …".
    """
    first = bisect_right([token.word for token in statement.tokens], op.after - 1)
    phrase_tokens: list[ContentToken] = []
    for token in statement.tokens[first : first + _PHRASE]:
        adjective = len(phrase_tokens) == 1 and phrase_tokens[0].word == token.word - 1 and statement.language in _ONCE
        if token.piece != op.piece or (phrase_tokens and (token.verbal or token.after_auxiliary) and not adjective):
            break  # not after an adjective that is first: "sin previo aviso"
        phrase_tokens.append(token)
    return phrase_tokens or [token for token in statement.tokens[:first] if token.piece == op.piece]
