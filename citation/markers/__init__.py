"""Citation markers: recognise and remove those that the model wrote, and render ours."""

from .grammar import MAX_MARKER, PARTIAL, Partial, compile_patterns
from .history import strip_history
from .match import ANY_NUMBER, Match, match_marker
from .named import MarkerNames
from .render import reference_list, render
from .strip import MarkerStripper, StrippedText, strip
from .trailing import marker_end
from .word_markers import PLACEHOLDER, WordMarker

__all__ = [
    "ANY_NUMBER",
    "MAX_MARKER",
    "PARTIAL",
    "PLACEHOLDER",
    "MarkerNames",
    "MarkerStripper",
    "Match",
    "Partial",
    "StrippedText",
    "WordMarker",
    "compile_patterns",
    "marker_end",
    "match_marker",
    "reference_list",
    "render",
    "strip",
    "strip_history",
]
