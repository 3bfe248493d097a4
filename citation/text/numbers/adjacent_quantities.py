"""Quantities that neighbours complete or form together: `5-10 %`, `2018–19`, `2 h 40 min`, `19世纪80年代`."""

import re

from .quantities import CENTURY, DECADE, Quantity, QuantityMatch, is_year
from .units import UNITS

_RANGE = re.compile(r"\s?(?:-|–|—|~|to|bis|und|and|or|oder|a|à|y|et|o|ou|至|到|和)\s?")
_MAX_RANGE = len(" and a ")
_AND = frozenset({" and ", " und ", " et ", " y "})
_HOUR_SECONDS = 3600
_YEAR_DIGITS = 4
_BEFORE_HALF = frozenset({"个", "年", " and a "})  # 一个半小时, 两年半, three and a half hours
_CURRENCIES = frozenset({"eur", "usd", "gbp", "chf"})
_DIMENSIONS = frozenset(dimension for dimension, _ in UNITS.values())


def merge_adjacent(text: str, matches: list[QuantityMatch]) -> list[QuantityMatch]:
    """Complete quantities from the one after them: `5-10 %`, `2018–19`, `1亿2000万`, `一个半小时`, `19世纪80年代`."""
    merged: list[QuantityMatch] = []  # last first
    for match in reversed(matches):
        if merged and match.quantity.values and merged[-1].quantity.values:
            quantity, following = match.quantity, merged[-1].quantity
            if following.start - quantity.end > _MAX_RANGE:
                merged.append(match)
                continue
            between = text[quantity.end : following.start]
            if (whole := _whole(text, quantity, following)) is not None:
                merged[-1] = QuantityMatch(whole, match.first, merged[-1].after)
                continue
            if _shares_unit(quantity, following) and _RANGE.fullmatch(between):
                match = match._replace(quantity=quantity._replace(unit=following.unit, factor=following.factor))
            elif _is_year_range(quantity, between, following):
                merged[-1] = merged[-1]._replace(quantity=_add(following, quantity.values[0] // 100 * 100))
            elif _is_decade_of(quantity, between, following):
                merged[-1] = merged[-1]._replace(quantity=_add(following, (quantity.values[0] - 1) * 100))
        merged.append(match)
    return merged[::-1]


def _shares_unit(first: Quantity, second: Quantity) -> bool:
    """Return whether a number may have the unit of the one after it. Not 2012 in "from 9 % in 2012 to 6 %"."""
    if first.unit or second.unit not in _DIMENSIONS:
        return False
    return not (first.may_be_year and first.end - first.start == _YEAR_DIGITS and second.values[0] < 1000)


def _whole(text: str, first: Quantity, second: Quantity) -> Quantity | None:
    """Return the number that two neighbours state together: `1亿2000万`, `一个半小时`, `3 € 60`, `2 h 40 min`."""
    between = text[first.end : second.start]
    value = first.values[0] + second.values[0]
    if first.approximate and not between and first.values[0] > second.values[0]:
        return second._replace(start=first.start, values=(value,))
    if second.values == (0.5,) and second.unit == "time" and between in _BEFORE_HALF and not first.unit:
        return second._replace(start=first.start, values=(value,), strict=True)
    if first.unit in _CURRENCIES and _is_cents(text, first, second):
        return first._replace(values=(first.values[0] + second.values[0] / 100,), end=second.end)
    if _is_rest(first, between, second):
        value = first.values[0] * first.factor / second.factor + second.values[0]
        return second._replace(start=first.start, values=(value,))
    return None


def _is_cents(text: str, whole: Quantity, cents: Quantity) -> bool:
    """Return whether two digits after an amount of money are its cents: `3 euros 60`, `3 € 60`."""
    written = text[cents.start : cents.end]
    return (
        text[whole.end : cents.start] in {" ", " € ", " con ", " et "}
        and len(written) == 2
        and written.isdecimal()
        and whole.values[0] % 1 == 0
        and cents.unit in {"", whole.unit}
    )


def _is_rest(first: Quantity, between: str, second: Quantity) -> bool:
    """Return whether the second number is the rest of a measure in a smaller unit: "2 h 40 min"."""
    if not first.unit or first.unit != second.unit or not len(first.values) == len(second.values) == 1:
        return False
    long = first.unit == "time" and first.factor > _HOUR_SECONDS  # not "after five years and nine months after eight"
    adjoins = between == " " or (not long and between in _AND)
    return adjoins and second.values[0] * second.factor < first.factor


def _is_year_range(first: Quantity, between: str, second: Quantity) -> bool:
    """Return whether the second number is a year without its century: `2018–19`."""
    complete = not first.unit and first.end - first.start == _YEAR_DIGITS and is_year(first.values[0])
    return complete and between in {"-", "–", "—"} and second.end - second.start == 2 and not second.unit


def _is_decade_of(first: Quantity, between: str, second: Quantity) -> bool:
    """Return whether a decade follows its century: `19世纪80年代`."""
    return first.unit == CENTURY and second.unit == DECADE and second.values[0] < 100 and between in {"", "世纪"}


def _add(quantity: Quantity, base: float) -> Quantity:
    return quantity._replace(values=(base + quantity.values[0],))
