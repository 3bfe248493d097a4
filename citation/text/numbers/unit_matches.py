"""The units of numbers: a sign or a word next to a number in the tokens of a text."""

import re
from typing import NamedTuple

from ..tokens import Tokens
from .quantities import MONTH
from .units import (
    CURRENCY_SIGNS,
    DEGREES,
    HAN_MORE,
    OF_UNIT,
    ONLY_FRENCH,
    PER,
    PERCENT,
    PERCENT_AFTER_PER,
    UNITS,
    han_unit,
    power_unit,
)

_HAN_MONTH = re.compile("月(?!亮|球|经|饼)")  # not moon, menses, moon cake


class UnitMatch(NamedTuple):
    """The dimension and the factor of a unit, and the token and the offset after the quantity."""

    unit: str
    factor: float
    after: int
    end: int


def match_unit(tokens: Tokens, language: str | None, first: int, after: int, end: int) -> UnitMatch:
    """Return the unit of the number from token `first` to `after`, which ends at the offset `end`."""
    text = tokens.text
    follows = text[end : end + 3].lstrip()
    before = text[max(0, tokens.starts[first] - 2) : tokens.starts[first]].strip()[-1:]
    if follows[:1] in {"%", "％"}:
        return UnitMatch("%", 1.0, after, text.index(follows[0], end) + 1)
    if before and before in CURRENCY_SIGNS:
        return UnitMatch(*UNITS[before], after, end)
    sign = follows[:2].casefold() if follows[:1] == "°" else follows[:1]
    if sign and not sign.isalnum() and sign in UNITS:
        return UnitMatch(*UNITS[sign], after, end)
    if not tokens.is_adjacent(end, after):
        return UnitMatch("", 1.0, after, end)
    return _unit_in_run(tokens, after, end) if tokens.kind(after) == "run" else _unit_word(tokens, language, after, end)


def _unit_word(tokens: Tokens, language: str | None, after: int, end: int) -> UnitMatch:
    """Return the unit that the words from token `after` on denote."""
    word, following = tokens.word(after), tokens.word(after + 1)
    if word == OF_UNIT and following in UNITS:  # millones de euros, millones de metros cúbicos
        return _unit_word(tokens, language, after + 1, end)
    if word in PER and following in PERCENT_AFTER_PER:
        return UnitMatch("%", 1.0, after + 2, tokens.ends[after + 1])
    if word.startswith(PERCENT):
        return UnitMatch("%", 1.0, after + 1, tokens.ends[after])
    if word in DEGREES and following in UNITS:  # degrees Celsius
        return UnitMatch(*UNITS[following], after + 2, tokens.ends[after + 1])
    if power := power_unit(word, following):
        return UnitMatch(*power, after + 2, tokens.ends[after + 1])
    if word in ONLY_FRENCH and language not in {None, "fr"}:
        return UnitMatch("", 1.0, after, end)
    if tokens.kind(after) == "word" and word in UNITS:
        return UnitMatch(*UNITS[word], after + 1, tokens.ends[after])
    return UnitMatch("", 1.0, after, end)


def _unit_in_run(tokens: Tokens, after: int, end: int) -> UnitMatch:
    """Return the unit at the offset `end`, in the run that is token `after`."""
    following = tokens.text[end : end + 6].lstrip("".join(HAN_MORE))
    if unit := han_unit(following):
        return UnitMatch(*UNITS[unit], after, end + len(unit))
    if _HAN_MONTH.match(following):
        return UnitMatch(MONTH, 1.0, after, end + 1)
    return UnitMatch("", 1.0, after, end)
