"""Markers: the one grammar of citation markers. Recognise the model's, strip them, render ours."""

from .context import ANY, STARTS, Match, match_marker
from .grammar import MAX_MARKER, PARTIAL, Partial
from .named import MarkerNames
from .strip import Stripped, Stripper, strip

__all__ = [
    "ANY",
    "MAX_MARKER",
    "PARTIAL",
    "STARTS",
    "MarkerNames",
    "Match",
    "Partial",
    "Stripped",
    "Stripper",
    "match_marker",
    "strip",
]
