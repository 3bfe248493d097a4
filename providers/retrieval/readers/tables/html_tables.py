"""Tables of HTML pages and Word documents as Markdown tables."""

import re
from collections.abc import Callable
from typing import Any

from .table_text import table_text

_LAYOUT = "table, h1, h2, h3, h4, h5, h6, form"  # a table that contains one of these arranges the page
MAX_NAME_CHARACTERS = 80  # characters of the name of a column; longer cells are text
MAX_SPAN = 100  # columns or rows of one cell; a page may claim any number
_HAS_DIGIT = re.compile(r"\d")

TextOf = Callable[[Any], str]


def table_text_of(table: Any, text_of: TextOf) -> str:
    """Return the caption of a table and its rows; "" for a table that arranges a page.

    A list of properties becomes a table whose columns have no names. `text_of`: returns the text of a node in one line.
    """
    if any(inner.mem_id != table.mem_id for inner in table.css(_LAYOUT)):
        return ""
    cells = [
        row_cells for row in table.css("tr") if (row_cells := [cell for cell in row.iter() if cell.tag in {"td", "th"}])
    ]
    rows = _spread(cells, text_of)
    if not rows or max(map(len, rows)) < 2:
        return ""
    header = _header_rows(cells, rows)
    filled = [row for row in rows[header:] if any(row)]
    names = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*rows[:header], strict=True)]
    text = table_text(names, filled) if filled else ""
    captions = (text_of(caption) for caption in table.css("caption"))
    return "\n\n".join(filter(None, (*captions, text)))


def _spread(cells: list[list[Any]], text_of: TextOf) -> list[list[str]]:
    """Return the texts of the cells by column, as many in each row. A cell that spans several is in each of them."""
    rows: list[list[str]] = []
    spanning: dict[int, tuple[int, str]] = {}  # column -> the number of rows that its cell still spans, and its text
    for row in cells:
        texts: list[str] = []
        for cell in row:
            _take_spanning(texts, spanning)
            text = text_of(cell)
            for _ in range(_span(cell, "colspan")):
                if (below := _span(cell, "rowspan") - 1) > 0:
                    spanning[len(texts)] = below, text
                texts.append(text)
        _take_spanning(texts, spanning)
        rows.append(texts)
    width = max(map(len, rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows]


def _take_spanning(texts: list[str], spanning: dict[int, tuple[int, str]]) -> None:
    """Append the cells of earlier rows that span the next columns."""
    while (column := len(texts)) in spanning:
        left, text = spanning.pop(column)
        if left > 1:
            spanning[column] = left - 1, text
        texts.append(text)


def _span(cell: Any, name: str) -> int:
    value = cell.attributes.get(name) or ""
    return min(max(int(value), 1), MAX_SPAN) if value.isascii() and value.isdecimal() else 1


def _header_rows(cells: list[list[Any]], rows: list[list[str]]) -> int:
    """Return how many rows have the names of the columns.

    Word documents and old pages do not mark the header. There, a table of two columns may be a list of properties.
    """
    marked = next((number for number, row in enumerate(cells) if any(cell.tag != "th" for cell in row)), len(cells))
    if marked:
        return marked if marked < len(rows) else 0
    names = rows[0]
    named = names[1:] if len(names) > 2 else names
    if len(rows) < 2 or not all(named) or len(set(names)) < len(names) or max(map(len, names)) > MAX_NAME_CHARACTERS:
        return 0
    if any(cell.tag == "th" for cell in cells[0]):
        return 0
    return int(len(names) > 2 or _is_emphasized(cells[0]) or _has_numbers_below(rows))


def _is_emphasized(row: list[Any]) -> bool:
    """Return whether the text of all cells is bold."""
    return all((bold := cell.css_first("strong, b")) and bold.text().strip() == cell.text().strip() for cell in row)


def _has_numbers_below(rows: list[list[str]]) -> bool:
    """Return whether the last column has numbers in all rows but the first."""
    last = [row[-1] for row in rows]
    return not _HAS_DIGIT.search(last[0]) and len(last) > 2 and all(map(_HAS_DIGIT.search, last[1:]))
