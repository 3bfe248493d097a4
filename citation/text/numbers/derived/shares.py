"""Shares and multiples: numbers in words such as "twice", ratios such as "one in five", and the parts of totals."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from ...words.word_lists import any_of, any_word, load_words, words_by_number
from ..numerals import FRACTIONS, roman_value
from ..quantities import CENTURY, CLOCK, DECADE, MONTH, RATIO, Quantity
from .context import match_before, match_between

_WORDS = load_words("shares")
_VALUES = {
    value: re.compile(any_word(words), re.IGNORECASE) for value, words in words_by_number(_WORDS, "value").items()
}
_FRACTION = re.compile(rf"\b{any_of(_WORDS['one'])} ({'|'.join(FRACTIONS)})\b")
_ROMAN = re.compile(r"\b[IVXLC]{2,9}\b")
# "three in four", "three pupils out of four"
_RATIO = re.compile(
    rf"\W{{0,2}}(?:{any_word(_WORDS['ratio'])}|[^\W\d_]{{3,}} {any_word(_WORDS['ratio_of'])})\W{{0,2}}", re.IGNORECASE
)
_EVERY = re.compile(rf"{any_word(_WORDS['every'])}\s$", re.IGNORECASE)
_ONE_OF = re.compile(
    rf"\b{any_of(_WORDS['one_of'])} (?:[^\W\d_]+ )?{any_word(_WORDS['ratio'])} $", re.IGNORECASE
)  # "one guest in four"
_HAN_EVERY = re.compile("[每][^，。；]{0,8}[中里]?就?有[一1]")
_TOTAL = re.compile(rf"\b{any_of(_WORDS['of'])}\s(?:{any_of(_WORDS['article'])} )?$", re.IGNORECASE)
_OF = re.compile(rf"\s{any_of(_WORDS['of'])}(?: {any_of(_WORDS['article'])}){{0,2}}\s", re.IGNORECASE)
# After a share of the last amount: "members pay 30 euros, students half of this", "students pay half."
_OF_IT = re.compile(r"\s(?:of (?:it|this|that|these|them)\b|(?:this|that) [^\W\d_]+)|[.,;]")
_AS = re.compile(r"\s(?:times )?as\b|\stimes (?:larger|more|higher|longer|bigger|the)\b")
_REACH_CHARACTERS = 60  # characters between two numbers that belong together
_NO_AMOUNT = frozenset({"", RATIO, "%", MONTH, DECADE, CENTURY, CLOCK})


def numbers_in_words(text: str, folded: str) -> Iterator[Quantity]:
    """Yield the multiples, shares and Roman numbers of a text. `folded`: the text without diacritics."""
    for value, pattern in _VALUES.items():
        if match := pattern.search(text):
            yield Quantity((value,), *match.span(), unit=RATIO if value < 1 else "")
            if value < 1:
                yield Quantity((value,), *match.span())
    for match in _FRACTION.finditer(folded):
        yield Quantity((1 / FRACTIONS[match[1]],), *match.span(), unit=RATIO)
    for match in _ROMAN.finditer(text):
        if roman := roman_value(match[0]):
            yield Quantity((float(roman),), *match.span())
            yield Quantity((float(roman),), *match.span(), ordinal=True)


def ratios(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 0.75 for "three out of four", 0.25 for "of the 40 applicants, 10", and 1/3 for "every third"."""
    counts = [q for q in quantities if q.values and q.values[0] > 0 and not q.unit]
    for first, second in pairwise(counts):
        small, large = sorted((first, second), key=attrgetter("values"))
        stated = match_between(_RATIO, text, first, second) if small is first else match_before(_TOTAL, text, large)
        if stated and small.values[0] < large.values[0]:
            ratio = small.values[0] / large.values[0]
            yield Quantity((ratio,), first.start, second.end, unit=RATIO, approximate=first.approximate)
    for first in counts:
        every = match_before(_EVERY if first.ordinal else _ONE_OF, text, first)
        if first.values[0] > 1 and (every or _HAN_EVERY.search(text, max(0, first.start - 2), first.end + 10)):
            yield Quantity((1 / first.values[0],), first.start, first.end, unit=RATIO)


def complements(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield complements, to which a negated sentence refers: 7 for "two of the nine"."""
    for first, second in pairwise(quantities):
        if first.values and second.values and match_between(_OF, text, first, second):
            yield Quantity((second.values[0] - first.values[0],), first.start, second.end)
        if first.unit == "%":
            yield first._replace(values=(100 - first.values[0],))


def parts(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 200 for "a quarter of the 800", 20 for "of the 60, a third", £12 for "£24. Children pay half."."""
    numbers = sorted((q for q in quantities if q.values), key=attrgetter("start"))
    for share in numbers:
        ratio = share.values[0] / (100 if share.unit == "%" else 1)
        if share.unit not in {RATIO, "%"} or ratio >= 1:
            continue
        for total in _near(numbers, share):
            if total.unit in {RATIO, "%"} or total.ordinal:
                continue
            before = total.end < share.start <= total.end + _REACH_CHARACTERS
            if match_between(_OF, text, share, total) or (before and match_before(_TOTAL, text, total)):
                yield total._replace(values=(_rounded(ratio * total.values[0]),))
        if _OF_IT.match(text, share.end):
            last = next((q for q in reversed(_near(numbers, share)) if q.end < share.start), None)
            if last is not None and last.unit not in _NO_AMOUNT:
                yield last._replace(values=(_rounded(ratio * last.values[0]),))


def reversed_multiples(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the multiple in the other direction: 2 for "half as much", a third for "three times as long"."""
    for q in quantities:
        if q.values and q.values[0] > 0 and q.unit in {"", RATIO} and _AS.match(text, q.end):
            value = 1 / q.values[0]
            yield Quantity((value,), q.start, q.end, unit=RATIO if value < 1 else "")


def _near(numbers: Sequence[Quantity], number: Quantity) -> Sequence[Quantity]:
    """Return the numbers that begin within the reach of another. A text can have 10,000 numbers."""
    first = bisect_left(numbers, number.start - 3 * _REACH_CHARACTERS, key=attrgetter("start"))
    return numbers[first : bisect_right(numbers, number.end + _REACH_CHARACTERS, key=attrgetter("start"))]


def _rounded(value: float) -> float:
    """Return a whole number without the errors of a ratio such as 1/3."""
    return float(round(value)) if abs(value - round(value)) < 1e-6 else value
