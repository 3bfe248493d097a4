"""Rows of Markdown tables: their cells, and the rule below the header."""

import re

_CELL_BREAK = re.compile(r"(?<!\\)\|")
# Each run of white space can be matched in one way only; otherwise 80,000 spaces would take 40 s.
_RULE = re.compile(r"\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)+(?:\|\s*)?")


def table_cells(row: str) -> list[str]:
    r"""Return the cells of a row. The pipes at both ends are optional, and `\|` is a character of a cell."""
    cells = [cell.strip().replace("\\|", "|") for cell in _CELL_BREAK.split(row.strip())]
    if not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return cells


def is_table_rule(line: str) -> bool:
    """Return whether a line separates the header of a table of at least two columns from its rows."""
    return _RULE.fullmatch(line) is not None
