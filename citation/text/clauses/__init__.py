"""Parse sentences shallowly into content words, clauses, and operators with their scope."""

from .chinese import content_words as chinese_words
from .parser import LANGUAGES, parse
from .statement import ContentToken, Operator, Statement

__all__ = ["LANGUAGES", "ContentToken", "Operator", "Statement", "chinese_words", "parse"]
