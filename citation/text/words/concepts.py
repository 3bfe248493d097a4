"""Synonyms and translations from a table, and likely cognates by their consonants."""

import re
from functools import lru_cache
from typing import NamedTuple

from ..memo import memoize
from ..normalize import character_pairs, fold
from .languages import stopwords
from .stemming import stem
from .word_finder import WordFinder
from .word_lists import load_lines

# A synonym as the terms that a sentence must all contain: one stem, or the character pairs of a word without spaces.
Phrase = tuple[str, ...]

_MIN_WORD = 3  # Latin letters; a shorter word means something else in another language


class Synonyms(NamedTuple):
    """The synonyms and translations of a word: those of one term, and those of several."""

    single: frozenset[str] = frozenset()
    multiple: tuple[Phrase, ...] = ()


NO_SYNONYMS = Synonyms()


@memoize()
def synonyms(term: str) -> Synonyms:
    """Return the synonyms of a stem, NO_SYNONYMS for a word that is not in the table."""
    return _by_length(_table()[0].get(term, ()))


def synonyms_in_run(run: str) -> list[tuple[int, int, Synonyms]]:
    """Return (start, end, synonyms) of the table's words in a run of Chinese. A word is one of its own synonyms."""
    words = _table()[1]
    return [(start, start + len(word), _by_length(words[word])) for start, word in _word_finder().find(run)]


def chinese_synonyms(word: str) -> Synonyms:
    """Return the synonyms of a Chinese word in Chinese. A word of more than two characters is its own first one."""
    synonyms = _chinese_table().get(word, NO_SYNONYMS)
    pairs = tuple(character_pairs(word))
    return synonyms if len(pairs) == 1 else synonyms._replace(multiple=(pairs, *synonyms.multiple))


def _by_length(phrases: tuple[Phrase, ...]) -> Synonyms:
    if not phrases:
        return NO_SYNONYMS
    single = frozenset(phrase[0] for phrase in phrases if len(phrase) == 1)
    return Synonyms(single, tuple(phrase for phrase in phrases if len(phrase) > 1))


# Spellings of the same sound in European languages.
_SOUNDS = (
    ("ph", "f"),
    ("th", "t"),
    ("ck", "k"),
    ("qu", "k"),
    ("sch", "sh"),
    ("c", "k"),
    ("z", "s"),
    ("w", "v"),
    ("x", "ks"),
)
_VOWELS = re.compile("[aeiouyjh]+")
_DOUBLED = re.compile(r"(.)\1")
_SKELETON = 5
SHORTEST_COGNATE = 4  # letters


@memoize()
def consonant_skeleton(term: str) -> str:
    """Return the first consonants of a Latin stem, which cognates such as `evolution` and `evolución` share.

    Return "" for a word that is too short.
    """
    if len(term) < SHORTEST_COGNATE or not term.isascii() or not term.isalpha():
        return ""
    for spelling, sound in _SOUNDS:
        term = term.replace(spelling, sound)
    consonants = term[0] + _DOUBLED.sub(r"\1", _VOWELS.sub("", term[1:]))
    return consonants[:_SKELETON] if len(consonants) >= _SKELETON - 1 else ""


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, tuple[Phrase, ...]], dict[str, tuple[Phrase, ...]]]:
    """Return the phrases of all lines that a stem, or a word without spaces, is part of."""
    stems: dict[str, dict[Phrase, None]] = {}
    unspaced: dict[str, dict[Phrase, None]] = {}
    ignored = stopwords("en")
    for line in load_lines("concepts"):
        words = line.split()
        latin = [stem(fold(w)) for w in words if w < "\u2e80" and len(w) >= _MIN_WORD and fold(w) not in ignored]
        runs = [w for w in words if w >= "\u2e80" and len(w) > 1]
        phrases = dict.fromkeys([(s,) for s in latin] + [tuple(character_pairs(w)) for w in runs])
        for s in latin:
            stems.setdefault(s, {}).update(phrases)
        for w in runs:
            unspaced.setdefault(w, {}).update(phrases)
    return (
        {term: tuple(phrase for phrase in phrases if phrase != (term,)) for term, phrases in stems.items()},
        {word: tuple(phrases) for word, phrases in unspaced.items()},
    )


@lru_cache(maxsize=1)
def _word_finder() -> WordFinder:
    return WordFinder(_table()[1])


@lru_cache(maxsize=1)
def _chinese_table() -> dict[str, Synonyms]:
    """Return the synonyms of each Chinese word, without the word itself, as characters or pairs of characters."""
    table: dict[str, dict[Phrase, None]] = {}
    for line in [*load_lines("concepts"), *load_lines("zh/synonyms")]:
        words = [word for word in line.split() if word >= "\u2e80"]
        for word in words:
            phrases = (tuple(character_pairs(synonym)) for synonym in words if synonym != word)
            table.setdefault(word, {}).update(dict.fromkeys(phrases))
    return {word: _by_length(tuple(phrases)) for word, phrases in table.items() if phrases}
