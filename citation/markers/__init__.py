"""Citation markers: recognise and remove those that the model wrote, and render ours."""

from .grammar import MAX_MARKER_CHARACTERS, Match, compile_patterns
from .match import ANY_NUMBER, before_cut_marker, marker_end, match_marker
from .named import MarkerNames
from .render import reference_list, render
from .strip import MarkerStripper, StrippedText, strip
from .word_markers import PLACEHOLDER, WordMarker

__all__ = [
    "ANY_NUMBER",
    "MAX_MARKER_CHARACTERS",
    "PLACEHOLDER",
    "MarkerNames",
    "MarkerStripper",
    "Match",
    "StrippedText",
    "WordMarker",
    "before_cut_marker",
    "compile_patterns",
    "marker_end",
    "match_marker",
    "reference_list",
    "render",
    "strip",
]
