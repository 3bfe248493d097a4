"""Compare how often something happens: "every second year", "yearly", "once every fifteen months"."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ....text import Quantity
from ....text.clauses import ContentToken, Statement
from ....text.numbers.units import UNITS
from ....text.words.word_lists import load_words
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason

_DAY = 86_400  # seconds
_SAME = 0.05  # relative difference; twelve months are a year
_LISTS = load_words("frequencies")
_EVERY: dict[str, list[tuple[str, ...]]] = {}  # by the first word
for _phrase in _LISTS["every"]:
    _EVERY.setdefault(_phrase.partition("_")[0], []).append(tuple(_phrase.split("_")))
_TIMES = {word: float(key.split()[1]) for key, words in _LISTS.items() if key.startswith("times ") for word in words}
_ADVERBS = {word: float(key.split()[1]) for key, words in _LISTS.items() if key.startswith("days ") for word in words}

_PER, _COUNTED = _LISTS["per"], _LISTS["counted"]
_FIRST_WORDS = frozenset((*_EVERY, *_ADVERBS, *_PER))

_Period = tuple[float, int, int, str]  # days, the first word and the last one, and the words


def frequency(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim has another frequency than the sentence that shares most with it.

    At least one side must say "every" or "twice a", since an adverb alone may say less: "paid in monthly instalments".
    """
    theirs = list(_periods(alignment.passage))
    mine = list(_periods(alignment.claim)) if theirs else []
    if not mine or not any(" " in period[-1] for period in (*mine, *theirs)):
        return
    for period in mine:
        if not any(_same(period, other) for other in theirs):
            detail = f"the passage says “{theirs[0][-1]}”, not “{period[-1]}”"
            yield Disagreement(Reason.QUANTIFIER, detail, rule="frequency")
            return


def is_same_frequency(claim: Statement, quantity: Quantity, passages: Iterable[Statement]) -> bool:
    """Return whether a number of the claim is part of a frequency that a passage states: "every six months"."""
    own = [t.word for t in claim.tokens if t.quantity is not None and t.start == quantity.start]
    mine = [period for period in _periods(claim) if any(period[1] <= word <= period[2] for word in own)]
    return bool(mine) and any(_same(mine[0], other) for passage in passages for other in _periods(passage))


def _same(one: _Period, other: _Period) -> bool:
    return abs(one[0] - other[0]) <= _SAME * one[0]


def _periods(statement: Statement) -> Iterator[_Period]:
    """Yield the periods after which something happens again."""
    words = statement.words
    if _FIRST_WORDS.isdisjoint(words):
        return
    nouns = {t.word for t in statement.tokens if t.quantity is None and not t.verbal}
    numbers = {t.word: t for t in statement.tokens if t.quantity is not None}
    for at, word in enumerate(words):
        if word in _ADVERBS and at + 1 not in nouns:  # "the daily amount" is no frequency
            yield _ADVERBS[word], at, at, word
        if word in _PER and at:
            yield from _times_per_unit(statement, at, numbers)
        if word in _EVERY:
            yield from _every_unit(statement, at, numbers)


def _times_per_unit(statement: Statement, at: int, numbers: Mapping[int, ContentToken]) -> Iterator[_Period]:
    """Yield the period of "twice a year", of which the word at `at` is "a"."""
    words = statement.words
    seconds = _seconds(words, at + 1)
    first = at - 1 - (words[at - 1] in _COUNTED)
    number = numbers.get(first)
    count = number.quantity if number is not None else None
    if seconds and number and count and not count.unit and count.values and count.values[0] > 0:
        said = " ".join((statement.text_of(number), *words[first + 1 : at + 2]))
        yield seconds / _DAY / count.values[0], first, at + 1, said


def _every_unit(statement: Statement, at: int, numbers: Mapping[int, ContentToken]) -> Iterator[_Period]:
    """Yield the period of "every second year" or "every six months", which begins at the word `at`."""
    words = statement.words
    every = next((one for one in _EVERY[words[at]] if tuple(words[at : at + len(one)]) == one), None)
    if every is None or at + len(every) >= len(words):
        return
    following = at + len(every)
    number = numbers.get(following)
    if number is not None and number.quantity is not None and number.unit == "time":
        seconds = number.quantity.base_value
        yield seconds / _DAY, at, following, " ".join((*every, statement.text_of(number)))
        return
    times = _TIMES.get(words[following])
    unit = following + (times is not None)
    if seconds := _seconds(words, unit):
        yield (times or 1.0) * seconds / _DAY, at, unit, " ".join(words[at : unit + 1])


def _seconds(words: Sequence[str], at: int) -> float:
    """Return the length of the unit of time at a word, 0 if it is none."""
    dimension, seconds = UNITS.get(words[at], ("", 0.0)) if at < len(words) else ("", 0.0)
    return seconds if dimension == "time" else 0.0
