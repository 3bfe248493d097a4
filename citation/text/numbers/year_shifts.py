"""Years and months a stated time before or after others, and the time between dates.

`date_shifts` computes dates with a day from the words next to a length of time. Here the direction may be shown by a
word anywhere in the text.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .date_shifts import DAY, MONTH_LENGTH, MOST_PAIRS, YEAR, counted, direction, moved, stated_dates
from .quantities import MONTH, Quantity, states_year

_LATER = re.compile(
    r"\b(?:later|after|afterwards|age of|aged|within|following|next day|following day|später|nach|darauf|alter|binnen"
    r"|lasts?|lasted|runs?|ran|term of|dauert?e?n?|dure|dura|duró|dur[ée]e|for|mit|with|ab|from|since"
    r"|jahre alt|years old|ans plus tard"
    r"|a los|à l'âge|à (?=\d+ ans)|plus tard|après|âge|suivant|lendemain|más tarde|después|edad|siguiente|mañana)\b"
    r"|后|次日|翌日|岁|享年|终年|为期",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:earlier|before|previous|prior|after she|after he|after it|früher|zuvor|vor|plus tôt|avant|antes|anterior"
    r"|brought forward|after \w+ years|after \w+ decades|nach \w+ Jahren|après \w+ ans|tras \w+ años"
    r"|after the|after its|after his|after her|nach dem|nach der|après la|après le|después de)\b"
    r"|前|提前",
    re.IGNORECASE,
)
_NEXT_YEAR = re.compile(r"\byear (?:after|before|later|earlier)\b|\b(?:a|one) year\b", re.IGNORECASE)
_MOST_YEARS = 200
_NEAR_MONTH = 4  # characters between a month and its year


def shifted_years(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield dates: 1915 for "founded in 1890 and closed 25 years later", July for "in March … four months later"."""
    bases = [q for q in quantities if q.values]
    spans = [q for q in bases if q.unit in {"time", ""}]
    dates = [q for q in bases if q.unit == MONTH or states_year(q)]
    if len(dates) * sum(q.unit == "time" for q in bases) > MOST_PAIRS:
        return
    between = len(bases) > 1 and len(spans) > 0
    signs = [sign for pattern, sign in ((_LATER, 1), (_EARLIER, -1)) if between and pattern.search(text)]
    next_year = any(map(states_year, bases)) and (
        _NEXT_YEAR.search(text) or any(shift.step == (0, 12) for shift in counted(text, (), 0))
    )
    for base in dates:
        year = states_year(base)
        if year and next_year:
            yield from (base._replace(values=(base.values[0] + step,)) for step in (1, -1))
        for span in spans:
            local = direction(text, span, base.start) if span.unit == "time" else ()
            for sign in (local or signs) if span is not base else ():
                if year and span.factor == MONTH_LENGTH and span.unit:
                    yield from _months_later(base, sign * int(span.values[0]), quantities)
                elif year and (span.factor >= YEAR or (not span.unit and span.values[0] < _MOST_YEARS)):
                    years = span.values[0] * (round(span.factor / YEAR) if span.unit else 1)
                    yield base._replace(values=(base.values[0] + sign * years,))
                elif base.unit == MONTH and span.factor == MONTH_LENGTH:
                    yield base._replace(values=((base.values[0] + sign * span.values[0] - 1) % 12 + 1,))


def _months_later(base: Quantity, months: int, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the year some months from a year, if the month is stated: "in January 2016 … eighteen months later"."""
    start = next((q.values[0] for q in quantities if q.unit == MONTH and 0 <= base.start - q.end <= _NEAR_MONTH), None)
    if start is not None:
        yield base._replace(values=(base.values[0] + (int(start) - 1 + months) // 12,))
    elif months % 12 == 0:
        yield base._replace(values=(base.values[0] + months // 12,))


def times_between(quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the time between neighbouring dates: seven years for "began in 1825" and "used in 1832"."""
    years = [q for q in quantities if states_year(q)]
    for one, other in pairwise(years):
        length = abs(other.values[0] - one.values[0])
        yield Quantity((length,), one.start, other.end, unit="time", factor=YEAR)
    for day, later in pairwise(date for date in stated_dates(quantities) if date.day):
        length = abs((moved(later, 0, 0) - moved(day, 0, 0)).days)
        yield Quantity((float(length),), day.start, later.end, unit="time", factor=DAY)
