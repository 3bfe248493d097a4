"""The units of a claim: what it says in pieces, each with the ways evidence may say the same."""

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..lexicon import Lexed
from ..lexicon.concepts import Ways, han_synonyms, skeleton, synonyms
from .index import Index

_RUN = re.compile("[\u3400-\u9fff]+")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")

# How far a way of saying it counts: the word itself, a synonym or translation, a likely cognate.
EXACT, SYNONYM, COGNATE = 1.0, 0.85, 0.7
# What a unit weighs in evidence of another language, where most words cannot be recognised.
_FOREIGN_NAME, _FOREIGN_KNOWN, _FOREIGN_OTHER = 1.3, 1.0, 0.35


@dataclass(slots=True)
class Units:
    """U units side by side: the term, other ways, and what it weighs in evidence of its own and of another language."""

    terms: list[str] = field(default_factory=list)
    ways: list[Ways] = field(default_factory=list)
    native: list[float] = field(default_factory=list)
    foreign: list[float] = field(default_factory=list)

    def add(self, term: str, ways: Ways, foreign: float, native: float = 1.0) -> None:
        """One more unit."""
        self.terms.append(term)
        self.native.append(native)
        self.ways.append(ways)
        self.foreign.append(foreign)


def units(text: str, lexed: Lexed) -> Units:
    """The units of a claim, without repeats."""
    found = Units()
    covered = _han_words(text, found) if not text.isascii() else set()
    for term in dict.fromkeys(lexed.terms):
        if term[0] == "#":
            found.add(term, (), _FOREIGN_NAME)
        elif _HAN.match(term):
            found.add(term, (), 0.0 if term in covered else 0.1)
        else:
            ways = synonyms(term)
            name = term in lexed.names
            found.add(term, ways, _FOREIGN_NAME if name else _FOREIGN_KNOWN if ways else _FOREIGN_OTHER)
    return found


def _han_words(text: str, found: Units) -> set[str]:
    """Add the words of the table that the claim's Chinese holds; returns the pairs of characters they cover."""
    covered: set[str] = set()
    for run in _RUN.finditer(text):
        for start, end, ways in han_synonyms(run[0]):
            word = run[0][start:end]
            covered.update(word[i : i + 2] for i in range(len(word) - 1))
            if word not in found.terms:
                found.add(word, ways, _FOREIGN_KNOWN, 0.0)
    return covered


def presence(found: Units, index: Index) -> NDArray[np.float32]:
    """(U, S) how far each unit stands in each sentence, 0..1."""
    credit = np.zeros((len(found.terms), len(index.sentence_owner)), dtype=np.float32)
    for row, (term, ways) in enumerate(zip(found.terms, found.ways, strict=True)):
        bones = skeleton(term)
        for other in index.skeletons.get(bones, ()) if bones else ():
            credit[row, index.sentences_of(other)] = COGNATE
        for way in ways:
            if way[0] in index.vocabulary:
                credit[row, _all_of(way, index)] = SYNONYM
        credit[row, index.sentences_of(term)] = EXACT
    return credit


def _all_of(way: tuple[str, ...], index: Index) -> NDArray[np.int64]:
    at = index.sentences_of(way[0])
    for term in way[1:]:
        at = np.intersect1d(at, index.sentences_of(term))
    return at
