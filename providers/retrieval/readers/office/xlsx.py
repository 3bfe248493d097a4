"""XLSX: openpyxl reads the values that the program saved. Each sheet has one or more tables."""

import re
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from typing import Any, NamedTuple
from zipfile import ZipFile

from ..part import Part, UnreadableFileError
from ..source_file import SourceFile
from ..tables.sheet_tables import SheetRow, tables
from ..tables.table_text import table_parts
from .archive import archive, relations, xml_root
from .number_formats import cell_text

MAX_UNPACKED_BYTES = 256 * 2**20  # bytes of XML, which is read in a stream; 10 MB have 300,000 cells
MAX_COLUMNS = 500  # a wider sheet is a matrix of data
MAX_MERGED_BYTES = 32 * 2**20  # size of a sheet whose merged cells are read; this reads it once more
MAX_MERGED = 10_000  # merged ranges of a sheet
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"')
_SHEET_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


class Merged(NamedTuple):
    """Cells that are merged into one. Rows and columns count from 1, and the last ones are included."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int


def parts(source: SourceFile) -> Iterator[Part]:
    """Yield the tables of the visible sheets, in parts of as many rows as fit into an excerpt."""
    openpyxl = import_module("openpyxl")
    try:
        with archive(source, "XLSX", MAX_UNPACKED_BYTES) as packed:
            merged = _merged_cells(packed)
        with source.binary() as content:
            workbook = openpyxl.load_workbook(content, read_only=True, data_only=True, keep_links=False)
            for sheet in workbook.worksheets:
                if sheet.sheet_state == "visible":
                    sheet.reset_dimensions()  # a file may claim any size
                    yield from _sheet(sheet, merged.get(sheet.title, []))
    except (MemoryError, UnreadableFileError):
        raise
    except Exception:  # noqa: BLE001 - a broken file may raise anything
        raise UnreadableFileError(source.path, "is not XLSX; open it and save it again as XLSX") from None


def _sheet(sheet: Any, merged: list[Merged]) -> Iterator[Part]:
    for table in tables(_with_merged(map(_row, enumerate(sheet.iter_rows(), 1)), merged)):
        yield from table_parts(table.names, table.rows, (sheet.title, *table.captions), {"sheet": sheet.title})


def _row(numbered: tuple[int, tuple[Any, ...]]) -> SheetRow:
    number, cells = numbered
    filled = [cell for cell in cells if cell.value is not None]
    is_emphasized = bool(filled) and all(cell.font is not None and cell.font.b for cell in filled)
    texts = [cell_text(cell.value, cell.number_format) for cell in cells[:MAX_COLUMNS]]
    while texts and not texts[-1]:
        texts.pop()
    return SheetRow(number, texts, is_emphasized)


def _with_merged(rows: Iterator[SheetRow], merged: list[Merged]) -> Iterator[SheetRow]:
    """Yield the rows with the text of each merged cell in all its columns and rows.

    A row with only one text is a caption, which stays in one column.
    """
    waiting = sorted(merged, reverse=True)
    active: list[tuple[Merged, str]] = []
    for row in rows:
        active = [(cell, text) for cell, text in active if cell.last_row >= row.number]
        while waiting and waiting[-1].first_row <= row.number:
            cell = waiting.pop()
            text = "".join(row.cells[cell.first_column - 1 : cell.first_column])
            if text and cell.first_row == row.number:
                active.append((cell, text))
        cells = list(row.cells)
        for cell, text in active:
            last = min(cell.last_column, MAX_COLUMNS)
            cells += [""] * (last - len(cells))
            cells[cell.first_column - 1 : last] = [text] * (last - cell.first_column + 1)
        if not active or len(set(filter(None, cells))) < 2:
            yield row
        else:
            is_group = any(cell.last_column > cell.first_column for cell, _ in active)
            yield SheetRow(row.number, cells, row.is_emphasized, is_group)


def _merged_cells(packed: ZipFile) -> dict[str, list[Merged]]:
    """Return the merged cells of each sheet, which openpyxl does not read in a stream."""
    targets = relations(packed, "xl/workbook.xml")
    names = set(packed.namelist())
    merged: dict[str, list[Merged]] = {}
    for element in xml_root(packed, "xl/workbook.xml").iter() if "xl/workbook.xml" in names else ():
        _, name = targets.get(element.get(_SHEET_ID, ""), ("", ""))
        if name in names and packed.getinfo(name).file_size <= MAX_MERGED_BYTES:
            ranges = islice(_MERGED.finditer(packed.read(name)), MAX_MERGED)
            merged[element.get("name", "")] = [
                Merged(int(row), _column(left), int(below), _column(right))
                for left, row, right, below in (match.groups() for match in ranges)
            ]
    return merged


def _column(letters: bytes) -> int:
    """Return the number of a column, from 1: A is 1, AA is 27."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number
