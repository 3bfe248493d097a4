"""Lengths of time that a text expresses without a number of its own: "within a day", "half a century"."""

import re
from collections.abc import Iterator, Sequence

from ...words.word_lists import any_of, load_words, words_by_number
from ..quantities import Quantity
from ..units import UNITS

_PHRASES = load_words("duration_phrases")


def _phrases(position: str) -> dict[str, float]:
    return {
        phrase.replace("_", " "): number
        for number, phrases in words_by_number(_PHRASES, position).items()
        for phrase in phrases
    }


_BEFORE, _AFTER = _phrases("before"), _phrases("after")
_UNITS = {word: factor for word, (dimension, factor) in UNITS.items() if dimension == "time" and word[1:]}
_UNITS |= dict.fromkeys(_PHRASES["century"], 100 * UNITS["year"][1])  # after an ordinal, a century is no length
_DURATION = re.compile(rf"(?<!\w)({any_of(_BEFORE)})[ -]?({any_of(_UNITS)})(?!\w)")
_AFTER_DURATION = re.compile(rf" ?({any_of(_AFTER)})(?!\w)")


def lengths(folded: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 24 hours, for "within a day", and 195 minutes, for "tres horas y cuarto"."""
    for match in _DURATION.finditer(folded):
        yield Quantity((_BEFORE[match[1].strip(" -")],), *match.span(), unit="time", factor=_UNITS[match[2]])
    for q in quantities:
        if q.unit == "time" and q.values and (more := _AFTER_DURATION.match(folded, q.end)):
            yield q._replace(values=(q.values[0] + _AFTER[more[1]],), end=more.end())
