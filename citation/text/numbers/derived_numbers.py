"""Derive numbers from those of a passage: other notations, conversions, and dates a stated time earlier or later.

They are computed only if a number of the claim is not found directly.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from ..normalize import fold
from ..words.word_lists import load_words
from .date_shifts import MOST_PAIRS, counted, direction, moved, shifted_dates, stated_dates
from .differences import differences_stated
from .parts import parts_and_multiples
from .quantities import CENTURY, DECADE, FIRST_YEAR, MONTH, RATIO, Quantity, is_year
from .units import UNITS

_ROMAN = re.compile(r"\b(?=[IVXLC]{1,9}\b)(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
# Words that express a number, with its value; ratios are below 1. The search for a part that all of them have, in the
# folded text, takes a hundredth of the time.
_WORDS = (
    (
        ("doub", "twice", "doppel", "duplic", "doble", "翻", "两倍"),
        re.compile(
            r"\b(?:doubl\w*|twice|verdoppel\w*|doppelt\w*|duplic\w*|doble)\b|翻倍|翻了?一番|两倍", re.IGNORECASE
        ),
        2.0,
    ),
    (
        ("tripl", "thrice", "dreifach", "三倍"),
        re.compile(r"\b(?:tripl\w*|thrice|verdreifach\w*)\b|三倍", re.IGNORECASE),
        3.0,
    ),
    (
        ("hal", "moiti", "mitad", "demi", "半"),
        re.compile(r"\b(?:half|halves|halved|halv\w*|hälfte|halb\w*|moitié|mitad|demie?)\b|一半|半数", re.IGNORECASE),
        0.5,
    ),
)
_TENTHS = {
    "quarter": 0.25,
    "third": 1 / 3,
    "fifth": 0.2,
    "sixth": 1 / 6,
    "eighth": 0.125,
    "tenth": 0.1,
    "zehntel": 0.1,
    "dixieme": 0.1,
    "decimo": 0.1,
    "hundredth": 0.01,
    "twentieth": 0.05,
}
_TENTH = re.compile(rf"\b(?:an?|one|ein|un|une|una) ({'|'.join(_TENTHS)})\b")
_MILLIONS = re.compile(
    r"\b(half|quarter of|eine halbe|un demi|medio) (?:an? )?(dozen|million|billion|millon|milliarde)\b"
)
_SCALES = {"dozen": 12.0, "million": 1e6, "millon": 1e6, "billion": 1e9, "milliarde": 1e9}
# "every third household", "jeder fünfte Schüler"
_EVERY = re.compile(r"(?:every|each|jede[rsnm]?|chaque|cada|por cada)\s$", re.IGNORECASE)
_HAN_EVERY = re.compile("[每][^，。；]{0,8}[中里]?就?有[一1]")
# "one guest in four", "un habitant sur quatre", "einer von vier"
_SHARE_OF = re.compile(
    r"\b(?:one|ein|eine|einer|un|une|uno|una) (?:[^\W\d_]+ )?(?:in|out of|von|sur|de cada) $", re.IGNORECASE
)
# "rose from 600 to 750 euros": the difference, and its share of the first
_FROM = re.compile(r"(?:\b(?:from|von|de)\s|[从由自])$", re.IGNORECASE)
_TO = re.compile(r"[^.;,，。；]{0,12}?(?:\b(?:to|auf|à|a)\s|至|到)[^.;,，。；\d]{0,6}", re.IGNORECASE)
_HAN_TOTAL = re.compile("[^，。；]{0,12}(?:中|里)[，]?(?:有|只有|仅有|共有)?")
# "of the 40 applicants, 10", "von 40 Bewerbern waren 10"
_TOTAL = re.compile(r"(?:\bof|\bvon|\bde|\bsur|\bentre)\s(?:the |its |los |las |les |den |der )?$", re.IGNORECASE)
# "one in five", "three out of four", "zwei von drei", "tres de cada cuatro", "un sur dix"
_RATIO = re.compile(
    r"\W{0,2}(?:in|out of|of every|in every|von|sur|de cada|aus|[^\W\d_]{3,} (?:out of|von|sur|de cada))\W{0,2}",
    re.IGNORECASE,
)
_LEAD_IN = 80  # characters before a number in which its lead-in is looked for, such as "one visitor out of "
_OF = re.compile(r"\s(?:of|of the|of its|der|des|von den|de los|de las|sur les|des)\s", re.IGNORECASE)
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
_DAY, _MONTH, _YEAR = 86400, 2629800, 31557600
_MOST_YEARS = 200
_CONVERSIONS = {"celsius": ("fahrenheit", 1.8, 32.0), "fahrenheit": ("celsius", 1 / 1.8, -32.0 / 1.8)}

_PHRASES = load_words("duration_phrases")


def _phrases(position: str) -> dict[str, float]:
    return {
        phrase.replace("_", " "): float(entry.split()[1])
        for entry, phrases in _PHRASES.items()
        if entry.startswith(position)
        for phrase in phrases
    }


def _alternatives(phrases: Iterable[str]) -> str:
    """Return a pattern of phrases, the longest first."""
    return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))


_BEFORE, _BEHIND = _phrases("before"), _phrases("behind")
_TIME_UNITS = [word for word, (dimension, _) in UNITS.items() if dimension == "time" and word.isascii() and word[1:]]
_DURATION = re.compile(rf"(?<!\w)({_alternatives(_BEFORE)})[ -]?({_alternatives(_TIME_UNITS)})(?!\w)")
_BEHIND_DURATION = re.compile(rf" ?({_alternatives(_BEHIND)})(?!\w)")
_RATE = re.compile(
    rf" ?(?:times |mal |fois |veces )?(?:{_alternatives(p.replace('_', ' ') for p in _PHRASES['rate'])})(?!\w)"
)


def notations(quantity: Quantity) -> Iterator[Quantity]:
    """Yield the same quantity in other notations: 25 % and a quarter, 180 °C and 356 °F."""
    for value in quantity.values:
        if quantity.unit == "%":
            yield quantity._replace(values=(value / 100,), unit=RATIO, approximate=True)
        elif quantity.unit == RATIO and value < 1:
            yield quantity._replace(values=(value * 100,), unit="%", approximate=False)
            yield quantity._replace(values=(round(value * 100),), unit="%", approximate=False)
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
    found = [
        *_words(text, folded),
        *_ratios(text, quantities),
        *_changes(text, quantities),
        *_shifted(text, quantities),
        *differences_stated(text, quantities),
    ]
    found += parts_and_multiples(text, [*quantities, *found])
    if timed:
        found += _between_dates(quantities)
    durations = list(_durations(folded, quantities)) if len(folded) == len(text) else []
    if dated:
        found += shifted_dates(text, quantities, durations)
    if len(folded) == len(text):
        found += [*durations, *_totals(folded, quantities)]
    if denied:
        found += complements(text, quantities)
    found += [other for q in [*quantities, *found] for other in notations(q)]
    return found


def _words(text: str, folded: str) -> Iterator[Quantity]:
    for parts, pattern, value in _WORDS:
        if any(part in folded for part in parts) and (match := pattern.search(text)):
            yield Quantity((value,), *match.span(), unit=RATIO if value < 1 else "")
            if value < 1:
                yield Quantity((value,), *match.span())
    for match in _TENTH.finditer(folded) if any(word in folded for word in _TENTHS) else ():
        yield Quantity((_TENTHS[match[1]],), *match.span(), unit=RATIO)
    for match in _MILLIONS.finditer(folded) if any(word in folded for word in _SCALES) else ():
        share = 0.25 if match[1].startswith("quarter") else 0.5
        yield Quantity((share * _SCALES[match[2]],), *match.span())
    for match in _ROMAN.finditer(text):
        if len(match[0]) > 1:
            values = [_ROMAN_VALUES[letter] for letter in match[0]]
            pairs = zip(values, [*values[1:], 0], strict=True)
            value = float(sum(-one if one < following else one for one, following in pairs))
            yield Quantity((value,), *match.span())
            yield Quantity((value,), *match.span(), ordinal=True)


def _ratios(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    for one, other in pairwise(quantities):
        if not one.values or not other.values or one.unit or not 0 < one.values[0] < other.values[0]:
            continue
        if _RATIO.fullmatch(text, one.end, max(one.end, other.start)):
            ratio = one.values[0] / other.values[0]
            yield Quantity((ratio,), one.start, other.end, unit=RATIO, approximate=one.approximate)
    for total, part in pairwise(quantities):
        counts = total.values and part.values and not total.unit and not part.unit
        of_total = _TOTAL.search(text, max(0, total.start - _LEAD_IN), total.start) or _HAN_TOTAL.fullmatch(
            text, total.end, max(total.end, part.start)
        )
        if counts and 0 < part.values[0] < total.values[0] and of_total:
            yield Quantity((part.values[0] / total.values[0],), total.start, part.end, unit=RATIO)
    for one in quantities:
        every = one.ordinal and _EVERY.search(text, max(0, one.start - _LEAD_IN), one.start)
        every = every or (
            not one.unit and not one.ordinal and _SHARE_OF.search(text, max(0, one.start - _LEAD_IN), one.start)
        )
        if one.values and one.values[0] > 1 and (every or _HAN_EVERY.search(text, max(0, one.start - 2), one.end + 10)):
            yield Quantity((1 / one.values[0],), one.start, one.end, unit=RATIO)


def changes(text: str, quantities: Sequence[Quantity]) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield the first and the second number of each change: 600 and 750, for "rose from 600 to 750"."""
    for one, other in pairwise(quantities):
        if not one.values or not other.values or (one.unit and one.unit != other.unit) or one.values[0] == 0:
            continue
        if _FROM.search(text, max(0, one.start - _LEAD_IN), one.start) and _TO.fullmatch(
            text, one.end, max(one.end, other.start)
        ):
            yield one if one.unit else one._replace(unit=other.unit, factor=other.factor), other


def differences(one: Quantity, other: Quantity) -> Iterator[Quantity]:
    """Yield the difference of the two numbers of a change, and its share of the first: 150 and 25 %."""
    first, second = one.base_value, other.base_value
    yield other._replace(values=(abs(second - first) / other.factor,), start=one.start)
    yield Quantity((100 * abs(second - first) / first,), one.start, other.end, unit="%")


def _changes(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 150 and 25 %, for "rose from 600 to 750"."""
    for one, other in changes(text, quantities):
        yield from differences(one, other)


def _durations(folded: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 24 hours, for "within a day", and 195 minutes, for "tres horas y cuarto"."""
    for found in _DURATION.finditer(folded):
        unit, factor = UNITS[found[2]]
        yield Quantity((_BEFORE[found[1].strip(" -")],), *found.span(), unit=unit, factor=factor)
    for q in quantities:
        if q.unit == "time" and q.values and (more := _BEHIND_DURATION.match(folded, q.end)):
            yield q._replace(values=(q.values[0] + _BEHIND[more[1]],), end=more.end())


def _totals(folded: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 10 ml, for "5 ml twice a day"."""
    for one, times in pairwise(quantities):
        if one.unit and one.values and not times.unit and times.values and _RATE.match(folded, times.end):
            yield one._replace(values=(one.values[0] * times.values[0],))


def complements(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield complements, to which a negated sentence refers: 7 for "two of the nine"."""
    for one, other in pairwise(quantities):
        if one.values and other.values and _OF.fullmatch(text, one.end, max(one.end, other.start)):
            yield Quantity((other.values[0] - one.values[0],), one.start, other.end)
        if one.unit == "%":
            yield one._replace(values=(100 - one.values[0],))


def _shifted(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield dates: 1915 for "founded in 1890 and closed 25 years later", July for "in March … four months later"."""
    bases = [q for q in quantities if q.values]
    spans = [q for q in bases if q.unit in {"time", ""}]
    dates, lengths = (sum(map(is_one, bases)) for is_one in (_is_date, _is_length))
    if dates * lengths > MOST_PAIRS:
        return
    between = len(bases) > 1 and len(spans) > 0
    signs = [sign for pattern, sign in ((_LATER, 1), (_EARLIER, -1)) if between and pattern.search(text)]
    next_year = any(map(_is_year, bases)) and (
        _NEXT_YEAR.search(text) or any(shift.step == (0, 12) for shift in counted(text, (), 0))
    )
    for base in bases:
        year = _is_year(base)
        if year and next_year:
            yield from (base._replace(values=(base.values[0] + step,)) for step in (1, -1))
        for span in spans if _is_date(base) else ():
            local = direction(text, span, base.start) if span.unit == "time" else ()
            for sign in (local or signs) if span is not base else ():
                if year and span.factor == _MONTH and span.unit:
                    yield from _months_later(base, sign * int(span.values[0]), quantities)
                elif year and (span.factor >= _YEAR or (not span.unit and span.values[0] < _MOST_YEARS)):
                    years = span.values[0] * (round(span.factor / _YEAR) if span.unit else 1)
                    yield base._replace(values=(base.values[0] + sign * years,))
                elif base.unit == MONTH and span.factor == _MONTH:
                    yield base._replace(values=((base.values[0] + sign * span.values[0] - 1) % 12 + 1,))


def _between_dates(quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the time between neighbouring dates: seven years for "began in 1825" and "used in 1832"."""
    years = [q for q in quantities if q.values and _is_year(q)]
    for one, other in pairwise(years):
        length = abs(other.values[0] - one.values[0])
        yield Quantity((length,), one.start, other.end, unit="time", factor=_YEAR)
    for day, later in pairwise(date for date in stated_dates(quantities) if date.day):
        length = abs((moved(later, 0, 0) - moved(day, 0, 0)).days)
        yield Quantity((float(length),), day.start, later.end, unit="time", factor=_DAY)


def _is_date(quantity: Quantity) -> bool:
    return quantity.unit == MONTH or _is_year(quantity)


def _is_length(quantity: Quantity) -> bool:
    return quantity.unit == "time"


def _is_year(quantity: Quantity) -> bool:
    return not quantity.unit and is_year(quantity.values[0])


def _months_later(base: Quantity, months: int, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the year some months from a year, if the month is stated: "in January 2016 … eighteen months later"."""
    start = next((q.values[0] for q in quantities if q.unit == MONTH and 0 <= base.start - q.end <= _NEAR_MONTH), None)
    if start is not None:
        yield base._replace(values=(base.values[0] + (int(start) - 1 + months) // 12,))
    elif months % 12 == 0:
        yield base._replace(values=(base.values[0] + months // 12,))


_NEAR_MONTH = 4  # characters between a month and its year
