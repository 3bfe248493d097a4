"""What the segmenter deals in: sentences and their kinds, what is held, and how much of it at most."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a sentence is part of. Only some kinds can make a claim (`Sentence.citable`)."""

    PROSE = "prose"
    HEADING = "heading"
    LIST_ITEM = "list_item"
    TABLE_HEADER = "table_header"
    TABLE_ROW = "table_row"
    CODE = "code"
    MATH = "math"
    QUOTE = "quote"
    HTML = "html"
    RULE = "rule"  # thematic breaks, table rules, link and footnote definitions


VERBATIM = frozenset({Kind.CODE, Kind.MATH, Kind.RULE})  # never changed: brackets in them are no markers
CITABLE = frozenset({Kind.PROSE, Kind.LIST_ITEM, Kind.TABLE_ROW, Kind.QUOTE, Kind.HTML})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A piece of the answer: `text` is exact (surrounding white space included), `start` its offset in code points."""

    start: int
    text: str
    kind: Kind

    @property
    def citable(self) -> bool:
        """Whether a marker may stand in it."""
        return self.kind in CITABLE

    @property
    def verbatim(self) -> bool:
        """Whether it leaves exactly as it came."""
        return self.kind in VERBATIM


@dataclass(frozen=True, slots=True)
class SegmentLimits:
    """How much is held: `characters` code points at most, then what is held leaves as a sentence of its own.

    2,000 is more than any sentence a person would read as one (in judicial German 99.9 % are shorter), and keeps a
    text without a boundary from being held back longer than a few seconds.
    """

    characters: int = 2_000

    def __post_init__(self) -> None:
        """Less than a sentence's worth would cut words and markers apart."""
        if self.characters < LEAST_CHARACTERS:
            raise ValueError(f"characters must be {LEAST_CHARACTERS} or more, is {self.characters}")


LEAST_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class OpenSentence:
    """What is held: the sentence that is not complete yet.

    `settled` leading characters of `text` can be shown already: no continuation makes them part of a marker, of closing
    punctuation or of trailing white space.
    """

    start: int
    text: str
    kind: Kind
    releasable_length: int
