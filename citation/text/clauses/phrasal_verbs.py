"""Verbs of two parts: "call … off" means the same as "cancel", and "lehnt … ab" is a form of "ablehnen"."""

from collections.abc import Mapping
from functools import lru_cache

from ..words.inflection import inflections
from ..words.stemming import stem
from ..words.word_lists import load_lines
from .pieces import Pieces
from .statement import ContentToken, Operator, Statement
from .vocabulary import vocabulary

LANGUAGE = "en"
_ARTICLES = (["the"], ["a"], ["an"])
_REACH = 5  # words from the verb to a particle after its object


def join_prefixes(statement: Statement, pieces: Pieces) -> set[int]:
    """Note the whole German verb where a prefix ends the phrase of its finite form: "lehnte den Antrag ab".

    Return the words that are such prefixes.
    """
    prefixes, joined = vocabulary(statement.language).role("separable"), set()
    piece_of = pieces.of_words()
    for last in {*(first - 1 for first in pieces.begins if first), pieces.count - 1}:
        if last < 1 or statement.words[last] not in prefixes:
            continue
        verbs = [t for t in statement.tokens if t.verbal and t.piece == piece_of[last] and t.word < last]
        if verbs:
            _join(statement, verbs[0], statement.words[last])
            joined.add(last)
    return joined


def _join(statement: Statement, verb: ContentToken, prefix: str) -> None:
    """Note the whole verb of a finite form and its prefix, and the operators that the whole verb is."""
    verb.folded = prefix + verb.folded
    verb.phrasal_stem = stem(verb.folded)
    kinds = vocabulary(statement.language).words[verb.folded].kinds
    if not kinds:
        return
    operators = [op for op in statement.operators if op.word != verb.word]
    place = verb.word, verb.word + 1, verb.start, verb.end, verb.piece, verb.clause
    statement.operators = operators + [Operator(kind, *place) for kind in dict.fromkeys(kinds)]
    verb.in_operator, verb.denying = True, verb.denying or "denies" in kinds


def join_particles(statement: Statement) -> None:
    """Note for each English verb with a particle the verb that means the same, and remove the token of the particle."""
    particles: set[int] = set()
    for token in statement.tokens:
        stems_by_particle = _particles_of(token.stem)
        if (
            stems_by_particle
            and token.quantity is None
            and (particle := _particle(statement, token, stems_by_particle))
        ):
            word, token.phrasal_stem = particle
            particles.add(word)
    if particles:
        statement.tokens = [token for token in statement.tokens if token.word not in particles]


def _particle(statement: Statement, verb: ContentToken, stems_by_particle: Mapping[str, str]) -> tuple[int, str] | None:
    """Return the word that is the particle of a verb, and the stem of the verb that means the same.

    `stems_by_particle`: this stem by particle.
    """
    if statement.words[verb.word - 1 : verb.word] in _ARTICLES:
        return None  # "the start up" is a noun
    for word, key in enumerate(statement.words[verb.word + 1 : verb.word + 1 + _REACH], verb.word + 1):
        if (same := stems_by_particle.get(key)) and (word == verb.word + 1 or _ends_phrase(statement, verb, word)):
            return word, same
    return None


def _ends_phrase(statement: Statement, verb: ContentToken, word: int) -> bool:
    """Return whether a particle after the object is the last word of the part of the sentence that has the verb."""
    following = next((token for token in statement.tokens if token.word > word), None)
    inside = [token for token in statement.tokens if verb.word < token.word < word]
    return (following is None or following.piece != verb.piece or bool(following.preposition)) and all(
        token.piece == verb.piece for token in inside
    )


@lru_cache(maxsize=4096)
def _particles_of(verb: str) -> dict[str, str]:
    """Return the particles of a verb, each with the stem of a verb that means the same as both: "off", "cancel"."""
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
