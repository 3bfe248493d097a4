"""Clauses: a shallow parse of sentences into content words, operators with their scope, and arguments."""

from .parser import LANGUAGES, parse
from .statement import ContentToken, Operator, Statement

__all__ = ["LANGUAGES", "ContentToken", "Operator", "Statement", "parse"]
