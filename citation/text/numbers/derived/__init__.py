"""Numbers that follow from those of a text, in the same or in other sentences: shares, differences, lengths, dates."""

from .derivations import derived, notations

__all__ = ["derived", "notations"]
