"""Folding: the form of a word in which case and diacritics do not matter."""

import unicodedata
from importlib.resources import files

from .memo import memoize


def fold(word: str) -> str:
    """The word without case and diacritics: `Été` is `ete`; vowel signs of Indic scripts stay."""
    return word.lower() if word.isascii() else _folded(word)


@memoize()
def _folded(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c) or "\u0900" <= c <= "\u0fff")


def words(text: str) -> tuple[str, ...]:
    """The words of a table that is written as running text."""
    return tuple(text.split())


def table(name: str) -> list[str]:
    """The lines of a text file beside this module, without comments and empty ones."""
    lines = files("citestream.citation.text").joinpath("data", name).read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
