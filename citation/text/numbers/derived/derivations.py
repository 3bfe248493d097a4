"""Derive numbers from those of a text: other notations, conversions, and what follows from the words around them.

They are computed only if a number of the claim is not found directly.
"""

from collections.abc import Iterator, Sequence
from math import ceil, floor

from ...normalize import fold
from ..quantities import CENTURY, DECADE, FIRST_YEAR, RATIO, Quantity
from .differences import differences_stated
from .lengths import lengths
from .shares import complements, numbers_in_words, parts, ratios, reversed_multiples
from .shifted_dates import shifted_dates, times_between

_NEARLY = 4  # percentage points between a share and "about a third"
_CONVERSIONS = {"celsius": ("fahrenheit", 1.8, 32.0), "fahrenheit": ("celsius", 1 / 1.8, -32.0 / 1.8)}


def notations(quantity: Quantity) -> Iterator[Quantity]:
    """Yield the same quantity in other notations: 25 % and a quarter, 180 °C and 356 °F."""
    for value in quantity.values:
        if quantity.unit == "%":
            yield quantity._replace(values=(value / 100,), unit=RATIO, approximate=True)
        elif quantity.unit == RATIO and value < 1:
            yield quantity._replace(values=(value * 100,), unit="%", approximate=False)
            yield quantity._replace(values=(round(value * 100),), unit="%", approximate=False)
            if quantity.approximate:  # "nearly a third"
                near = range(ceil(value * 100 - _NEARLY), floor(value * 100 + _NEARLY) + 1)
                yield quantity._replace(values=tuple(map(float, near)), unit="%", approximate=False)
        elif quantity.unit in _CONVERSIONS:
            unit, factor, offset = _CONVERSIONS[quantity.unit]
            yield quantity._replace(values=(round(value * factor + offset, 1),), unit=unit)
            yield quantity._replace(values=(float(round(value * factor + offset)),), unit=unit)
        elif quantity.unit == DECADE and value >= FIRST_YEAR and value % 100 == 0:  # the 1800s
            yield quantity._replace(values=(value // 100 + 1,), unit=CENTURY)


def derived(
    text: str, quantities: Sequence[Quantity], *, denied: bool = False, dated: bool = False, timed: bool = False
) -> list[Quantity]:
    """Return numbers that follow from `text` and its `quantities`.

    `denied`: the claim contains a negation. `dated`: it contains a day of a month.
    `timed`: the number of the claim is a length of time.
    """
    folded = fold(text)
    in_words = list(lengths(folded, quantities)) if len(folded) == len(text) else []
    numbers = [
        *numbers_in_words(text, folded),
        *ratios(text, quantities),
        *differences_stated(text, quantities),
    ]
    numbers += parts(text, [*quantities, *numbers])
    numbers += reversed_multiples(text, [*quantities, *numbers])
    numbers += in_words
    numbers += shifted_dates(text, quantities, in_words, with_days=dated)
    if timed:
        numbers += times_between(quantities)
    if denied:
        numbers += complements(text, quantities)
    numbers += [notation for q in [*quantities, *numbers] for notation in notations(q)]
    return numbers
