"""Quantities in words: `two hundred and fifty`, `fünfundzwanzig`, `quatre-vingt-dix-sept`, `dos tercios`, `third`."""

from functools import lru_cache
from typing import NamedTuple

from ..memo import MAX_LENGTH, memoize
from ..tokens import Token, Tokens
from .numerals import (
    AMBIGUOUS,
    CENTURIES,
    FRACTIONS,
    FRACTIONS_ONLY,
    HALVES,
    JOINERS,
    ONE,
    ORDINALS,
    PART_OF,
    STANDALONE_SCALES,
    WEAK,
    WORD_LANGUAGES,
    combine,
    scale,
    word_value,
)
from .quantities import CENTURY, RATIO, Quantity, QuantityMatch
from .units import APPROXIMATE, UNITS

_TEN, _DOZEN, _TWENTY, _HUNDRED = 10, 12, 20, 100
_ARTICLES = frozenset({"a", "an"})
_VERY = "très"  # without its accent, it is the Spanish and Portuguese word for three


class NumberMatch(NamedTuple):
    """A number in words."""

    value: float
    after: int  # index of the token after it
    strict: bool  # False where it often counts nothing: "one", "first"


def match_ordinal(tokens: Tokens, i: int) -> list[QuantityMatch]:
    """Match `third` or `dritte` at token `i`. With a century word it is that century."""
    rank = (float(ORDINALS[tokens.word(i)]),)
    if tokens.word(i + 1) in CENTURIES:
        return [QuantityMatch(Quantity(rank, tokens.starts[i], tokens.ends[i + 1], CENTURY), i, i + 2)]
    strict = tokens.word(i) not in WEAK
    return [QuantityMatch(Quantity(rank, tokens.starts[i], tokens.ends[i], strict=strict, ordinal=True), i, i + 1)]


def match_compound_ordinal(tokens: Tokens, i: int, language: str | None) -> list[QuantityMatch]:
    """Match `twenty-third`, `twenty third` or `one hundred and twenty-third` at token `i`.

    Two thirds of ten are no ordinal.
    """
    values, last = _values(tokens, i, language)  # the token of the unit follows the tens
    unit = ORDINALS.get(tokens.word(last), _TEN)
    if not values or unit >= _TEN:
        return []
    between, second = tokens.text[tokens.ends[last - 1] : tokens.starts[last]], tokens.word(last) == "second"
    least = _TEN if tokens.word(last - 1) == "dix" else _TWENTY  # dix-huitième
    if between not in {"-", " "} or not least <= values[-1] < _HUNDRED:
        return []
    if second and (between == " " or tokens.word(i - 1) != "the"):
        return []  # "a thirty-second pause"
    century = tokens.word(last + 1) in CENTURIES
    after = last + 2 if century else last + 1
    value, unit_of = combine(values) + unit, CENTURY if century else ""
    rank = Quantity((value,), tokens.starts[i], tokens.ends[after - 1], unit_of, ordinal=not century)
    return [QuantityMatch(rank, i, after)]


def match_fraction(tokens: Tokens, i: int, language: str | None) -> list[QuantityMatch]:
    """Match `two thirds`, `ein Drittel` or `un quart de`: the number at token `i`, the fraction word after it."""
    denominator = FRACTIONS.get(tokens.word(i + 1))
    if not denominator or tokens.is_separated(i + 1):
        return []
    is_one = tokens.word(i) in ONE and not (tokens.word(i) == "um" and language == "de")
    numerator = 1 if is_one else next(iter(_values(tokens, i, language)[0]), 0)
    certain = numerator > 1 or tokens.word(i) == "one" or tokens.word(i + 1) in FRACTIONS_ONLY
    # "A quarter of" is a fraction, "the third quarter" is not.
    if not numerator or not (certain or tokens.word(i + 2) in PART_OF):
        return []
    approximate = tokens.word(i - 1) in APPROXIMATE
    quantity = Quantity(
        (numerator / denominator,), tokens.starts[i], tokens.ends[i + 1], RATIO, approximate=approximate
    )
    return [QuantityMatch(quantity, i, i + 2)]


def match_half(tokens: Tokens, i: int, language: str | None) -> QuantityMatch | None:
    """Match `half an hour`, `half a million`, `media docena` or `une heure et demie`.

    Token `i` is a word for a half or for one. A number without a unit may have one after it.
    """
    if tokens.word(i) in HALVES:
        unit_index, value = i + 1 + (tokens.word(i + 1) in _ARTICLES), 0.5
    else:
        unit_index, value = i + 1, 1.5
    after = unit_index + 1
    if value > 1:
        half = after + 1 + (tokens.word(after + 1) in _ARTICLES)
        if tokens.word(after) not in JOINERS or tokens.word(half) not in HALVES:
            return None
        after = half + 1
    if any(not tokens.is_adjacent(tokens.ends[n - 1], n) for n in range(i + 1, after)):
        return None
    unit, factor = UNITS.get(tokens.word(unit_index), ("", 1.0))
    if not unit:
        word = _match_one_word(tokens.word(unit_index), language)
        number = scale(tokens.word(unit_index), language) or (word.value if word else 0)
        if number < _DOZEN:
            return None
        value *= number
    return QuantityMatch(Quantity((value,), tokens.starts[i], tokens.ends[after - 1], unit, factor), i, after)


def match_number_words(tokens: Tokens, i: int, language: str | None) -> NumberMatch | None:
    """Match the number in words that begins at token `i`. Return None where none does."""
    if tokens.word(i) == "tres" and tokens.surface(i).lower() == _VERY:
        return None
    following = tokens.tokens[i + 1] if i + 1 < len(tokens) else None
    continues = following and (following.may_be_quantity or following.modifies_number or following.folded in JOINERS)
    if continues or tokens.tokens[i].length > MAX_LENGTH:
        return _match_number_words(tokens, i, language)
    single = _match_one_word(tokens.word(i), language)
    return None if single is None else NumberMatch(single.value, i + 1, single.strict)


@lru_cache(maxsize=4096)
def _match_one_word(folded: str, language: str | None) -> NumberMatch | None:
    """Match a word by itself: most number words, and most words that are a number only in another language."""
    return _match_number_words(Tokens(folded, [Token(folded)], [0], [len(folded)], [0]), 0, language)


def _match_number_words(tokens: Tokens, i: int, language: str | None) -> NumberMatch | None:
    """Match all words of the number. A single word that is ambiguous counts in the given language only."""
    values, after = _values(tokens, i, language)
    single = after == i + 1
    if not values:
        return None
    if single and tokens.word(i) in AMBIGUOUS and not (language and _values_in(tokens, i, language)[0]):
        return None
    return NumberMatch(combine(values), after, not (single and tokens.word(i) in WEAK))


def _values(tokens: Tokens, i: int, language: str | None) -> tuple[list[int], int]:
    """Return the values of the number words from token `i` on, and the index after them.

    Where the language is not known, or a short text was taken for another, the language with the longest match counts.
    """
    if not _is_number_anywhere(tokens.word(i)):
        return [], i
    if language is not None:
        values, after = _values_in(tokens, i, language)
        if values:
            return values, after
    return max((_values_in(tokens, i, name) for name in WORD_LANGUAGES), key=lambda match: match[1])


@memoize(4096)
def _is_number_anywhere(word: str) -> bool:
    """Return whether a number can begin with this word in some language. "A" begins one only before a fraction."""
    return any(
        word_value(word, language) is not None or _scale_value(word, language, False) is not None
        for language in WORD_LANGUAGES
    )


def _values_in(tokens: Tokens, i: int, language: str) -> tuple[list[int], int]:
    """Return the values of the number words of one language from token `i` on, and the index after them."""
    values: list[int] = []
    after = i
    while after < len(tokens) and (after == i or tokens.is_adjacent(tokens.ends[after - 1], after)):
        word = tokens.word(after)
        value = word_value(word, language)
        if value is None and values and word in JOINERS and _joins(tokens, after, values[-1], language):
            after += 1
            continue
        if value is None and values and word in ONE and tokens.word(after - 1) in JOINERS:
            value = 1
        if value is None:
            value = _scale_value(word, language, bool(values))
        if value is None:
            break
        values.append(value)
        after += 1
    return values, after


def _joins(tokens: Tokens, i: int, last: int, language: str) -> bool:
    """Return whether the joiner at token `i` continues the number: "hundred and two", not "two and three"."""
    following = 1 if tokens.word(i + 1) in ONE else word_value(tokens.word(i + 1), language)
    return following is not None and following < last and not (language == "en" and last < 100)


def _scale_value(word: str, language: str, after_number: bool) -> int | None:
    """Return the factor of a scale word, such as "million", None for any other word.

    Most scale words count only after a number.
    """
    factor = scale(word, language)
    if factor is None or len(word) < 3 or not (after_number or word in STANDALONE_SCALES):
        return None
    return int(factor)
