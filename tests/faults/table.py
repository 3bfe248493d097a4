"""Write the results of all faults as the tables of docs/faults.md, and read these tables."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.faults.checks import NOTHING, applies
from tests.faults.dialects import DIALECTS
from tests.faults.matrix import COLUMNS, Cell, client_of
from tests.faults.scenarios import GROUPS, SCENARIOS

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
BEGIN, END = "<!-- written by make faults -->", "<!-- until here -->"
PART = re.compile(r"([^\s;()]+)(?: \(([^)]*)\))?")

Results = Mapping[tuple[str, str], Mapping[str, Cell]]  # by provider and client API, by scenario


def table(results: Results) -> str:
    """The results in Markdown, one table for each group of scenarios."""
    parts = []
    for title, scenarios in GROUPS.items():
        heads = (title, "providers", *COLUMNS)
        rows = [(one, _providers(one), *(_cell(results, one, column) for column in COLUMNS)) for one in scenarios]
        parts.append("\n".join(map(_line, (heads, ("---",) * len(heads), *rows))))
    return "\n\n".join(parts)


def with_tables(page: str, tables: str) -> str:
    """Return the page with its tables replaced."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{rest.partition(END)[2]}"


def documented_results(page: str) -> dict[tuple[str, str], str]:
    """Return the results on a page by scenario and client API."""
    results: dict[tuple[str, str], str] = {}
    for line in page.partition(BEGIN)[2].partition(END)[0].splitlines():
        if line.startswith("| ") and not line.startswith("| ---"):
            name, providers, *cells = (cell.strip() for cell in line.strip("|").split("|"))
            if providers != "providers":
                results |= {(name, column): cell for column, cell in zip(COLUMNS, cells, strict=True)}
    return results


def documented_result(cell: str, kind: str) -> str:
    """Return the result for one provider in a cell of the page."""
    return next((shown for shown, kinds in PART.findall(cell) if not kinds or kind in kinds.split(", ")), NOTHING)


def _cell(results: Results, scenario: str, column: str) -> str:
    kinds: dict[str, list[str]] = {}
    for kind in _kinds(scenario, column):
        kinds.setdefault(results[kind, column][scenario].shown, []).append(kind)
    if len(kinds) < 2:
        return next(iter(kinds), NOTHING)
    return "; ".join(f"{shown} ({', '.join(names)})" for shown, names in kinds.items())


def _kinds(scenario: str, column: str) -> Iterator[str]:
    return (kind for kind in DIALECTS if applies(SCENARIOS[scenario], kind, client_of(kind, column)))


def _providers(scenario: str) -> str:
    kinds = SCENARIOS[scenario].kinds
    return "all" if set(kinds) == set(DIALECTS) else ", ".join(kinds)


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
