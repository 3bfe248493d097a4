"""Times of day that are not written as 17:00: "5 pm", "noon", "a quarter to eight", "17 Uhr", "6 h 50", "下午5点".

They are read in the sentences that are compared, and not in all of the evidence, where few numbers are times of day. A
time without "am" or "pm" has two values below 12 hours.
"""

import re
from collections.abc import Iterator, Sequence

from ..words.word_lists import any_of, load_words
from .numerals import han_value
from .quantities import CLOCK, Quantity

_WORDS = {key: [word.replace("_", " ") for word in words] for key, words in load_words("clock_words").items()}
_HOUR, _NOON, _HOURS, _DAY = 60, 12, 24, 24 * 60  # minutes, hours, hours, minutes
_SUFFIX = (
    rf"(?:(?P<first>{any_of(_WORDS['first_half'])})|(?P<second>{any_of(_WORDS['second_half'])})"
    rf"|{any_of(_WORDS['hour'])}(?:\s?(?P<behind>[0-5]\d)(?!\d))?"
    rf"(?:\s(?:(?P<late>{any_of(_WORDS['second_half'])})|(?P<early>{any_of(_WORDS['first_half'])})))?)(?!\w)"
)
# "5 pm", "5:30 p.m.", "17 Uhr 30", "6 h 50", "9 in the evening". The digit is looked for first, because that is faster.
_NUMERAL = re.compile(
    rf"(?=\d)(?<![\d:.,])(?P<hour>[01]?\d|2[0-4])(?:[:.](?P<minute>[0-5]\d))?\s?{_SUFFIX}", re.IGNORECASE
)
_BEHIND_WORDS = re.compile(rf"\s{_SUFFIX}", re.IGNORECASE)  # "ten in the morning"
_HAN_NUMBER = "(?:\\d{1,2}|[一二三四五六七八九十两]{1,3})"
# 三点五 is a decimal, but 三点十五 and 三点五分 are times.
_HAN_MINUTES = "(?:\\d{1,2}|[二三四五]?十[一二三四五六七八九]?|零?[一二三四五六七八九](?=分))"
_HAN = re.compile(
    rf"(?P<half>上午|早上|清晨|凌晨|下午|晚上|傍晚|中午)?(?P<hour>{_HAN_NUMBER})[点點时時]"
    rf"(?:(?P<quarters>[一三])刻|(?P<behind>{_HAN_MINUTES})分?|(?P<thirty>半))?(?!间|間|长|[零一二三四五六七八九十\d])"
)
_HAN_SECOND = frozenset({"下午", "晚上", "傍晚", "中午"})
_NAMED = re.compile(
    rf"(?<!\w)(?:(?P<noon>{any_of(_WORDS['noon'])})|(?P<midnight>{any_of(_WORDS['midnight'])}))(?!\w)", re.IGNORECASE
)
# Before the hour: "a quarter to eight", "halb neun"; behind it: "les ocho y media".
_BEFORE = {key: int(key.split()[1]) for key in _WORDS if key.startswith("before")}
_BEHIND = {key: int(key.split()[1]) for key in _WORDS if key.startswith("behind")}
_AT = re.compile(r"\b(?:à|vers|dès|à partir de|avant|jusqu'à|entre)\s$", re.IGNORECASE)
_LEAD_IN = 24  # characters before an hour in which its fraction is looked for
# A search for each of these phrases is faster than the patterns, and few texts have one.
_FRACTION_PHRASES = [phrase for key in (*_BEFORE, *_BEHIND) for phrase in _WORDS[key]]
_NAMES = _WORDS["noon"] + _WORDS["midnight"]
_FRACTION = {
    minutes: re.compile(rf"(?<!\w){any_of(_WORDS[key])}\s$", re.IGNORECASE) for key, minutes in _BEFORE.items()
}
_HALF_OF_DAY = re.compile(
    rf"\s(?:(?P<second>{any_of(_WORDS['second_half'])})|(?P<first>{any_of(_WORDS['first_half'])}))(?!\w)", re.IGNORECASE
)
_FRACTION_BEHIND = {
    minutes: re.compile(rf"(?:\s(?:heures?|h))?\s{any_of(_WORDS[key])}(?!\w)", re.IGNORECASE)
    for key, minutes in _BEHIND.items()
}


def clock_times(text: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """Return the times of day in `text`, in minutes since midnight, with the spans of their words.

    `quantities`: the numbers of the text. Those that are times of day already are returned, too.
    """
    found = [q for q in quantities if q.unit == CLOCK and q.values]
    found += [*_numerals(text), *_worded(text, quantities)]
    lower = text.lower()
    if any(phrase in lower for phrase in _FRACTION_PHRASES):
        found += _fractions(text, quantities)
    if any(name in lower for name in _NAMES):
        for match in _NAMED.finditer(text):
            found.append(_time(float(_NOON * _HOUR if match["noon"] else 0), match.span()))
    return found


def with_times(text: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """Return the numbers of `text`, in order, with its times of day in the place of their parts.

    A length is no time of day unless a word shows it: "14 h", but "à 14 h".
    """
    lengths = {
        q.end for q in quantities if q.unit == "time" and not _AT.search(text, max(0, q.start - _LEAD_IN), q.start)
    }
    times = [time for time in clock_times(text, quantities) if time.end not in lengths]
    found: list[Quantity] = []
    for one in sorted([*times, *quantities], key=lambda q: (q.start, -q.end)):
        if not found or one.start >= found[-1].end:
            found.append(one)
    return found


def _time(minutes: float, span: tuple[int, int], *others: float) -> Quantity:
    return Quantity((minutes, *others), *span, CLOCK)


def _numerals(text: str) -> Iterator[Quantity]:
    for match in _NUMERAL.finditer(text):
        hour, minutes = int(match["hour"]), int(match["minute"] or match["behind"] or 0)
        second, first = match["second"] or match["late"], match["first"] or match["early"]
        yield _on_clock(hour, minutes, match.span(), second=bool(second), first=bool(first))
    for match in () if text.isascii() else _HAN.finditer(text):
        half, hour, quarters = match["half"] or "", _han_number(match["hour"]), match["quarters"]
        minutes = 30 if match["thirty"] else 15 * _han_number(quarters) if quarters else _han_number(match["behind"])
        written = match["half"] or match["thirty"] or match["behind"] or match["hour"].isdecimal()
        if written and hour <= _HOURS and minutes < _HOUR:  # 三点 may be three points
            second = half in _HAN_SECOND
            yield _on_clock(hour, minutes, match.span(), second=second, first=bool(half) and not second)


def _han_number(text: str | None) -> int:
    """Return the value of digits or Chinese numerals, 0 without any."""
    return int(text) if text and text.isdecimal() else int(han_value(text or "零") or 0)


def _worded(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 10:00 for "ten in the morning"."""
    for hour in quantities:
        if _is_hour(hour) and text[hour.start].isalpha() and (match := _BEHIND_WORDS.match(text, hour.end)):
            second, first = match["second"] or match["late"], match["first"] or match["early"]
            span = hour.start, match.end()
            yield _on_clock(
                int(hour.values[0]), int(match["behind"] or 0), span, second=bool(second), first=bool(first)
            )


def _is_hour(quantity: Quantity) -> bool:
    return bool(quantity.values) and 1 <= quantity.values[0] <= _HOURS and quantity.values[0] % 1 == 0


def _on_clock(hour: int, minutes: int, span: tuple[int, int], *, second: bool, first: bool) -> Quantity:
    """Return a time of the first or the second half of the day, or of both."""
    if second or first:
        return _time(float((hour % _NOON + (_NOON if second else 0)) * _HOUR + minutes), span)
    both = [(hour + _NOON) * _HOUR + minutes] if hour < _NOON else []
    return _time(float(hour * _HOUR + minutes), span, *map(float, both))


def _fractions(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 7:45 for "a quarter to eight", and 8:30 for "las ocho y media"."""
    for hour in quantities:
        if not _is_hour(hour):
            continue
        for minutes, pattern in _FRACTION.items():
            if match := pattern.search(text, max(0, hour.start - _LEAD_IN), hour.start):
                yield _around(text, hour, minutes, (match.start(), hour.end))
        for minutes, pattern in _FRACTION_BEHIND.items():
            if match := pattern.match(text, hour.end):
                yield _around(text, hour, minutes, (hour.start, match.end()))


def _around(text: str, hour: Quantity, minutes: int, span: tuple[int, int]) -> Quantity:
    """Return the time some minutes before or after an hour, in the half of the day that follows `span`, or in both."""
    start, end = span
    time = (hour.values[0] % _NOON * _HOUR + minutes) % _DAY
    later = (time + _NOON * _HOUR) % _DAY
    if half := _HALF_OF_DAY.match(text, end):
        return _time(later if half["second"] else time, (start, half.end()))
    return _time(time, span, later)
