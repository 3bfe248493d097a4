"""Lexicon: text into the terms, names and quantities that scores and gates compare; every script."""

import re
from dataclasses import dataclass

from .quantities import NUMERAL, Quantity, readings
from .sentences import sentences
from .words import HANGUL, MARKS, UNSPACED, fold, is_function_char, is_function_word, stem

__all__ = ["Lexed", "Quantity", "fold", "lex", "sentences", "stem"]

_LETTER = rf"[^\W\d_{UNSPACED}]"
_PIECE = re.compile(
    rf"(?P<number>{NUMERAL})"
    rf"|(?P<word>{_LETTER}(?:[^\W_{UNSPACED}]|[{MARKS}]|['’·](?={_LETTER}))*)"
    rf"|(?P<run>[{UNSPACED}{MARKS}]+)"
)
_FULL_STOP = re.compile(r"[.!?:。！？]\s*[\"“'(]*$")


@dataclass(frozen=True, slots=True)
class Lexed:
    """The content terms of a text in order, with their places (code points)."""

    terms: list[str]
    starts: list[int]
    ends: list[int]
    names: frozenset[str]
    quantities: list[Quantity]


def lex(text: str) -> Lexed:
    """Terms, names and quantities of `text`."""
    terms: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    names: set[str] = set()
    quantities: list[Quantity] = []
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        kind = piece.lastgroup
        if kind == "word":
            word = piece[0]
            folded = fold(word)
            if is_function_word(folded):
                continue
            term = stem(folded)
            if word[0].isupper() and not _FULL_STOP.search(text, max(0, start - 4), start) and start:
                names.add(term)
            terms.append(term)
            starts.append(start)
            ends.append(end)
        elif kind == "number":
            values = readings(piece[0])
            if values:
                quantities.append(Quantity(values, start, end))
            terms.append(f"#{values[0]:g}" if values else "#" + piece[0])
            starts.append(start)
            ends.append(end)
        else:
            _pairs(piece[0], start, terms, starts, ends)
    return Lexed(terms, starts, ends, frozenset(names), quantities)


def _pairs(run: str, at: int, terms: list[str], starts: list[int], ends: list[int]) -> None:
    """Overlapping pairs of characters of a run without spaces."""
    if len(run) == 1:
        if not is_function_char(run):
            terms.append(run)
            starts.append(at)
            ends.append(at + 1)
        return
    for i in range(len(run) - 1):
        if is_function_char(run[i]) and is_function_char(run[i + 1]):
            continue
        terms.append(run[i : i + 2])
        starts.append(at + i)
        ends.append(at + i + 2)


_ = HANGUL
