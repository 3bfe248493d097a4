"""Finds the quantities among the pieces of a text."""

import re

from ..stopwords import stopwords
from ..tokens import QuantityMatch, Tokens
from .dates import century, date, month, version
from .han_numerals import about, numbers
from .modifiers import (
    ABOUT,
    DECADE_ENDINGS,
    ENDINGS,
    MONEY_SCALES,
    OF,
    ORDINAL_ENDINGS,
    PER,
    PERCENT,
    VERSION_WORDS,
    YEARS_OF,
)
from .number_words import fraction, number_words, ordinal
from .numerals import CENTURIES, HAN_SCALES, ORDINALS, readings, scale
from .quantities import CENTURY, DECADE, MONTH, Quantity
from .units import CURRENCY_SIGNS, MONTHS, UNITS, han_unit

_SIGNS = frozenset(CURRENCY_SIGNS)
# Signs that say something of the number behind them, and of the one before.
_BEFORE = _SIGNS | {"-", "−"}
_BEHIND = frozenset(unit[0] for unit in UNITS if not unit[0].isalnum())
_HAN_MONTH = re.compile("月(?!亮|球|经|饼)")
_LABEL = re.compile(r"\d+\.\d+", re.ASCII)
_BETWEEN = re.compile(r"\s?(?:-|–|—|~|to|bis|und|and|or|oder|a|à|y|et|o|ou|至|到|和)\s?")
_FURTHEST = len(" oder ")
_DIMENSIONS = frozenset(dimension for dimension, _ in UNITS.values())


class QuantityParser:
    """Walks over the pieces of one text."""

    def __init__(self, pieces: Tokens, language: str | None) -> None:
        """`language` settles what `1,500`, `billion` and `once` mean."""
        self.p = pieces
        self.language = language

    def read(self) -> list[QuantityMatch]:
        """All quantities, in order."""
        found: list[QuantityMatch] = []
        free = 0
        for i in self.p.candidates:
            if i >= free and (here := self._at(i)):
                found += here
                free = here[-1].after
        return joined(self.p.text, found) if len(found) > 1 else found

    def _at(self, i: int) -> list[QuantityMatch]:
        p = self.p
        match p.kind(i):
            case "word":
                return self._words(i)
            case "number":
                return self._numeral(i)
            case "date":
                return date(p.spelled(i), p.starts[i], i)
            case "version":
                return [QuantityMatch(version(p.spelled(i)[1:], p.starts[i], p.ends[i]), i, i + 1)]
            case _:
                return numbers(p, i)

    def _words(self, i: int) -> list[QuantityMatch]:
        word = self.p.word(i)
        if found := fraction(self.p, i, self.language):
            return found
        if word in MONTHS:
            return month(self.p, i, self.language)
        if word in ORDINALS:
            return ordinal(self.p, i)
        if word in CENTURIES:
            return century(self.p, i)
        counted = number_words(self.p, i, self.language)
        if counted is None:
            return []
        value, after, strict = counted
        if self._alone(i, after):
            return [
                QuantityMatch(Quantity((value,), self.p.starts[i], self.p.ends[after - 1], strict=strict), i, after)
            ]
        return [self._quantity((value,), i, after, strict)]

    def _numeral(self, i: int) -> list[QuantityMatch]:
        p = self.p
        spelled, start, end = p.spelled(i), p.starts[i], p.ends[i]
        values = readings(spelled, self.language)
        if values and self._alone(i, i + 1):
            label = spelled if "." in spelled and self._labels(i) else ""
            return [QuantityMatch(Quantity(values, start, end, version=label), i, i + 1)]
        if not values or (p.word(i - 1) in VERSION_WORDS and p.close(p.ends[i - 1], i)):
            return [QuantityMatch(version(spelled, start, end), i, i + 1)]
        if self._negative(start):
            values = tuple(-v for v in values)
        found = self._quantity(values, i, i + 1)
        if not found.quantity.unit and self._labels(i):
            found = found._replace(quantity=found.quantity._replace(version=spelled))
        return [found]

    def _labels(self, i: int) -> bool:
        """Whether the numeral at `i` may be a version or a section: `Python 3.10`, `Table 2.1`, whatever else it is."""
        p = self.p
        name = p.words[i - 1] if i and p.close(p.ends[i - 1], i) else None
        labels = name is not None and name.capital and name.folded not in stopwords(self.language)
        return labels and _LABEL.fullmatch(p.spelled(i)) is not None

    def _negative(self, start: int) -> bool:
        text = self.p.text
        sign = text[start - 1 : start]
        return bool(sign) and sign in "-−" and (start < 2 or text[start - 2] in " (（")

    def _quantity(self, values: tuple[float, ...], first: int, after: int, strict: bool = True) -> QuantityMatch:
        """Scale, unit and what else belongs to a number that took up `first` to `after`."""
        p, start = self.p, self.p.starts[first]
        end, scaled = p.ends[after - 1], False
        money = p.text[max(0, start - 1) : start] in _SIGNS
        while p.close(end, after):
            factor, length = self._scale(after, money)
            if factor is None:
                break
            values, scaled = tuple(v * factor for v in values), True
            end = p.starts[after] + length
            if p.kind(after) == "run":
                break
            after += 1
        period = self._period(values, first, after, end)
        if period:
            return period
        unit, factor, after, end = self._unit(first, after, end)
        rough = scaled or p.word(first - 1) in ABOUT or about(p.text, start) or p.text[end : end + 1] in {"余", "多"}
        return QuantityMatch(Quantity(values, start, end, unit, factor, strict, rough), first, after)

    def _alone(self, first: int, after: int) -> bool:
        """Whether what stands beside a number surely says nothing of it, as with most: to see that takes a fifth."""
        p = self.p
        if (first and p.words[first - 1].numeric) or (after < len(p.words) and p.words[after].numeric):
            return False
        start, end = p.starts[first], p.ends[after - 1]
        before, behind = p.text[start - 2 if start > 2 else 0 : start], p.text[end : end + 2]
        last, next_ = before[-1:], behind[:1]
        return not (
            last in _BEFORE
            or (last.isspace() and before[:1] in _BEFORE)
            or next_ in _BEHIND
            or next_.isalnum()
            or (next_.isspace() and (behind[1:] in _BEHIND or behind[1:].isspace()))
        )

    def _scale(self, i: int, money: bool) -> tuple[float | None, int]:
        p = self.p
        if p.kind(i) == "word":
            if money and p.word(i) in MONEY_SCALES:
                return MONEY_SCALES[p.word(i)], 1
            return scale(p.word(i), self.language), p.ends[i] - p.starts[i]
        if p.kind(i) == "run":
            for length in (2, 1):
                factor = HAN_SCALES.get(p.spelled(i)[:length])
                if factor and len(p.spelled(i)) >= length:
                    return factor, length
        return None, 0

    def _period(self, values: tuple[float, ...], first: int, after: int, end: int) -> QuantityMatch | None:
        """`1990s`, `90er`, `años 90`; `19th century`, `19. Jahrhundert`; and plain ordinals, `3rd`."""
        p, start = self.p, self.p.starts[first]
        word, gap = p.word(after), p.text[end : p.starts[after]] if after < len(p) else None
        if word not in ENDINGS and p.word(first - 1) not in YEARS_OF and (gap or after == len(p)):
            return None  # most of them
        tens = values[0] % 10 == 0
        if word in DECADE_ENDINGS and gap in {"", "'", "’"} and tens and values[0] >= 10:
            return QuantityMatch(Quantity(values, start, p.ends[after], DECADE), first, after + 1)
        ending = after + 1 if word in ORDINAL_ENDINGS and not gap else after
        if p.word(ending) in CENTURIES:
            return QuantityMatch(Quantity(values, start, p.ends[ending], CENTURY), first, ending + 1)
        if ending > after:
            return QuantityMatch(Quantity(values, start, p.ends[after], ordinal=True), first, ending)
        if gap == "" and p.kind(after) == "run":
            if p.spelled(after).startswith("世纪"):
                return QuantityMatch(Quantity(values, start, end, CENTURY), first, after)
            if p.spelled(after).startswith(("年代", "년대")):
                return QuantityMatch(Quantity(values, start, end, DECADE), first, after)
        before = p.word(first - 1) if first and p.close(p.ends[first - 1], first) else ""
        if before in YEARS_OF and tens and (20 <= values[0] < 100 or 1000 <= values[0] < 2100):
            return QuantityMatch(Quantity(values, start, end, DECADE), first, after)
        return None

    def _unit(self, first: int, after: int, end: int) -> tuple[str, float, int, int]:
        """Dimension, factor, and where the quantity ends with it: piece and offset."""
        p, text = self.p, self.p.text
        follows = text[end : end + 3].lstrip()
        before = text[max(0, p.starts[first] - 2) : p.starts[first]].strip()[-1:]
        if follows[:1] in {"%", "％"} and follows:
            return "%", 1.0, after, text.index(follows[0], end) + 1
        if before and before in _SIGNS:
            return *UNITS[before], after, end
        sign = follows[:2].casefold() if follows[:1] == "°" else follows[:1]
        if sign and not sign.isalnum() and sign in UNITS:
            return *UNITS[sign], after, end
        if not p.close(end, after):
            return "", 1.0, after, end
        return self._unit_in_run(after, end) if p.kind(after) == "run" else self._unit_word(after, end)

    def _unit_word(self, after: int, end: int) -> tuple[str, float, int, int]:
        p = self.p
        word, following = p.word(after), p.word(after + 1)
        if word == OF and following in UNITS:  # millones de euros
            return *UNITS[following], after + 2, p.ends[after + 1]
        if word in PER and following in {"ciento", "cent", "cento"}:
            return "%", 1.0, after + 2, p.ends[after + 1]
        if word.startswith(PERCENT):
            return "%", 1.0, after + 1, p.ends[after]
        if p.kind(after) == "word" and word in UNITS:
            return *UNITS[word], after + 1, p.ends[after]
        return "", 1.0, after, end

    def _unit_in_run(self, after: int, end: int) -> tuple[str, float, int, int]:
        rest = self.p.text[end : end + 6].lstrip("余多")
        if unit := han_unit(rest):
            return *UNITS[unit], after, end + len(unit)
        if _HAN_MONTH.match(rest):
            return MONTH, 1.0, after, end + 1
        return "", 1.0, after, end


def joined(text: str, found: list[QuantityMatch]) -> list[QuantityMatch]:
    """Quantities that say something together: `5-10 %`, `2018–19`, `1亿2000万`, `19世纪80年代`."""
    done: list[QuantityMatch] = []
    for f in reversed(found):
        if done and f.quantity.values and done[-1].quantity.values:
            q, after = f.quantity, done[-1].quantity
            if after.start - q.end > _FURTHEST:
                done.append(f)
                continue
            between = text[q.end : after.start]
            if q.rounded and not between and q.values[0] > after.values[0]:
                total = after._replace(start=q.start, values=(q.values[0] + after.values[0],))
                done[-1] = done[-1]._replace(quantity=total)
                continue
            if not q.unit and after.unit in _DIMENSIONS and _BETWEEN.fullmatch(between):
                f = f._replace(quantity=q._replace(unit=after.unit, factor=after.factor))
            elif _starts_years(q) and between in {"-", "–", "—"} and after.end - after.start == 2 and not after.unit:
                done[-1] = done[-1]._replace(quantity=_plus(after, q.values[0] // 100 * 100))
            elif q.unit == CENTURY and after.unit == DECADE and after.values[0] < 100 and between in {"", "世纪"}:
                done[-1] = done[-1]._replace(quantity=_plus(after, (q.values[0] - 1) * 100))
        done.append(f)
    return done[::-1]


def _starts_years(q: Quantity) -> bool:
    return not q.unit and q.end - q.start == 4 and 1000 <= q.values[0] < 2100


def _plus(q: Quantity, base: float) -> Quantity:
    return q._replace(values=(base + q.values[0],))
