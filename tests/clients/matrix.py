"""Format the results of the clients as Markdown tables."""

from collections.abc import Sequence
from itertools import groupby

from tests.clients.checking import Row

TITLES = {
    "text": "text",
    "usage": "usage",
    "references by": "references by",
    "calls": "tool calls",
    "reasoning": "reasoning",
    "retrieved": "cites tool results",
    "second_turn": "second turn",
    "error": "unknown model raises",
    "broken": "interrupted stream raises",
    "cancelled": "cancelling closes the provider's stream",
    "does not show": "does not return",
}


def markdown(rows: Sequence[Row]) -> str:
    """Return a table with one line for each call of each client."""
    lines = [["client", "call", *TITLES.values()]]
    for row in rows:
        cells = [f"FAILED ({len(row.faults)})" if row.faults and name == "text" else row.cells[name] for name in TITLES]
        lines.append([_named(row), row.way, *cells])
    return _table(lines)


def summary(rows: Sequence[Row]) -> str:
    """Return a table with one line for each client and its number of calls."""
    lines = [["client", "calls", "references are in"]]
    for client, ways in groupby(rows, _named):
        listed = list(ways)
        found = dict.fromkeys(place for row in listed for place in row.cells["references by"].split(", "))
        lines.append([client, str(len(listed)), ", ".join(found)])
    return _table(lines)


def _named(row: Row) -> str:
    return f"{row.client} {row.version}".strip()


def _table(lines: Sequence[Sequence[str]]) -> str:
    head, *rest = lines
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *rest])
