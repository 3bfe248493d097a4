"""The arguments of a predicate: who or what acts, and on whom or what. The parse is shallow, by the order of words."""

from collections.abc import Sequence
from dataclasses import dataclass

from ....text.clauses import ContentToken, Operator, Statement
from ....text.clauses.vocabulary import vocabulary
from .chinese_order import chinese_arguments

_AUXILIARY_REACH = 4  # words between a participle and its auxiliary
_CHAIN = 4  # predicates that share a subject: "came, saw and was asked to leave"
_PERSONAL_A = "a"  # the Spanish preposition before a person who is the object
_TO = "to"
_REFLEXIVE = "se"
_GERUND = "ing"
_ADVERB = "ly"


@dataclass(frozen=True, slots=True)
class Arguments:
    """The words of the two arguments of a predicate, in order. Empty: not stated, or not known."""

    agent: Sequence[ContentToken]
    patient: Sequence[ContentToken]  # with the words after the predicate that have a preposition


def arguments(statement: Statement, predicate: ContentToken) -> Arguments:
    """Return the arguments of a predicate."""
    tokens = [t for t in statement.tokens if t.clause == predicate.clause]
    if statement.language == "zh":
        return Arguments(*chinese_arguments(statement, predicate, tokens))
    right = [t for t in tokens if t.word > predicate.word and t.piece == predicate.piece]
    if fronted := _fronted_object(statement, predicate, tokens):
        return Arguments([t for t in right if not t.preposition], fronted)
    left = subject(statement, predicate)
    if not is_passive(statement, predicate):
        return Arguments(left, right)
    acting = _passive_agent(statement, predicate, right)
    return Arguments(acting, [*left, *(t for t in right if t not in acting)] if acting else left)


def subject(statement: Statement, predicate: ContentToken) -> list[ContentToken]:
    """Return the words of the subject of a predicate, [] if it is a pronoun or not known.

    "who" stands for the noun before it. "and moved", "has begun to move" share the subject of the verb before.
    """
    role = vocabulary(statement.language).role
    unknown = role("personal") | role("pronoun") if statement.language == "en" else frozenset()
    before = [
        t  # not inside a relative clause that is before the predicate
        for t in statement.tokens
        if t.word < predicate.word and t.clause <= predicate.clause and t.folded not in role("before_verb")
    ]
    while before and before[-1].folded.endswith(_ADVERB) and len(before) > 1 and statement.language == "en":
        before.pop()
    verb = predicate
    for _ in range(_CHAIN):
        before = [t for t in before if t.word < verb.word]
        between = statement.words[before[-1].word + 1 if before else 0 : verb.word]
        if not before:
            return []
        pronoun = next((word for word in reversed(between) if word in role("relative") | unknown), "")
        if pronoun:
            return _antecedent(statement, before) if pronoun in role("relative") else []
        if _TO in between and not before[-1].verbal:
            return []  # "asked Ida to move", "bought a van to move"
        if role("conjunction").isdisjoint(between) and _TO not in between and not verb.folded.endswith(_GERUND):
            phrase = _subject_phrase(statement, before, verb)
            return [] if phrase and _is_apposition(statement, phrase[0], verb) else phrase
        verbs = [t for t in before if _is_predicate(statement, t)] or [t for t in before if t.verbal]
        if not verbs:
            return []
        verb = verbs[-1]
    return []


def heads(tokens: Sequence[ContentToken]) -> list[ContentToken]:
    """Return the last words of a noun phrase and of those that "and" joins to it, without the words after "of"."""
    modifiers = {t.word - 1 for t in tokens}
    return [t for t in tokens if t.preposition == tokens[0].preposition and t.word not in modifiers]


def _is_apposition(statement: Statement, first: ContentToken, verb: ContentToken) -> bool:
    """Return whether a noun phrase only describes what is before it, so that its verb is a participle.

    "Chang'e 6 returned 1.9 kg, the first samples brought from there": a comma alone does not join two statements.
    """
    role = vocabulary(statement.language).role
    before = [t for t in statement.tokens if t.word < first.word]
    if first.piece != verb.piece or not before or "," not in statement.text[before[-1].end : first.start]:
        return False
    joined = role("conjunction") | role("subordinator") | role("relative")
    stated = any(_is_predicate(statement, t) for t in before if t.clause == before[-1].clause)
    return stated and joined.isdisjoint(statement.words[: first.word])


def _is_predicate(statement: Statement, token: ContentToken) -> bool:
    """Return whether a word is a finite verb or a participle by its form, too."""
    return token.verbal and vocabulary(statement.language).words[token.folded].verb_form


def _antecedent(statement: Statement, before: Sequence[ContentToken]) -> list[ContentToken]:
    """Return the noun phrase before a relative pronoun, and after its last preposition if a comma is between them."""
    phrase = _phrase(statement, before)
    if not statement.text.startswith(",", before[-1].end):
        return phrase
    first = len(phrase) - 1
    while first > 0 and phrase[first].word - phrase[first - 1].word == 1:
        first -= 1
    return phrase[first:]


def _subject_phrase(statement: Statement, before: list[ContentToken], verb: ContentToken) -> list[ContentToken]:
    """Return the noun phrase before a predicate, and a name between two commas: "the chair, Ida Lund, …"."""
    aside = [t for t in before if before[-1].piece == t.piece != verb.piece]
    described = [t for t in before if not aside or t.word < aside[0].word]
    clause = any(_is_predicate(statement, t) or t.after_auxiliary for t in aside)
    phrases = [_phrase(statement, part) for part in (described, [] if clause else aside)]
    return [t for phrase in phrases if phrase and not phrase[0].preposition for t in phrase]


def _phrase(statement: Statement, before: Sequence[ContentToken]) -> list[ContentToken]:
    """Return the words of the noun phrase at the end, with those after its prepositions, and "and" another one."""
    conjunctions = vocabulary(statement.language).role("conjunction")
    phrase: list[ContentToken] = []
    for token in reversed(before):
        if phrase:
            between = statement.words[token.word + 1 : phrase[-1].word]
            joined = token.piece == phrase[-1].piece and (not between or phrase[-1].preposition)
            if not (joined or not conjunctions.isdisjoint(between)) or token.clause != phrase[-1].clause:
                break
            if _is_predicate(statement, token):
                break
        phrase.append(token)
    unnamed = phrase and phrase[0].quantity is not None and not any(t.name for t in phrase[1:2])  # not "Line 7"
    return [] if unnamed else phrase[::-1]


def _passive_agent(statement: Statement, predicate: ContentToken, right: Sequence[ContentToken]) -> list[ContentToken]:
    """Return the words of the agent of a passive predicate, [] if it has none."""
    by = _by(statement, predicate)
    acting = [t for t in right if by is not None and t.word >= by.after]
    return acting[
        : 1 + next((n for n, t in enumerate(acting[1:]) if t.preposition != acting[0].preposition), len(acting))
    ]


def _fronted_object(statement: Statement, predicate: ContentToken, tokens: list[ContentToken]) -> list[ContentToken]:
    """Return the Spanish object before a verb and its clitic: "A la directora la nombró el consejo"."""
    role = vocabulary(statement.language).role
    clitic = statement.words[predicate.word - 1] if predicate.word else ""
    if clitic not in role("object_clitic"):
        return []
    bare = clitic in role("pronoun") and any(
        t.word > predicate.word and t.piece == predicate.piece and not t.preposition for t in tokens
    )
    return [
        t for t in tokens if t.word < predicate.word and (t.preposition == _PERSONAL_A or (bare and not t.preposition))
    ]


def is_passive(statement: Statement, predicate: ContentToken) -> bool:
    """Return whether a predicate is a participle with a passive auxiliary before it, or with "by" directly after it.

    "Was translated by Ida and illustrated by Omar", "a film directed by Ida"; not "rose by 4 %".
    """
    words = vocabulary(statement.language)
    if predicate.word and statement.language == "es" and statement.words[predicate.word - 1] == _REFLEXIVE:
        return _by(statement, predicate) is not None  # "el agua se pierde por las tuberías"
    if not predicate.folded.endswith(tuple(words.role("participle"))) and predicate.folded not in words.role(
        "irregular"
    ):
        return False
    passive = words.role("passive")
    if any(word in passive for word in statement.words[max(0, predicate.word - _AUXILIARY_REACH) : predicate.word]):
        return True
    by = _by(statement, predicate)
    if by is None:
        return False
    agent = next((t for t in statement.tokens if t.word >= by.after), None)
    if by.word == predicate.word + 1 and agent is not None and agent.quantity is None:
        return True
    joined = statement.words[predicate.word - 1] in words.role("conjunction")
    return joined and not passive.isdisjoint(statement.words[: predicate.word])


def _by(statement: Statement, predicate: ContentToken) -> Operator | None:
    """Return the first "by" after a predicate, in its piece."""
    return next((op for op in statement.of("by") if op.word > predicate.word and op.piece == predicate.piece), None)
