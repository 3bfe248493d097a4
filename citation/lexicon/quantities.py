"""Quantities: the numbers of a text."""

import re
from dataclasses import dataclass

NUMERAL = r"\d{1,3}(?:[\u00a0\u202f ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’٫٬]\d+)*"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a text: its readings (`1.500` has two), unit, and place."""

    values: tuple[float, ...]
    start: int
    end: int


def readings(numeral: str) -> tuple[float, ...]:
    """The numbers a numeral can stand for."""
    text = re.sub(r"[\u00a0\u202f '’٬]", "", numeral).replace("٫", ".")
    if not text.isascii():
        text = "".join(str(int(c)) if c.isdigit() else c for c in text)
    parts = re.split("[.,]", text)
    if len(parts) == 1:
        return (float(text),)
    grouped = all(len(part) == 3 for part in parts[1:]) and 0 < len(parts[0]) <= 3
    if "." in text and "," in text:
        return (float("".join(parts[:-1]) + "." + parts[-1]),)
    if len(parts) > 2:
        return (float("".join(parts)),) if grouped else ()
    decimal = float(".".join(parts))
    return (float("".join(parts)), decimal) if grouped and parts[0] != "0" else (decimal,)
