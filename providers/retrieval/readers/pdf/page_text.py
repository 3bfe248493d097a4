"""The text of a page: lines, paragraphs, and tables, which are recognised by the places of their cells.

PDF has no tables. A page draws pieces of text, most programs row by row. A piece to the right of the one before is its
neighbour in a row, one below it belongs to the same cell, and any other begins a row. Text in columns is drawn column
by column, so its lines are not taken for rows.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from ..tables.sheet_tables import SheetRow, tables
from ..tables.table_text import table_text
from .segments import Segment

LINES_APART = 3.0  # heights by which the cells of a row may be apart: texts of several lines next to centred ones
NEXT_LINE = 1.0  # share of the height of the space between two lines of a cell
NEXT_PARAGRAPH = 0.6  # share of the height of the space between two paragraphs
NEXT_ROW = 3.0  # heights between the rows of a table
OVERLAP = 0.3  # share of the height of a line that another cell has to be next to
MAX_CELL_CHARACTERS = 400  # characters of a cell; a longer one is text in columns
_MARKER = re.compile(r"[•▪●■◦‣·∙⁃o*–—-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]")
_WORD_BREAK = re.compile(r"(?<=[^\W\d_])-$")


@dataclass(slots=True)
class _Cell:
    """A text of one or more lines."""

    lines: list[Segment]
    left: float
    right: float

    @property
    def last(self) -> Segment:
        return self.lines[-1]

    @property
    def text(self) -> str:
        return joined([line.text for line in self.lines], " ")

    def add(self, line: Segment) -> None:
        """Add a line below the others."""
        self.lines.append(line)
        self.left, self.right = min(self.left, line.left), max(self.right, line.right)


@dataclass(slots=True)
class _Row:
    """Cells next to each other."""

    cells: list[_Cell]

    @property
    def top(self) -> float:
        return max(line.top for cell in self.cells for line in cell.lines)

    @property
    def bottom(self) -> float:
        return min(line.bottom for cell in self.cells for line in cell.lines)

    @property
    def height(self) -> float:
        return self.cells[0].lines[0].height


class PageText:
    """Reads the pages of one document. A table may continue on the next page, without its header."""

    def __init__(self) -> None:
        """There is no table before the first page."""
        self._names: list[str] = []  # names of the last table of the page before

    def text_of(self, segments: Iterable[Segment]) -> str:
        """Return the text of a page. Blank lines separate paragraphs and tables."""
        blocks: list[str] = []
        above, self._names = self._names, []
        for block in _blocks(_rows(segments)):
            self._names = []
            blocks.append(self._table(block, above) if len(block[0].cells) > 1 else _paragraph(block))
            above = []
        return "\n\n".join(filter(None, blocks))

    def _table(self, rows: Sequence[_Row], above: list[str]) -> str:
        columns = _columns(rows)
        sheet = (SheetRow(number, _cells(row, columns), _is_bold(row)) for number, row in enumerate(rows, 1))
        texts = []
        for table in tables(sheet, above if len(above) == len(columns) else []):
            body = [cells for _, cells in table.rows]
            texts += [*table.captions, table_text(table.names, body) if body else ""]
            self._names = table.names
        return "\n\n".join(filter(None, texts))


def joined(lines: Sequence[str], separator: str) -> str:
    """Return the lines as one text. A hyphen at the end of a line joins the parts of a word."""
    text = ""
    for line in map(str.strip, lines):
        if text and _WORD_BREAK.search(text) and line[:1].islower():
            text = f"{text[:-1]}{line}"
        else:
            text = f"{text}{separator if text else ''}{line}"
    return text


def _rows(segments: Iterable[Segment]) -> list[_Row]:
    """Return the rows of a page. The first lines of a cell at the left belong to its row."""
    rows: list[_Row] = []
    for row in map(_without_marker, _drawn_rows(segments)):
        while rows and _is_first_line(rows[-1], row):
            above = rows.pop().cells[0]
            row.cells[0] = _Cell([*above.lines, *row.cells[0].lines], above.left, max(above.right, row.cells[0].right))
        rows.append(row)
    return rows


def _is_first_line(above: _Row, row: _Row) -> bool:
    """Return whether a line belongs to the first cell of the row below it, because another cell is next to both."""
    line, first = above.cells[0].last, row.cells[0]
    return (
        len(above.cells) == 1 < len(row.cells)
        and abs(line.left - first.left) < line.height
        and line.right < row.cells[1].left
        and 0 <= line.bottom - first.lines[0].top + NEXT_LINE * line.height <= 2 * NEXT_LINE * line.height
        and any(part.top > line.bottom + line.height * OVERLAP for cell in row.cells[1:] for part in cell.lines)
    )


def _drawn_rows(segments: Iterable[Segment]) -> Iterator[_Row]:
    row: _Row | None = None
    for segment in segments:
        if not segment.text.strip():
            continue
        if row is None:
            row = _Row([_Cell([segment], segment.left, segment.right)])
        elif _is_next_cell(row, segment):
            row.cells.append(_Cell([segment], segment.left, segment.right))
        elif _is_next_line(row, segment):
            row.cells[-1].add(segment)
        else:
            yield row
            row = _Row([_Cell([segment], segment.left, segment.right)])
    if row:
        yield row


def _is_next_cell(row: _Row, segment: Segment) -> bool:
    last = row.cells[-1]
    distance = LINES_APART * segment.height
    return segment.left > last.right and segment.bottom < row.top + distance and segment.top > row.bottom - distance


def _is_next_line(row: _Row, segment: Segment) -> bool:
    """Return whether a piece is the next line of the last cell of a row.

    Each line of a text outside of tables is a row of its own, which keeps its line breaks.
    """
    cell = row.cells[-1]
    is_below = 0 <= cell.last.bottom - segment.top + NEXT_LINE * segment.height <= 2 * NEXT_LINE * segment.height
    return is_below and len(row.cells) > 1 and row.cells[-2].right < segment.left < cell.right


def _without_marker(row: _Row) -> _Row:
    """Return the row with the marker of a list item and its text as one cell."""
    if len(row.cells) != 2 or not _MARKER.fullmatch(row.cells[0].text.strip()):
        return row
    marker, item = row.cells
    first = item.lines[0]
    line = Segment(f"{marker.text.strip()} {first.text}", marker.left, first.right, first.bottom, first.top)
    return _Row([_Cell([line, *item.lines[1:]], marker.left, item.right)])


def _blocks(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    """Yield tables, and paragraphs as rows of one cell."""
    block: list[_Row] = []
    for item in chain.from_iterable(map(_checked, _aligned(rows))):
        if block and (isinstance(item, list) or _begins_paragraph(block[-1], item)):
            yield block
            block = []
        if isinstance(item, list):
            yield item
        else:
            block.append(item)
    if block:
        yield block


def _begins_paragraph(above: _Row, row: _Row) -> bool:
    return above.bottom - row.top > NEXT_PARAGRAPH * row.height or row.bottom > above.top


def _aligned(rows: Iterable[_Row]) -> Iterator[list[_Row]]:
    """Yield rows of several cells that may be a table, and the other rows alone."""
    block: list[_Row] = []
    for row in rows:
        if block and not _continues(block, row):
            yield block
            block = []
        block.append(row)
    if block:
        yield block


def _continues(block: Sequence[_Row], row: _Row) -> bool:
    """Return whether a row is the next one of a table: below it, with cells that are above each other."""
    last = block[-1]
    if len(last.cells) == 1 or len(row.cells) == 1 or last.bottom - row.top > NEXT_ROW * row.height:
        return False
    return len(_columns([*block, row])) >= max(len(table_row.cells) for table_row in (*block, row))


def _checked(block: list[_Row]) -> Iterator[list[_Row] | _Row]:
    """Yield a table as a list, or the lines of rows of other blocks."""
    longest = max(len(cell.text) for row in block for cell in row.cells)
    if len(block) > 1 and longest <= MAX_CELL_CHARACTERS:
        yield block
        return
    for row in block:
        if len(row.cells) == 1 or longest > MAX_CELL_CHARACTERS:
            yield from (_Row([cell]) for cell in row.cells)
        else:
            yield _Row([_in_line(row)])


def _in_line(row: _Row) -> _Cell:
    """Return the cells of a single row as one line."""
    first, last = row.cells[0].lines[0], row.cells[-1].last
    text = " ".join(cell.text for cell in row.cells)
    return _Cell([Segment(text, first.left, last.right, row.bottom, row.top)], first.left, last.right)


def _paragraph(rows: Sequence[_Row]) -> str:
    return joined([line.text for row in rows for cell in row.cells for line in cell.lines], "\n")


def _columns(rows: Sequence[_Row]) -> list[tuple[float, float]]:
    """Return the left and right edges of the columns: cells that are above each other share a column."""
    edges = sorted((cell.left, cell.right) for row in rows for cell in row.cells)
    columns = [edges[0]]
    for left, right in edges[1:]:
        if left < columns[-1][1]:
            columns[-1] = columns[-1][0], max(columns[-1][1], right)
        else:
            columns.append((left, right))
    return columns


def _cells(row: _Row, columns: Sequence[tuple[float, float]]) -> list[str]:
    texts = [""] * len(columns)
    for cell in row.cells:
        column = next(index for index, (left, right) in enumerate(columns) if left <= cell.left <= right)
        texts[column] = f"{texts[column]} {cell.text}".strip()
    return texts


def _is_bold(row: _Row) -> bool:
    return all(line.is_bold for cell in row.cells for line in cell.lines)
