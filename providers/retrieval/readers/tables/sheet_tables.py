"""Find the tables of a sheet: captions, names of columns, and rows. Blank rows separate tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from .table_text import Row

SAMPLE_ROWS = 100  # rows in which the header of a table and its empty columns are searched for
_HAS_DIGIT = re.compile(r"\d")
# The name of a column: a text, "Q1", "2025", "Plan 2025". Other cells with digits are values.
_NAME = re.compile(r"\D*|[^\W\d]{1,9} ?\d{1,2}|\D*(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row of a sheet."""

    number: int
    cells: list[str]
    is_emphasized: bool = False  # all its texts are bold
    is_group: bool = False  # one of its cells spans several columns

    @property
    def filled(self) -> int:
        return sum(map(bool, self.cells))


@dataclass(frozen=True, slots=True)
class Table:
    """A table, whose rows are read from the sheet while they are used."""

    captions: tuple[str, ...]
    names: list[str]
    rows: Iterator[Row]


def tables(rows: Iterator[SheetRow], above: list[str] | None = None) -> Iterator[Table]:
    """Yield the tables of a sheet. All rows of a table have to be used before the next one.

    `above`: the names of columns of a table that may continue.
    """
    names: list[str] = above or []
    block = _Block(rows, None)
    while not block.is_empty():
        table = _table(block, names)
        names = table.names
        yield table
        block = _Block(rows, block.following)


class _Block:
    """The rows of one table, without blank ones."""

    def __init__(self, rows: Iterator[SheetRow], first: SheetRow | None) -> None:
        self._rows = rows if first is None else chain([first], rows)
        self._first: SheetRow | None = None
        self.following: SheetRow | None = None  # the first row of the next table, after the iteration

    def is_empty(self) -> bool:
        """Return whether there is no other row."""
        self._first = next((row for row in self._rows if row.filled), None)
        return self._first is None

    def __iter__(self) -> Iterator[SheetRow]:
        is_below_blank = has_table = False
        for row in chain([self._first] if self._first else [], self._rows):
            if row.filled and is_below_blank and has_table and (row.filled == 1 or _are_names(row)):
                self.following = row
                return
            is_below_blank = not row.filled
            has_table = has_table or row.filled > 1
            if row.filled:
                yield row


def _table(block: _Block, above: list[str]) -> Table:
    """Return a table of a block. `above`: the names of the table above it, which also belong to rows without a header.

    A block without rows of several cells is text.
    """
    rows = iter(block)
    sample = list(islice(rows, SAMPLE_ROWS))
    start = next((index for index, row in enumerate(sample) if row.filled > 1), 0)
    captions = tuple(" ".join(filter(None, row.cells)) for row in sample[:start])
    count = _header_rows(sample[start:], above)
    first = min(next(column for column, cell in enumerate(row.cells) if cell) for row in sample[start:])
    names = _names([row.cells for row in sample[start : start + count]])[first:] if count else []
    if not count and sample[start].filled > 1 and len(above) > 2:
        names = above
    following = chain(sample[start + count :], rows)
    return Table(captions, names, ((row.number, row.cells[first:]) for row in following))


def _names(header: Sequence[Sequence[str]]) -> list[str]:
    """Return the names of the columns. A name below a name that spans several columns has both."""
    width = max(map(len, header))
    padded = [[*row, *[""] * (width - len(row))] for row in header]
    names = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*padded, strict=True)]
    while names and not names[-1]:
        names.pop()
    return names


def _header_rows(rows: Sequence[SheetRow], above: list[str]) -> int:
    """Return how many rows have the names of columns."""
    header, below = rows[0], rows[1] if len(rows) > 1 else None
    if header.filled < 2 or below is None:
        return 0
    if header.filled == 2 and max(len(row.cells) for row in rows) == 2:  # it may be a list of properties
        return int(header.is_emphasized and not below.is_emphasized) or int(_has_numbers_below(rows))
    if header.cells == above:
        return 1
    if above and not (_are_names(header) and (header.filled != len(above) or _has_numbers_below(rows))):
        return 0
    count = 1
    while count < len(rows) - 1 and rows[count - 1].is_group:
        count += 1
    return count


def _are_names(row: SheetRow) -> bool:
    return all(_NAME.fullmatch(cell) for cell in row.cells)


def _has_numbers_below(rows: Sequence[SheetRow]) -> bool:
    """Return whether a column has a text in the first row, and numbers in all others that have it."""
    for column, name in enumerate(rows[0].cells):
        values = [row.cells[column] for row in rows[1:] if column < len(row.cells) and row.cells[column]]
        if name and not _HAS_DIGIT.search(name) and values and all(map(_HAS_DIGIT.search, values)):
            return True
    return False
