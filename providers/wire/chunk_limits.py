"""Limits of a chunk, so that a provider cannot make an answer expensive.

A chunk is divided into its parts, each of which has a copy of the other fields.
"""

MAX_CHOICES = 1_000  # choices of an answer; OpenAI allows 128
MAX_ENTRIES = 1_000  # entries of a list of a delta, such as tool calls; OpenAI allows 128 tools
MAX_FIELDS = 1_000  # fields of a chunk, a choice or a delta, which have about ten
