"""German words that contain a number and its unit: `zweistündig`, `Viertelliter`, `Sechzigerjahre`."""

import re
from typing import NamedTuple

from ..memo import memoize
from ..words.word_lists import load_words
from .numerals import word_value
from .quantities import DECADE
from .units import UNITS

_LIST = load_words("german_units")
_FRACTIONS = {word: float(value) for word, value in (entry.split("=") for entry in _LIST["fractions"])}
_DECADES = _LIST["decades"]
_NOUNS, _ADJECTIVES = tuple(_LIST["nouns"]), _LIST["adjectives"]
_ENDINGS = _LIST["endings"]
_SHORTEST_REST = 3  # letters that may stand after a unit
_CANDIDATE = re.compile(
    f"^(?:{'|'.join(_FRACTIONS)})|(?:{'|'.join(_ADJECTIVES)})(?:{'|'.join(_ENDINGS)})?$|.ig(?:{'|'.join(_DECADES)})$"
)
_HOW_OFTEN = "lich"  # "halbjährlich" is no length of time


class NumberWithUnit(NamedTuple):
    """A number, and the dimension and the factor of its unit."""

    value: float
    unit: str
    factor: float


@memoize()
def number_with_unit(folded: str) -> NumberWithUnit | None:
    """Return the number and the unit that a folded word contains, or None."""
    if not _CANDIDATE.search(folded):
        return None
    return _adjective(folded) or _decade(folded) or _fraction(folded)


def _adjective(word: str) -> NumberWithUnit | None:
    """Return those of an adjective of a whole number: `dreitagiges`."""
    for bare in (word, *(word.removesuffix(ending) for ending in _ENDINGS)):
        for adjective in _ADJECTIVES:
            if bare.endswith(adjective):
                value = word_value(bare.removesuffix(adjective), "de")
                if value is not None:
                    return NumberWithUnit(float(value), *UNITS[adjective])
    return None


def _decade(word: str) -> NumberWithUnit | None:
    """Return the decade that a word such as `neunziger` or `neunzigerjahre` denotes."""
    tens = next(
        (word_value(word.removesuffix(ending), "de") for ending in _DECADES if word.endswith(f"g{ending}")), None
    )
    return NumberWithUnit(float(tens), DECADE, 1.0) if tens else None


def _fraction(word: str) -> NumberWithUnit | None:
    """Return those of a noun that begins with a fraction, and may be the first part of a longer one."""
    for fraction, value in _FRACTIONS.items():
        if not word.startswith(fraction):
            continue
        following = word.removeprefix(fraction)
        for noun in _NOUNS:
            remainder = following.removeprefix(noun)
            longer = (
                remainder != following and len(remainder) >= _SHORTEST_REST and not remainder.startswith(_HOW_OFTEN)
            )
            if following == noun or longer:
                return NumberWithUnit(value, *UNITS[noun])
    return None
