"""Numbers that a text expresses in words, and shares that follow from two numbers: "twice", "one in five"."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .quantities import RATIO, Quantity

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


def numbers_in_words(text: str, folded: str) -> Iterator[Quantity]:
    """Yield the multiples, shares and Roman numbers of a text. `folded`: the text without diacritics."""
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


def ratios(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 0.75 for "three out of four", 0.25 for "of the 40 applicants, 10", and 1/3 for "every third"."""
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


def complements(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield complements, to which a negated sentence refers: 7 for "two of the nine"."""
    for one, other in pairwise(quantities):
        if one.values and other.values and _OF.fullmatch(text, one.end, max(one.end, other.start)):
            yield Quantity((other.values[0] - one.values[0],), one.start, other.end)
        if one.unit == "%":
            yield one._replace(values=(100 - one.values[0],))
