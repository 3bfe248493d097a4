"""The units of a claim: what it says in pieces, each with the ways evidence may say the same."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..text import Analysis
from ..text.concepts import NO_SYNONYMS, Synonyms, consonant_skeleton, han_synonyms, synonyms
from .index import Index

_RUN = re.compile("[\u3400-\u9fff]+")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")

# How far a way of saying it counts: the word itself, a synonym or translation, a likely cognate.
EXACT, SYNONYM, COGNATE = 1.0, 0.85, 0.7
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
_NO_PLACE, _NO_CREDIT = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
# What a unit weighs in evidence of another language, where most words cannot be recognised.
_FOREIGN_NAME, _FOREIGN_KNOWN, _FOREIGN_OTHER = 1.3, 1.0, 0.35


@dataclass(slots=True)
class Units:
    """U units side by side: the term, other ways, and what it weighs in evidence of its own and of another language."""

    terms: list[str] = field(default_factory=list)
    ways: list[Synonyms] = field(default_factory=list)
    native: list[float] = field(default_factory=list)
    foreign: list[float] = field(default_factory=list)
    is_term: list[bool] = field(default_factory=list)  # not a word that covers several

    def add(self, term: str, ways: Synonyms, foreign: float, native: float = 1.0, *, is_term: bool = True) -> None:
        """One more unit."""
        self.is_term.append(is_term)
        self.terms.append(term)
        self.native.append(native)
        self.ways.append(ways)
        self.foreign.append(foreign)

    @classmethod
    def joined(cls, parts: "Sequence[Units]") -> "Units":
        """Those of several claims, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(list(chain.from_iterable(getattr(part, f.name) for part in parts)) for f in fields(cls)))


def units(text: str, lexed: Analysis) -> Units:
    """The units of a claim: Chinese words of the table, then each of its terms; one without weight if it has none."""
    found = Units()
    covered = _han_words(text, found) if not text.isascii() else set()
    for term in dict.fromkeys(lexed.terms):
        if term[0] == "#":
            found.add(term, NO_SYNONYMS, _FOREIGN_NAME)
        elif _HAN.match(term):
            found.add(term, NO_SYNONYMS, 0.0 if term in covered else 0.1)
        else:
            ways = synonyms(term)
            name = term in lexed.names
            found.add(
                term, ways, _FOREIGN_NAME if name else _FOREIGN_KNOWN if ways is not NO_SYNONYMS else _FOREIGN_OTHER
            )
    if not found.terms:
        found.add("", NO_SYNONYMS, 0.0, 0.0, is_term=False)
    return found


def _han_words(text: str, found: Units) -> set[str]:
    """Add the words of the table that the claim's Chinese holds; returns the pairs of characters they cover."""
    covered: set[str] = set()
    for run in _RUN.finditer(text):
        for start, end, ways in han_synonyms(run[0]):
            word = run[0][start:end]
            covered.update(word[i : i + 2] for i in range(len(word) - 1))
            if word not in found.terms:
                found.add(word, ways, _FOREIGN_KNOWN, 0.0, is_term=False)
    return covered


def presence(found: Units, index: Index) -> tuple[Floats, Floats]:
    """(U, S) and (U, N): how far each unit stands in each sentence and in each piece of evidence, 0..1."""
    owner = index.sentence_owner
    by_sentence = np.zeros((len(found.terms), index.size), dtype=np.float32)
    by_evidence = np.zeros((len(found.terms), len(index.evidence)), dtype=np.float32)
    rows, at, credit = _standing(found, index)
    by_sentence[rows, at] = credit
    by_evidence[rows, owner[at]] = credit
    for row, (_, multiple) in enumerate(found.ways):
        for way in multiple:
            if way[0] in index.postings:
                at = _all_of(way, index)
                by_sentence[row, at] = np.maximum(by_sentence[row, at], SYNONYM)
                by_evidence[row, owner[at]] = np.maximum(by_evidence[row, owner[at]], SYNONYM)
    return by_sentence, by_evidence


def _standing(found: Units, index: Index) -> tuple[Ints, Ints, Floats]:
    """Row, sentence and credit of everything that stands for a unit by one term; of those at one place the last holds.

    A posting list each and a few array operations for all of them: 30 µs for ten units, half of what one by one takes.
    """
    postings = index.postings
    cognates: list[tuple[int, int, int]] = []  # row, and the places in `Index.posted`
    others: list[tuple[int, int, int]] = []
    for row, (term, (single, _)) in enumerate(zip(found.terms, found.ways, strict=True)):
        cognates += [(row, *postings[other]) for other in index.skeletons.get(consonant_skeleton(term), ())]
        others += [(row, *postings[way]) for way in single if way in postings]
    exact = [(row, *postings[term]) for row, term in enumerate(found.terms) if term in postings]
    stands = cognates + others + exact
    if not stands:
        return _NO_PLACE, _NO_PLACE, _NO_CREDIT
    by_kind = [COGNATE] * len(cognates) + [SYNONYM] * len(others) + [EXACT] * len(exact)
    lengths = [last - first for _, first, last in stands]
    return (
        np.repeat([row for row, _, _ in stands], lengths),
        np.concatenate([index.posted[first:last] for _, first, last in stands]),
        np.repeat(np.array(by_kind, dtype=np.float32), lengths),
    )


def _all_of(way: tuple[str, ...], index: Index) -> Ints:
    at = index.sentences_of(way[0])
    for term in way[1:]:
        at = np.intersect1d(at, index.sentences_of(term))
    return at
