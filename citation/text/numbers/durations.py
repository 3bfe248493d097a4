"""Lengths of time that a text expresses without a number of its own, "within a day", and totals, "5 ml twice a day"."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..words.word_lists import any_of, load_words
from .quantities import Quantity
from .units import UNITS

_PHRASES = load_words("duration_phrases")


def _phrases(position: str) -> dict[str, float]:
    return {
        phrase.replace("_", " "): float(entry.split()[1])
        for entry, phrases in _PHRASES.items()
        if entry.startswith(position)
        for phrase in phrases
    }


_BEFORE, _BEHIND = _phrases("before"), _phrases("behind")
_TIME_UNITS = [word for word, (dimension, _) in UNITS.items() if dimension == "time" and word.isascii() and word[1:]]
_DURATION = re.compile(rf"(?<!\w)({any_of(_BEFORE)})[ -]?({any_of(_TIME_UNITS)})(?!\w)")
_BEHIND_DURATION = re.compile(rf" ?({any_of(_BEHIND)})(?!\w)")
_RATE = re.compile(rf" ?(?:times |mal |fois |veces )?{any_of(_PHRASES['rate'])}(?!\w)")


def durations(folded: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 24 hours, for "within a day", and 195 minutes, for "tres horas y cuarto"."""
    for found in _DURATION.finditer(folded):
        unit, factor = UNITS[found[2]]
        yield Quantity((_BEFORE[found[1].strip(" -")],), *found.span(), unit=unit, factor=factor)
    for q in quantities:
        if q.unit == "time" and q.values and (more := _BEHIND_DURATION.match(folded, q.end)):
            yield q._replace(values=(q.values[0] + _BEHIND[more[1]],), end=more.end())


def daily_totals(folded: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 10 ml, for "5 ml twice a day"."""
    for one, times in pairwise(quantities):
        if one.unit and one.values and not times.unit and times.values and _RATE.match(folded, times.end):
            yield one._replace(values=(one.values[0] * times.values[0],))
