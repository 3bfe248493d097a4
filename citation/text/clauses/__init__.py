"""Parse sentences shallowly into content words, clauses, and operators with their scope."""

from .parser import LANGUAGES, parse
from .statement import ContentToken, Operator, Statement

__all__ = ["LANGUAGES", "ContentToken", "Operator", "Statement", "parse"]
