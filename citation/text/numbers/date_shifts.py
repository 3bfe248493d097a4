"""Dates that follow from others: 1 May for "signed on 30 April, in force the next day".

A shift is a number of days and months with a direction. Where the words do not show the direction, both are possible.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from .quantities import MONTH, Quantity, is_year

DAY, WEEK, MONTH_LENGTH, YEAR = 86400, 604800, 2629800, 31557600  # seconds
_SOME_YEAR = 2001  # for dates without a year: no leap year
_MOST = 900  # units of a time over which a date is computed: less than the first year
_NEAR = 4  # characters between the day and the month: "30th of June", "June 14,"
_LEAD_IN = 24  # characters before a span in which its direction is looked for
_DAYS = {DAY: 1, WEEK: 7, 2 * WEEK: 14}

_LATER = re.compile(
    r"\W{0,2}(?:later|afterwards?|thereafter|(?:after|après|después)(?=\s*(?:[.,;]|$))|später|darauf|danach"
    r"|plus tard|más tarde)\b|[之以]?后",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\W{0,2}(?:earlier|previously|before(?=\s*(?:[.,;]|$))|früher|zuvor|vorher|plus tôt|auparavant|antes(?! de))\b"
    r"|[之以]?前",
    re.IGNORECASE,
)
_THAN = re.compile(
    r"\s(?:(?P<later>later|später|plus tard|más tarde)|earlier|früher|plus tôt|antes|before) (?:than|als|que|de lo)\b"
)
_AFTER = re.compile(r"\W{0,2}(?:after|following|nach|après|después de|tras)\b", re.IGNORECASE)
_BEFORE = re.compile(r"\W{0,2}(?:before|prior to|ahead of|vor|avant|antes de)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:(?:day|week|month|year) (?:after|before)|eve|veille)$", re.IGNORECASE
)  # "the year after she left"
_DELAYED = re.compile(
    r"\b(?:within|(?:postponed|delayed|extended|put back|deferred) (?:by|for)|um|innert|binnen|innerhalb von)\s$",
    re.IGNORECASE,
)
_AFTER_LENGTH = re.compile(r"\b(?:after|nach|après|tras)\s$", re.IGNORECASE)
_ADVANCED = re.compile(r"\b(?:brought forward|moved up|advanced|vorverlegt|avancée?) (?:by|um|de)\s$", re.IGNORECASE)
_LASTED = re.compile(
    r"\b(?:last(?:s|ed)|lasting|run(?:s|ning)|ran|for|dauerte?n?|duré?e?|dura|duró|pendant|durante)\s(?:for\s)?$",
    re.IGNORECASE,
)
# Shifts without a number.
_NEXT = re.compile(
    r"\b(?:next|following|subsequent) (day|week|month|year)\b"
    r"|\b(day|week|month|year) (?:after|later|afterwards)\b(?! than)"
    r"|\b(?:nächste|folgende|darauffolgende)[nms]? (tag|woche|monat|jahr)e?s?\b"
    r"|\b(tags) darauf\b|\b(tag|woche|monat|jahr) (?:darauf|danach|später)\b"
    r"|\b(lendemain)\b|\b(semaine|mois|année) (?:suivante?|d'après)\b|\b(día|semana|mes|año) siguiente\b|([次翌]日)"
    r"|\b(surlendemain|pasado mañana|übermorgen|übernächsten tage?)\b",
    re.IGNORECASE,
)
_PREVIOUS = re.compile(
    r"\b(?:previous|preceding) (day|week|month|year)\b"
    r"|\b(day|week|month|year) (?:before|earlier)\b(?! than)|\b(eve) of\b"
    r"|\b(?:vorige|vorherige)[nms]? (tag|woche|monat|jahr)e?s?\b|\b(tags) zuvor\b|\b(vortag)e?s?\b"
    r"|\b(tag|woche|monat|jahr) (?:zuvor|davor)\b"
    r"|\b(veille)\b|\b(semaine|mois|année) (?:précédente?|d'avant)\b|\b(día|semana|mes|año) anterior\b|(víspera)"
    r"|([前]一[天日])",
    re.IGNORECASE,
)
_WEEKS, _MONTHS = frozenset({"week", "woche", "semaine", "semana"}), frozenset({"month", "monat", "mois", "mes"})
_IN_TWO_DAYS = ("surlendemain", "pasado", "über")
_YEARS = frozenset({"year", "jahr", "année", "año"})
_LAST_DAY = re.compile(r"\blast day of (?:the month of )?$", re.IGNORECASE)
_DECEMBER = 12  # "13/13/2020" has a larger month
# Pairs of a date or a time of day and a length of time. A text with more is a table; 1,000 pairs take 5 ms.
MOST_PAIRS = 1000


class Date(NamedTuple):
    """A date. A part that is not stated is 0."""

    year: int
    month: int
    day: int
    start: int
    end: int


class Shift(NamedTuple):
    """A number of days and months, with its sign, and the span of the words that state its length."""

    step: tuple[int, int]
    start: int
    end: int


def shifted_dates(text: str, quantities: Sequence[Quantity], spans: Iterable[Quantity] = ()) -> Iterator[Quantity]:
    """Yield day, month and year of dates that `text` describes by another date. `spans`: more lengths of time."""
    known = [*(one for one in stated_dates(quantities) if one.day), *_last_days(text, quantities)]
    lengths = [span for span in (*quantities, *spans) if span.unit == "time"]
    shifts = {shift.step for shift in _shifts(text)} if known else set()
    for one in known if len(known) * len(lengths) <= MOST_PAIRS else ():
        steps = shifts.union(shift.step for shift in _steps(text, lengths, one.start))
        if one.end == one.start and not steps:  # "the last day of June" names no number
            yield from _parts(moved(one, 0, 0), one)
        for days, months in steps:
            yield from _parts(moved(one, days, months), one)


def shifted_weekdays(text: str, weekday: int, at: int, quantities: Sequence[Quantity]) -> set[int]:
    """Return the weekdays, 0..6, that `text` describes by a weekday that it states at the offset `at`."""
    steps = {shift.step for shift in counted(text, quantities, at)}
    return {(weekday + days) % 7 for days, months in steps if not months}


def counted(text: str, quantities: Sequence[Quantity], base: int) -> Iterator[Shift]:
    """Yield the shifts that `text` counts from a date at the offset `base`: "the next day", "two years after"."""
    yield from _shifts(text)
    yield from _steps(text, quantities, base)


def stated_dates(quantities: Sequence[Quantity]) -> Iterator[Date]:
    """Yield the dates in `quantities`: a month with its day and year where these are next to it, or a year alone."""
    used: set[int] = set()
    for at, month in enumerate(quantities):
        if month.unit != MONTH or not month.values:
            continue
        near = [q for q in quantities[max(0, at - 2) : at + 3] if q is not month and q.values and not q.unit]
        days = [q for q in near if 1 <= q.values[0] <= 31 and _gap(q, month) <= _NEAR][:1]
        years = [q for q in near if is_year(q.values[0]) and min(_gap(q, one) for one in (month, *days)) <= _NEAR][:1]
        around = (month, *days, *years)
        used.update(map(id, around))
        year, day = (int(one[0].values[0]) if one else 0 for one in (years, days))
        yield Date(year, int(month.values[0]), day, min(q.start for q in around), max(q.end for q in around))
    for q in quantities:
        if q.values and not q.unit and is_year(q.values[0]) and id(q) not in used:
            yield Date(int(q.values[0]), 0, 0, q.start, q.end)


def _gap(one: Quantity, other: Quantity) -> int:
    """Return the number of characters between two numbers, 0 if they overlap."""
    return max(0, other.start - one.end, one.start - other.end)


def _last_days(text: str, quantities: Sequence[Quantity]) -> Iterator[Date]:
    """Yield the date of "the last day of June". It is empty: start and end are those of the month's first letter."""
    for at, month in enumerate(quantities):
        if month.unit != MONTH or not month.values or not 1 <= month.values[0] <= _DECEMBER:
            continue
        if _LAST_DAY.search(text, max(0, month.start - _LEAD_IN), month.start):
            following = quantities[at + 1] if at + 1 < len(quantities) else None
            dated = following is not None and following.values and is_year(following.values[0])
            year = int(following.values[0]) if following is not None and dated else 0
            number = int(month.values[0])
            yield Date(year, number, monthrange(year or _SOME_YEAR, number)[1], month.start, month.start)


def is_complete(text: str, shift: Shift) -> bool:
    """Return whether a shift names no event that it is counted from: "a year later", not "a year after the war"."""
    opened = _OPEN.search(text, max(0, shift.end - _LEAD_IN), shift.end)
    return not (opened or _AFTER.match(text, shift.end) or _BEFORE.match(text, shift.end))


def _steps(text: str, quantities: Iterable[Quantity], base: int) -> Iterator[Shift]:
    """Yield the shifts by lengths of time from a date at the offset `base`."""
    for span in quantities:
        if span.unit != "time" or not span.values or span.values[0] > _MOST:
            continue
        length, count = span.factor, int(span.values[0])
        days = _DAYS.get(int(length), 0) * count
        months = count if length == MONTH_LENGTH else 12 * count if length == YEAR else 0
        for sign in direction(text, span, base) if days or months else ():
            yield Shift((sign * days, sign * months), span.start, span.end)
        if days and _LASTED.search(text, max(0, span.start - _LEAD_IN), span.start):
            yield Shift((days, 0), span.start, span.end)
            yield Shift((days - 1, 0), span.start, span.end)  # authors count the first day, or do not


def _shifts(text: str) -> Iterator[Shift]:
    """Yield the shifts without a number: "the next day"."""
    for sign, pattern in ((1, _NEXT), (-1, _PREVIOUS)):
        for match in pattern.finditer(text):
            unit = next(filter(None, match.groups())).lower()
            months = 1 if unit in _MONTHS else 12 if unit in _YEARS else 0
            days = 0 if months else 7 if unit in _WEEKS else 2 if unit.startswith(_IN_TWO_DAYS) else 1
            yield Shift((sign * days, sign * months), *match.span())


def direction(text: str, span: Quantity, base: int) -> tuple[int, ...]:
    """Return the sign of a length of time that is counted from a date at the offset `base`, () if no word shows it."""
    lead_in = max(0, span.start - _LEAD_IN)
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


def moved(one: Date, days: int, months: int) -> date:
    """Return a date after a shift. A part that is not stated counts as 1. A day that the month lacks is its last."""
    year, month = divmod((one.year or _SOME_YEAR) * 12 + max(one.month, 1) - 1 + months, 12)
    day = min(max(one.day, 1), monthrange(year, month + 1)[1])
    return date(year, month + 1, day) + timedelta(days)


def _parts(moved: date, one: Date) -> Iterator[Quantity]:
    """Yield the day, the month and, if it is known, the year of a date."""
    yield Quantity((float(moved.day),), one.start, one.end)
    yield Quantity((float(moved.month),), one.start, one.end, MONTH)
    if one.year:
        yield Quantity((float(moved.year),), one.start, one.end)
