"""The text kernel: tokens, stems, sentences, quantities and polarity, for every script. Standard library only."""

from .analysis import MAX_TITLE_CHARACTERS, Analysis, analyze_sentence, analyze_text, analyze_title
from .normalize import fold
from .numbers.quantities import Quantity, agrees
from .sentences import split_sentences
from .tokens import Token, Tokens, tokenize
from .words.stemming import stem

__all__ = [
    "MAX_TITLE_CHARACTERS",
    "Analysis",
    "Quantity",
    "Token",
    "Tokens",
    "agrees",
    "analyze_sentence",
    "analyze_text",
    "analyze_title",
    "fold",
    "split_sentences",
    "stem",
    "tokenize",
]
