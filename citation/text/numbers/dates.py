"""Dates, times of day, months and centuries."""

import re

from ..normalize import words
from ..tokens import QuantityMatch, Tokens
from .numerals import CENTURIES, roman_value
from .quantities import CENTURY, CLOCK, MONTH, RATIO, Quantity
from .units import AMBIGUOUS_MONTHS, MONTHS

_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::[0-5]\d)?(?:\s?([aApP])\.?\s?[mM]\.?)?")
_OF = frozenset(words("of de del"))
_BEFORE_MONTHS = frozenset(words("in im en since seit desde depuis until bis last next this early late mid"))


def date(raw: str, start: int, i: int) -> list[QuantityMatch]:
    """ISO and day-month-year dates as year, month and day; times of day; ratios."""
    end = start + len(raw)
    clock = _CLOCK.fullmatch(raw)
    if clock:
        return [QuantityMatch(Quantity(_minutes(clock), start, end, CLOCK), i, i + 1)]
    numbers = [int(n) for n in re.findall(r"\d+", raw)]
    if len(numbers) == 2:
        share = numbers[0] / numbers[1] if "/" in raw and numbers[1] else numbers[0] + numbers[1] / 1e4  # 3:2 is no 1.5
        return [QuantityMatch(Quantity((share,), start, end, RATIO), i, i + 1)]
    if numbers[0] > 31:
        year, months, days = numbers[0], [numbers[1]], [numbers[2]]
    else:
        year, days, months = numbers[2], [numbers[0]], [numbers[1]]
        if "/" in raw:  # day first or month first
            days, months = [*days, numbers[1]], [*months, numbers[0]]
    parts = (
        Quantity((float(year),), start, end),
        Quantity(tuple(float(m) for m in months), start, end, MONTH),
        Quantity(tuple(float(d) for d in days), start, end),
    )
    return [QuantityMatch(quantity, i, i + 1) for quantity in parts]


def _minutes(clock: re.Match[str]) -> tuple[float, ...]:
    hours, minutes = int(clock[1]), int(clock[2])
    half = (clock[3] or "").lower()
    hours_of = {"a": [hours % 12], "p": [hours % 12 + 12]}
    options = hours_of.get(half, [hours, hours + 12] if hours < 12 else [hours])
    return tuple(float(60 * h + minutes) for h in options)


def month(p: Tokens, i: int, language: str | None) -> list[QuantityMatch]:
    """The month at piece `i`; `may`, `march` and the like only where they are written and used as one."""
    if p.word(i) in AMBIGUOUS_MONTHS:
        beside = any(0 <= j < len(p) and p.kind(j) == "number" for j in (i - 1, i + 1))
        dated = beside or (i >= 2 and p.word(i - 1) in _OF and p.kind(i - 2) == "number")
        written = p.spelled(i)[:1].isupper() or language not in {"en", "de"}
        if not (written and (dated or p.word(i - 1) in _BEFORE_MONTHS)):
            return []
    return [QuantityMatch(Quantity((float(MONTHS[p.word(i)]),), p.starts[i], p.ends[i], MONTH), i, i + 1)]


def century(p: Tokens, i: int) -> list[QuantityMatch]:
    """`siglo XIX`, `XIXe siècle`: the century word is at piece `i`."""
    for j in (i + 1, i - 1):
        if 0 <= j < len(p) and p.word(j) not in CENTURIES:
            value = roman_value(re.sub("(?:ème|e|è)$", "", p.spelled(j)))
            if value:
                first, last = min(i, j), max(i, j)
                return [QuantityMatch(Quantity((float(value),), p.starts[first], p.ends[last], CENTURY), i, last + 1)]
    return []


def version(raw: str, start: int, end: int) -> Quantity:
    """`3.10`; a whole number may also be written without the word `version`."""
    return Quantity((float(raw),) if raw.isdigit() else (), start, end, version=raw.replace(",", "."))
