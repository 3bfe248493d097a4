"""Dates and times of day that follow from others: 1 May for "signed on 30 April, in force the next day"."""

import re
from bisect import bisect_left
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple, TypeVar

from ...spans import gap
from ..quantities import MONTH, Quantity, is_year, states_year
from .shifts import DAY_SECONDS, YEAR_SECONDS, Shift, direction, directions_anywhere, is_complete, step, unnumbered

_SOME_YEAR = 2001  # for dates without a year: no leap year
_NEAR_CHARACTERS = 4  # characters between the day and the month: "30th of June", "June 14,"
_OLDEST = 200  # years; a plain number up to it may be an age
_DAY_MINUTES = 24 * 60
_LAST_DAY = re.compile(r"\blast day of (?:the month of )?$", re.IGNORECASE)
_LEAD_IN_CHARACTERS = 24  # characters before a month in which it is looked for


class Date(NamedTuple):
    """A date. A part that is not stated is 0."""

    year: int
    month: int
    day: int
    start: int
    end: int


T = TypeVar("T", Date, Quantity)


def stated_dates(quantities: Sequence[Quantity]) -> Iterator[Date]:
    """Yield the dates in `quantities`: a month with its day and year where these are next to it, or a year alone."""
    used: set[int] = set()
    for index, month in enumerate(quantities):
        if month.unit != MONTH or not month.values or not 1 <= month.values[0] <= 12:
            continue
        near = [q for q in quantities[max(0, index - 2) : index + 3] if q is not month and q.values and not q.unit]
        days = [q for q in near if 1 <= q.values[0] <= 31 and gap(q, month) <= _NEAR_CHARACTERS][:1]
        years = [
            q
            for q in near
            if is_year(q.values[0]) and min(gap(q, known_part) for known_part in (month, *days)) <= _NEAR_CHARACTERS
        ][:1]
        around = (month, *days, *years)
        used.update(map(id, around))
        year, day = (int(parts_of_date[0].values[0]) if parts_of_date else 0 for parts_of_date in (years, days))
        yield Date(year, int(month.values[0]), day, min(q.start for q in around), max(q.end for q in around))
    for q in quantities:
        if q.values and not q.unit and is_year(q.values[0]) and id(q) not in used:
            yield Date(int(q.values[0]), 0, 0, q.start, q.end)


def moved(stated: Date, days: int, months: int) -> date:
    """Return a date after a shift. A part that is not stated counts as 1. A day that the month lacks is its last."""
    year, month = divmod((stated.year or _SOME_YEAR) * 12 + max(stated.month, 1) - 1 + months, 12)
    day = min(max(stated.day, 1), monthrange(year, month + 1)[1])
    return date(year, month + 1, day) + timedelta(days)


def shifted_dates(
    text: str, quantities: Sequence[Quantity], lengths: Iterable[Quantity], *, with_days: bool
) -> Iterator[Quantity]:
    """Yield the parts of the dates that `text` describes by the nearest other date.

    1915 for "founded in 1890 and closed 25 years later", July for "in March … four months later". `lengths`: lengths of
    time in words. `with_days`: whether days of a month are wanted.
    """
    dates = sorted(stated_dates(quantities), key=attrgetter("start"))
    if not dates:
        return
    if last_days := {
        stated: _last_day(stated) for stated in dates if stated.month and not stated.day and _is_last_day(text, stated)
    }:
        dates = [last_days.get(stated, stated) for stated in dates]
        for last_day in last_days.values():
            yield from _parts(last_day, 0, 0, with_days)
    anywhere = directions_anywhere(text)
    for span in (*quantities, *lengths):
        days, months = step(span) if span.unit else (0, 12 * _years(span))
        for last_day in nearest(dates, span) if days or months else ():
            local = direction(text, span, last_day.start) if span.unit else ()
            for sign in local or (() if days else anywhere):
                yield from _parts(last_day, sign * days, sign * months, with_days)
    for shift in unnumbered(text):
        days, months = shift.step
        for last_day in nearest(dates, shift):
            yield from _parts(last_day, days, months, with_days)
            if not is_complete(text, shift):  # "in 2008, the year after she had graduated"
                yield from _parts(last_day, -days, -months, with_days)


def _years(number: Quantity) -> int:
    """Return the years of a plain number that may be an age, 0 for any other number."""
    return int(number.values[0]) if number.values and 0 < number.values[0] < _OLDEST else 0


def nearest(items: Sequence[T], span: Quantity | Shift) -> Iterator[T]:
    """Yield the items, which are in order, next to a span: the last one before it and the first one after it."""
    index = bisect_left(items, span.start, key=attrgetter("start"))
    if index and items[index - 1].end <= span.start:
        yield items[index - 1]
    if index < len(items) and items[index].start >= span.end:
        yield items[index]


def _is_last_day(text: str, month: Date) -> bool:
    """Return whether "the last day of" is before a month."""
    return _LAST_DAY.search(text, max(0, month.start - _LEAD_IN_CHARACTERS), month.start) is not None


def _last_day(month: Date) -> Date:
    return month._replace(day=monthrange(month.year or _SOME_YEAR, month.month)[1])


def _parts(stated: Date, days: int, months: int, with_days: bool) -> Iterator[Quantity]:
    """Yield the parts of a date after a shift that are known: the year, the month and the day."""
    if (days and not stated.day) or (months % 12 and not stated.month):
        return
    reached = moved(stated, days, months)
    if stated.year:
        yield Quantity((float(reached.year),), stated.start, stated.end)
    if stated.month:
        yield Quantity((float(reached.month),), stated.start, stated.end, MONTH)
    if stated.day and with_days:
        yield Quantity((float(reached.day),), stated.start, stated.end)


def times_between(quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the time between neighbouring dates: seven years for "began in 1825" and "used in 1832"."""
    years = [q for q in quantities if states_year(q)]
    for first, second in pairwise(years):
        length = abs(second.values[0] - first.values[0])
        yield Quantity((length,), first.start, second.end, unit="time", factor=YEAR_SECONDS)
    for day, later in pairwise(stated for stated in stated_dates(quantities) if stated.day):
        length = abs((moved(later, 0, 0) - moved(day, 0, 0)).days)
        yield Quantity((float(length),), day.start, later.end, unit="time", factor=DAY_SECONDS)


def shifted_times(text: str, times: Sequence[Quantity], quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the times of day that `text` describes by the nearest other one: "at 7 pm, but delayed by 45 minutes"."""
    times = sorted(times, key=attrgetter("start"))
    for span in quantities:
        if span.unit == "time" and span.values and span.base_value < DAY_SECONDS:
            for stated in nearest(times, span):
                for sign in direction(text, span, stated.start):
                    values = (value + sign * span.base_value / 60 for value in stated.values)
                    yield stated._replace(values=tuple(value % _DAY_MINUTES for value in values))
