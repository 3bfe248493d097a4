"""Parse the quantities of a text from its tokens."""

import re
from functools import lru_cache

from ..normalize import APOSTROPHES
from ..steps import Steps, complete
from ..tokens import Tokens
from ..words.languages import stopwords
from .dates import match_century, match_date, match_month, version
from .german_words import number_with_unit
from .han_numerals import is_approximate, match_run
from .number_words import match_compound_ordinal, match_fraction, match_half, match_number_words, match_ordinal
from .numerals import CENTURIES, FRACTIONS, HALVES, HAN_SCALES, ONE, ORDINALS, numeral_values, scale
from .quantities import CENTURY, DECADE, MONTH, Quantity, QuantityMatch, is_year
from .units import (
    APPROXIMATE,
    BEFORE_LEAST,
    CURRENCY_SIGNS,
    DECADE_ENDINGS,
    DECADE_WORDS,
    DEGREES,
    ENDINGS,
    MONEY_SCALES,
    MONTHS,
    NEGATIVE,
    OF_UNIT,
    ONLY_FRENCH,
    ORDINAL_ENDINGS,
    PER,
    PERCENT,
    PERCENT_AFTER_PER,
    UNITS,
    VERSION_WORDS,
    han_unit,
    power_unit,
)

_SIGNS = frozenset(CURRENCY_SIGNS)
# Signs that belong to the number after them, and to the number before them.
_PREFIXES = _SIGNS | {"-", "−"}
_SUFFIXES = frozenset(unit[0] for unit in UNITS if not unit[0].isalnum())
_HAN_MONTH = re.compile("月(?!亮|球|经|饼)")  # not moon, menses, moon cake
_NO_GAP = frozenset(["", *APOSTROPHES])  # 1990s, 1990's
_HAN_MORE = "余多"  # 3万多: more than 30,000
_EITHER_HAN_MORE = tuple(_HAN_MORE)
_ARTICLES = frozenset({"the", "los", "las", "les", "die", "den"})  # "rondó los cincuenta mil"
_DECIMAL = re.compile(r"\d+\.\d+", re.ASCII)
_RANGE = re.compile(r"\s?(?:-|–|—|~|to|bis|und|and|or|oder|a|à|y|et|o|ou|至|到|和)\s?")
_MAX_RANGE = len(" and a ")
_AND = frozenset({" and ", " und ", " et ", " y "})
_HOUR = 3600  # seconds
_YEAR_DIGITS = 4
_STEP = 128  # numbers that are parsed in a step: 1 ms
# Numbers outside these limits, and what is computed from them, may overflow. They are compared as they are written.
_SMALLEST, _LARGEST = 1e-50, 1e50
_BEFORE_HALF = frozenset({"个", "年", " and a "})  # 一个半小时, 两年半, three and a half hours
_CURRENCIES = frozenset({"eur", "usd", "gbp", "chf"})
_DIMENSIONS = frozenset(dimension for dimension, _ in UNITS.values())

# The dimension and the factor of a unit, and the token and the offset after the quantity.
_UnitMatch = tuple[str, float, int, int]


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
            if i >= after and (found := self._match(i)):
                matches += found
                after = found[-1].after
        matches = [self._as_written(match) if _may_overflow(match) else match for match in matches]
        return merge_adjacent(self.tokens.text, matches) if len(matches) > 1 else matches

    def _match(self, i: int) -> list[QuantityMatch]:
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
            return half
        if word in CENTURIES:
            return match_century(tokens, i, self.language)
        number = match_number_words(tokens, i, self.language)
        if number is None:
            return self._match_german_word(i) if self.language == "de" else []
        value, after, strict = number
        if self._is_negative(i):
            value = -value
        if self._has_no_modifier(i, after):
            quantity = Quantity((value,), tokens.starts[i], tokens.ends[after - 1], strict=strict)
            return [QuantityMatch(quantity, i, after)]
        return [self._quantity((value,), i, after, strict)]

    def _match_german_word(self, i: int) -> list[QuantityMatch]:
        """Match a word that contains a number and its unit."""
        found = number_with_unit(self.tokens.word(i))
        if found is None:
            return []
        span = self.tokens.starts[i], self.tokens.ends[i]
        return [QuantityMatch(Quantity((found.value,), *span, found.unit, found.factor), i, i + 1)]

    def _match_numeral(self, i: int) -> list[QuantityMatch]:
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
        money = tokens.text[max(0, start - 1) : start] in _SIGNS
        if after < len(tokens) and tokens.text[tokens.ends[after] : tokens.ends[after] + 1] in _SIGNS:
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
        period = self._period(values, first, after, end)
        if period:
            return period
        unit, factor, after, end = self._unit(first, after, end)
        approximate = (
            scaled
            or tokens.word(first) in APPROXIMATE  # une vingtaine
            or tokens.word(first - 2 if tokens.word(first - 1) in _ARTICLES else first - 1) in APPROXIMATE
            or is_approximate(tokens.text, start)
            or tokens.text.startswith(_EITHER_HAN_MORE, end)
        )
        if start and tokens.text[start - 1] in _SIGNS:
            start -= 1  # the sign is a part of the number: "from $40 to $60"
        return QuantityMatch(Quantity(values, start, end, unit, factor, strict, approximate), first, after)

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

    def _period(self, values: tuple[float, ...], first: int, after: int, end: int) -> QuantityMatch | None:
        """Match decades (`1990s`, `90er`, `años 90`), centuries (`19th century`) and ordinals (`3rd`)."""
        tokens, start = self.tokens, self.tokens.starts[first]
        word = tokens.word(after)
        gap = tokens.text[end : tokens.starts[after]] if after < len(tokens) else None
        if word not in ENDINGS and tokens.word(first - 1) not in DECADE_WORDS and (gap or after == len(tokens)):
            return None
        tens = values[0] % 10 == 0
        if word in DECADE_ENDINGS and gap in _NO_GAP and tens and values[0] >= 10:
            return QuantityMatch(Quantity(values, start, tokens.ends[after], DECADE), first, after + 1)
        ending = after + 1 if word in ORDINAL_ENDINGS and not gap else after
        if tokens.word(ending) in CENTURIES:
            return QuantityMatch(Quantity(values, start, tokens.ends[ending], CENTURY), first, ending + 1)
        if ending > after:
            return QuantityMatch(Quantity(values, start, tokens.ends[after], ordinal=True), first, ending)
        if gap == "" and tokens.kind(after) == "run":
            if tokens.surface(after).startswith("世纪"):
                return QuantityMatch(Quantity(values, start, end, CENTURY), first, after)
            if tokens.surface(after).startswith(("年代", "년대")):
                return QuantityMatch(Quantity(values, start, end, DECADE), first, after)
        before = tokens.word(first - 1) if first and tokens.is_adjacent(tokens.ends[first - 1], first) else ""
        if before in DECADE_WORDS and tens and (20 <= values[0] < 100 or is_year(values[0])):
            return QuantityMatch(Quantity(values, start, end, DECADE), first, after)
        return None

    def _unit(self, first: int, after: int, end: int) -> _UnitMatch:
        tokens, text = self.tokens, self.tokens.text
        follows = text[end : end + 3].lstrip()
        before = text[max(0, tokens.starts[first] - 2) : tokens.starts[first]].strip()[-1:]
        if follows[:1] in {"%", "％"}:
            return "%", 1.0, after, text.index(follows[0], end) + 1
        if before and before in _SIGNS:
            return *UNITS[before], after, end
        sign = follows[:2].casefold() if follows[:1] == "°" else follows[:1]
        if sign and not sign.isalnum() and sign in UNITS:
            return *UNITS[sign], after, end
        if not tokens.is_adjacent(end, after):
            return "", 1.0, after, end
        return self._unit_in_run(after, end) if tokens.kind(after) == "run" else self._unit_word(after, end)

    def _unit_word(self, after: int, end: int) -> _UnitMatch:
        tokens = self.tokens
        word, following = tokens.word(after), tokens.word(after + 1)
        if word == OF_UNIT and following in UNITS:  # millones de euros, millones de metros cúbicos
            return self._unit_word(after + 1, end)
        if word in PER and following in PERCENT_AFTER_PER:
            return "%", 1.0, after + 2, tokens.ends[after + 1]
        if word.startswith(PERCENT):
            return "%", 1.0, after + 1, tokens.ends[after]
        if word in DEGREES and following in UNITS:  # degrees Celsius
            return *UNITS[following], after + 2, tokens.ends[after + 1]
        if power := power_unit(word, following):
            return *power, after + 2, tokens.ends[after + 1]
        if word in ONLY_FRENCH and self.language not in {None, "fr"}:
            return "", 1.0, after, end
        if tokens.kind(after) == "word" and word in UNITS:
            return *UNITS[word], after + 1, tokens.ends[after]
        return "", 1.0, after, end

    def _unit_in_run(self, after: int, end: int) -> _UnitMatch:
        rest = self.tokens.text[end : end + 6].lstrip(_HAN_MORE)
        if unit := han_unit(rest):
            return *UNITS[unit], after, end + len(unit)
        if _HAN_MONTH.match(rest):
            return MONTH, 1.0, after, end + 1
        return "", 1.0, after, end


@lru_cache(maxsize=4096)
def _is_separate(before: str, behind: str) -> bool:
    """Return whether no sign between these two characters on each side of a number belongs to it."""
    last, following = before[-1:], behind[:1]
    return not (
        last in _PREFIXES
        or (last.isspace() and before[:1] in _PREFIXES)
        or following in _SUFFIXES
        or following.isalnum()
        or (following.isspace() and (behind[1:] in _SUFFIXES or behind[1:].isspace()))
    )


def _may_overflow(match: QuantityMatch) -> bool:
    values = match.quantity.values
    return bool(values) and values[0] != 0 and not _SMALLEST < abs(values[0]) < _LARGEST


def merge_adjacent(text: str, matches: list[QuantityMatch]) -> list[QuantityMatch]:
    """Complete quantities from the one after them: `5-10 %`, `2018–19`, `1亿2000万`, `一个半小时`, `19世纪80年代`."""
    merged: list[QuantityMatch] = []  # last first
    for match in reversed(matches):
        if merged and match.quantity.values and merged[-1].quantity.values:
            quantity, following = match.quantity, merged[-1].quantity
            if following.start - quantity.end > _MAX_RANGE:
                merged.append(match)
                continue
            between = text[quantity.end : following.start]
            if (whole := _whole(text, quantity, following)) is not None:
                merged[-1] = QuantityMatch(whole, match.first, merged[-1].after)
                continue
            if _shares_unit(quantity, following) and _RANGE.fullmatch(between):
                match = match._replace(quantity=quantity._replace(unit=following.unit, factor=following.factor))
            elif _is_year_range(quantity, between, following):
                merged[-1] = merged[-1]._replace(quantity=_add(following, quantity.values[0] // 100 * 100))
            elif _is_decade_of(quantity, between, following):
                merged[-1] = merged[-1]._replace(quantity=_add(following, (quantity.values[0] - 1) * 100))
        merged.append(match)
    return merged[::-1]


def _shares_unit(first: Quantity, second: Quantity) -> bool:
    """Return whether a number may have the unit of the one behind it. Not 2012 in "from 9 % in 2012 to 6 %"."""
    if first.unit or second.unit not in _DIMENSIONS:
        return False
    return not (first.may_be_year and first.end - first.start == _YEAR_DIGITS and second.values[0] < 1000)


def _whole(text: str, first: Quantity, second: Quantity) -> Quantity | None:
    """Return the number that two neighbours state together: `1亿2000万`, `一个半小时`, `3 € 60`, `2 h 40 min`."""
    between = text[first.end : second.start]
    value = first.values[0] + second.values[0]
    if first.approximate and not between and first.values[0] > second.values[0]:
        return second._replace(start=first.start, values=(value,))
    if second.values == (0.5,) and second.unit == "time" and between in _BEFORE_HALF and not first.unit:
        return second._replace(start=first.start, values=(value,), strict=True)
    if first.unit in _CURRENCIES and _is_cents(text, first, second):
        return first._replace(values=(first.values[0] + second.values[0] / 100,), end=second.end)
    if _is_rest(first, between, second):
        value = first.values[0] * first.factor / second.factor + second.values[0]
        return second._replace(start=first.start, values=(value,))
    return None


def _is_cents(text: str, whole: Quantity, cents: Quantity) -> bool:
    """Return whether two digits behind an amount of money are its cents: `3 euros 60`, `3 € 60`."""
    written = text[cents.start : cents.end]
    return (
        text[whole.end : cents.start] in {" ", " € ", " con ", " et "}
        and len(written) == 2
        and written.isdecimal()
        and whole.values[0] % 1 == 0
        and cents.unit in {"", whole.unit}
    )


def _is_rest(first: Quantity, between: str, second: Quantity) -> bool:
    """Return whether the second number is the rest of a measure in a smaller unit: "2 h 40 min"."""
    if not first.unit or first.unit != second.unit or not len(first.values) == len(second.values) == 1:
        return False
    long = first.unit == "time" and first.factor > _HOUR  # not "after five years and nine months after eight"
    adjoins = between == " " or (not long and between in _AND)
    return adjoins and second.values[0] * second.factor < first.factor


def _is_year_range(first: Quantity, between: str, second: Quantity) -> bool:
    """Return whether the second number is a year without its century: `2018–19`."""
    complete = not first.unit and first.end - first.start == _YEAR_DIGITS and is_year(first.values[0])
    return complete and between in {"-", "–", "—"} and second.end - second.start == 2 and not second.unit


def _is_decade_of(first: Quantity, between: str, second: Quantity) -> bool:
    """Return whether a decade follows its century: `19世纪80年代`."""
    return first.unit == CENTURY and second.unit == DECADE and second.values[0] < 100 and between in {"", "世纪"}


def _add(quantity: Quantity, base: float) -> Quantity:
    return quantity._replace(values=(base + quantity.values[0],))
