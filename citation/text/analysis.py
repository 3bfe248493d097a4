"""What a text says: its pieces without function words, its numbers as terms, its names, negations and opposites."""

from array import array
from dataclasses import dataclass, field
from itertools import compress, pairwise

from .numbers.quantities import Quantity
from .polarity import POLAR, han_members, han_negations, not_negating_before
from .stopwords import FUNCTION_CHARS, stopwords
from .tokens import QuantityMatch, Tokens

_QUOTES = " \"“‘'(*_#「《"
_SENTENCE_ENDS = ".!?:。！？\n-•*"


@dataclass(frozen=True, slots=True)
class Analysis:
    """The content terms of a text in order, and what else it says; places in code points."""

    terms: list[str]
    starts: "array[int]"  # four bytes a term, where a list of numbers takes 36, of each excerpt that is kept
    ends: "array[int]"
    names: set[str] = field(default_factory=set)  # terms written as proper names
    quantities: list[Quantity] = field(default_factory=list)
    negations: list[int] = field(default_factory=list)  # where they end
    antonyms: list[tuple[int, int, int]] = field(default_factory=list)  # start, family of opposites, member
    language: str | None = None


_Placed = tuple[str, int, int]  # a term, and where it stands


def analyze(pieces: Tokens, found: list[QuantityMatch], language: str | None, named: bool = True) -> Analysis:
    """What the pieces of a text say; `found`: the quantities among them. `named`: whether names are wanted.

    What is true of nearly every piece is done for all of them at once; numbers and runs are put in between.
    """
    ignored = stopwords(language)
    said: list[bool | None] = [word.says not in ignored for word in pieces.words]
    between: dict[int, list[_Placed]] = {}
    for quantity, first, after in found:
        between.setdefault(first, []).append((quantity.term, quantity.start, quantity.end))
        said[first:after] = [None] * (after - first)  # taken
    lexed = Analysis([], array("I"), array("I"), quantities=[f.quantity for f in found], language=language)
    names, text, starts = lexed.names, pieces.text, pieces.starts
    for i, word in enumerate(pieces.words):
        if word.plain or said[i] is None:
            continue
        if named and word.capital and said[i] and word.term not in names and not _starts_sentence(text, starts[i]):
            names.add(word.term)
        if word.kind == "run":
            between.setdefault(i, []).extend(_run(lexed, pieces.spelled(i), starts[i]))
        elif word.negates or word.antonyms:
            _polarity(lexed, pieces, i, bool(said[i]))
    _place(lexed, pieces, said, between)
    return lexed


def _polarity(lexed: Analysis, pieces: Tokens, i: int, said: bool) -> None:
    """A word that negates or has an opposite."""
    word, start = pieces.words[i], pieces.starts[i]
    if word.negates and not not_negating_before(pieces.word(i + 1)):
        lexed.negations.append(pieces.ends[i])
    if word.antonyms and (said or word.folded in POLAR):
        lexed.antonyms.extend([(start, family, member) for family, member in word.antonyms])


def _starts_sentence(text: str, start: int) -> bool:
    at = start - 2 if text[start - 1 : start] == " " else start - 1
    while at >= 0 and text[at] in _QUOTES:
        at -= 1
    return at < 0 or text[at] in _SENTENCE_ENDS


def _run(lexed: Analysis, run: str, at: int) -> list[_Placed]:
    """Overlapping pairs of characters of a run without spaces."""
    for _, end in han_negations(run):
        lexed.negations.append(at + end)
    for start, _, family, member in han_members(run):
        lexed.antonyms.append((at + start, family, member))
    particles = [char in FUNCTION_CHARS for char in run]
    if len(run) == 1:
        return [] if particles[0] else [(run, at, at + 1)]
    return [
        (run[i : i + 2], at + i, at + i + 2)
        for i, (one, other) in enumerate(pairwise(particles))
        if not (one and other)
    ]


def _place(lexed: Analysis, pieces: Tokens, said: list[bool | None], between: dict[int, list[_Placed]]) -> None:
    """Put the terms in order: of the pieces that are `said`, and what stands in the place of others."""
    terms, starts, ends = [word.term for word in pieces.words], pieces.starts.copy(), pieces.ends.copy()
    if any(len(placed) != 1 for placed in between.values()):  # a run, or a date
        columns = zip(terms, starts, ends, strict=True)
        every = [placed for i, one in enumerate(columns) for placed in between.get(i, (one,) if said[i] else ())]
        terms, starts, ends = [one[0] for one in every], [one[1] for one in every], [one[2] for one in every]
        said = [True] * len(every)
    else:  # in nearly all texts a number takes the place of a piece
        for i, (placed,) in between.items():
            terms[i], starts[i], ends[i] = placed
            said[i] = True
    lexed.terms.extend(compress(terms, said))
    lexed.starts.fromlist(list(compress(starts, said)))
    lexed.ends.fromlist(list(compress(ends, said)))
