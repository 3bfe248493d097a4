"""Numbers that follow from a part, a multiple or an age that a text states.

"A quarter of the 800 seats" are 200 seats, "half as large" is the reverse of "twice as large", and what turned fifty in
2016 dates from 1966.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from .quantities import CENTURY, CLOCK, DECADE, MONTH, RATIO, Quantity, states_year

_OF = re.compile(r"\s(?:of|of the|of its|of their|of all|of all the|of these|of those|of our|der|des|de los|de las)\s")
_OF_TOTAL = re.compile(r"\bof (?:the|its|their|our|all|all the|these|those)\s$", re.IGNORECASE)
_OF_WHICH = re.compile(r"\sof (?:which|whom|them)\b")
# Behind a share of the last amount: "members pay 30 euros, students half of this", "students pay half."
_OF_IT = re.compile(r"\s(?:of (?:it|this|that|these|them)\b|(?:this|that) [^\W\d_]+)|[.,;]")
_LEAD_IN, _REACH = 16, 60  # characters before a number, and between two numbers that belong together
_AS = re.compile(r"\s(?:times )?as\b|\stimes (?:larger|more|higher|longer|bigger|the)\b")
_HALF_AS = re.compile(r"\bhalf (?:as|the|of the|that|this|its|their)\b", re.IGNORECASE)
_TWICE = re.compile(r"\b(?:twice|double) (?:as|the|that|this|its|their)\b", re.IGNORECASE)
# Between a multiple and what it multiplies: "half the hourly rate of 140 euros", "twice as long as the 12 km".
_OF_AMOUNT = re.compile(r"\s(?:(?:[^\W\d_]+\s){1,3}(?:of|as)\s(?:the\s|about\s)?)?")
_TURNED = re.compile(r"\b(?:turn|turns|turned|turning|will be|reached the age of)\s$", re.IGNORECASE)
_ANNIVERSARY = re.compile(r"\s(?:anniversary|birthday|jubilee|year of existence)\b")
_YEARS_OLD = re.compile(r"\s(?:years? old|years? of age)\b")
_AGES = re.compile(
    r"\b(?:(?P<share>half an?|a quarter of an?|an?|one)\s)?(?P<age>century|centuries|decades?)\s"
    r"(?P<way>later|afterwards?|after|earlier|before)\b",
    re.IGNORECASE,
)
_SHARES = {"half a": 0.5, "half an": 0.5, "a quarter of a": 0.25}
_OLDEST = 1000


def parts_and_multiples(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the numbers that follow from parts, multiples and ages in `text`."""
    counted = sorted((q for q in quantities if q.values), key=_start)
    yield from _parts(text, counted)
    yield from _multiples(text, counted)
    yield from _founded(text, counted)
    yield from _ages_later(text, counted)


def _start(quantity: Quantity) -> int:
    return quantity.start


def _near(quantities: Sequence[Quantity], start: int, end: int) -> Sequence[Quantity]:
    """Return the numbers that begin within the reach of `start` and `end`. A text can have 10,000 numbers."""
    first = bisect_left(quantities, start - 2 * _REACH, key=_start)
    return quantities[first : bisect_right(quantities, end + _REACH, key=_start)]


def _parts(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 200 for "a quarter of the 800 seats", and 20 for "of the 60 sailors, a third"."""
    shares = [q for q in quantities if q.unit in {RATIO, "%"} and q.values[0] < (100 if q.unit == "%" else 1)]
    for share in shares:
        ratio = share.values[0] / (100 if share.unit == "%" else 1)
        for total in _near(quantities, share.start, share.end):
            if total.unit in {RATIO, "%"} or total.ordinal:
                continue
            behind = 0 < share.start - total.end <= _REACH
            straight = _OF.fullmatch(text, share.end, max(share.end, total.start))
            reverse = behind and _OF_TOTAL.search(text, max(0, total.start - _LEAD_IN), total.start)
            which = behind and _OF_WHICH.match(text, share.end)
            if straight or reverse or which:
                yield total._replace(values=(_rounded(ratio * total.values[0]),))
        if _OF_IT.match(text, share.end):
            before = [q for q in _near(quantities, share.start - _REACH, share.start) if q.end < share.start]
            yield from (q._replace(values=(_rounded(ratio * q.values[0]),)) for q in before[-1:] if _is_amount(q))


def _is_amount(quantity: Quantity) -> bool:
    """Return whether a number measures something, so that it can be divided."""
    return quantity.unit not in {"", RATIO, "%", MONTH, DECADE, CENTURY, CLOCK}


def _rounded(value: float) -> float:
    """Return a whole number without the errors of a ratio such as 1/3."""
    return float(round(value)) if abs(value - round(value)) < 1e-6 else value


def _multiples(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the reverse of a multiple, 2 for "half as much", and 70 euros for "half the rate of 140 euros".

    A number before it is the result already: "the fee is 140 euros, twice the old one".
    """
    for pattern, factor in ((_HALF_AS, 0.5), (_TWICE, 2.0)):
        for found in pattern.finditer(text):
            yield from _reverse(factor, found.start(), found.end())
            for q in _near(quantities, found.start(), found.end()):
                measured = q.unit not in {"", RATIO, "%"}
                if measured and _OF_AMOUNT.fullmatch(text, found.end(), max(found.end(), q.start)):
                    yield q._replace(values=(q.values[0] * factor,))
    for q in quantities:
        if (not q.unit or q.unit == RATIO) and q.values[0] > 0 and _AS.match(text, q.end):
            yield from _reverse(q.values[0], q.start, q.end)


def _reverse(factor: float, start: int, end: int) -> Iterator[Quantity]:
    value = 1 / factor
    yield Quantity((value,), start, end, unit=RATIO if value < 1 else "")


def _founded(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 1966 for "turned fifty in 2016" and for "celebrated its fiftieth anniversary in 2016"."""
    for age in quantities:
        if age.values[0] > _OLDEST or (age.unit and age.unit != "time"):
            continue
        before = text[max(0, age.start - _LEAD_IN) : age.start]
        if (
            (age.ordinal and _ANNIVERSARY.match(text, age.end))
            or (not age.unit and _TURNED.search(before))
            or _YEARS_OLD.match(text, age.end)
        ):
            years = filter(states_year, _near(quantities, age.start, age.end))
            if year := min(years, key=lambda year: abs(year.start - age.start), default=None):
                yield year._replace(values=(year.values[0] - age.values[0],))


def _ages_later(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 1842 for "consecrated in 1742, burned down a century later"."""
    years = [q for q in quantities if states_year(q)]
    for found in _AGES.finditer(text) if years else ():
        near = _near(quantities, found.start(), found.end())
        number = next((q for q in near if not q.unit and 0 <= found.start() - q.end <= 1), None)
        share = (found["share"] or "").lower()
        count = _SHARES.get(share, 1.0) if share or number is None else number.values[0]
        length = count * (100 if found["age"].lower().startswith("cent") else 10)
        following = bisect_left(years, found.start(), key=_start)
        sign = -1 if found["way"].lower() in {"earlier", "before"} else 1
        for year in years[max(0, following - 1) : following + 1]:  # the nearest year on each side
            yield year._replace(values=(year.values[0] + sign * length,))
