"""Segmenter: text in pieces of any size in, sentences out; incremental, lossless, Markdown- and script-aware."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a sentence is part of. Only some kinds can make a claim (`Sentence.citable`)."""

    PROSE = "prose"
    HEADING = "heading"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CODE = "code"
    MATH = "math"
    QUOTE = "quote"
    HTML = "html"
    RULE = "rule"  # thematic breaks, table rules, link and footnote definitions


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
