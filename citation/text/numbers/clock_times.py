"""Times of day that are not written as 17:00: "5 pm", "noon", "a quarter to eight", "17 Uhr", "6 h 50", "下午5点".

They are read in the sentences that are compared, and not in all of the evidence, where few numbers are times of day. A
time without "am" or "pm" has two values below 12 hours.
"""

import re
from collections.abc import Iterator, Sequence

from ..words.word_lists import any_of, load_words, words_by_number
from .numerals import han_value
from .quantities import CLOCK, Quantity

_WORDS = load_words("clock_words")
_NOON, _HOURS = 12, 24  # hours
_HOUR, _DAY = 60, 24 * 60  # minutes
_PM = frozenset(word.replace("_", " ") for word in _WORDS["pm"] + _WORDS["pm_unspaced"])
_HALF = any_of(_WORDS["am"] + _WORDS["pm"])  # halves of the day
_SUFFIX = rf"""(?:
    (?P<half>{_HALF})                               # 5 pm, 9 in the evening
    | {any_of(_WORDS["hour"])}                      # 17 Uhr
      (?:\s?(?P<after>[0-5]\d)(?!\d))?             # 17 Uhr 30
      (?:\s(?P<later>{_HALF}))?                     # 5 Uhr nachmittags
    )(?!\w)"""
# The digit is looked for first, because that is faster.
_NUMERAL = re.compile(
    rf"(?=\d)(?<![\d:.,])(?P<hour>[01]?\d|2[0-4])(?:[:.](?P<minute>[0-5]\d))?\s?{_SUFFIX}", re.IGNORECASE | re.VERBOSE
)
_AFTER_WORDS = re.compile(rf"\s{_SUFFIX}", re.IGNORECASE | re.VERBOSE)  # "ten in the morning"
_HAN = re.compile(
    rf"""
    (?P<half>{any_of(_WORDS["am_unspaced"] + _WORDS["pm_unspaced"])})?
    (?P<hour>\d{{1,2}}|[一二三四五六七八九十两]{{1,3}})[点點时時]
    (?:
        (?P<quarters>[一三])刻
        # 三点五 is a decimal, but 三点十五 and 三点五分 are times.
        | (?P<after>\d{{1,2}}|[二三四五]?十[一二三四五六七八九]?|零?[一二三四五六七八九](?=分))分?
        | (?P<thirty>半)
    )?
    (?!间|間|长|[零一二三四五六七八九十\d])
    """,
    re.VERBOSE,
)
_NAMED = re.compile(
    rf"(?<!\w)(?:(?P<noon>{any_of(_WORDS['noon'])})|(?P<midnight>{any_of(_WORDS['midnight'])}))(?!\w)", re.IGNORECASE
)
_AT = re.compile(rf"\b{any_of(_WORDS['at'])}\s$", re.IGNORECASE)
_LEAD_IN_CHARACTERS = 24  # characters before an hour in which its fraction is looked for
_HALF_AFTER = re.compile(rf"\s(?P<half>{_HALF})(?!\w)", re.IGNORECASE)
# By minutes: before the hour, "a quarter to eight", "halb neun"; after it, "les ocho y media".
_BEFORE, _AFTER = (words_by_number(_WORDS, place) for place in ("before", "after"))
_FRACTION_BEFORE = {
    minutes: re.compile(rf"(?<!\w){any_of(phrases)}\s$", re.IGNORECASE) for minutes, phrases in _BEFORE.items()
}
_FRACTION_AFTER = {
    minutes: re.compile(rf"(?:\s(?:heures?|h))?\s{any_of(phrases)}(?!\w)", re.IGNORECASE)
    for minutes, phrases in _AFTER.items()
}
# A search for each of these phrases is faster than the patterns, and few texts have one.
_FRACTION_PHRASES = [
    phrase.replace("_", " ") for phrases in (*_BEFORE.values(), *_AFTER.values()) for phrase in phrases
]
_NAMES = _WORDS["noon"] + _WORDS["midnight"]


def clock_times(text: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """Return the times of day in `text`, in minutes since midnight, with the spans of their words.

    `quantities`: the numbers of the text. Those that are times of day already are returned, too.
    """
    times = [q for q in quantities if q.unit == CLOCK and q.values]
    times += [*_numerals(text), *_worded(text, quantities)]
    lower = text.lower()
    if any(phrase in lower for phrase in _FRACTION_PHRASES):
        times += _fractions(text, quantities)
    if any(name in lower for name in _NAMES):
        for match in _NAMED.finditer(text):
            times.append(_time(float(_NOON * _HOUR if match["noon"] else 0), match.span()))
    return times


def with_times(text: str, quantities: Sequence[Quantity]) -> list[Quantity]:
    """Return the numbers of `text`, in order, with its times of day in the place of their parts.

    A length is no time of day unless a word shows it: "14 h", but "à 14 h".
    """
    lengths = {
        q.end
        for q in quantities
        if q.unit == "time" and not _AT.search(text, max(0, q.start - _LEAD_IN_CHARACTERS), q.start)
    }
    times = [time for time in clock_times(text, quantities) if time.end not in lengths]
    merged: list[Quantity] = []
    for number in sorted([*times, *quantities], key=lambda q: (q.start, -q.end)):
        if not merged or number.start >= merged[-1].end:
            merged.append(number)
    return merged


def _time(minutes: float, span: tuple[int, int], *further_minutes: float) -> Quantity:
    return Quantity((minutes, *further_minutes), *span, CLOCK)


def _numerals(text: str) -> Iterator[Quantity]:
    """Yield the times of day that are written in digits or in Chinese."""
    for match in _NUMERAL.finditer(text):
        minutes = int(match["minute"] or match["after"] or 0)
        yield _on_clock(int(match["hour"]), minutes, match.span(), match["half"] or match["later"])
    for match in () if text.isascii() else _HAN.finditer(text):
        hour, quarters = _han_number(match["hour"]), match["quarters"]
        minutes = 30 if match["thirty"] else 15 * _han_number(quarters) if quarters else _han_number(match["after"])
        written = match["half"] or match["thirty"] or match["after"] or match["hour"].isdecimal()
        if written and hour <= _HOURS and minutes < _HOUR:  # 三点 may be three points
            yield _on_clock(hour, minutes, match.span(), match["half"])


def _han_number(text: str | None) -> int:
    """Return the value of digits or Chinese numerals, 0 without any."""
    return int(text) if text and text.isdecimal() else int(han_value(text or "零") or 0)


def _worded(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 10:00 for "ten in the morning"."""
    for hour in quantities:
        if _is_hour(hour) and text[hour.start].isalpha() and (match := _AFTER_WORDS.match(text, hour.end)):
            span = hour.start, match.end()
            yield _on_clock(int(hour.values[0]), int(match["after"] or 0), span, match["half"] or match["later"])


def _is_hour(quantity: Quantity) -> bool:
    return bool(quantity.values) and 1 <= quantity.values[0] <= _HOURS and quantity.values[0] % 1 == 0


def _on_clock(hour: int, minutes: int, span: tuple[int, int], half: str | None) -> Quantity:
    """Return a time of day. `half`: the word for the half of the day; without one, a time may be in both."""
    if half:
        return _time(float((hour % _NOON + (_NOON if _is_pm(half) else 0)) * _HOUR + minutes), span)
    both = [(hour + _NOON) * _HOUR + minutes] if hour < _NOON else []
    return _time(float(hour * _HOUR + minutes), span, *map(float, both))


def _is_pm(half: str) -> bool:
    return half.lower() in _PM


def _fractions(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 7:45 for "a quarter to eight", and 8:30 for "las ocho y media"."""
    for hour in filter(_is_hour, quantities):
        for minutes, pattern in _FRACTION_BEFORE.items():
            if match := pattern.search(text, max(0, hour.start - _LEAD_IN_CHARACTERS), hour.start):
                yield _around(text, hour, minutes, (match.start(), hour.end))
        for minutes, pattern in _FRACTION_AFTER.items():
            if match := pattern.match(text, hour.end):
                yield _around(text, hour, minutes, (hour.start, match.end()))


def _around(text: str, hour: Quantity, minutes: float, span: tuple[int, int]) -> Quantity:
    """Return the time some minutes before or after an hour, in the half of the day that follows `span`, or in both."""
    start, end = span
    time = (hour.values[0] % _NOON * _HOUR + minutes) % _DAY
    later = (time + _NOON * _HOUR) % _DAY
    if half := _HALF_AFTER.match(text, end):
        return _time(later if _is_pm(half["half"]) else time, (start, half.end()))
    return _time(time, span, later)
