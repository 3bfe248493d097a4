"""OpenAI's: nothing beyond what every client gets."""

from . import Dialect

DIALECT = Dialect()
