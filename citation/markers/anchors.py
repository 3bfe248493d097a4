"""Anchors: U+E202 and `turn0file0`, alone or several between U+E200 and U+E201, as LibreChat requests them.

Models write the three characters as such or as ASCII escapes, as in `\\ue202turn0file0`.
"""

import re
from typing import Final

from ..text.need_data import NEED_DATA, NeedData
from .grammar import MAX_MARKER_CHARACTERS

ANCHOR_STARTS: Final = frozenset("\ue200\ue202\\")
_ANCHOR = r"(?:\ue202|\\ue202)(turn\d{1,4}[a-z]{1,12}\d{1,4})"
_SINGLE = re.compile(_ANCHOR)
# OpenAI's models write the kind of source first, U+E200 and `cite`, and lines of files, `L10-L20`.
_LINES = r"(?:\ue202|\\ue202)L\d{1,6}(?:-L\d{1,6})?"
_GROUP = re.compile(rf"(?:\ue200|\\ue200)[a-z]{{0,12}}(?:{_ANCHOR}(?:{_LINES})?)+(?:\ue201|\\ue201)")
_PREFIX = re.compile(
    r"(?:\\(?:u(?:e(?:2(?:0(?:[02][\w\\\ue200-\ue202-]*)?)?)?)?)?|[\ue200\ue202][\w\\\ue200-\ue202-]*)\Z"
)


def anchor_name(label: str) -> str:
    """Return `turn0file0`, without the character or escape before it."""
    return label.removeprefix("\\ue202").removeprefix("\ue202")


def match_anchor(text: str, i: int, *, final: bool) -> tuple[int, tuple[str, ...]] | NeedData | None:
    """Match an anchor or a group of them at `i`: its end and the names in it."""
    anchors = _GROUP.match(text, i) or _SINGLE.match(text, i)
    if (anchors is None or anchors.end() == len(text)) and not final:
        beginning = text[i : i + MAX_MARKER_CHARACTERS]
        if len(beginning) < MAX_MARKER_CHARACTERS and _PREFIX.match(beginning):
            return NEED_DATA
    return (anchors.end(), tuple(name[1] for name in _SINGLE.finditer(anchors[0]))) if anchors else None
