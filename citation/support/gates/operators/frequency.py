"""Compare how often something happens: "every second year", "yearly", "once every fifteen months"."""

from collections.abc import Iterator

from ....text.clauses import Statement
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

_Period = tuple[float, str]  # days, and the words


def frequency(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim has another frequency than the sentence that shares most with it.

    At least one side must say "every", since an adjective says less: "the annual fee is paid in monthly instalments".
    """
    mine, theirs = list(_periods(alignment.claim)), list(_periods(alignment.passage))
    if not theirs or not any(" " in said for _, said in (*mine, *theirs)):
        return
    for days, said in mine:
        if all(abs(days - other) > _SAME * days for other, _ in theirs):
            detail = f"the passage says “{theirs[0][1]}”, not “{said}”"
            yield Disagreement(Reason.QUANTIFIER, detail, rule="frequency")
            return


def _periods(statement: Statement) -> Iterator[_Period]:
    """Yield the periods after which something happens again."""
    words = statement.words
    numbers = {t.word: t for t in statement.tokens if t.quantity is not None}
    for at, word in enumerate(words):
        if word in _ADVERBS:
            yield _ADVERBS[word], word
        every = next((one for one in _EVERY.get(word, ()) if tuple(words[at : at + len(one)]) == one), None)
        if every is None or at + len(every) >= len(words):
            continue
        following = at + len(every)
        number = numbers.get(following)
        if number is not None and number.quantity is not None and number.quantity.unit == "time":
            seconds = number.quantity.values[0] * number.quantity.factor
            yield seconds / _DAY, " ".join((*every, statement.spelled(number.start, number.end)))
            continue
        times = _TIMES.get(words[following])
        unit = following + (times is not None)
        dimension, seconds = UNITS.get(words[unit], ("", 0.0)) if unit < len(words) else ("", 0.0)
        if dimension == "time":
            yield (times or 1.0) * seconds / _DAY, " ".join(words[at : unit + 1])
