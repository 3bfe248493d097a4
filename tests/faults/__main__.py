"""Run every fault of a provider with every client API and print the tables of docs/faults.md: `make faults`.

python -m tests.faults                 # unchanged, split at random, one byte at a time, and closed at every 16th byte
python -m tests.faults --quick         # unchanged only: 2 minutes instead of 10
python -m tests.faults --step 1        # closed at every byte
python -m tests.faults --write         # writes the tables into docs/faults.md

Exits with status 1 and prints the errors if a result is wrong.
"""

import argparse
import asyncio
import sys
from collections.abc import Mapping
from time import monotonic

from tests.faults.checks import NOTHING
from tests.faults.dialects import DIALECTS
from tests.faults.framing import SPLITS
from tests.faults.matrix import COLUMNS, Cell, closes, column
from tests.faults.scenarios import length
from tests.faults.table import PAGE, Results, table, with_tables

STEP = 16


def main() -> None:
    """Send all requests and print the results."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="run each fault once, with unchanged bytes")
    options.add_argument(
        "--step", type=int, default=STEP, metavar="BYTES", help="number of bytes between two positions of a close"
    )
    options.add_argument("--write", action="store_true", help=f"write the tables into {PAGE.name}")
    arguments = options.parse_args()
    started = monotonic()
    results, errors = asyncio.run(
        _run(() if arguments.quick else tuple(SPLITS)[1:], 0 if arguments.quick else arguments.step)
    )
    print(table(results))
    if arguments.write:
        PAGE.write_text(with_tables(PAGE.read_text("utf-8"), table(results)), "utf-8")
    print(f"\n{_count(results)} combinations of fault, provider and client API in {monotonic() - started:.0f} s")
    if errors:
        sys.exit("\n".join(["errors:", *errors]))


async def _run(splits: tuple[str, ...], step: int) -> tuple[Results, list[str]]:
    results, errors = {}, []
    for kind in DIALECTS:
        for name in COLUMNS:
            print(f"{kind} for {name}", file=sys.stderr, flush=True)
            results[kind, name] = await column(kind, name)
            errors += _errors(results[kind, name], kind, name, "")
            for split in splits:
                errors += _errors(await column(kind, name, SPLITS[split]), kind, name, f", {split}")
            if step:
                errors += _errors(await closes(kind, name, range(0, length(kind) + 1, step)), kind, name, "")
    return results, errors


def _errors(cells: Mapping[str, Cell], kind: str, name: str, suffix: str) -> list[str]:
    return [f"{kind} for {name}: {fault}{suffix}: {one}" for fault, cell in cells.items() for one in cell.errors]


def _count(results: Results) -> int:
    return sum(cell.shown != NOTHING for cells in results.values() for cell in cells.values())


if __name__ == "__main__":
    main()
