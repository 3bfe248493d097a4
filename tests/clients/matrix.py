"""The matrix as Markdown."""

from collections.abc import Sequence

from .judging import Row

TITLES = {
    "text": "text",
    "usage": "usage",
    "references by": "references by",
    "calls": "tool calls",
    "reasoning": "reasoning",
    "retrieved": "cites what tools found",
    "again": "second turn",
    "error": "unknown model raises",
    "broken": "a stream cut off raises",
    "left": "leaving frees the provider",
    "does not show": "does not show",
}


def markdown(rows: Sequence[Row]) -> str:
    """A table, one line for each way to use each client."""
    lines = [["client", "way", *TITLES.values()], ["---"] * (len(TITLES) + 2)]
    for row in rows:
        cells = [f"FAILED ({len(row.faults)})" if row.faults and name == "text" else row.cells[name] for name in TITLES]
        lines.append([f"{row.client} {row.version}".strip(), row.way, *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
