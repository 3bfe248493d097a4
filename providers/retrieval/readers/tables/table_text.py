"""Tables as text. Rows are those of a Markdown table, so that each cell keeps its column and can be cited alone."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from ...excerpts import MAX_HEADER_CHARACTERS, MAX_LENGTH, TARGET_LENGTH
from ..part import Part

MAX_NAME_CHARACTERS = 80  # characters of the name of a row
_LETTER = re.compile(r"[^\W\d_]")
MAX_CAPTIONS = 10  # rows above a header: the name of a price list, its date, a blank row

Row = tuple[int, Sequence[str]]  # its number in the file, and its cells


def table_parts(
    names: Sequence[str],
    rows: Iterable[Row],
    headings: tuple[str, ...] = (),
    metadata: Mapping[str, Any] | None = None,
) -> Iterator[Part]:
    """Yield parts of as many rows as fit into an excerpt, each below the header.

    `metadata`: of all parts. `row` and `last_row` are the numbers of the first and the last row of a part. A row that
    is too long for a table is a part of its own. It has a paragraph for each cell, below its first short text.
    """
    pending: list[Row] = []
    header = len(table_line(names)) + len(table_line(["---"] * len(names)))
    size = header

    def part(text: str, part_rows: Sequence[Row], above: tuple[str, ...]) -> Part:
        place = {**(metadata or {}), "row": part_rows[0][0], "last_row": part_rows[-1][0]}
        return Part(text, headings=above, fields={"metadata": place}, is_markdown=False)

    for number, row in rows:
        cells = [" ".join(cell.split()) for cell in row]
        length = len(table_line(cells)) + 1
        is_long = header > MAX_HEADER_CHARACTERS or header + length > MAX_LENGTH
        if pending and (is_long or size + length > TARGET_LENGTH):
            yield part(table_text(names, [cells for _, cells in pending]), pending, headings)
            pending, size = [], header
        if is_long and any(cells):
            named = next((cell for cell in cells if len(cell) <= MAX_NAME_CHARACTERS and _LETTER.search(cell)), "")
            yield part(named_cells(names, row), [(number, row)], (*headings, named) if named else headings)
        elif any(cells):
            pending.append((number, cells))
            size += length
    if pending:
        yield part(table_text(names, [cells for _, cells in pending]), pending, headings)


def table_text(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table. A table of one column has no Markdown syntax: each row is a line."""
    width = max(len(names), *map(len, rows), 1)
    if width == 1:
        return "\n".join(filter(None, (named_cells(names, row) for row in rows)))
    lines = [names, ["---"] * width, *rows]
    return "\n".join(table_line([*line, *[""] * (width - len(line))]) for line in lines)


def table_line(cells: Sequence[str]) -> str:
    """Return a line of a Markdown table."""
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def named_cells(names: Sequence[str], row: Sequence[str]) -> str:
    """Return the cells of a row as paragraphs, each after the name of its column. Empty cells are left out."""
    named = [*names, *[""] * (len(row) - len(names))]
    return "\n\n".join(f"{name}: {cell}" if name else cell for name, cell in zip(named, row, strict=False) if cell)


def split_header(rows: Iterable[Row]) -> tuple[list[str], list[str], Iterator[Row]]:
    """Return the captions above a table, the names of its columns, and its other rows.

    The header is the first row with more than one cell. If there is none in the first rows, it is the first row.
    """
    following = iter(rows)
    first = list(islice(following, MAX_CAPTIONS))
    filled = [sum(bool(cell.strip()) for cell in row) for _, row in first]
    header = next((index for index, count in enumerate(filled) if count > 1), None)
    if header is None:
        header = next((index for index, count in enumerate(filled) if count), len(first))
    captions = [" ".join(" ".join(row).split()) for _, row in first[:header]]
    names = [" ".join(name.split()) for name in first[header][1]] if header < len(first) else []
    while names and not names[-1]:
        names.pop()
    return list(filter(None, captions)), names, chain(first[header + 1 :], following)
