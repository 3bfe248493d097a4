"""Folding: the form of a word in which case and diacritics do not matter."""

import unicodedata
from functools import lru_cache

# A bounded cache: the words of one request come again and again, those of a server never end.
CACHE = 1 << 16


@lru_cache(maxsize=CACHE)
def fold(word: str) -> str:
    """The word without case and diacritics, `Été` as `ete`, `Straße` as `strasse`; vowel signs of Indic scripts stay."""
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c) or "\u0900" <= c <= "\u0fff")
