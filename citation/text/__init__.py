"""Lexicon: text into the terms, names, quantities and polarity that scores and gates compare; every script."""

from functools import lru_cache

from .analysis import Analysis, analyze
from .han import to_simplified
from .languages import detect_language
from .memo import memoize
from .normalize import fold
from .numbers.quantities import Quantity, agrees
from .numbers.quantity_parser import QuantityParser
from .sentences import split_sentences
from .stemming import stem
from .tokenizer import tokenize

__all__ = [
    "Analysis",
    "Quantity",
    "agrees",
    "analyze_sentence",
    "analyze_text",
    "analyze_title",
    "fold",
    "split_sentences",
    "stem",
]

_TITLES, _LONGEST_TITLE = 1024, 400  # how many are kept, and characters of one


def analyze_text(text: str, language: str | None = None, named: bool = True) -> Analysis:
    """Read `text`. `language` (`en`, `de`, …) is what to take it for where its function words do not tell.

    `named`: whether to look for names, which takes a twentieth of the time.
    """
    pieces = tokenize(to_simplified(text))
    language = detect_language([word.votes for word in pieces.words if word.votes]) or language
    return analyze(pieces, QuantityParser(pieces, language).read(), language, named)


@lru_cache(maxsize=256)
def analyze_sentence(text: str) -> Analysis:
    """`lex` for a sentence of an answer, which is read by the scorer, by the gates, and as the context of the next."""
    return analyze_text(text)


@memoize(_TITLES, _LONGEST_TITLE)
def analyze_title(title: str) -> Analysis:
    """`lex` for a title, which many excerpts share: its terms are scored, its numbers bear others out."""
    return analyze_text(title)
