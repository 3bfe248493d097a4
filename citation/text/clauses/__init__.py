"""Clauses: a shallow parse of sentences into content words, operators with their scope, and arguments."""

from .parser import LANGUAGES, parse
from .statement import Operator, Statement, Token

__all__ = ["LANGUAGES", "Operator", "Statement", "Token", "parse"]
