"""Quantities: numbers with their units, and whether a number of the evidence confirms one of a claim."""

from functools import lru_cache
from math import floor, isclose, log10
from typing import NamedTuple

# Units of the calendar that are positions in time, not durations, and ratios.
MONTH, DECADE, CENTURY, CLOCK, RATIO = "month of the year", "decade", "century", "clock", "ratio"

# A plain number from the first on and below the second may be a year.
FIRST_YEAR, END_OF_YEARS = 1000, 2100

_SAME = 1e-9  # relative tolerance for the rounding of floats
_CONVERTED = 0.02  # authors round conversions: 5 miles, 8 km
_BINARY = 0.05  # 1 TB is 1,000 GB to some authors and 1,024 to others
_SEPARATED = len("2,000")  # a year is written without a separator
_MAX_ROUNDING = 2.5  # rounding does not change a number by a larger factor
_FAR = 10  # units of the last digit; rounding changes a number by one at most, and floats by less than the rest


def is_year(value: float) -> bool:
    """Return whether a plain number is as large as a year."""
    return FIRST_YEAR <= value < END_OF_YEARS


class Quantity(NamedTuple):
    """A number of a text: its possible values (`1.500` has two), unit, and offsets."""

    values: tuple[float, ...]
    start: int
    end: int
    unit: str = ""  # a dimension of units.txt or a unit of the calendar; "" for a plain number
    factor: float = 1.0  # to the first unit of the dimension
    strict: bool = True  # False for "one" and "first", which often count nothing
    approximate: bool = False  # "about", or given in millions: the evidence may be more exact
    ordinal: bool = False
    version: str = ""  # as written, where 3.10 differs from 3.1; with values where it may be a plain number, too

    @property
    def may_be_year(self) -> bool:
        """Whether this is a plain number between 1000 and 2099, written without a separator."""
        whole = bool(self.values) and not self.unit and is_year(self.values[0]) and self.values[0] % 1 == 0
        return whole and self.end - self.start != _SEPARATED

    @property
    def base_value(self) -> float:
        """The first value in the first unit of the dimension."""
        return self.values[0] * self.factor

    @property
    def term(self) -> str:
        """Return the term that stands for the number in an index."""
        if not self.values:
            return f"#v{self.version}"
        value = self.values[0] % 100 if self.unit == DECADE else self.values[0]
        return f"#{self.unit if self.unit in _CALENDAR else ''}{value:.10g}"


class QuantityMatch(NamedTuple):
    """A quantity and its tokens, from `first` to `after`, exclusive. Inside a run the two are equal."""

    quantity: Quantity
    first: int
    after: int


_CALENDAR = frozenset({MONTH, DECADE, CENTURY, CLOCK, RATIO})
_PERIODS = frozenset({DECADE, CENTURY})
_REQUIRED = _CALENDAR | {"%"}  # a number without one of these units means something else


def agrees(claim: Quantity, evidence: Quantity) -> bool:
    """Return whether the number of the evidence confirms the number of the claim."""
    if claim.version and evidence.version:
        return evidence.version == claim.version or evidence.version.startswith(claim.version + ".")
    unit, other_unit = claim.unit, evidence.unit
    if CLOCK in {unit, other_unit} and unit != other_unit:
        return _same_hour(claim, evidence) if unit == CLOCK else _same_hour(evidence, claim)
    if unit in _PERIODS:
        return _in_period(claim, evidence)
    if unit == other_unit:
        factor, other_factor = claim.factor, evidence.factor
        tolerance = _SAME if factor == other_factor else _BINARY if unit == "data" else _CONVERTED
    elif (unit and other_unit) or unit in _REQUIRED or other_unit in _REQUIRED:
        return False
    else:
        factor, other_factor, tolerance = 1.0, 1.0, _SAME
    for value in claim.values:
        for evidence_value in evidence.values:
            stated, exact = value * factor, evidence_value * other_factor
            if isclose(stated, exact, rel_tol=tolerance, abs_tol=1e-12):
                return True
            if claim.approximate and _rounds_to(exact, stated):
                return True
    return False


def states_year(quantity: Quantity) -> bool:
    """Return whether a number is plain and as large as a year."""
    return not quantity.unit and not quantity.ordinal and bool(quantity.values) and is_year(quantity.values[0])


def same_kind(first: Quantity, second: Quantity) -> bool:
    """Return whether two numbers can stand in each other's place: years, ordinals, or numbers with the same unit."""
    return first.unit == second.unit and first.may_be_year == second.may_be_year and first.ordinal == second.ordinal


def _same_hour(time: Quantity, number: Quantity) -> bool:
    """Return whether a number may be the hour of a time of day: "from 9 to 5", "14 h"."""
    if number.unit and (number.unit, number.factor) != ("time", 3600.0):
        return False
    return any(
        time_of % 720 == hour * 60 % 720 and (hour < 13 or hour * 60 == time_of)
        for hour in number.values
        for time_of in time.values
    )


def _in_period(claim: Quantity, evidence: Quantity) -> bool:
    """Return whether the evidence has the same decade or century, or a year in it."""
    if evidence.unit not in {"", DECADE, claim.unit}:
        return False
    return any(
        _contains(claim.unit, value, evidence.unit, evidence_value)
        for value in claim.values
        for evidence_value in evidence.values
    )


def _contains(unit: str, value: float, other_unit: str, other_value: float) -> bool:
    """Return whether the decade or century `value` is or contains `other_value`, which is one of both or a year."""
    if unit == other_unit:
        return other_value == value or (
            unit == DECADE and min(value, other_value) < 100 and value % 100 == other_value % 100
        )
    if unit == CENTURY:
        return (value - 1) * 100 <= other_value <= value * 100
    return other_value // 10 * 10 == value or (
        value < 100 and other_value >= 1000 and other_value % 100 // 10 * 10 == value
    )


def _rounds_to(exact: float, stated: float) -> bool:
    """Return whether `exact`, truncated or rounded to the digits of `stated`, is `stated`."""
    if stated == 0 or exact == 0 or (stated < 0) != (exact < 0):
        return False
    if not 1 / _MAX_ROUNDING < exact / stated < _MAX_ROUNDING:
        return False
    step = _last_digit(stated)
    if abs(exact - stated) > _FAR * step:
        return False
    return isclose(round(exact / step) * step, stated, rel_tol=1e-9) or isclose(
        floor(exact / step) * step, stated, rel_tol=1e-9
    )


@lru_cache(maxsize=1024)
def _last_digit(stated: float) -> float:
    """Return the unit of the last digit of a number but 0: 100 for 1,200, and for 1,000, of which two digits count."""
    step = 10.0 ** floor(log10(abs(stated)))
    while not isclose(stated / step, round(stated / step), rel_tol=1e-9) and step > 1e-6:
        step /= 10
    return min(step, 10.0 ** (floor(log10(abs(stated))) - 1)) if stated / step < 10 else step
