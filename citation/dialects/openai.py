"""OpenAI: no additional fields."""

from . import Dialect

DIALECT = Dialect()
