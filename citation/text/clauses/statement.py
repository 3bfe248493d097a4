"""The result of parsing a sentence: tokens, clauses and operators."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..numbers.quantities import Quantity, agrees
from ..spans import Span
from .vocabulary import vocabulary

# Kinds of operators that negate a clause.
NEGATING = frozenset({"not", "no", "may_not", "need_not", "denies", "unless", "false", "unstated"})
# Kinds of operators that negate their own phrase.
EXCEPTIVE = frozenset({"except", "without"})
# Kinds that deny what a claim states.
DENIALS = frozenset({"not", "no", "denies", "may_not"})
# Kinds that say something of one thing and deny it of the rest.
RESTRICTIVE = frozenset({"only", "except", "unless", "even_if"})
# Tokens of a sentence that is divided reliably. In longer Chinese sentences, the comparisons that rely on it refused 23
# true and no false claims of the labelled news, and none of the near-misses that are used for tuning.
_LONGEST, _LONGEST_HAN = 24, 16


@dataclass(slots=True, eq=False)
class ContentToken:
    """A content word or a number at its place in a sentence. Two tokens are equal only if they are the same object.

    `piece` numbers the parts between commas and conjunctions, `clause` the parts with a predicate of their own.
    """

    stem: str  # or the term of a number
    folded: str  # in lower case without accents; "" for a number
    start: int  # offset of its first character in the sentence
    end: int  # offset after its last character
    word: int  # index of its first word in the sentence
    piece: int
    clause: int
    name: bool = False  # capitalized; in German any noun
    verbal: bool = False  # may be a predicate: no article or preposition before it
    preposition: str = ""  # the one that begins its phrase, "" if there is none
    quantity: Quantity | None = None
    sign: int = 1  # -1 inside the scope of an odd number of negations
    in_operator: bool = False  # part of an operator: "denied", "planned"
    denying: bool = False  # part of an operator that denies: "stopped"
    excepted: bool = False  # inside the phrase of `except`, `without`
    after_auxiliary: bool = False  # an auxiliary is between it and the token before
    phrasal_stem: str = ""  # the stem of "ablehnen" for "lehnte … ab", of "cancel" for "called … off"; else ""
    word_class: str = ""  # class of mutually exclusive words: season, weekday

    @property
    def unit(self) -> str:
        """The unit of a number, "" for a plain number and for a word."""
        return self.quantity.unit if self.quantity is not None else ""


class Operator(NamedTuple):
    """An operator word or phrase with its position. `kind`: a key of operators.txt."""

    kind: str
    word: int  # index of its first word
    after: int  # index of the word after it
    start: int
    end: int
    piece: int
    clause: int


@dataclass(slots=True, eq=False, weakref_slot=True)
class Statement:
    """A parsed sentence."""

    text: str
    language: str
    tokens: list[ContentToken] = field(default_factory=list)
    operators: list[Operator] = field(default_factory=list)
    words: list[str] = field(default_factory=list)  # folded; "" for a number
    pieces: int = 0  # number of pieces
    clauses: int = 0  # number of clauses
    question: bool = False
    heading: bool = False
    cells: list[tuple[str, tuple[int, int]]] = field(default_factory=list)  # cells of a table row: header, span
    stems: dict[str, list[int]] = field(default_factory=dict)  # stem -> tokens
    _kinds: frozenset[str] | None = None  # computed when first needed

    @property
    def quantities(self) -> list[Quantity]:
        """The numbers of the sentence."""
        return [token.quantity for token in self.tokens if token.quantity is not None]

    @property
    def is_divisible(self) -> bool:
        """Whether the sentence is so short that it is divided into its statements reliably."""
        return len(self.tokens) <= (_LONGEST_HAN if self.language == "zh" else _LONGEST)

    def index_stems(self) -> None:
        """Note the places of each stem in `stems`, when all tokens are known."""
        for number, token in enumerate(self.tokens):
            for token_stem in filter(None, (token.stem, token.phrasal_stem)):
                self.stems.setdefault(token_stem, []).append(number)

    def same_cell(self, first: int, second: int) -> bool:
        """Return whether two offsets are in the same cell of a table row; True outside of tables."""
        return not self.cells or any(start <= first < end and start <= second < end for _, (start, end) in self.cells)

    def kinds(self, clause: int | None = None) -> frozenset[str]:
        """Return the kinds of operators of a clause, or of all clauses. Call this only when the sentence is parsed."""
        if clause is not None:
            return frozenset(op.kind for op in self.operators if op.clause == clause)
        if self._kinds is None:
            self._kinds = frozenset(op.kind for op in self.operators)
        return self._kinds

    def has_word(self, role: str) -> bool:
        """Return whether the sentence has a word of a line of function.txt."""
        return not vocabulary(self.language).role(role).isdisjoint(self.words)

    def numbers_agreeing(self, number: Quantity) -> list[ContentToken]:
        """Return the numbers of the sentence that confirm `number`."""
        return [token for token in self.tokens if token.quantity is not None and agrees(number, token.quantity)]

    def of(self, *kinds: str) -> Iterator[Operator]:
        """Return the operators of these kinds in order."""
        return (op for op in self.operators if op.kind in kinds)

    def text_of(self, *spans: Span) -> str:
        """Return the text from the first of some tokens or operators to the last, with single spaces.

        Without any, return the whole sentence.
        """
        text = self.text[spans[0].start : spans[-1].end] if spans else self.text
        return " ".join(text.split())
