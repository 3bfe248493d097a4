"""Objects of a JSON file as rows of tables: keys are names of columns, and lists of objects are tables of their own."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from ..part import Part
from .table_text import Row, split_header, table_parts

MAX_DEPTH = 20  # nested objects; a deeper one is written as JSON
ROWS_TOGETHER = 200  # rows whose keys are the columns of one table: a file may have millions

Numbered = tuple[int, Any]  # the number of an entry or line, and its value


class WrittenFloat(float):
    """A number that keeps its text: 129.50."""

    def __new__(cls, text: str) -> "WrittenFloat":
        """Parse the text."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str


def parts_of(items: Iterable[Numbered]) -> Iterator[Part]:
    """Yield the values of a list. `metadata.row` is the number of the first one of a part."""
    for kind, group in groupby(items, lambda item: type(item[1]) if isinstance(item[1], dict | list) else None):
        while batch := list(islice(group, ROWS_TOGETHER)):
            if kind is dict and len(batch) == 1:
                yield from _object(batch[0][1], (), batch[0][0])
            elif kind is dict:
                yield from _table(batch, ())
            elif kind is list:
                captions, names, rows = split_header((number, list(map(_cell, row))) for number, row in batch)
                yield from table_parts(names, rows, tuple(captions))
            else:
                yield from table_parts([], [(number, [_cell(value)]) for number, value in batch])


def _object(value: Mapping[str, Any], headings: tuple[str, ...], number: int) -> Iterator[Part]:
    """Yield the plain values of an object as a row, and then each list of objects under its key."""
    lists = {key: rows for key, field in value.items() if (rows := _rows_of(field)) and len(headings) < MAX_DEPTH}
    if plain := {key: field for key, field in value.items() if key not in lists}:
        yield from _table([(number, plain)], headings)
    for key, rows in lists.items():
        above = (*headings, key)
        yield from _table(rows, above) if len(rows) > 1 else _object(rows[0][1], above, 1)


def _rows_of(value: Any) -> list[Numbered]:
    """Return the objects in a list, or in an object that contains nothing else, with the key of each; else nothing."""
    if isinstance(value, dict) and value and all(isinstance(field, dict) for field in value.values()):
        shared = set.intersection(*(set(row) for row in value.values()))
        value = [{"": key, **row} for key, row in value.items()] if len(value) > 1 and shared else [value]
    elif isinstance(value, dict) and any(map(_rows_of, value.values())):
        value = [value]
    if not isinstance(value, list) or not value or not all(isinstance(row, dict) and row for row in value):
        return []
    return list(enumerate(value, 1))


def _table(items: Sequence[Numbered], headings: tuple[str, ...]) -> Iterator[Part]:
    flat = [(number, _flattened(value)) for number, value in items]
    names = list(dict.fromkeys(name for _, cells in flat for name in cells))
    rows: list[Row] = [(number, [cells.get(name, "") for name in names]) for number, cells in flat]
    yield from table_parts(names, rows, headings)


def _flattened(value: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, str]:
    """Return the cells of a row. The name of a nested value has the names of its parents before it."""
    cells: dict[str, str] = {}
    for key, field in value.items():
        name = f"{prefix}{' '.join(key.split())}"
        if isinstance(field, dict) and field and depth < MAX_DEPTH:
            cells |= _flattened(field, f"{name}.", depth + 1)
        elif cell := _cell(field):
            cells[name] = cell
    return cells


def _cell(value: Any, depth: int = 0) -> str:
    """Return a value as the text of a cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, WrittenFloat):
        return value.text
    if isinstance(value, dict | list) and depth >= MAX_DEPTH:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_cell(field, depth + 1)}" for key, field in value.items())
    if isinstance(value, list):
        separator = "; " if any(isinstance(element, dict | list) for element in value) else ", "
        return separator.join(filter(None, (_cell(element, depth + 1) for element in value)))
    return str(value)
