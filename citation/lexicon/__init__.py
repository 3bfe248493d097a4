"""Lexicon: text into the terms, names, quantities and polarity that scores and gates compare; every script."""

import re
from array import array
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache

from .folding import fold
from .function_words import function_words, is_function_char
from .han import SIMPLER
from .han_numbers import counts
from .languages import elect
from .numerals import NUMERAL
from .pieces import Found, Pieces
from .polarity import POLAR, han_members, han_negations, not_negating_before
from .quantities import Quantity, agrees
from .reading import Reader
from .sentences import sentences
from .stemming import stem
from .words import LETTER, MARKS, UNSPACED, Word, word

__all__ = ["Lexed", "Quantity", "agrees", "fold", "lex", "lex_sentence", "sentences", "stem"]

# What no piece begins with is taken along, all at once: to try every alternative at each space takes twice as long.
# Most gaps and words are plain ASCII, and to say so first makes them a third cheaper.
_PIECE = re.compile(
    rf"[ \n,;:()\"-]*+[^\w.{MARKS}{UNSPACED}]*+("
    r"[A-Za-z]++(?=[ ,.\n;:)])"
    # A set repeated is several times as fast as a choice repeated, and marks and apostrophes inside words are rare.
    rf"|(?![vV]\d){LETTER}[^\W_{UNSPACED}]*(?:(?:[{MARKS}]|['’·](?={LETTER}))[^\W_{UNSPACED}]*)*"
    r"|(?P<date>\d{4}-\d{1,2}-\d{1,2}(?!\d)|\d{1,2}[./]\d{1,2}[./]\d{4}(?!\d)|\d{4}/\d{1,2}/\d{1,2}(?!\d)"
    r"|\d{1,2}:[0-5]\d(?::[0-5]\d)?(?!\d)(?:\s?[aApP]\.?\s?[mM]\b\.?)?|\d+[:/]\d+(?![\d/:]))"
    r"|(?P<version>\b[vV]\d+(?:\.\d+)*\b)"
    rf"|(?P<number>{NUMERAL})"
    rf"|(?P<run>[{UNSPACED}{MARKS}]+)"
    r")?"
)
_NO_WORDS = ("number", "run", "date", "version")
_QUOTES = " \"“‘'(*_#「《"
_SENTENCE_ENDS = ".!?:。！？\n-•*"


@dataclass(frozen=True, slots=True)
class Lexed:
    """The content terms of a text in order, and what else it says; places in code points."""

    terms: list[str]
    starts: "array[int]"  # four bytes a term, where a list of numbers takes 36, of each excerpt that is kept
    ends: "array[int]"
    names: set[str] = field(default_factory=set)  # terms written as proper names
    quantities: list[Quantity] = field(default_factory=list)
    negations: list[int] = field(default_factory=list)  # where they end
    poles: list[tuple[int, int, int]] = field(default_factory=list)  # start, family of opposites, member
    language: str | None = None


def lex(text: str, language: str | None = None) -> Lexed:
    """Read `text`. `language` (`en`, `de`, …) is what to take it for where its function words do not tell."""
    text = text.translate(SIMPLER) if not text.isascii() else text
    pieces = _scan(text)
    language = elect(w.votes for w in pieces.words if w is not None and w.votes) or language
    lexed = Lexed([], array("I"), array("I"), language=language)
    found = Reader(pieces, language).read() if pieces.candidates else []
    _fill(lexed, pieces, found)
    return lexed


@lru_cache(maxsize=256)
def lex_sentence(text: str) -> Lexed:
    """`lex` for a sentence of an answer, which is read by the scorer, by the gates, and as the context of the next."""
    return lex(text)


def _scan(text: str) -> Pieces:
    found = [piece for piece in _PIECE.finditer(text) if piece[1]]
    texts = [piece[1] for piece in found]
    words = list(map(word, texts))
    kinds = ["word"] * len(words)
    candidates = [i for i, known in enumerate(words) if known is None or known.counts]
    for i in candidates:
        if words[i] is None:
            kinds[i] = next(kind for kind in _NO_WORDS if found[i][kind])
    return Pieces(
        text,
        kinds,
        texts,
        words,
        starts=[piece.start(1) for piece in found],
        ends=[piece.end() for piece in found],
        candidates=[i for i in candidates if kinds[i] != "run" or counts(texts[i])],
    )


def _fill(lexed: Lexed, pieces: Pieces, found: list[Found]) -> None:
    words, starts, ends = pieces.words, pieces.starts, pieces.ends
    ignored = function_words(lexed.language)
    at: dict[int, list[Found]] = {}
    for f in found:
        lexed.quantities.append(f.quantity)
        at.setdefault(f.first, []).append(f)
    free = 0
    for i, known in enumerate(words):
        if i in at:
            for f in at[i]:
                _add(lexed, f.quantity.term, f.quantity.start, f.quantity.end)
                free = max(free, f.after)
        if i < free:
            continue
        if known is None:
            if pieces.kinds[i] == "run":
                _run(lexed, pieces.texts[i], starts[i])
        elif not known.plain:
            _special(lexed, pieces, i, known, ignored)
        elif known.folded not in ignored:
            lexed.terms.append(known.term)
            lexed.starts.append(starts[i])
            lexed.ends.append(ends[i])


def _special(lexed: Lexed, pieces: Pieces, i: int, known: Word, ignored: Collection[str]) -> None:
    """A word that negates, has an opposite, or may be a name."""
    start = pieces.starts[i]
    if known.negates and not not_negating_before(pieces.word(i + 1)):
        lexed.negations.append(pieces.ends[i])
    meaningful = known.folded not in ignored and not known.negates
    if known.poles and (meaningful or known.folded in POLAR):
        lexed.poles.extend((start, family, member) for family, member in known.poles)
    if meaningful:
        _add(lexed, known.term, start, pieces.ends[i])
        if known.capital and not _starts_sentence(pieces.text, start):
            lexed.names.add(known.term)


def _starts_sentence(text: str, start: int) -> bool:
    at = start - 1
    while at >= 0 and text[at] in _QUOTES:
        at -= 1
    return at < 0 or text[at] in _SENTENCE_ENDS


def _add(lexed: Lexed, term: str, start: int, end: int) -> None:
    lexed.terms.append(term)
    lexed.starts.append(start)
    lexed.ends.append(end)


def _run(lexed: Lexed, run: str, at: int) -> None:
    """Overlapping pairs of characters of a run without spaces."""
    if len(run) == 1 and not is_function_char(run):
        _add(lexed, run, at, at + 1)
    for i in range(len(run) - 1):
        if not (is_function_char(run[i]) and is_function_char(run[i + 1])):
            _add(lexed, run[i : i + 2], at + i, at + i + 2)
    lexed.negations.extend(at + end for _, end in han_negations(run))
    lexed.poles.extend((at + start, family, member) for start, _, family, member in han_members(run))
