"""Read the tables of docs/fields.md. Each cell describes what happens to one field."""

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import time
from typing import Any

from tests.proxy.answers import DURATIONS

DOCUMENT = Path(__file__).parents[4] / "docs" / "fields.md"
Steps = list[str | int]

RECENT_SECONDS = 3600

# Fields that differ in every request or answer.
CHANGING_VALUES = (
    (re.compile(r"excerpt-[0-9a-f]{8}"), "excerpt-nonce"),
    (re.compile(r'"timings_ms": \{[^}]*\}'), '"timings_ms": {}'),
    (re.compile(r"chatcmpl-[0-9a-f]{32}"), "chatcmpl-new"),
    (re.compile(r"\b(resp|msg|rs|fc|ig)_[0-9a-f]{32}"), r"\1_new"),
    (re.compile(r"call_made[0-9a-f]{19}"), "call_new"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "new"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)"), "now"),
)


@dataclass(frozen=True)
class Row:
    """One field, an example of it, and its result in each column."""

    table: str
    field: str
    example: Any
    outcomes: dict[str, str]


def rows() -> Iterator[Row]:
    """Return the rows of all tables with a column `example`. A table belongs to the heading above it."""
    table, columns = "", list[str]()
    for line in DOCUMENT.read_text("utf-8").splitlines():
        if line.startswith("#"):
            table, columns = line.lstrip("# "), []
        elif not line.startswith("|"):
            columns = []
        elif not columns:
            columns = _cells(line)
        elif not set(line) <= set("|-: ") and columns[1] == "example":
            field, example, *outcomes = _cells(line)
            yield Row(
                table, field.strip("`"), json.loads(example.strip("`")), dict(zip(columns[2:], outcomes, strict=True))
            )


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def expected(outcome: str, baseline: Any, row: Row) -> Any:
    """Return the expected output with the field, from the output without it."""
    found = copy.deepcopy(baseline)
    if outcome == "kept":
        return set_value(found, row.field, row.example)
    for path, value, absent in re.findall(r"`([^`]+)`(?:: `([^`]+)`| (is absent))?", re.sub(r"\(.*\)$", "", outcome)):
        if absent:
            del found[path]
        else:
            set_value(found, path, json.loads(value) if value else row.example)
    return found


def actual_and_expected(outcome: str, baseline: Any, found: Any, row: Row) -> tuple[Any, Any]:
    """Return the actual and the expected output, for a cell that is not a status."""
    if not outcome.startswith("in "):
        return found, normalized(expected(outcome, baseline, row))
    (path,) = re.findall(r"`([^`]+)`", outcome)
    inside = json.dumps(at(found, path))
    assert re.findall(r'"([^"]+)"', json.dumps(row.example))[-1] in inside
    return set_value(found, path, ""), set_value(copy.deepcopy(baseline), path, "")


def at(body: Any, path: str) -> Any:
    """Return the value at a path such as `a.b[0].c`."""
    for step in steps(path):
        body = body[step]
    return body


def set_value(body: Any, path: str, value: Any) -> Any:
    """Set the value at a path such as `a.b[0].c`. Missing objects, lists and last elements are created."""
    found = steps(path)
    container, last = body, found[-1]
    for step, following in pairwise(found):
        _extend(container, step, [] if isinstance(following, int) else {})
        container = container[step]
    _extend(container, last, None)
    container[last] = copy.deepcopy(value)
    return body


def _extend(container: Any, step: str | int, new: Any) -> None:
    if isinstance(container, dict):
        container.setdefault(step, new)
    elif len(container) == step:
        container.append(new)


def steps(path: str) -> Steps:
    """Return the names and indexes of a path such as `a.b[0].c`."""
    return [int(index) if index else name for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path)]


def normalized(value: Any) -> Any:
    """Return a value with constants in place of values that change with every request."""
    value = _without_measured_durations(value)
    text = re.sub(
        r'("(?:created|created_at|completed_at)": )(\d+)', _without_own_time, json.dumps(value, sort_keys=True)
    )
    for pattern, constant in CHANGING_VALUES:
        text = pattern.sub(constant, text)
    return json.loads(text)


def _without_measured_durations(value: Any) -> Any:
    """Return a value without the durations of Ollama's API that Citestream measures; then `load_duration` is 0."""
    if isinstance(value, list):
        return [_without_measured_durations(one) for one in value]
    if isinstance(value, dict) and value.get("load_duration") == 0:
        return {key: one for key, one in value.items() if key not in DURATIONS}
    return value


def _without_own_time(match: re.Match[str]) -> str:
    """Replace a recent time, which the server has set. The time of a provider is constant."""
    return f"{match[1]}0" if int(match[2]) > time() - RECENT_SECONDS else match[0]
