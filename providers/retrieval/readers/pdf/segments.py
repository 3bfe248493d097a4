"""The pieces of text on a page of a PDF: words with no more than the space of a letter between them."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

GAP = 0.6  # share of the height of a line; a larger gap separates cells. A space takes a quarter of the height
SAME_LINE = 0.5  # share of the height by which the characters of a line may be higher or lower
BOLD = 600  # weight of a font
_HYPHEN = 2  # PDFium writes this for a hyphen at the end of a line
_HIDDEN = frozenset({0, 0xFFFE, 0xFFFF, 0xFEFF})


@dataclass(slots=True)
class Segment:
    """A piece of text in one line, with its edges in points. The origin of a page is below on the left."""

    text: str
    left: float
    right: float
    bottom: float
    top: float
    is_bold: bool = False

    @property
    def height(self) -> float:
        return max(self.top - self.bottom, 1.0)


def segments(page: Any) -> Iterator[Segment]:
    """Yield the pieces of text of a page in the order in which it draws them."""
    raw = import_module("pypdfium2.raw")
    box, edges = raw.FS_RECTF(), None
    pointer = ctypes.byref(box)
    current: Segment | None = None
    for index in range(page.count_chars()):
        code = raw.FPDFText_GetUnicode(page, index)
        if code in _HIDDEN:
            continue
        if code in (10, 13, 32, 160):
            if current and not current.text.endswith(" "):
                current.text += " "
            continue
        character = "-" if code == _HYPHEN else chr(code)
        if not raw.FPDFText_GetLooseCharBox(page, index, pointer):
            continue
        edges = min(box.left, box.right), max(box.left, box.right), min(box.bottom, box.top), max(box.bottom, box.top)
        if current and _continues(current, edges):
            current.text += character
            current.right = max(current.right, edges[1])
            current.bottom, current.top = min(current.bottom, edges[2]), max(current.top, edges[3])
            continue
        if current:
            yield current
        current = Segment(character, *edges, raw.FPDFText_GetFontWeight(page, index) >= BOLD)
    if current:
        yield current


def _continues(current: Segment, edges: tuple[float, float, float, float]) -> bool:
    left, _, bottom, top = edges
    height = max(current.height, top - bottom)
    is_same_line = abs((bottom + top) - (current.bottom + current.top)) / 2 <= SAME_LINE * height
    return is_same_line and current.left - GAP * height <= left <= current.right + GAP * height
