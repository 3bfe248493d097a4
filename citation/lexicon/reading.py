"""Finds the quantities among the pieces of a text."""

import re
from dataclasses import dataclass, field, replace

from .folding import words
from .numerals import (
    AMBIGUOUS,
    CENTURIES,
    HAN_NUMERAL,
    HAN_SCALES,
    JOINERS,
    ORDINALS,
    THOUSAND,
    WORD_LANGUAGES,
    combine,
    han_value,
    readings,
    roman_value,
    scale,
    word_value,
)
from .quantities import CENTURY, CLOCK, DECADE, MONTH, RATIO, Quantity
from .units import AMBIGUOUS_MONTHS, CURRENCY_SIGNS, HAN_UNITS, MONTHS, UNITS
from .words import Word

_CLOSE = re.compile(r"[ \u00a0\u202f-]?")
_ABOUT = frozenset(
    words(
        """about around approximately approx roughly nearly almost over under exceeding circa ca some rund etwa ungefahr
    knapp fast gut uber circa environ presque pres alrededor aproximadamente casi unos unas cerca aproximadamente
    quasi circa okolo около"""
    )
)
_HAN_ABOUT = re.compile(r"(?:约|約|大约|近|超过|超過|逾|将近|接近|大概|ほぼ|約)$")
_DECADE_WORDS = frozenset({"s", "er", "ern"})
_YEARS_OF = frozenset({"annees", "anos", "decada", "decade", "anni"})
_ORDINAL_ENDINGS = frozenset(words("st nd rd th er ere re e eme o a"))
_VERSION_WORDS = frozenset(words("v version versions versao versione release build ver versie"))
_SOFT = frozenset(
    words("one first second eins once primero primera premier premiere erste ersten erster zero half quarter")
)
_COUNTED = "成个年月日天人名位次倍岁元米里吨公件条种座家所艘架辆台部本场届期世周季度分秒小点口"
_COUNTED += "只头张枚支层楼区市县国大项步句室号匹つ階回"
_SEVERAL = frozenset("数數几幾上好多")  # 数百万: some millions
_HAN_RUN = re.compile(rf"(第)?(百分之)?({HAN_NUMERAL}+)(?:分之({HAN_NUMERAL}+))?([{_COUNTED}]?)")
_NOT_HAN_NUMBERS = frozenset({"万", "萬", "亿", "億", "兆", "百", "千", "一", "十", "零", "〇", "两", "兩"})
_HAN_MONTH = re.compile(r"月(?!亮|球|经|經|饼|餅)")
_DASHES = frozenset("-–—/")
_ONE = frozenset(words("un une uno una ein um uma een"))  # a number only in "vingt et un"
ORDINAL = "ordinal"
_OF = frozenset({"of", "de", "del"})
_IN = frozenset(words("in im en since seit since desde depuis until bis last next this early late mid"))
_SIGNS = frozenset(CURRENCY_SIGNS)
_MONEY_SCALES = {"m": 1e6, "b": 1e9}  # only beside a currency: $5m
_SHARED = frozenset(dimension for dimension, _ in UNITS.values())
_BETWEEN = re.compile(r"\s?(?:-|–|—|~|to|bis|und|and|or|oder|a|à|y|et|o|ou|至|到|和)\s?")


@dataclass(slots=True)
class Pieces:
    """The raw pieces of a text, side by side: kind, text, folded text (words only), place.

    Kinds: `number`, `date`, `version`, `word`, `run` (of a script without spaces). `candidates`: pieces that may count.
    """

    text: str
    kinds: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    words: list[Word | None] = field(default_factory=list)
    folded: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    candidates: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Found:
    """A quantity and the pieces it takes up (none, inside a run)."""

    quantity: Quantity
    first: int
    after: int


def counts(run: str) -> bool:
    """Whether a run may hold a number."""
    return bool(_HAN_RUN.search(run))


class Reader:
    """Walks over the pieces of one text."""

    def __init__(self, pieces: Pieces, language: str | None) -> None:
        """`language` settles what `1,500`, `billion` and `once` mean."""
        self.p = pieces
        self.language = language

    def read(self) -> list[Found]:
        """All quantities, in order."""
        found: list[Found] = []
        free = 0
        for i in self.p.candidates:
            if i >= free:
                found += self._at(i)
                free = max([free, *(f.after for f in found[-3:])])
        return _joined(self.p.text, found)

    def _at(self, i: int) -> list[Found]:
        p = self.p
        match p.kinds[i]:
            case "number":
                return self._numeral(i)
            case "date":
                return _date(p.texts[i], p.starts[i], i)
            case "version":
                return [Found(_version(p.texts[i][1:], p.starts[i], p.ends[i]), i, i + 1)]
            case "run":
                return self._run(i)
            case _:
                return self._month(i) if p.folded[i] in MONTHS else self._words(i)

    # ------------------------------------------------------------------------------------------ digits

    def _numeral(self, i: int) -> list[Found]:
        p = self.p
        raw = p.texts[i]
        values = readings(raw, self.language)
        if not values or self._after_version(i):
            return [Found(_version(raw, p.starts[i], p.ends[i]), i, i + 1)]
        if self._negative(p.starts[i]):
            values = tuple(-v for v in values)
        found = self._quantity(values, i, i + 1)
        return [found]

    def _quantity(self, values: tuple[float, ...], first: int, after: int, strict: bool = True) -> Found:
        """Scale, unit and what else belongs to a number that took up `first`..`after`."""
        p, start = self.p, self.p.starts[first]
        end, scaled = p.ends[after - 1], False
        money = p.text[max(0, start - 1) : start] in _SIGNS
        while after < len(p.kinds) and self._close(end, after):
            factor, length = self._scale(after, money)
            if factor is None:
                break
            values, scaled = tuple(v * factor for v in values), True
            end = p.starts[after] + length
            if p.kinds[after] == "run":
                break
            after += 1
        period, after, end = self._period(values, first, after, end)
        if period:
            if period[1] == ORDINAL:
                return Found(Quantity(values, start, end, ordinal=True), first, after)
            return Found(Quantity(period[0], start, end, unit=period[1]), first, after)
        unit, factor, after, end = self._unit(first, after, end)
        about = (first > 0 and p.folded[first - 1] in _ABOUT) or bool(
            _HAN_ABOUT.search(p.text, max(0, start - 3), start)
        )
        return Found(Quantity(values, start, end, unit, factor, strict, scaled or about), first, after)

    def _scale(self, i: int, money: bool) -> tuple[float | None, int]:
        p = self.p
        if p.kinds[i] == "word":
            if money and p.folded[i] in _MONEY_SCALES:
                return _MONEY_SCALES[p.folded[i]], 1
            return scale(p.folded[i], self.language), p.ends[i] - p.starts[i]
        if p.kinds[i] == "run":
            for length in (2, 1):
                factor = HAN_SCALES.get(p.texts[i][:length])
                if factor and len(p.texts[i]) >= length:
                    return factor, length
        return None, 0

    def _period(
        self, values: tuple[float, ...], first: int, after: int, end: int
    ) -> tuple[tuple[tuple[float, ...], str] | None, int, int]:
        """`1990s`, `90er`, `años 90`; `19th century`, `19. Jahrhundert`."""
        p = self.p
        if after < len(p.kinds):
            word, gap = p.folded[after], p.text[end : p.starts[after]]
            if word in _DECADE_WORDS and gap in {"", "'", "’"} and values[0] % 10 == 0 and values[0] >= 10:
                return (values, DECADE), after + 1, p.ends[after]
            ending = after
            if word in _ORDINAL_ENDINGS and not gap:
                ending += 1
            if ending < len(p.kinds) and p.folded[ending] in CENTURIES:
                return (values, CENTURY), ending + 1, p.ends[ending]
            if p.kinds[after] == "run" and not gap:
                if p.texts[after].startswith(("世纪", "世紀")):
                    return (values, CENTURY), after, end
                if p.texts[after].startswith(("年代", "년대")):
                    return (values, DECADE), after, end
            if ending > after:
                return (values, ORDINAL), ending, p.ends[after]
        before = p.folded[first - 1] if first and self._close(p.ends[first - 1], first) else ""
        if before in _YEARS_OF and values[0] % 10 == 0 and (20 <= values[0] < 100 or 1000 <= values[0] < 2100):
            return (values, DECADE), after, end
        return None, after, end

    def _unit(self, first: int, after: int, end: int) -> tuple[str, float, int, int]:
        p, text = self.p, self.p.text
        sign = text[p.starts[first] - 1 : p.starts[first]]
        before = text[max(0, p.starts[first] - 2) : p.starts[first]].strip()[-1:]
        follows = text[end : end + 3].lstrip()
        if follows[:1] in {"%", "％"}:
            return "%", 1.0, after, text.index(follows[0], end) + 1
        if sign and (before in CURRENCY_SIGNS) and before:
            return *UNITS[before], after, end
        if follows[:2].casefold() in {"°c", "°f"} or follows[:1] in {"℃", "℉"}:
            return *UNITS[follows[:2].casefold() if follows[0] == "°" else follows[0]], after, end
        if follows[:1] and follows[0] in CURRENCY_SIGNS:
            return *UNITS[follows[0]], after, end
        if after < len(p.kinds) and self._close(end, after):
            return self._unit_word(after, end)
        return "", 1.0, after, end

    def _unit_word(self, after: int, end: int) -> tuple[str, float, int, int]:
        p = self.p
        word = p.folded[after]
        if p.kinds[after] == "run":
            rest = p.text[end : end + 4]
            for unit in HAN_UNITS:
                if rest.startswith(unit):
                    return *UNITS[unit], after, end + len(unit)
            if _HAN_MONTH.match(rest):
                return MONTH, 1.0, after, end + 1
            return "", 1.0, after, end
        following = p.folded[after + 1] if after + 1 < len(p.kinds) else ""
        if word == "de" and following in UNITS:  # millones de euros
            return *UNITS[following], after + 2, p.ends[after + 1]
        if word in {"por", "per", "pour"} and following in {"ciento", "cent", "cento"}:
            return "%", 1.0, after + 2, p.ends[after + 1]
        if word.startswith("prozent"):
            return "%", 1.0, after + 1, p.ends[after]
        if word in UNITS and p.kinds[after] == "word":
            return *UNITS[word], after + 1, p.ends[after]
        return "", 1.0, after, end

    def _close(self, end: int, i: int) -> bool:
        return self.p.starts[i] <= end or bool(_CLOSE.fullmatch(self.p.text, end, self.p.starts[i]))

    def _after_version(self, i: int) -> bool:
        return i > 0 and self.p.folded[i - 1] in _VERSION_WORDS and self._close(self.p.ends[i - 1], i)

    def _negative(self, start: int) -> bool:
        text = self.p.text
        sign = text[start - 1 : start]
        return bool(sign) and sign in "-−" and (start < 2 or text[start - 2] in " (（")

    # ------------------------------------------------------------------------------------------ words

    def _words(self, i: int) -> list[Found]:
        p = self.p
        word = p.folded[i]
        if word in ORDINALS:
            rank = (float(ORDINALS[word]),)
            ordinal = Quantity(rank, p.starts[i], p.ends[i], strict=word not in _SOFT, ordinal=True)
            if i + 1 < len(p.kinds) and p.folded[i + 1] in CENTURIES:
                return [Found(Quantity(ordinal.values, p.starts[i], p.ends[i + 1], CENTURY), i, i + 2)]
            return [Found(ordinal, i, i + 1)]
        if word in CENTURIES:
            return self._roman(i)
        values, after = self._number_words(i)
        if not values or (self.language is None and after == i + 1 and word in AMBIGUOUS):
            return []
        value = combine(values)
        strict = not (after == i + 1 and word in _SOFT)
        return [self._quantity((value,), i, after, strict)]

    def _number_words(self, i: int) -> tuple[list[int], int]:
        """The values of the number words from `i` on, and where they end; unknown language: the one that reads most."""
        if self.language is not None:
            return self._words_in(i, self.language)
        return max((self._words_in(i, language) for language in WORD_LANGUAGES), key=lambda read: read[1])

    def _words_in(self, i: int, language: str) -> tuple[list[int], int]:
        p, after = self.p, i
        values: list[int] = []
        while after < len(p.kinds) and (after == i or self._close(p.ends[after - 1], after)):
            word = p.folded[after]
            value = word_value(word, language)
            if value is None and word in _ONE and values and p.folded[after - 1] in JOINERS:
                value = 1
            if value is None and word in JOINERS and values and after + 1 < len(p.kinds):
                following = 1 if p.folded[after + 1] in _ONE else word_value(p.folded[after + 1], language)
                if following is None or following >= values[-1] or (language == "en" and values[-1] < 100):
                    break
                after += 1
                continue
            if value is None:
                factor = scale(word, language)
                if factor is None or len(word) < 3 or (not values and word not in THOUSAND):
                    break
                value = int(factor)
            values.append(value)
            after += 1
        return values, after

    def _month(self, i: int) -> list[Found]:
        p = self.p
        if p.folded[i] not in AMBIGUOUS_MONTHS:
            return [self._month_at(i)]
        beside = any(0 <= j < len(p.kinds) and p.kinds[j] == "number" for j in (i - 1, i + 1))
        dated = beside or (i >= 2 and p.folded[i - 1] in _OF and p.kinds[i - 2] == "number")
        introduced = i > 0 and p.folded[i - 1] in _IN
        written = p.texts[i][:1].isupper() or self.language not in {"en", "de"}
        return [self._month_at(i)] if written and (dated or introduced) else []

    def _month_at(self, i: int) -> Found:
        return Found(Quantity((float(MONTHS[self.p.folded[i]]),), self.p.starts[i], self.p.ends[i], MONTH), i, i + 1)

    def _roman(self, i: int) -> list[Found]:
        for j in (i + 1, i - 1):
            if 0 <= j < len(self.p.kinds):
                value = roman_value(self.p.texts[j].rstrip("eè").removesuffix("ème"))
                if value:
                    first, last = min(i, j), max(i, j)
                    return [
                        Found(
                            Quantity((float(value),), self.p.starts[first], self.p.ends[last], CENTURY),
                            i,
                            max(i, j) + 1,
                        )
                    ]
        return []

    # ------------------------------------------------------------------------------------------ runs

    def _run(self, i: int) -> list[Found]:
        run, at = self.p.texts[i], self.p.starts[i]
        found = []
        for match in _HAN_RUN.finditer(run):
            ordinal, percent, numeral, numerator, counter = match.groups()
            attached = match.start() == 0 and i > 0 and self.p.kinds[i - 1] == "number" and self.p.ends[i - 1] == at
            if attached or not (ordinal or percent or numerator or counter or len(numeral) > 1):
                continue
            if (
                numeral in _NOT_HAN_NUMBERS
                and not (ordinal or percent or numerator)
                and numeral not in {"十", "两", "兩"}
            ):
                continue
            value = han_value(numeral)
            if value is None:
                continue
            found.append(Found(_han_quantity(run, at, match, value), i, i))
        return found


def _han_quantity(run: str, at: int, match: re.Match[str], value: float) -> Quantity:
    ordinal, percent, _, numerator, counter = match.groups()
    start, end = at + match.start(), at + match.end() - len(counter)
    if numerator:
        return Quantity(((han_value(numerator) or 0.0) / value,), start, end, RATIO)
    if percent:
        return Quantity((value,), start, end, "%")
    if counter == "成":
        return Quantity((10 * value,), start, end, "%", rounded=True)
    rest = run[match.end() - len(counter) :]
    if rest.startswith(("世纪", "世紀")):
        return Quantity((value,), start, end, CENTURY)
    if rest.startswith("年代"):
        return Quantity((value,), start, end, DECADE)
    if counter == "月" and not ordinal and value <= 12:
        return Quantity((value,), start, end, MONTH)
    rounded = bool(_HAN_ABOUT.search(run, max(0, match.start() - 3), match.start()))
    for unit in HAN_UNITS:
        if rest.startswith(unit) and not ordinal:
            return Quantity((value,), start, end + len(unit), *UNITS[unit], rounded=rounded)
    if run[max(0, match.start() - 1) : match.start()] in _SEVERAL:
        return Quantity((value,), start, end, strict=False)
    strict = bool(ordinal and value != 1) or len(match[3]) > 1 or value > 2
    return Quantity((value,), start, end, strict=strict, rounded=rounded)


def _version(raw: str, start: int, end: int) -> Quantity:
    """`3.10`; a whole number may also be written without the word `version`."""
    return Quantity((float(raw),) if raw.isdigit() else (), start, end, version=raw.replace(",", "."))


def _joined(text: str, found: list[Found]) -> list[Found]:
    """`5-10 %` are two percentages; `19世纪80年代` are the 1880s."""
    joined: list[Found] = []
    for f in reversed(found):
        q, after = f.quantity, joined[-1].quantity if joined else None
        if after and q.rounded and q.end == after.start and after.values and q.values and q.values[0] > after.values[0]:
            joined[-1] = replace(
                joined[-1], quantity=replace(after, start=q.start, values=(q.values[0] + after.values[0],))
            )
            continue
        if after and not q.unit and q.values and after.unit in _SHARED and _BETWEEN.fullmatch(text, q.end, after.start):
            f = replace(f, quantity=replace(q, unit=after.unit, factor=after.factor))
        if (
            after
            and q.unit == CENTURY
            and after.unit == DECADE
            and after.values[0] < 100
            and after.start - q.end <= len("世纪")
        ):
            century = (q.values[0] - 1) * 100
            joined[-1] = replace(joined[-1], quantity=replace(after, values=(century + after.values[0],)))
        joined.append(f)
    return joined[::-1]


def _ends_year_range(text: str, year: Quantity, after: Quantity) -> bool:
    """`2018–19`."""
    short = after.end - after.start == 2 and text[after.start : after.end].isdigit()
    return short and 1000 <= year.values[0] < 2100 and year.end - year.start == 4


def _date(raw: str, start: int, i: int) -> list[Found]:
    """ISO and day-month-year dates, times of day, ratios."""
    end = start + len(raw)
    clock = re.fullmatch(r"(\d{1,2}):([0-5]\d)(?::[0-5]\d)?(?:\s?([aApP])\.?\s?[mM]\.?)?", raw)
    if clock:
        hours, minutes = int(clock[1]), int(clock[2])
        half = (clock[3] or "").lower()
        options = {"a": [hours % 12], "p": [hours % 12 + 12]}.get(half, [hours, hours + 12] if hours < 12 else [hours])
        return [Found(Quantity(tuple(float(60 * h + minutes) for h in options), start, end, CLOCK), i, i + 1)]
    numbers = [int(n) for n in re.findall(r"\d+", raw)]
    if len(numbers) == 2:
        return [Found(Quantity((numbers[0] + numbers[1] / 1e4,), start, end, RATIO), i, i + 1)]
    if numbers[0] > 31:
        year, months, days = numbers[0], [numbers[1]], [numbers[2]]
    else:
        year, days, months = numbers[2], [numbers[0]], [numbers[1]]
        if "/" in raw:
            days, months = [*days, numbers[1]], [*months, numbers[0]]
    parts = (
        Quantity((float(year),), start, end),
        Quantity(tuple(float(m) for m in months), start, end, MONTH),
        Quantity(tuple(float(d) for d in days), start, end),
    )
    return [Found(quantity, i, i + 1) for quantity in parts]
