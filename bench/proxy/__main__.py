"""What Citestream costs beside a bare pass-through, on this machine, loopback only: `make bench-proxy`.

python -m bench.proxy                   # every case, ten minutes
python -m bench.proxy --quick           # the cases that were promised, one minute
python -m bench.proxy --quick --check   # fails where a ratio is clearly worse than the committed one

All proxies take turns in every round; a ratio is the median of the rounds' ratios to the pass-through's.
"""

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

from bench.proxy import report
from bench.proxy.cases import SETS, Case
from bench.proxy.measure import Measured, measure
from bench.proxy.peers import Peer, citestream, passthrough
from bench.proxy.processes import Process, module

ROUNDS = 5
Rounds = dict[tuple[str, str], list[Measured]]  # (peer, case) -> one a round


def main() -> None:
    """Measure, print, draw, compare."""
    chosen = arguments()
    cases = SETS["quick" if chosen.quick else chosen.set]
    with ExitStack() as running:
        upstream = running.enter_context(module("bench.proxy.upstream"))
        peers = [running.enter_context(start(upstream)) for start in (passthrough, citestream)]
        rows = report.rows(cases, rounds(cases, peers, upstream, chosen.rounds))
    print(report.table(rows))
    if chosen.json:
        chosen.json.write_text(report.as_json(rows))
    if chosen.commit:
        report.commit(rows)
    if chosen.check and (worse := report.worse(rows)):
        sys.exit("\n".join(["worse than committed:", *worse]))


def arguments() -> argparse.Namespace:
    """The command line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="only what was promised")
    options.add_argument("--set", choices=SETS, default="full", help="which cases")
    options.add_argument("--rounds", type=int, default=ROUNDS)
    options.add_argument("--json", type=Path, metavar="FILE", help="write everything measured")
    options.add_argument("--check", action="store_true", help=f"compare with {report.COMMITTED.name}")
    options.add_argument("--commit", action="store_true", help="make these ratios the ones that --check compares with")
    return options.parse_args()


def rounds(cases: tuple[Case, ...], peers: list[Peer], upstream: Process, count: int) -> Rounds:
    """Every case at every peer, so many times, taking turns; one more before that is not counted."""
    found: Rounds = {}
    for number in range(count + 1):
        for case in cases:
            for peer in peers:
                asked = case if peer.cites else case.baseline
                if not (number and (peer.name, asked.name) in found and len(found[peer.name, asked.name]) >= number):
                    measured = measure(peer, asked, upstream)
                    if number:
                        found.setdefault((peer.name, asked.name), []).append(measured)
        print(f"round {number} of {count}" if number else "warmed up", file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    main()
