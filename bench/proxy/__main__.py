"""What Citestream costs beside a bare pass-through, on this machine, loopback only: `make bench-proxy`.

python -m bench.proxy                     # every case, a quarter of an hour
python -m bench.proxy --quick             # the cases that were promised, two minutes
python -m bench.proxy --quick --check     # fails where a ratio is clearly worse than the committed one
python -m bench.proxy --quick --others    # beside LiteLLM's proxy and Portkey's gateway, installed on demand (900 MB)
python -m bench.proxy --set scaling --plot docs/images/scaling.png   # how cost grows: docs/scaling.md
python -m bench.proxy --workers 1 2       # what more processes bring
python -m bench.proxy --profile           # where the CPU goes, stage by stage, under py-spy

All proxies take turns in every round; a ratio is the median of the rounds' ratios to the pass-through's.
"""

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

from bench.proxy import plot, report, resting, split, workers
from bench.proxy.cases import SETS, Case
from bench.proxy.measure import Measured, measure
from bench.proxy.others import litellm, portkey
from bench.proxy.peers import Peer, citestream, passthrough
from bench.proxy.processes import Process, module

ROUNDS = 3


def main() -> None:
    """Measure, print, draw, compare."""
    chosen = arguments()
    if chosen.profile:
        print(split.table())
        return
    if chosen.workers:
        print(workers.table(chosen.workers, chosen.rounds))
        return
    cases = tuple(case for case in SETS["quick" if chosen.quick else chosen.set] if chosen.only in case.name)
    starts = (passthrough, citestream, *((portkey, litellm) if chosen.others else ()))
    with ExitStack() as running:
        upstream = running.enter_context(module("bench.proxy.upstream"))
        peers = [running.enter_context(start(upstream)) for start in starts]
        rows = report.rows(cases, peers, rounds(cases, peers, upstream, chosen.rounds))
    print(report.table(rows))
    print(resting.table())
    if chosen.json:
        chosen.json.write_text(report.as_json(rows))
    if chosen.plot:
        plot.draw(rows, chosen.plot)
    if chosen.commit:
        report.commit(rows)
    if chosen.check and (worse := report.worse(rows)):
        sys.exit("\n".join(["worse than committed:", *worse]))


def arguments() -> argparse.Namespace:
    """The command line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="only what was promised")
    options.add_argument("--set", choices=SETS, default="full", help="which cases")
    options.add_argument("--only", default="", metavar="WORDS", help="of these, only cases whose name has these words")
    options.add_argument("--others", action="store_true", help="measure LiteLLM and Portkey too, without evidence")
    options.add_argument("--profile", action="store_true", help="only show where the CPU goes")
    options.add_argument("--workers", type=int, nargs="+", metavar="N", help="only compare numbers of processes")
    options.add_argument("--rounds", type=int, default=ROUNDS)
    options.add_argument("--json", type=Path, metavar="FILE", help="write everything measured")
    options.add_argument("--plot", type=Path, metavar="FILE", help="draw it")
    options.add_argument("--check", action="store_true", help=f"compare with {report.COMMITTED.name}")
    options.add_argument("--commit", action="store_true", help="make these ratios the ones that --check compares with")
    return options.parse_args()


def rounds(cases: tuple[Case, ...], peers: list[Peer], upstream: Process, count: int) -> report.Rounds:
    """Every case at every peer that knows it, so many times, taking turns; one more before that is not counted."""
    found: dict[tuple[str, str], list[Measured]] = {}
    for number in range(count + 1):
        for case in cases:
            for peer in peers:
                asked = case if peer.cites else case.baseline
                known = found.setdefault((peer.name, asked.name), [])
                if peer.knows(asked) and len(known) <= number:
                    known.append(measure(peer, asked, upstream))
        print(f"round {number} of {count}" if number else "warmed up", file=sys.stderr, flush=True)
    return {key: measured[1:] for key, measured in found.items() if measured}


if __name__ == "__main__":
    main()
