"""Full stops: whether one ends its sentence or only shortens the word before it."""

import re
from typing import Final, NamedTuple

from .abbreviations import (
    AFTER_NUMBER,
    BEFORE_DAY,
    BEFORE_NUMBER,
    CLOCK,
    ENDING,
    LETTERED,
    MONTHS,
    NAMES,
    NEVER,
    SOMETIMES,
    STARTERS,
    TITLES,
    ZONES,
)
from .lookahead import NEED_DATA, NeedData

LEFT = 60  # characters looked at before a mark: more than any abbreviation or number
MAX_WORD = 24  # characters of the next word that decide, where it is not complete
SHORT = 3  # words: "At 5 a.m." is no sentence yet

_UP_TO_WORD: Final = re.compile(r"(?:.*[\s(\[{<\"'“‘«„*_/–—])?", re.DOTALL)  # the last one
_PREVIOUS: Final = re.compile(r"(\w+)[ \u00a0]\Z")
_NEXT: Final = re.compile(rf"[\w'’]{{0,{MAX_WORD}}}")
_DOTTED: Final = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")  # U.S, p.m, z.B
_LETTER_BEFORE: Final = re.compile(r"(?:\A|\s)[^\W\d_]\.[ \u00a0]\Z")
_ROMAN: Final = re.compile(r"(?!I\Z|C\Z)[IVXLC]+")


class _Around(NamedTuple):
    """What a full stop stands between."""

    before: str  # the word it ends
    left: str  # what stands before that
    word: str  # the next word
    dotted: bool  # whether that one ends in a full stop, too

    @property
    def previous(self) -> str:
        found = _PREVIOUS.search(self.left)
        return found[1] if found else ""

    @property
    def starts(self) -> bool:
        return self.word.lower() in STARTERS


def full_stop_ends(text: str, i: int, begin: int, *, final: bool) -> bool | NeedData:
    """Whether the full stop at `i` ends a sentence, given that a word, no lower-case one, begins at `begin`."""
    left = text[max(0, i - LEFT) : i]
    found = _UP_TO_WORD.match(left)
    before = left[found.end() :] if found else left
    plain = before.lower()
    if plain in NEVER:
        return False
    if not _may_shorten(plain):
        return True
    word = _NEXT.match(text, begin)
    end = word.end() if word else begin
    if end == len(text) and end - begin < MAX_WORD and not final:
        return NEED_DATA
    around = _Around(before, left[: len(left) - len(before)], text[begin:end], text[end : end + 1] == ".")
    return _ends(plain, around, text[:i].count(" ") < SHORT)


def _may_shorten(plain: str) -> bool:
    if plain in SOMETIMES or plain in BEFORE_NUMBER or plain in ENDING or _DOTTED.fullmatch(plain):
        return True
    return (len(plain) == 1 and plain.isalpha()) or _is_ordinal(plain)


def _is_ordinal(plain: str) -> bool:
    return len(plain) <= 3 and plain.lstrip("-").isdigit()


def _ends(plain: str, around: _Around, short: bool) -> bool:
    if plain in BEFORE_NUMBER and (around.word[:1].isdigit() or _ROMAN.fullmatch(around.word)):
        return False
    if plain in AFTER_NUMBER and around.previous.isdigit():
        return not short
    if plain in CLOCK:
        zone = around.word.lower() in ZONES or around.word[:1].isdigit()
        return not (zone or (short and around.word.lower() in TITLES))
    if plain in ENDING:
        return True
    if plain in SOMETIMES or _DOTTED.fullmatch(plain):
        return around.starts
    if len(plain) == 1 and plain.isalpha():
        return _letter_ends(around)
    if plain in BEFORE_NUMBER:
        return True
    german = around.previous.lower() in BEFORE_DAY and not around.starts
    return not (german or around.word.lower() in MONTHS)


def _letter_ends(around: _Around) -> bool:
    """Not `J. Smith`, `z. B.`, `A. И.`; but `you and I. Then`, `plan B. It`."""
    if around.dotted and len(around.word) == 1:
        return False
    if _LETTER_BEFORE.search(around.left):  # the second of two
        return around.starts
    if not around.before.isupper():
        return True
    if around.previous.lower() in LETTERED:
        return True
    if not around.previous or around.previous[0].isupper():
        return around.starts and around.word.lower() not in NAMES
    return around.before == "I" or around.starts
