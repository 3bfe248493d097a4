"""Numbers that follow from a difference or a multiple: 150 for "from 600 to 750", 29 for "24 points, five behind".

The place of a difference decides where it leads. Directly after a number, as in "65 metres, 4 metres taller than the
east tower", it leads to the number of the other thing. In a clause of its own it leads to the number of this thing:
"The east tower is 61 metres high. The west tower is four metres taller."
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from ...normalize import fold
from ...words.word_lists import any_of, any_word, load_words, words_by_number
from ..quantities import RATIO, Quantity
from .context import match_before, match_between

_WORDS = load_words("change_words")
_REACH_CHARACTERS = 90  # characters between two numbers that are compared
_NEAR = 4  # numbers before a multiple that are looked at; several may be readings of the same digits
_MULTIPLES = {
    phrase.replace("_", " "): factor
    for factor, phrases in words_by_number(_WORDS, "multiple").items()
    for phrase in phrases
}
_MORE, _LESS = (re.compile(rf"\s?(?:points? |places? )?{any_word(_WORDS[key])}") for key in ("more", "less"))
_TIMES = re.compile(rf"(?:^|\W)({any_of(_MULTIPLES)}|times) (?P<as>as\b|so\b|mas\b|plus\b)?", re.IGNORECASE)
# After what is left of the amount before: "of the 200 euros, 110 are left".
_LEFT = re.compile(
    r"(?: of (?:it|this|that|these|those|them|which))?(?: (?:is|are|was|were|still|now))* (?:left|remain)"
)
# Between a number and a difference that is directly after it: "24 points, five", "65 metres, or four"
_APPOSITION = re.compile(
    r"(?:\s[^\W\d]+){0,2},\s(?:which is |or |some |about |almost |nearly |exactly |das sind |soit )?"
)
# "rose from 600 to 750 euros": the difference, and its share of the first
_FROM = re.compile(r"(?:\b(?:from|von|de)\s|[从由自])$", re.IGNORECASE)
_TO_END = re.compile(r"[^.;,，。；]{0,12}?(?:\b(?:to|auf|à|a)\s|至|到)[^.;,，。；\d]{0,6}", re.IGNORECASE)
_SENTENCES = re.compile(r"[.;!?。；]\s?")
_MOST_SENTENCES = 1  # full stops between two numbers


def changes(text: str, quantities: Sequence[Quantity]) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield the first and the second number of each change: 600 and 750, for "rose from 600 to 750"."""
    for first, second in pairwise(quantities):
        if not first.values or not second.values or (first.unit and first.unit != second.unit) or first.values[0] == 0:
            continue
        if match_before(_FROM, text, first) and match_between(_TO_END, text, first, second):
            yield first if first.unit else first._replace(unit=second.unit, factor=second.factor), second


def differences(before: Quantity, after: Quantity) -> Iterator[Quantity]:
    """Yield the difference of the two numbers of a change, and its share of the first: 150 and 25 %."""
    first, second = before.base_value, after.base_value
    yield after._replace(values=(abs(second - first) / after.factor,), start=before.start)
    yield Quantity((100 * abs(second - first) / first,), before.start, after.end, unit="%")


def differences_stated(text: str, quantities: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the numbers that follow from the changes, differences and multiples that `text` states."""
    for before, after in changes(text, quantities):
        yield from differences(before, after)
    folded = fold(text)
    if len(folded) != len(text):
        return
    numbers = [q for q in quantities if q.values and not q.ordinal and not q.may_be_year and q.unit != RATIO]
    for before, after in pairwise(numbers):
        near = after.start - before.end <= _REACH_CHARACTERS
        if near and before.unit == after.unit and _LEFT.match(folded, after.end):
            yield before._replace(values=(before.values[0] - after.values[0] * after.factor / before.factor,))
    for index, before in enumerate(numbers):
        for sign, pattern in ((1, _MORE), (-1, _LESS)):
            if pattern.match(folded, before.end):
                yield from _compared(folded, before, sign, numbers[:index])
    for match in _TIMES.finditer(folded):
        yield from _multiplied(folded, match, numbers)


def comparisons(text: str, quantities: Sequence[Quantity]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the differences and multiples in `text`: "1,200 euros more", "twice as many as"."""
    folded = fold(text)
    if len(folded) != len(text):
        return
    for q in quantities:
        if q.values and (comparison := _MORE.match(folded, q.end) or _LESS.match(folded, q.end)):
            yield q.start, comparison.end()
    for match in _TIMES.finditer(folded):
        if match["as"]:
            yield match.start(1), match.end()


def _length(difference: Quantity, base: Quantity) -> float | None:
    """Return a difference in the unit of the number that it is counted from, None if they measure different things."""
    if difference.unit and difference.unit != base.unit:
        return None
    return difference.values[0] * (difference.factor / base.factor if difference.unit else 1)


def _compared(text: str, difference: Quantity, sign: int, before: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the number of the other thing, or of this thing, that a difference leads to."""
    for base in reversed(before):
        between = text[base.end : difference.start]
        length = _length(difference, base)
        if len(between) > _REACH_CHARACTERS or len(_SENTENCES.findall(between)) > _MOST_SENTENCES:
            return
        if length is None or (not difference.unit and base.unit):
            continue
        way = -sign if _APPOSITION.fullmatch(between) else sign
        yield base._replace(values=(round(base.values[0] + way * length, 6),))
        return


def _multiplied(text: str, match: re.Match[str], numbers: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield 2,600 for "5,200 patients, twice as many as before", and 40 for "Ada has 20. Ben has twice as many."."""
    factor = _MULTIPLES.get(match[1])
    start = match.start(1)
    index = bisect_left(numbers, start, key=attrgetter("start"))
    near = numbers[max(0, index - _NEAR) : index]
    if factor is None:  # "three times as many"
        count = next((q for q in near if 0 <= start - q.end <= 1), None)
        if count is None:
            return
        factor, start = count.values[0], count.start
    base = next((q for q in reversed(near) if q.end < start), None)
    if base is None or factor <= 0 or start - base.end > _REACH_CHARACTERS:
        return
    between = text[base.end : start]
    if _APPOSITION.fullmatch(between if between[-1:].isspace() else between + " "):
        yield base._replace(values=(base.values[0] / factor,))
    elif match["as"] and _SENTENCES.search(between) and len(_SENTENCES.findall(between)) <= _MOST_SENTENCES:
        yield base._replace(values=(base.values[0] * factor,))
