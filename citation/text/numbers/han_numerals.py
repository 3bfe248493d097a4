"""Quantities in Chinese characters: `二〇二一年`, `百分之六点三`, `三分之二`, `第三`, `十九世纪`, `约三万人`."""

import re
from collections.abc import Iterator

from ..tokens import Tokens
from .numerals import find_han_numbers, han_value
from .quantities import CENTURY, DECADE, MONTH, RATIO, Quantity, QuantityMatch
from .units import HAN_MORE, UNITS, han_unit

_NOT_ALONE = frozenset("万亿兆百千一零〇") | {"万一", "一一", "千万"}  # words of their own without a counter
_NO_TENTHS = frozenset("为立功果员本分长熟就都绩品因")  # 之一成为, 一成员; but 涨了一成
_SEVERAL = frozenset("数几上好多")  # 数百万: several million
_APPROXIMATE = re.compile("(?:约|大约|近|超过|逾|将近|接近|大概|ほぼ)$")  # a line can end between it and the number
_TENTH = re.compile("[一二三四五六七八九](?![十百千万亿])")
_HALF = re.compile(
    "(?:(?P<one>一)年|(?<=年))(?P<of_year>半)(?![年月天个])|(?:(?P<single>一)个|(?<![上下前后多大]))半个?"
)
_YEARLY = ("年报", "年度")  # a report on half a year
_IDIOMATIC = frozenset({UNITS["天"], UNITS["周"]})  # 有一天: one day, at some time


def is_approximate(text: str, start: int) -> bool:
    """Return whether a word before the number that begins at `start` says that it is approximate."""
    return bool(_APPROXIMATE.search(text, max(0, start - 3), start))


def match_run(tokens: Tokens, i: int) -> list[QuantityMatch]:
    """Return the quantities in the run at token `i`."""
    run, offset = tokens.surface(i), tokens.starts[i]
    # 3万: the numeral before the run has its first character.
    attached = i > 0 and tokens.kind(i - 1) == "number" and tokens.ends[i - 1] == offset
    matches = []
    for match in find_han_numbers(run):
        ordinal, percent, numeral, numerator, counter = match.groups()
        explicit = bool(ordinal or percent or numerator)
        measures = bool(han_unit(run[match.end() - len(counter) :]))  # 一小时, 两星期
        if (attached and match.start() == 0) or not (explicit or counter or len(numeral) > 1 or measures):
            continue
        value = han_value(numeral)
        if numerator and not value:
            continue  # 零分之一 has no value
        tenths = counter == "成" and run[match.end() : match.end() + 1] not in _NO_TENTHS
        certain = explicit or tenths or measures or counter == "月"
        if value is not None and (certain or numeral not in _NOT_ALONE):
            matches.append(QuantityMatch(_quantity(run, offset, match, value), i, i))
    if "半" in run:
        matches = sorted([*matches, *_halves(run, offset, i)], key=lambda match: match.quantity.start)
    return matches


def _halves(run: str, offset: int, i: int) -> Iterator[QuantityMatch]:
    """Yield half a unit, which may belong to a number before it: 半小时, 一个半小时, 两年半."""
    for half in _HALF.finditer(run):
        following = run[half.end() :]
        year = half["of_year"] or following.startswith("年")
        name = "" if year else "个月" if following.startswith("月") else han_unit(following)
        if name or (year and not following.startswith(_YEARLY)):
            unit, factor = UNITS[name] if name else UNITS["jahr"]
            end = half.end() + (0 if half["of_year"] else 1 if year else len(name) - (name == "个月"))
            value = 1.5 if half["one"] or half["single"] else 0.5
            quantity = Quantity((value,), offset + half.start(), offset + end, unit, factor, strict=name != "天")
            yield QuantityMatch(quantity, i, i)


def _quantity(run: str, offset: int, match: re.Match[str], value: float) -> Quantity:
    """Return the quantity of a match of HAN_NUMBER in a run that begins at `offset`. `value`: of the numeral."""
    ordinal, percent, numeral, numerator, counter = match.groups()
    start, end = offset + match.start(), offset + match.end() - len(counter)
    if numerator:
        return Quantity(((han_value(numerator) or 0.0) / value,), start, end, RATIO)
    if counter == "成" and not percent and (extra := _TENTH.match(run, match.end())):  # 六成八
        value += (han_value(extra[0]) or 0.0) / 10
        end += 1
    if percent or counter == "成":
        return Quantity((value if percent else 10 * value,), start, end, "%", approximate=not percent)
    following = run[match.end() - len(counter) :]
    if following.startswith("世纪"):
        return Quantity((value,), start, end, CENTURY)
    if following.startswith("年代"):
        return Quantity((value,), start, end, DECADE)
    if counter == "月" and not ordinal and value <= 12:
        return Quantity((value,), start, end, MONTH)
    approximate = is_approximate(run, match.start()) or counter in HAN_MORE
    following = following.lstrip("".join(HAN_MORE))
    unit = "" if ordinal else han_unit(following) or han_unit(following.removeprefix("个"))
    if run.endswith("零下", 0, match.start()):
        value = -value
    if unit:
        strict = numeral != "一" or UNITS[unit] not in _IDIOMATIC
        end = offset + match.end() - len(counter) + run[match.end() - len(counter) :].index(unit) + len(unit)
        return Quantity((value,), start, end, *UNITS[unit], strict=strict, approximate=approximate)
    if run[max(0, match.start() - 1) : match.start()] in _SEVERAL:
        return Quantity((value,), start, end, strict=False)
    strict = bool(ordinal and value != 1) or len(numeral) > 1 or value > 2
    return Quantity((value,), start, end, strict=strict, approximate=approximate, ordinal=bool(ordinal))
