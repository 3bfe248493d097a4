"""Dates, times of day, months, centuries and versions."""

import re

from ..normalize import APOSTROPHES
from ..tokens import Tokens
from .number_words import match_number_words
from .numerals import CENTURIES, DECIMAL_COMMA, roman_value
from .quantities import CENTURY, CLOCK, DECADE, MONTH, RATIO, Quantity, QuantityMatch, is_year
from .units import (
    AMBIGUOUS_MONTHS,
    BEFORE_MONTH,
    DECADE_ENDINGS,
    DECADE_WORDS,
    ENDINGS,
    MONTHS,
    OF_MONTH,
    ORDINAL_ENDINGS,
)

_LAST_CENTURY = 30
_NO_GAP = frozenset(["", *APOSTROPHES])  # 1990s, 1990's
_YEARS = re.compile(r"[12]\d{3}/\d{2}")
_CLOCK = re.compile(r"(\d{1,2})[:：]([0-5]\d)(?::[0-5]\d)?(?:\s?([aApP])\.?\s?[mM]\.?)?")


def match_date(surface: str, start: int, i: int, language: str | None) -> list[QuantityMatch]:
    """Match a date as year, month and day; a time of day; or a ratio. `surface`: token `i`, which begins at `start`."""
    end = start + len(surface)
    clock = _CLOCK.fullmatch(surface)
    if clock:
        return [QuantityMatch(Quantity(_minutes(clock), start, end, CLOCK), i, i + 1)]
    numbers = [float(n) for n in re.findall(r"\d+", surface)]
    if len(numbers) == 2 and _YEARS.fullmatch(surface) and (numbers[0] + 1) % 100 == numbers[1]:  # 2018/19
        return [QuantityMatch(Quantity((year,), start, end), i, i + 1) for year in (numbers[0], numbers[0] + 1)]
    if len(numbers) == 2:
        # 3:2 must not equal 1.5, and must not equal 2:3.
        divides = "/" in surface and numbers[1]
        ratio = numbers[0] / numbers[1] if divides else numbers[0] + numbers[1] / 1e4
        return [QuantityMatch(Quantity((ratio,), start, end, RATIO), i, i + 1)]
    if numbers[0] > 31:
        year, months, days = numbers[0], [numbers[1]], [numbers[2]]
    else:
        year, days, months = numbers[2], [numbers[0]], [numbers[1]]
        if "/" in surface and language not in DECIMAL_COMMA:  # the day or the month first
            days, months = [*days, numbers[1]], [*months, numbers[0]]
    parts = (
        Quantity((year,), start, end),
        Quantity(tuple(months), start, end, MONTH),
        Quantity(tuple(days), start, end),
    )
    return [QuantityMatch(quantity, i, i + 1) for quantity in parts]


def _minutes(clock: re.Match[str]) -> tuple[float, ...]:
    """Return the minutes since midnight that a time of day can mean."""
    hours, minutes = int(clock[1]), int(clock[2])
    half = (clock[3] or "").lower()
    hours_by_half = {"a": [hours % 12], "p": [hours % 12 + 12]}
    options = hours_by_half.get(half, [hours, hours + 12] if hours < 12 else [hours])
    return tuple(float(60 * option + minutes) for option in options)


def match_month(tokens: Tokens, i: int, language: str | None) -> list[QuantityMatch]:
    """Match the month at token `i`; `may`, `march` and the like only where they are written and used as one."""
    if tokens.word(i) in AMBIGUOUS_MONTHS:
        by_number = any(0 <= j < len(tokens) and tokens.kind(j) == "number" for j in (i - 1, i + 1))
        dated = by_number or (i >= 2 and tokens.word(i - 1) in OF_MONTH and tokens.kind(i - 2) == "number")
        written = tokens.surface(i)[:1].isupper() or language not in {"en", "de"}
        before = tokens.word(i - 2 if tokens.word(i - 1) in OF_MONTH else i - 1)  # "au mois de mai"
        if not (written and (dated or before in BEFORE_MONTH)):
            return []
    month = float(MONTHS[tokens.word(i)])
    return [QuantityMatch(Quantity((month,), tokens.starts[i], tokens.ends[i], MONTH), i, i + 1)]


def match_century(tokens: Tokens, i: int, language: str | None) -> list[QuantityMatch]:
    """Match `siglo XIX`, `siglo quince` or `XIXe siècle`; the century word is token `i`."""
    for j in (i + 1, i - 1):
        if 0 <= j < len(tokens) and tokens.word(j) not in CENTURIES:
            value: float | None = roman_value(re.sub("(?:ème|e|è)$", "", tokens.surface(j)))
            last = max(i, j)
            follows = j > i and tokens.is_adjacent(tokens.ends[i], j)
            if follows and (number := match_number_words(tokens, j, language)):
                value, last = number.value, number.after - 1
            elif follows and tokens.kind(j) == "number" and tokens.surface(j).isdecimal():
                value = float(tokens.surface(j))
            if value and value <= _LAST_CENTURY:
                quantity = Quantity((float(value),), tokens.starts[min(i, j)], tokens.ends[last], CENTURY)
                return [QuantityMatch(quantity, i, last + 1)]
    return []


def match_period(tokens: Tokens, values: tuple[float, ...], first: int, after: int, end: int) -> QuantityMatch | None:
    """Match decades (`1990s`, `90er`, `años 90`), centuries (`19th century`) and ordinals (`3rd`).

    `values`: of the number from token `first` to `after`, which ends at the offset `end`.
    """
    start = tokens.starts[first]
    word = tokens.word(after)
    gap = tokens.text[end : tokens.starts[after]] if after < len(tokens) else None
    if word not in ENDINGS and tokens.word(first - 1) not in DECADE_WORDS and (gap or after == len(tokens)):
        return None
    tens = values[0] % 10 == 0
    if word in DECADE_ENDINGS and gap in _NO_GAP and tens and values[0] >= 10:
        return QuantityMatch(Quantity(values, start, tokens.ends[after], DECADE), first, after + 1)
    ending = after + 1 if word in ORDINAL_ENDINGS and not gap else after
    if tokens.word(ending) in CENTURIES and not tokens.is_separated(ending):  # not "1901, siglo XX"
        return QuantityMatch(Quantity(values, start, tokens.ends[ending], CENTURY), first, ending + 1)
    if ending > after:
        return QuantityMatch(Quantity(values, start, tokens.ends[after], ordinal=True), first, ending)
    if gap == "" and tokens.kind(after) == "run":
        if tokens.surface(after).startswith("世纪"):
            return QuantityMatch(Quantity(values, start, end, CENTURY), first, after)
        if tokens.surface(after).startswith(("年代", "년대")):
            return QuantityMatch(Quantity(values, start, end, DECADE), first, after)
    before = tokens.word(first - 1) if first and tokens.is_adjacent(tokens.ends[first - 1], first) else ""
    if before in DECADE_WORDS and tens and (20 <= values[0] < 100 or is_year(values[0])):
        return QuantityMatch(Quantity(values, start, end, DECADE), first, after)
    return None


def version(surface: str, start: int, end: int) -> Quantity:
    """Return the version `3.10`. A whole number may also be written without the word `version`."""
    values = (float(surface),) if surface.isdigit() else ()
    return Quantity(values, start, end, version=surface.replace(",", "."))
