"""Every fault of a provider × every client API × every provider, printed as tables: `make faults`, ten minutes.

python -m tests.faults                 # as written, cut at random, a byte at a time, and closed at every 16th byte
python -m tests.faults --quick         # as written only: two minutes
python -m tests.faults --step 1        # closed at every byte
python -m tests.faults --write         # writes the tables into docs/faults.md

Ends with 1 and says what is wrong where anything is.
"""

import argparse
import asyncio
import sys
from collections.abc import Mapping
from time import monotonic

from tests.faults.dialects import DIALECTS
from tests.faults.framing import CUTS
from tests.faults.judging import NOTHING
from tests.faults.matrix import COLUMNS, Cell, closes, column
from tests.faults.scenarios import length
from tests.faults.table import PAGE, Found, table, written

STEP = 16


def main() -> None:
    """Send all requests and print the results."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="each fault once, as it is written")
    options.add_argument("--step", type=int, default=STEP, metavar="BYTES", help="between two places to close at")
    options.add_argument("--write", action="store_true", help=f"write the tables into {PAGE.name}")
    chosen = options.parse_args()
    started = monotonic()
    found, wrong = asyncio.run(_all(() if chosen.quick else tuple(CUTS)[1:], 0 if chosen.quick else chosen.step))
    print(table(found))
    if chosen.write:
        PAGE.write_text(written(PAGE.read_text("utf-8"), table(found)), "utf-8")
    print(f"\n{_count(found)} faults, each at its provider and client API, in {monotonic() - started:.0f} s")
    if wrong:
        sys.exit("\n".join(["wrong:", *wrong]))


async def _all(cuts: tuple[str, ...], step: int) -> tuple[Found, list[str]]:
    found, wrong = {}, []
    for kind in DIALECTS:
        for name in COLUMNS:
            print(f"{kind} for {name}", file=sys.stderr, flush=True)
            found[kind, name] = await column(kind, name)
            wrong += _wrong(found[kind, name], kind, name, "")
            for cut in cuts:
                wrong += _wrong(await column(kind, name, CUTS[cut]), kind, name, f", {cut}")
            if step:
                wrong += _wrong(await closes(kind, name, range(0, length(kind) + 1, step)), kind, name, "")
    return found, wrong


def _wrong(cells: Mapping[str, Cell], kind: str, name: str, how: str) -> list[str]:
    return [f"{kind} for {name}: {fault}{how}: {one}" for fault, cell in cells.items() for one in cell.wrong]


def _count(found: Found) -> int:
    return sum(cell.shown != NOTHING for cells in found.values() for cell in cells.values())


if __name__ == "__main__":
    main()
