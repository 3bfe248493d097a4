"""Values of cells as a spreadsheet shows them: 129.50 €, 5 %, 2026-01-31, yes."""

import re
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

MAX_DECIMALS = 15  # decimals of a number; more digits are rounding errors
_BRACKETS = re.compile(r"\[\$([^\]-]*)[^\]]*\]|\[[^\]]*\]")  # [$€-407] is a currency, [Red] a colour
_SKIPPED = re.compile(r"_.|\*.")  # a space as wide as the next character, and a character that fills the cell
_LITERAL = re.compile(r'"([^"]*)"|\\(.)')
_DIGITS = re.compile(r"[#0?][#0?,. ]*")


class NumberFormat(NamedTuple):
    """How a number is written: decimals after the point (None: as many as it has), and the text around it."""

    decimals: int | None
    before: str = ""
    after: str = ""
    is_percentage: bool = False


GENERAL = NumberFormat(None)


def cell_text(value: Any, number_format: str) -> str:
    """Return the value of a cell in one line."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat("minutes")
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, int | float):
        return _number(value, parse_format(number_format or "General"))
    return " ".join(str(value).split())


def _number(value: float, shown: NumberFormat) -> str:
    if shown.is_percentage:
        value = float(f"{value * 100:.12g}")
    if shown.decimals is None:
        digits = str(value) if isinstance(value, int) else f"{value:.15g}"
    else:
        digits = f"{value:.{shown.decimals}f}"
    return f"{shown.before}{digits}{shown.after}"


@lru_cache(maxsize=1_000)
def parse_format(code: str) -> NumberFormat:
    """Return what a format of a spreadsheet shows. A format with an exponent, a fraction or a scale shows the value."""
    positive = _section(code)
    positive = _SKIPPED.sub("", _BRACKETS.sub(lambda bracket: bracket[1] or "", positive))
    digits = _DIGITS.search(_LITERAL.sub(lambda literal: "\0" * len(literal[0]), positive))
    if not digits or "E+" in positive or "E-" in positive or "/" in positive:
        return GENERAL
    pattern = digits[0].strip()
    before, after = (_literals(text) for text in (positive[: digits.start()], positive[digits.end() :]))
    is_percentage = "%" in after or "%" in before
    if pattern.endswith(","):
        return GENERAL
    whole, _, decimals = pattern.partition(".")
    count = min(len(decimals.replace(" ", "")), MAX_DECIMALS)
    if before.strip().isalpha() and not whole:
        return GENERAL
    space = " " if digits[0].endswith(" ") and after else ""
    return NumberFormat(count, before, f"{space}{after}", is_percentage)


def _section(code: str) -> str:
    """Return the part of a format for positive numbers; the parts are separated by semicolons."""
    quoted = False
    for position, character in enumerate(code):
        quoted ^= character == '"'
        if character == ";" and not quoted:
            return code[:position]
    return code


def _literals(text: str) -> str:
    return _LITERAL.sub(lambda literal: literal[1] or literal[2] or "", text)
