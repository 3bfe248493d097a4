"""Markers behind a sentence: where they end, so that the segmenter keeps them with the sentence."""

from functools import partial

from ..text.full_stop import NEED_DATA, NeedData
from ..text.segmentation import MarkerEnd
from .anchors import ANCHOR_STARTS, match_anchor
from .grammar import PARTIAL
from .match import ANY_NUMBER, MARKER_STARTS, Match, match_marker
from .named import MarkerNames, match_name


def marker_end(names: MarkerNames = ANY_NUMBER) -> MarkerEnd:
    """Return the function with which a `Segmenter` recognises the model's markers.

    Any number can be a marker, and the names of the evidence.
    """
    return partial(_marker_end, names)


def _marker_end(names: MarkerNames, text: str, at: int, final: bool) -> int | NeedData | None:
    if text[at] not in MARKER_STARTS:
        return None
    named = match_name(text, at, names, final) if names.names else None
    if named is not None:
        return NEED_DATA if named is PARTIAL else named[0]
    anchor = match_anchor(text, at, final=final) if text[at] in ANCHOR_STARTS else None
    if isinstance(anchor, tuple):
        return anchor[0]
    found = anchor or match_marker(text, at, final=final)
    if found is PARTIAL:
        return NEED_DATA
    return found.end if isinstance(found, Match) else None
