"""Keeping what is known of a text, since the words of one request come again and again."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

CACHE = 1 << 16  # words: those of a server never end
LONGEST = 64  # characters of a word that is kept: longer ones are none; clients may send megabytes
LONGEST_TITLE = 400  # characters of a title that is kept

T = TypeVar("T")


def kept(maxsize: int = CACHE, longest: int = LONGEST) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """`lru_cache` for a function of one text; a longer one is worked out each time, so that memory is bounded."""

    def keeping(function: Callable[[str], T]) -> Callable[[str], T]:
        known = lru_cache(maxsize)(function)

        @wraps(function)
        def look(text: str) -> T:
            return known(text) if len(text) <= longest else function(text)

        return look

    return keeping
