"""Lengths of time that a text counts from a date, with their direction: "two weeks later", "the next day".

A shift is a number of days and months. Where the words do not show the direction, both are possible.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...normalize import fold
from ...words.word_lists import any_of, any_word, load_words, words_by_number
from ..quantities import Quantity
from ..units import UNITS

DAY_SECONDS, WEEK_SECONDS, MONTH_SECONDS, YEAR_SECONDS = 86400, 604800, 2629800, 31557600
_STEPS = {
    DAY_SECONDS: (1, 0),
    WEEK_SECONDS: (7, 0),
    2 * WEEK_SECONDS: (14, 0),
    MONTH_SECONDS: (0, 1),
}  # days and months of a unit
_MOST = 900  # years over which a date is computed: less than the first year
_LEAD_IN_CHARACTERS = 24  # characters before a span in which its direction is looked for

_WORDS = load_words("time_shifts")
_END = r"(?=\s*(?:[.,;]|$))"
_AFTER, _BEFORE = (re.compile(rf"\W{{0,2}}{any_word(_WORDS[key])}", re.IGNORECASE) for key in ("after", "before"))
_LATER, _EARLIER = (
    re.compile(
        rf"\W{{0,2}}(?:{any_word(_WORDS[direction_word])}(?! de\b)|{any_word(_WORDS[last])}{_END})", re.IGNORECASE
    )
    for direction_word, last in (("later", "after"), ("earlier", "before"))
)
_THAN = re.compile(
    rf"\s(?:(?P<later>{any_of(_WORDS['later'])})|{any_of([*_WORDS['earlier'], 'before'])}) {any_word(_WORDS['than'])}"
)
_DELAYED, _ADVANCED, _AFTER_LENGTH = (
    re.compile(rf"{any_word(_WORDS[key])}\s$", re.IGNORECASE) for key in ("delayed", "advanced", "after_length")
)
_OPEN = re.compile(r"\b(?:(?:day|week|month|year) (?:after|before)|eve|veille)$", re.IGNORECASE)
_ANYWHERE = tuple(
    (sign, re.compile(any_word(_WORDS[key]), re.IGNORECASE))
    for sign, key in ((1, "anywhere_later"), (-1, "anywhere_earlier"))
)
# Shifts without a number.
_UNIT = any_of(_WORDS["unit"])
_UNNUMBERED = (
    (1, re.compile(rf"{any_word(_WORDS['next'])} (?P<unit>{_UNIT})\b")),
    (1, re.compile(rf"\b(?P<unit>{_UNIT}) {any_word(_WORDS['next_after_unit'])}(?! than)")),
    (-1, re.compile(rf"\b(?P<unit>{_UNIT}) {any_word(_WORDS['previous_after_unit'])}(?! than)")),
)
_BY_WORD = tuple((int(days), re.compile(any_word(words))) for days, words in words_by_number(_WORDS, "days").items())


class Shift(NamedTuple):
    """A number of days and months, with its sign, and the span of the words that state its length."""

    step: tuple[int, int]
    start: int
    end: int


def counted(text: str, quantities: Iterable[Quantity], base: int) -> Iterator[Shift]:
    """Yield the shifts that `text` counts from a date at the offset `base`: "the next day", "two years after"."""
    yield from unnumbered(text)
    for span in quantities:
        days, months = step(span)
        for sign in direction(text, span, base) if days or months else ():
            yield Shift((sign * days, sign * months), span.start, span.end)


def unnumbered(text: str) -> Iterator[Shift]:
    """Yield the shifts without a number: "the next day"."""
    folded = fold(text)
    text = folded if len(folded) == len(text) else text
    for sign, pattern in _UNNUMBERED:
        for match in pattern.finditer(text):
            days, months = _of_unit(UNITS[match["unit"]][1])
            yield Shift((sign * days, sign * months), *match.span())
    for days, pattern in _BY_WORD:
        for match in pattern.finditer(text):
            yield Shift((days, 0), *match.span())


def step(span: Quantity) -> tuple[int, int]:
    """Return the days and the months of a length of time, (0, 0) for other numbers and for hours."""
    if span.unit != "time" or not span.values or abs(span.values[0]) * span.factor > _MOST * YEAR_SECONDS:
        return 0, 0
    days, months = _of_unit(span.factor)
    return int(days * span.values[0]), int(months * span.values[0])


def _of_unit(factor: float) -> tuple[int, int]:
    return (0, 12 * round(factor / YEAR_SECONDS)) if factor >= YEAR_SECONDS else _STEPS.get(int(factor), (0, 0))


def shifted_weekdays(text: str, weekday: int, offset: int, quantities: Sequence[Quantity]) -> set[int]:
    """Return the weekdays, 0..6, that `text` describes by a weekday that it states at the offset `offset`."""
    steps = {shift.step for shift in counted(text, quantities, offset)}
    return {(weekday + days) % 7 for days, months in steps if not months}


def is_complete(text: str, shift: Shift) -> bool:
    """Return whether a shift names no event that it is counted from: "a year later", not "a year after the war"."""
    opened = _OPEN.search(text, max(0, shift.end - _LEAD_IN_CHARACTERS), shift.end)
    return not (opened or _AFTER.match(text, shift.end) or _BEFORE.match(text, shift.end))


def direction(text: str, span: Quantity, base: int) -> tuple[int, ...]:
    """Return the sign of a length of time that is counted from a date at the offset `base`, () if no word shows it."""
    lead_in = max(0, span.start - _LEAD_IN_CHARACTERS)
    compared = _THAN.match(text, span.end)  # "on 14 October, a week later than planned"
    if compared:
        return ((-1 if compared["later"] else 1) * (1 if base < span.start else -1),)
    if _LATER.match(text, span.end) or _DELAYED.search(text, lead_in, span.start):
        return (1,)
    if _EARLIER.match(text, span.end) or _ADVANCED.search(text, lead_in, span.start):
        return (-1,)
    if _AFTER_LENGTH.search(text, lead_in, span.start):
        return (1, -1)  # "closed in 1994 after 62 years", "founded in 1890, and closed after 62 years"
    away = 1 if base > span.start else -1  # "on 14 June, two weeks after his death": he died before
    if _AFTER.match(text, span.end):
        return (away,)
    return (-away,) if _BEFORE.match(text, span.end) else ()


def directions_anywhere(text: str) -> tuple[int, ...]:
    """Return the signs that words anywhere in a text show: "Born in 1915, he died aged 88"."""
    return tuple(sign for sign, pattern in _ANYWHERE if pattern.search(text))
