"""Quantities: the numbers of a text with their units, however they are written, and when two of them agree."""

from math import floor, isclose, log10
from typing import NamedTuple

# Units of the calendar that are places in time, not lengths of it.
MONTH, DECADE, CENTURY, CLOCK, RATIO = "month of the year", "decade", "century", "clock", "ratio"

# Conversions (5 miles, 8 km) are rounded by whoever writes them.
_CONVERTED = 0.02
_SAME = 1e-9  # but for how floats are rounded
_FARTHEST = 2.5  # times as much, or as little: rounding makes no number more than twice as large
_BINARY = 0.05  # 1 TB is 1,000 GB to some, 1,024 to others, and nobody says which


class Quantity(NamedTuple):
    """A number of a text: its readings (`1.500` has two), unit, and place."""

    values: tuple[float, ...]
    start: int
    end: int
    unit: str = ""  # a dimension of units.py, or one of the calendar's; "" for a plain number
    factor: float = 1.0  # to the first unit of the dimension
    strict: bool = True  # False for "one", "first": they often count nothing
    rounded: bool = False  # "about", or given in millions: the evidence may be more exact
    ordinal: bool = False
    version: str = ""  # as written, where 3.10 is not 3.1; beside values where it may be a plain number too

    @property
    def term(self) -> str:
        """The key under which texts that hold the same number meet."""
        if not self.values:
            return f"#v{self.version}"
        value = self.values[0] % 100 if self.unit == DECADE else self.values[0]
        return f"#{self.unit if self.unit in _PLACES else ''}{value:.10g}"


_PLACES = frozenset({MONTH, DECADE, CENTURY, CLOCK, RATIO})
_PERIODS = frozenset({DECADE, CENTURY})
_NEVER_LEFT_OUT = _PLACES | {"%"}  # a number without one of these says something else


def agrees(claim: Quantity, evidence: Quantity) -> bool:
    """Whether the evidence's number bears the claim's out."""
    if claim.version and evidence.version:
        return evidence.version == claim.version or evidence.version.startswith(claim.version + ".")
    unit, other_unit = claim.unit, evidence.unit
    if unit in _PERIODS:
        return _in_period(claim, evidence)
    if unit == other_unit:
        factor, other_factor = claim.factor, evidence.factor
        tolerance = _SAME if factor == other_factor else _BINARY if unit == "data" else _CONVERTED
    elif (unit and other_unit) or unit in _NEVER_LEFT_OUT or other_unit in _NEVER_LEFT_OUT:
        return False
    else:
        factor, other_factor, tolerance = 1.0, 1.0, _SAME
    for value in claim.values:
        for other in evidence.values:
            a, b = value * factor, other * other_factor
            if isclose(a, b, rel_tol=tolerance, abs_tol=1e-12) or (claim.rounded and _rounds_to(b, a)):
                return True
    return False


def _in_period(claim: Quantity, evidence: Quantity) -> bool:
    """The same decade or century, or a year in it."""
    if evidence.unit not in {"", DECADE, claim.unit}:
        return False
    return any(_holds(claim.unit, value, evidence.unit, other) for value in claim.values for other in evidence.values)


def _holds(unit: str, value: float, other_unit: str, other: float) -> bool:
    if unit == other_unit:
        return other == value or (unit == DECADE and min(value, other) < 100 and value % 100 == other % 100)
    if unit == CENTURY:
        return (value - 1) * 100 <= other <= value * 100
    return other // 10 * 10 == value or (value < 100 and other >= 1000 and other % 100 // 10 * 10 == value)


def _rounds_to(exact: float, stated: float) -> bool:
    """Whether `exact`, cut or rounded to the digits `stated` shows, is `stated`."""
    if stated == 0 or exact == 0 or (stated < 0) != (exact < 0):
        return False
    if not 1 / _FARTHEST < exact / stated < _FARTHEST:
        return False  # as most: their digits need not be looked at
    step = 10.0 ** floor(log10(abs(stated)))
    while not isclose(stated / step, round(stated / step), rel_tol=1e-9) and step > 1e-6:
        step /= 10
    step = min(step, 10.0 ** (floor(log10(abs(stated))) - 1)) if stated / step < 10 else step
    return isclose(round(exact / step) * step, stated, rel_tol=1e-9) or isclose(
        floor(exact / step) * step, stated, rel_tol=1e-9
    )
