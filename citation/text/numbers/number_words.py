"""Numbers in words: `two hundred and fifty`, `fünfundzwanzig`, `quatre-vingt-dix-sept`, `dos tercios`, `third`."""

from functools import lru_cache

from ..memo import MAX_LENGTH, memoize
from ..normalize import words
from ..tokens import QuantityMatch, Tokens
from ..words import Word
from .numerals import AMBIGUOUS, CENTURIES, JOINERS, ORDINALS, THOUSAND, WORD_LANGUAGES, combine, scale, word_value
from .quantities import CENTURY, RATIO, Quantity

# These often count nothing: "one of the first".
_SOFT = frozenset(words("one first second eins once primero primera premier premiere erste ersten erster zero"))
# Numbers only in "vingt et un" and before a fraction.
_ONE = frozenset(words("un une uno una ein eine einem einen een um uma a one"))
_FRACTIONS = {
    **dict.fromkeys(words("half halfte halbe mitad moitie metade"), 2),
    **dict.fromkeys(words("third thirds drittel dritteln tercio tercios tiers terco tercos"), 3),
    **dict.fromkeys(words("quarter quarters fourth fourths viertel vierteln cuarto cuartos quart quarts"), 4),
    **dict.fromkeys(words("fifth fifths funftel quinto quintos cinquieme cinquiemes"), 5),
    **dict.fromkeys(words("tenth tenths zehntel decimo decimos dixieme dixiemes"), 10),
}
_ONLY_FRACTIONS = frozenset(words("halfte drittel viertel funftel zehntel tercio tiers"))
# After the others comes what it is a part of: "a quarter of", not "the third quarter".
_PART_OF = frozenset(words("of de del des d der do da von"))


def ordinal(p: Tokens, i: int) -> list[QuantityMatch]:
    """`third`, `dritte`; with a century word that century."""
    rank = (float(ORDINALS[p.word(i)]),)
    if p.word(i + 1) in CENTURIES:
        return [QuantityMatch(Quantity(rank, p.starts[i], p.ends[i + 1], CENTURY), i, i + 2)]
    strict = p.word(i) not in _SOFT
    return [QuantityMatch(Quantity(rank, p.starts[i], p.ends[i], strict=strict, ordinal=True), i, i + 1)]


def fraction(p: Tokens, i: int, language: str | None) -> list[QuantityMatch]:
    """`two thirds`, `ein Drittel`, `un quart de`: the fraction word is at `i + 1`, its number at `i`."""
    whole = _FRACTIONS.get(p.word(i + 1))
    if not whole:
        return []
    many = 1 if p.word(i) in _ONE else next(iter(_values(p, i, language)[0]), 0)
    sure = many > 1 or p.word(i) == "one" or p.word(i + 1) in _ONLY_FRACTIONS
    if not many or not (sure or p.word(i + 2) in _PART_OF):
        return []
    return [QuantityMatch(Quantity((many / whole,), p.starts[i], p.ends[i + 1], RATIO), i, i + 2)]


def number_words(p: Tokens, i: int, language: str | None) -> tuple[float, int, bool] | None:
    """Value, the piece after, and whether it surely counts; None where no number begins at `i`."""
    following = p.words[i + 1] if i + 1 < len(p.words) else None
    goes_on = following and (following.counts or following.numeric or following.folded in JOINERS)
    if goes_on or p.words[i].length > MAX_LENGTH:
        return _number_words(p, i, language)
    alone = _one_word(p.words[i].folded, language)
    return None if alone is None else (alone[0], i + 1, alone[2])


@lru_cache(maxsize=4096)
def _one_word(folded: str, language: str | None) -> tuple[float, int, bool] | None:
    """Of a word by itself, which most are; without a number in most languages, too."""
    return _number_words(Tokens(folded, [Word(folded)], [0], [len(folded)], [0]), 0, language)


def _number_words(p: Tokens, i: int, language: str | None) -> tuple[float, int, bool] | None:
    values, after = _values(p, i, language)
    alone = after == i + 1
    if not values or (alone and p.word(i) in AMBIGUOUS and not (language and _values_in(p, i, language)[0])):
        return None
    return combine(values), after, not (alone and p.word(i) in _SOFT)


def _values(p: Tokens, i: int, language: str | None) -> tuple[list[int], int]:
    """In a text of unknown language, or a short one taken for another: as the language that reads most of it."""
    if not _counts_anywhere(p.word(i)):
        return [], i
    if language is not None:
        values, after = _values_in(p, i, language)
        if values:
            return values, after
    return max((_values_in(p, i, name) for name in WORD_LANGUAGES), key=lambda read: read[1])


@memoize(4096)
def _counts_anywhere(word: str) -> bool:
    """Whether a number can begin with this word in some language; "a" only looks like one, before a fraction."""
    return any(
        word_value(word, language) is not None or _scale_value(word, language, False) is not None
        for language in WORD_LANGUAGES
    )


def _values_in(p: Tokens, i: int, language: str) -> tuple[list[int], int]:
    values: list[int] = []
    after = i
    while after < len(p) and (after == i or p.close(p.ends[after - 1], after)):
        word = p.word(after)
        value = word_value(word, language)
        if value is None and values and word in JOINERS and _joins(p, after, values[-1], language):
            after += 1
            continue
        if value is None and values and word in _ONE and p.word(after - 1) in JOINERS:
            value = 1
        if value is None:
            value = _scale_value(word, language, bool(values))
        if value is None:
            break
        values.append(value)
        after += 1
    return values, after


def _joins(p: Tokens, i: int, last: int, language: str) -> bool:
    """Whether the joiner at `i` goes on with the number: "hundred and two", not "two and three"."""
    following = 1 if p.word(i + 1) in _ONE else word_value(p.word(i + 1), language)
    return following is not None and following < last and not (language == "en" and last < 100)


def _scale_value(word: str, language: str, counted: bool) -> int | None:
    factor = scale(word, language)
    if factor is None or len(word) < 3 or not (counted or word in THOUSAND):
        return None
    return int(factor)
