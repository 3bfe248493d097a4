"""Placement of markers in a sentence, following the conventions of its script and keeping its Markdown intact."""

import re
from dataclasses import dataclass

from ..options import Placement
from ..text.segmentation import Kind
from ..text.segmentation.breaks import without_breaks


@dataclass(frozen=True, slots=True)
class PlacedMarker:
    """A sentence with its marker. All offsets are code points of `text`, end exclusive."""

    text: str
    body_start: int  # the cited sentence, without surrounding space
    body_end: int
    marker_start: int  # after the space that was inserted with it


def place_marker(text: str, kind: Kind, rendered: str, placement: Placement = "after", shown: int = 0) -> PlacedMarker:
    """Insert `rendered` into a sentence, after its closing punctuation or before it.

    `shown`: number of leading characters that the client already has; nothing is inserted before their end.
    """
    start, end = without_breaks(text)
    if not rendered or start == end:
        return PlacedMarker(text, start, end, end)
    position = max(_position(text, start, end, kind, placement), shown)
    inserted = _space(text, start, position) + rendered
    grown = end if position >= end else end + len(inserted)
    marker_start = position + len(inserted) - len(rendered)
    return PlacedMarker(text[:position] + inserted + text[position:], start, grown, marker_start)


def _position(text: str, start: int, end: int, kind: Kind, placement: Placement) -> int:
    if kind == Kind.TABLE_ROW:
        start, end = _last_cell(text, start, end)
    end = _before_closing_tags(text, start, end)
    if placement == "after":
        return end
    position = _before_terminator(text, start, end)
    return end if position is None or _inside(text, start, position) else position


_CELL = re.compile(r"(?:[^|\\]|\\.?)+", re.DOTALL)


def _last_cell(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of the last cell that is not empty; an escaped pipe does not end a cell."""
    for cell in reversed(list(_CELL.finditer(text, start, end))):
        if content := cell[0].strip():
            begin = cell.start() + cell[0].index(content)
            return begin, begin + len(content)
    return start, end


_CLOSING_TAG = re.compile(r"(?:</[A-Za-z][^<>\n]{0,100}>|<br\s{0,3}/?>)\Z", re.IGNORECASE)


def _before_closing_tags(text: str, start: int, end: int) -> int:
    """Return the end of the sentence without closing tags and without the backslash of a line break."""
    if text[end - 1] == "\\" and text[end : end + 1] in ("\n", "\r") and (end - start) > 1:
        end -= 1
    while text[end - 1] == ">" and (tag := _CLOSING_TAG.search(text, max(start, end - 104), end)):
        trimmed = start + len(text[start : tag.start()].rstrip())
        if trimmed == start:
            break  # nothing but tags
        end = trimmed
    return end


_TERMINATORS = frozenset(".!?…。！？｡．‥؟۔।॥։።፧។៕!?")
_CLOSERS = frozenset("\"'”’»›)]}*_~」』）】］》〉")


def _before_terminator(text: str, start: int, end: int) -> int | None:
    """Return where the closing punctuation begins, including the space before it, as in French."""
    position = end
    while position > start and text[position - 1] in _CLOSERS:
        position -= 1
    last = position
    while position > start and text[position - 1] in _TERMINATORS:
        position -= 1
    if position in (last, start):
        return None
    return start + len(text[start:position].rstrip()) or None


_ATOMS = re.compile(
    r"""
    (?<!`)(?P<ticks>`{1,20})(?!`)(?:[^`]|(?!(?P=ticks)(?!`))`){0,600}?(?P=ticks)(?!`)   # inline code
    | !?\[[^\[\]]{0,300}\]\([^()\s]{0,600}(?:\s[^()]{0,200})?\)                          # a link, an image
    | \$\$[^$]{1,600}\$\$ | \$[^$\s](?:[^$]{0,200}[^$\s])?\$(?!\d)                       # math
    | \\\(.{1,600}?\\\) | \\\[.{1,600}?\\\]
    | <[A-Za-z/!][^<>]{0,600}> | https?://[^\s<>]{1,600}                                 # tags, URLs
    """,
    re.VERBOSE | re.DOTALL,
)


def _inside(text: str, start: int, position: int) -> bool:
    """Return whether `position` is inside inline code, a link, math, a tag or a URL."""
    for atom in _ATOMS.finditer(text, start):
        if atom.start() >= position:
            return False
        if position < atom.end():
            return not atom[0].startswith("http") or atom.end() - position > _URL_PUNCTUATION_CHARACTERS
    return False


_URL_PUNCTUATION_CHARACTERS = 3  # the last characters of a URL can be punctuation: "see https://example.org/a."


def _space(text: str, start: int, position: int) -> str:
    """Return a space if the script uses one before the marker."""
    if position == start or text[position - 1].isspace():
        return ""
    last = position - 1
    while last > start and text[last] in _NEUTRAL_CLOSERS:
        last -= 1
    return "" if _UNSPACED.match(text[last]) else " "


_NEUTRAL_CLOSERS = frozenset("*_~\"'”’)")  # used in all scripts; the character before them shows the script
# Han, kana, full-width forms and punctuation, Thai, Lao, Tibetan, Burmese, Khmer. Not Hangul, which has spaces.
_UNSPACED = re.compile(
    "[\u2e80-\u312f\u3190-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff9f\U00020000-\U0003ffff"
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff]"
)
