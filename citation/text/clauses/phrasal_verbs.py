"""English verbs with a particle: "call … off" means the same as "cancel"."""

from collections.abc import Mapping
from functools import lru_cache

from ..words.inflection import inflections
from ..words.stemming import stem
from ..words.word_lists import load_lines
from .statement import ContentToken, Statement

LANGUAGE = "en"
_ARTICLES = (["the"], ["a"], ["an"])
_REACH = 5  # words from the verb to a particle behind its object


def join_particles(statement: Statement) -> None:
    """Note for each verb with a particle the verb that means the same, and remove the token of the particle."""
    particles: set[int] = set()
    for token in statement.tokens:
        known = _by_verb(token.stem)
        if known and token.quantity is None and (found := _particle(statement, token, known)):
            word, token.whole = found
            particles.add(word)
    if particles:
        statement.tokens = [token for token in statement.tokens if token.word not in particles]


def _particle(statement: Statement, verb: ContentToken, known: Mapping[str, str]) -> tuple[int, str] | None:
    """Return the word that is the particle of a verb, and the stem of the verb that means the same.

    `known`: this stem by particle.
    """
    if statement.words[verb.word - 1 : verb.word] in _ARTICLES:
        return None  # "the start up" is a noun
    for word, key in enumerate(statement.words[verb.word + 1 : verb.word + 1 + _REACH], verb.word + 1):
        if (same := known.get(key)) and (word == verb.word + 1 or _ends_phrase(statement, verb, word)):
            return word, same
    return None


def _ends_phrase(statement: Statement, verb: ContentToken, word: int) -> bool:
    """Return whether a particle behind the object is the last word of the part of the sentence that has the verb."""
    behind = next((token for token in statement.tokens if token.word > word), None)
    inside = [token for token in statement.tokens if verb.word < token.word < word]
    return (behind is None or behind.piece != verb.piece or bool(behind.before)) and all(
        token.piece == verb.piece for token in inside
    )


@lru_cache(maxsize=4096)
def _by_verb(verb: str) -> dict[str, str]:
    """Return the stem that means the same as a verb with each particle."""
    table = _table()
    return {particle: same for form in {verb, *inflections(verb, LANGUAGE)} for particle, same in table.get(form, ())}


@lru_cache(maxsize=1)
def _table() -> dict[str, list[tuple[str, str]]]:
    """Return the particles of each verb, each with the stem of the verb that means the same."""
    table: dict[str, list[tuple[str, str]]] = {}
    for line in load_lines("en/phrasal"):
        phrase, same = line.split(":")
        verb, particle = phrase.split()
        table.setdefault(stem(verb), []).append((particle, stem(same.strip())))
    return table
