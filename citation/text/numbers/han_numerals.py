"""Numbers in Chinese characters: `二〇二一年`, `百分之六点三`, `三分之二`, `第三`, `十九世纪`, `约三万人`."""

import re

from ..tokens import QuantityMatch, Tokens
from .numerals import HAN_NUMERAL, han_value
from .quantities import CENTURY, DECADE, MONTH, RATIO, Quantity
from .units import UNITS, han_unit

# What is counted in Chinese, or stands after a number: without one a single character is no number.
_COUNTED = "成个年月日天人名位次倍岁元米里吨公件条种座家所艘架辆台部本场届期世周季度分秒小点口"
_COUNTED += "只头张枚支层楼区市县国大项步句室号匹つ階回"
_RUN = re.compile(
    rf"(第)?(百分之)?({HAN_NUMERAL}+(?:点[零〇一二三四五六七八九]+(?![十百千万亿分]))?)(?:分之({HAN_NUMERAL}+))?([{_COUNTED}余多]?)"
)
_ALONE = frozenset("万亿兆百千一零〇") | {"万一", "一一", "千万"}
_SEVERAL = frozenset("数几上好多")  # 数百万: some millions
_ABOUT = re.compile("(?:约|大约|近|超过|逾|将近|接近|大概|ほぼ)$")


def counts(run: str) -> bool:
    """Whether a run may hold a number."""
    return bool(_RUN.search(run))


def about(text: str, start: int) -> bool:
    """Whether the number that begins at `start` is said to be rough."""
    return bool(_ABOUT.search(text, max(0, start - 3), start))


def numbers(p: Tokens, i: int) -> list[QuantityMatch]:
    """The numbers within the run at piece `i`."""
    run, at = p.spelled(i), p.starts[i]
    attached = i > 0 and p.kind(i - 1) == "number" and p.ends[i - 1] == at  # 3万: the numeral before took it
    found = []
    for match in _RUN.finditer(run):
        ordinal, percent, numeral, numerator, counter = match.groups()
        named = bool(ordinal or percent or numerator)
        if (attached and match.start() == 0) or not (named or counter or len(numeral) > 1):
            continue
        value = han_value(numeral)
        if value is not None and (named or numeral not in _ALONE):
            found.append(QuantityMatch(_quantity(run, at, match, value), i, i))
    return found


def _quantity(run: str, at: int, match: re.Match[str], value: float) -> Quantity:
    ordinal, percent, numeral, numerator, counter = match.groups()
    start, end = at + match.start(), at + match.end() - len(counter)
    if numerator:
        return Quantity(((han_value(numerator) or 0.0) / value,), start, end, RATIO)
    if percent or counter == "成":
        return Quantity((value if percent else 10 * value,), start, end, "%", rounded=not percent)
    rest = run[match.end() - len(counter) :]
    if period := next((unit for name, unit in (("世纪", CENTURY), ("年代", DECADE)) if rest.startswith(name)), ""):
        return Quantity((value,), start, end, period)
    if counter == "月" and not ordinal and value <= 12:
        return Quantity((value,), start, end, MONTH)
    rounded = about(run, match.start()) or counter in {"余", "多"}
    unit = "" if ordinal else han_unit(rest.lstrip("余多"))
    if unit:
        return Quantity((value,), start, end + len(unit), *UNITS[unit], rounded=rounded)
    if run[max(0, match.start() - 1) : match.start()] in _SEVERAL:
        return Quantity((value,), start, end, strict=False)
    strict = bool(ordinal and value != 1) or len(numeral) > 1 or value > 2
    return Quantity((value,), start, end, strict=strict, rounded=rounded, ordinal=bool(ordinal))
