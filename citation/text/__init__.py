"""Lexicon: text into the terms, names, quantities and polarity that scores and gates compare; every script."""

from functools import lru_cache

from .analysis import Lexed, content
from .han import simplified
from .languages import elect
from .memo import kept
from .normalize import fold
from .numbers.quantities import Quantity, agrees
from .numbers.quantity_parser import Reader
from .sentences import sentences
from .stemming import stem
from .tokenizer import scan

__all__ = ["Lexed", "Quantity", "agrees", "fold", "lex", "lex_sentence", "lex_title", "sentences", "stem"]

_TITLES, _LONGEST_TITLE = 1024, 400  # how many are kept, and characters of one


def lex(text: str, language: str | None = None, named: bool = True) -> Lexed:
    """Read `text`. `language` (`en`, `de`, …) is what to take it for where its function words do not tell.

    `named`: whether to look for names, which takes a twentieth of the time.
    """
    pieces = scan(simplified(text))
    language = elect([word.votes for word in pieces.words if word.votes]) or language
    return content(pieces, Reader(pieces, language).read(), language, named)


@lru_cache(maxsize=256)
def lex_sentence(text: str) -> Lexed:
    """`lex` for a sentence of an answer, which is read by the scorer, by the gates, and as the context of the next."""
    return lex(text)


@kept(_TITLES, _LONGEST_TITLE)
def lex_title(title: str) -> Lexed:
    """`lex` for a title, which many excerpts share: its terms are scored, its numbers bear others out."""
    return lex(title)
