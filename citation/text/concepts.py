"""Words that mean the same, within a language and across: a table of our own, and the skeletons of cognates."""

import re
from functools import lru_cache
from typing import NamedTuple

from .memo import memoize
from .normalize import fold, table
from .stemming import stem
from .stopwords import stopwords

# Every way is a tuple of terms that a sentence must all hold: one stem, or the character pairs of a CJK word.
Ways = tuple[tuple[str, ...], ...]

_SHORTEST = 3  # Latin letters; shorter words are other words in other languages


class Synonyms(NamedTuple):
    """Other ways to say something, in any language: those that are one term, and those that are several."""

    single: frozenset[str] = frozenset()
    multiple: Ways = ()


NO_SYNONYMS = Synonyms()


@memoize()
def synonyms(term: str) -> Synonyms:
    """Other ways to say a stem; none for a word the table does not have."""
    return _sorted(_table()[0].get(term, ()))


def han_synonyms(run: str) -> list[tuple[int, int, Synonyms]]:
    """(start, end, ways) of the table's words in a run of Chinese characters; a word is one of its own ways."""
    words = _table()[1]
    return [(m.start(), m.end(), _sorted(words[m[0]])) for m in _han_word().finditer(run)]


def _sorted(ways: Ways) -> Synonyms:
    single = frozenset(way[0] for way in ways if len(way) == 1)
    return Synonyms(single, tuple(way for way in ways if len(way) > 1)) if ways else NO_SYNONYMS


# Where European languages spell the same sound otherwise.
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


@memoize()
def consonant_skeleton(term: str) -> str:
    """The first consonants of a Latin stem: what `evolution` and `evolución` share; "" for too short a word."""
    if len(term) < 4 or not term.isascii() or not term.isalpha():
        return ""
    for spelled, sound in _SOUNDS:
        term = term.replace(spelled, sound)
    bones = term[0] + _DOUBLED.sub(r"\1", _VOWELS.sub("", term[1:]))
    return bones[:_SKELETON] if len(bones) >= _SKELETON - 1 else ""


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, Ways], dict[str, Ways]]:
    """Latin stems, and CJK words, to the ways of all lines they stand in."""
    latin: dict[str, dict[tuple[str, ...], None]] = {}
    han: dict[str, dict[tuple[str, ...], None]] = {}
    ignored = stopwords("en")
    for line in table("concepts.txt"):
        words = line.split()
        stems = [stem(fold(w)) for w in words if w < "\u2e80" and len(w) >= _SHORTEST and fold(w) not in ignored]
        runs = [w for w in words if w >= "\u2e80" and len(w) > 1]
        ways = dict.fromkeys([(s,) for s in stems] + [pairs_of(w) for w in runs])
        for s in stems:
            latin.setdefault(s, {}).update(ways)
        for w in runs:
            han.setdefault(w, {}).update(ways)
    return (
        {term: tuple(way for way in ways if way != (term,)) for term, ways in latin.items()},
        {word: tuple(ways) for word, ways in han.items()},
    )


def pairs_of(word: str) -> tuple[str, ...]:
    """The pairs of characters a CJK word is indexed by."""
    return tuple(word[i : i + 2] for i in range(len(word) - 1))


@lru_cache(maxsize=1)
def _han_word() -> re.Pattern[str]:
    return re.compile("|".join(sorted(_table()[1], key=len, reverse=True)))
