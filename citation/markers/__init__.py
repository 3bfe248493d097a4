"""Markers: the one grammar of citation markers. Recognise the model's, strip them, render ours."""

from .grammar import MAX_MARKER, PARTIAL, Partial
from .history import forget
from .match import ANY, STARTS, Match, match_marker
from .named import MarkerNames
from .render import reference_list, render
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
    "forget",
    "match_marker",
    "reference_list",
    "render",
    "strip",
]
