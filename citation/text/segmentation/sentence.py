"""Sentences of an answer, their kinds, and how much of an incomplete one can be shown."""

import re
from dataclasses import dataclass
from enum import StrEnum

MIN_CHARACTERS = 100  # less would cut words and markers apart


class Kind(StrEnum):
    """The block that a sentence is part of. Only some kinds can contain a claim (`Sentence.citable`)."""

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
    # Blocks without a fence, which only `StructuredBlocks` finds
    JSON = "json"
    CSV = "csv"
    YAML = "yaml"
    XML = "xml"
    UNFENCED_CODE = "unfenced_code"
    THOUGHT = "thought"


DATA = frozenset({Kind.JSON, Kind.CSV, Kind.YAML, Kind.XML, Kind.UNFENCED_CODE})  # markers would break it
# never changed: brackets in them are no markers
VERBATIM = DATA | {Kind.CODE, Kind.MATH, Kind.RULE, Kind.THOUGHT}
CITABLE = frozenset({Kind.PROSE, Kind.LIST_ITEM, Kind.TABLE_ROW, Kind.QUOTE, Kind.HTML})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A piece of the answer: the exact text with its surrounding white space, and its offset in code points."""

    start: int
    text: str
    kind: Kind
    continues: bool = False  # the length limit split it here; the next sentence is its continuation

    @property
    def citable(self) -> bool:
        """Whether a marker may be placed in it."""
        return self.kind in CITABLE

    @property
    def verbatim(self) -> bool:
        """Whether it is passed on unchanged."""
        return self.kind in VERBATIM


@dataclass(frozen=True, slots=True)
class OpenSentence:
    """The sentence that is not complete yet.

    The first `releasable_length` characters of `text` can be shown already: no continuation makes them part of a
    marker, of closing punctuation or of trailing white space.
    """

    start: int
    text: str
    kind: Kind
    releasable_length: int


@dataclass(frozen=True, slots=True)
class SegmentLimits:
    """The maximum length of a sentence in code points. Longer ones are split.

    2,000 is more than any sentence that a person would read as one (in judicial German 99.9 % are shorter), and keeps
    a text without a boundary from being buffered longer than a few seconds.
    """

    characters: int = 2_000

    def __post_init__(self) -> None:
        """Raise ValueError if the limit is too small."""
        if self.characters < MIN_CHARACTERS:
            raise ValueError(f"characters must be {MIN_CHARACTERS} or more, is {self.characters}")


_MAX_TAIL_CHARACTERS = 300  # characters at the end that are searched: more than a marker has
_MAX_OPEN_BRACKET_CHARACTERS = 100  # characters after an open bracket that may become a marker
# Marks that may be the end of a sentence or of its markup, and white space: a marker may be placed before them.
_SOFT_MARKS = ".!?…。！？；:,;\"'”’)]}*_»›」』】》`$|#\\^{"
_SOFT = "".join(filter(str.isspace, map(chr, range(0x3001)))) + _SOFT_MARKS
# Text that can follow our marker or be removed: closing punctuation, tags, the model's markers. The last may be cut.
_TAIL = re.compile(
    rf"(?:[\s{re.escape(_SOFT_MARKS)}]|</?[A-Za-z][^<>\n]{{0,100}}+>|##\d{{1,18}}"
    r"|[\[［【][^\]］】\n]{0,60}+[\]］】]|[(（][^)）\n]{0,60}+[)）]"
    r"|&[#\w]{1,25}+;[\w ,:]{0,20}+)*"  # &#91;1&#93;
    r"(?:[\[［【<][^\])】］）>\n]{0,100}+|[(（][^)）\n]{0,100}+|&[#\w]{0,25}+)?\Z"
)
_MARKER_START = re.compile(r"[\[［【(（<#&]")
_OPENING = re.compile(r"[\[［【(（<]|&(?=#?\w{0,25};[\w ,:;&#]{0,60}\Z|#?\w{0,25}\Z)")
_CLOSING = re.compile(r"[\])】］）>\n]")
_HASH_MARKER = re.compile(r"##\d{1,18}\Z")


def releasable_length(text: str) -> int:
    """Return how many leading characters no continuation makes part of a marker, a closing mark or trailing space."""
    begin = max(0, len(text) - _MAX_TAIL_CHARACTERS)
    if not _MARKER_START.search(text, begin):
        return len(text.rstrip(_SOFT))
    if not _CLOSING.search(text, begin):
        return _before_open_bracket(text, begin)
    tail = _TAIL.search(text, begin)
    return tail.start() if tail else len(text)


def _before_open_bracket(text: str, begin: int) -> int:
    """Return the releasable length of a text in which no bracket is closed.

    The search for `_TAIL` would start again at each of many open brackets.
    """
    opening = _OPENING.search(text, max(begin, len(text) - _MAX_OPEN_BRACKET_CHARACTERS - 1))
    end = len(text[: opening.start() if opening else len(text)].rstrip(_SOFT))
    while number := _HASH_MARKER.search(text, max(begin, end - 20), end):
        end = len(text[: number.start()].rstrip(_SOFT))
    return end
