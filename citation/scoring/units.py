"""The units of a claim: what it says in pieces, each with the ways evidence may say the same."""

import re
from collections.abc import Sequence
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
Place = tuple[NDArray[np.int64], float]  # sentences, and how far something stands there
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


def places(found: Units, index: Index) -> list[list[Place]]:
    """Where each unit stands and how far, 0..1; in rising credit."""
    return [_places(term, ways, index) for term, ways in zip(found.terms, found.ways, strict=True)]


def _places(term: str, ways: Ways, index: Index) -> list[Place]:
    bones = skeleton(term)
    stands = [(index.sentences_of(other), COGNATE) for other in index.skeletons.get(bones, ())] if bones else []
    stands += [(_all_of(way, index), SYNONYM) for way in ways if way[0] in index.vocabulary]
    stands.append((index.sentences_of(term), EXACT))
    return stands


def presence(rows: Sequence[Sequence[Place]], index: Index) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(R, S) and (R, N): how far what each row stands for stands in each sentence and piece of evidence, 0..1.

    The places of a row have to come in rising credit: of several at the same place the last one holds.
    """
    said = np.zeros((len(rows), index.size), dtype=np.float32)
    anywhere = np.zeros((len(rows), len(index.evidence)), dtype=np.float32)
    stands = [(row, at, credit) for row, found in enumerate(rows) for at, credit in found if len(at)]
    if stands:
        lengths = [len(at) for _, at, _ in stands]
        row = np.repeat([row for row, _, _ in stands], lengths)
        at = np.concatenate([at for _, at, _ in stands])
        credit = np.repeat(np.array([credit for _, _, credit in stands], dtype=np.float32), lengths)
        said[row, at] = credit
        anywhere[row, index.sentence_owner[at]] = credit
    return said, anywhere


def _all_of(way: tuple[str, ...], index: Index) -> NDArray[np.int64]:
    at = index.sentences_of(way[0])
    for term in way[1:]:
        at = np.intersect1d(at, index.sentences_of(term))
    return at
