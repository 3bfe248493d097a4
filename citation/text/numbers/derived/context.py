"""The words around the numbers of a text."""

import re

from ..quantities import Quantity

_REACH_CHARACTERS = 80


def match_before(pattern: re.Pattern[str], text: str, number: Quantity) -> re.Match[str] | None:
    """Search the characters before a number. The pattern says that the number follows directly."""
    return pattern.search(text, max(0, number.start - _REACH_CHARACTERS), number.start)


def match_between(pattern: re.Pattern[str], text: str, first: Quantity, second: Quantity) -> re.Match[str] | None:
    """Match all of the text between two numbers, None if the second is not after the first."""
    return pattern.fullmatch(text, first.end, second.start) if first.end <= second.start else None
