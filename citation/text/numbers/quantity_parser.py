"""Parse the quantities of a text from its tokens."""

import re
from functools import lru_cache

from ..steps import Steps, complete
from ..tokens import Tokens
from ..words.languages import stopwords
from .adjacent_quantities import merge_adjacent
from .dates import match_century, match_date, match_month, match_period, version
from .german_words import number_with_unit
from .han_numerals import is_approximate, match_run
from .number_words import match_compound_ordinal, match_fraction, match_half, match_number_words, match_ordinal
from .numerals import CENTURIES, FRACTIONS, HALVES, HAN_SCALES, ONE, ORDINALS, numeral_values, scale
from .quantities import Quantity, QuantityMatch
from .unit_matches import match_unit
from .units import (
    APPROXIMATE,
    BEFORE_LEAST,
    CURRENCY_SIGNS,
    HAN_MORE,
    MONEY_SCALES,
    MONTHS,
    NEGATIVE,
    UNITS,
    VERSION_WORDS,
)

# Signs that belong to the number after them, and to the number before them.
_PREFIXES = CURRENCY_SIGNS | {"-", "−"}
_SUFFIXES = frozenset(unit[0] for unit in UNITS if not unit[0].isalnum())
_ARTICLES = frozenset({"the", "los", "las", "les", "die", "den"})  # "rondó los cincuenta mil"
_DECIMAL = re.compile(r"\d+\.\d+", re.ASCII)
_STEP = 128  # numbers that are parsed in a step: 1 ms
# Numbers outside these limits, and what is computed from them, may overflow. They are compared as they are written.
_SMALLEST, _LARGEST = 1e-50, 1e50


class QuantityParser:
    """Parse the tokens of one text, once."""

    def __init__(self, tokens: Tokens, language: str | None) -> None:
        """Parse `tokens`. `language` decides what `1,500`, `billion` and `once` mean."""
        self.tokens = tokens
        self.language = language

    def parse(self) -> list[QuantityMatch]:
        """Return all quantities, in order."""
        return complete(self.parse_in_steps())

    def parse_in_steps(self) -> Steps[list[QuantityMatch]]:
        """Parse a text with many numbers in steps; see `parse`."""
        matches: list[QuantityMatch] = []
        after = 0
        for number, i in enumerate(self.tokens.quantity_indexes, 1):
            if number % _STEP == 0:
                yield None
            if i >= after and (matched := self._match(i)):
                matches += matched
                after = matched[-1].after
        matches = [self._as_written(match) if _may_overflow(match) else match for match in matches]
        return merge_adjacent(self.tokens.text, matches) if len(matches) > 1 else matches

    def _match(self, i: int) -> list[QuantityMatch]:
        """Return the quantities that begin at token `i`, or are in the run that it is."""
        tokens = self.tokens
        match tokens.kind(i):
            case "word":
                return self._match_word(i)
            case "number":
                return self._match_numeral(i)
            case "date":
                return match_date(tokens.surface(i), tokens.starts[i], i, self.language)
            case "version":
                quantity = version(tokens.surface(i)[1:], tokens.starts[i], tokens.ends[i])
                return [QuantityMatch(quantity, i, i + 1)]
            case _:
                return match_run(tokens, i)

    def _as_written(self, match: QuantityMatch) -> QuantityMatch:
        """Return a number without its value: it agrees with what is written in the same way."""
        _, start, end, *_ = match.quantity
        return match._replace(quantity=Quantity((), start, end, version=self.tokens.text[start:end]))

    def _match_word(self, i: int) -> list[QuantityMatch]:
        """Match a quantity that begins with a word. Of several kinds, the first in this order counts."""
        tokens = self.tokens
        word, following = tokens.word(i), tokens.word(i + 1)
        if following in ORDINALS and (ordinal := match_compound_ordinal(tokens, i, self.language)):
            return ordinal
        if following in FRACTIONS and (fraction := match_fraction(tokens, i, self.language)):
            return fraction
        if word in MONTHS and (month := match_month(tokens, i, self.language)):
            return month
        if word in ORDINALS:
            return match_ordinal(tokens, i)
        if (word in HALVES or word in ONE) and (half := match_half(tokens, i, self.language)):
            return [half if half.quantity.unit else self._quantity(half.quantity.values, i, half.after)]
        if word in CENTURIES:
            return match_century(tokens, i, self.language)
        number = match_number_words(tokens, i, self.language)
        if number is None:
            return self._match_german_word(i) if self.language == "de" else []
        value, after, strict = number
        if tokens.word(after) in ORDINALS and (ordinal := match_compound_ordinal(tokens, i, self.language)):
            return ordinal
        if self._is_negative(i):
            value = -value
        if self._has_no_modifier(i, after):
            quantity = Quantity((value,), tokens.starts[i], tokens.ends[after - 1], strict=strict)
            return [QuantityMatch(quantity, i, after)]
        return [self._quantity((value,), i, after, strict)]

    def _match_german_word(self, i: int) -> list[QuantityMatch]:
        """Match a word that contains a number and its unit."""
        word_value = number_with_unit(self.tokens.word(i))
        if word_value is None:
            return []
        span = self.tokens.starts[i], self.tokens.ends[i]
        return [QuantityMatch(Quantity((word_value.value,), *span, word_value.unit, word_value.factor), i, i + 1)]

    def _match_numeral(self, i: int) -> list[QuantityMatch]:
        """Match a numeral with its sign, scale and unit, or a version."""
        tokens = self.tokens
        surface, start, end = tokens.surface(i), tokens.starts[i], tokens.ends[i]
        values = numeral_values(surface, self.language)
        if values and self._has_no_modifier(i, i + 1):
            if "." in surface and self._may_be_label(i):
                return [QuantityMatch(Quantity(values, start, end, version=surface), i, i + 1)]
            return [QuantityMatch(Quantity(values, start, end), i, i + 1)]
        if not values or (tokens.word(i - 1) in VERSION_WORDS and tokens.is_adjacent(tokens.ends[i - 1], i)):
            return [QuantityMatch(version(surface, start, end), i, i + 1)]
        if self._is_negative(i):
            values = tuple(-value for value in values)
        match = self._quantity(values, i, i + 1)
        if not match.quantity.unit and self._may_be_label(i):
            match = match._replace(quantity=match.quantity._replace(version=surface))
        return [match]

    def _may_be_label(self, i: int) -> bool:
        """Return whether the numeral at `i` may be a version or a section: `Python 3.10`, `Table 2.1`."""
        tokens = self.tokens
        if not i or not tokens.is_adjacent(tokens.ends[i - 1], i):
            return False
        name = tokens.tokens[i - 1]
        is_name = name.capitalized and name.folded not in stopwords(self.language)
        return is_name and _DECIMAL.fullmatch(tokens.surface(i)) is not None

    def _is_negative(self, i: int) -> bool:
        """Return whether a sign or the word "minus" is before the numeral at token `i`, and no number before that."""
        text, start = self.tokens.text, self.tokens.starts[i]
        if i and self.tokens.word(i - 1) in NEGATIVE and self.tokens.is_adjacent(self.tokens.ends[i - 1], i):
            before = self.tokens.word(i - 2) if i > 1 else ""
            return before not in BEFORE_LEAST and (i < 2 or self.tokens.kind(i - 2) != "number")
        sign = text[start - 1 : start]
        if text.endswith("零下", 0, start):
            return True
        return bool(sign) and sign in "-−" and (start < 2 or text[start - 2] in " (（")

    def _quantity(self, values: tuple[float, ...], first: int, after: int, strict: bool = True) -> QuantityMatch:
        """Return the quantity of a number at the tokens from `first` to `after`, with its scale and unit."""
        tokens, start = self.tokens, self.tokens.starts[first]
        end, scaled = tokens.ends[after - 1], False
        money = tokens.text[max(0, start - 1) : start] in CURRENCY_SIGNS
        if after < len(tokens) and tokens.text[tokens.ends[after] : tokens.ends[after] + 1] in CURRENCY_SIGNS:
            money = True  # 45 M€
        while tokens.is_adjacent(end, after):
            factor, length = self._scale(after, money)
            if factor is None:
                break
            values, scaled = tuple(value * factor for value in values), True
            end = tokens.starts[after] + length
            if tokens.kind(after) == "run":
                break
            after += 1
        period = match_period(tokens, values, first, after, end)
        if period:
            return period
        unit, factor, after, end = match_unit(tokens, self.language, first, after, end)
        if unit == "%" and factor != 1:  # ‰
            values, factor = tuple(value * factor for value in values), 1.0
        approximate = scaled or self._is_approximate(first, start, end)
        if start and tokens.text[start - 1] in CURRENCY_SIGNS:
            start -= 1  # the sign is a part of the number: "from $40 to $60"
        return QuantityMatch(Quantity(values, start, end, unit, factor, strict, approximate), first, after)

    def _is_approximate(self, first: int, start: int, end: int) -> bool:
        """Return whether a word in or next to the number that begins at token `first` shows that it is rounded."""
        tokens = self.tokens
        before = first - 2 if tokens.word(first - 1) in _ARTICLES else first - 1
        if tokens.word(first) in APPROXIMATE or tokens.word(before) in APPROXIMATE:  # une vingtaine; about twenty
            return True
        return is_approximate(tokens.text, start) or tokens.text.startswith(HAN_MORE, end)

    def _has_no_modifier(self, first: int, after: int) -> bool:
        """Return whether the text around a number certainly does not belong to it.

        This is true of most numbers, and takes a fifth of the time of looking for scales, periods and units.
        """
        tokens = self.tokens
        if any(token.modifies_number for token in tokens.tokens[max(0, first - 1) : after + 1]):
            return False
        text, start, end = tokens.text, tokens.starts[first], tokens.ends[after - 1]
        return _is_separate(text[max(0, start - 2) : start], text[end : end + 2])

    def _scale(self, i: int, money: bool) -> tuple[float | None, int]:
        """Return the factor that token `i` multiplies a number by, and its length; None where it is no scale."""
        tokens = self.tokens
        if tokens.kind(i) == "word":
            if money and tokens.word(i) in MONEY_SCALES:
                return MONEY_SCALES[tokens.word(i)], 1
            return scale(tokens.word(i), self.language), tokens.ends[i] - tokens.starts[i]
        if tokens.kind(i) == "run" and tokens.text[tokens.starts[i]] in HAN_SCALES:
            pair = tokens.surface(i)[:2]
            return (HAN_SCALES[pair], len(pair)) if pair in HAN_SCALES else (HAN_SCALES[pair[0]], 1)
        return None, 0


@lru_cache(maxsize=4096)
def _is_separate(before: str, after: str) -> bool:
    """Return whether no sign between these two characters on each side of a number belongs to it."""
    last, following = before[-1:], after[:1]
    return not (
        last in _PREFIXES
        or (last.isspace() and before[:1] in _PREFIXES)
        or following in _SUFFIXES
        or following.isalnum()
        or (following.isspace() and (after[1:] in _SUFFIXES or after[1:].isspace()))
    )


def _may_overflow(match: QuantityMatch) -> bool:
    values = match.quantity.values
    return bool(values) and values[0] != 0 and not _SMALLEST < abs(values[0]) < _LARGEST
