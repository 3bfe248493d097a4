"""Quantities in Chinese characters: `二〇二一年`, `百分之六点三`, `三分之二`, `第三`, `十九世纪`, `约三万人`."""

import re

from ..tokens import Tokens
from .numerals import find_han_numbers, han_value
from .quantities import CENTURY, DECADE, MONTH, RATIO, Quantity, QuantityMatch
from .units import UNITS, han_unit

_NOT_ALONE = frozenset("万亿兆百千一零〇") | {"万一", "一一", "千万"}  # words of their own without a counter
_NO_TENTHS = frozenset("为立功果员本分长熟就都绩品因")  # 之一成为, 一成员; but 涨了一成
_SEVERAL = frozenset("数几上好多")  # 数百万: several million
_APPROXIMATE = re.compile("(?:约|大约|近|超过|逾|将近|接近|大概|ほぼ)$")  # a line can end between it and the number
_MORE = "余多"  # after a number: and more
_EITHER_MORE = tuple(_MORE)


def is_approximate(text: str, start: int) -> bool:
    """Return whether a word before the number that begins at `start` says that it is approximate."""
    return bool(_APPROXIMATE.search(text, max(0, start - 3), start))


def match_run(tokens: Tokens, i: int) -> list[QuantityMatch]:
    """Return the quantities in the run at token `i`."""
    run, offset = tokens.surface(i), tokens.starts[i]
    # 3万: the numeral before the run has its first character.
    attached = i > 0 and tokens.kind(i - 1) == "number" and tokens.ends[i - 1] == offset
    matches = []
    for found in find_han_numbers(run):
        ordinal, percent, numeral, numerator, counter = found.groups()
        explicit = bool(ordinal or percent or numerator)
        if (attached and found.start() == 0) or not (explicit or counter or len(numeral) > 1 or numeral == "一"):
            continue
        value = han_value(numeral)
        if numerator and not value:
            continue  # 零分之一 has no value
        tenths = counter == "成" and run[found.end() : found.end() + 1] not in _NO_TENTHS
        measures = numeral == "一" and bool(han_unit(run[found.end() - len(counter) :]))  # 一小时
        if value is not None and (explicit or tenths or measures or numeral not in _NOT_ALONE):
            matches.append(QuantityMatch(_quantity(run, offset, found, value), i, i))
    return matches


def _quantity(run: str, offset: int, found: re.Match[str], value: float) -> Quantity:
    ordinal, percent, numeral, numerator, counter = found.groups()
    start, end = offset + found.start(), offset + found.end() - len(counter)
    if numerator:
        return Quantity(((han_value(numerator) or 0.0) / value,), start, end, RATIO)
    if percent or counter == "成":
        return Quantity((value if percent else 10 * value,), start, end, "%", approximate=not percent)
    rest = run[found.end() - len(counter) :]
    if rest.startswith("世纪"):
        return Quantity((value,), start, end, CENTURY)
    if rest.startswith("年代"):
        return Quantity((value,), start, end, DECADE)
    if counter == "月" and not ordinal and value <= 12:
        return Quantity((value,), start, end, MONTH)
    approximate = is_approximate(run, found.start()) or counter in _EITHER_MORE
    unit = "" if ordinal else han_unit(rest.lstrip(_MORE))
    if unit:
        return Quantity((value,), start, end + len(unit), *UNITS[unit], strict=numeral != "一", approximate=approximate)
    if run[max(0, found.start() - 1) : found.start()] in _SEVERAL:
        return Quantity((value,), start, end, strict=False)
    strict = bool(ordinal and value != 1) or len(numeral) > 1 or value > 2
    return Quantity((value,), start, end, strict=strict, approximate=approximate, ordinal=bool(ordinal))
