"""Measure the overhead of Citestream compared with a bare pass-through on this machine: `make bench-proxy`.

python -m bench.proxy                     # all cases, 15 minutes
python -m bench.proxy --quick             # the most important cases, 2 minutes
python -m bench.proxy --quick --check     # fails if a ratio is clearly worse than the committed one
python -m bench.proxy --quick --others    # also LiteLLM and Portkey, installed on demand (900 MB)
python -m bench.proxy --set scaling --plot docs/images/scaling.png   # the plots of docs/scaling.md
python -m bench.proxy --workers 1 2       # compare numbers of processes, minutes
python -m bench.proxy --arrivals 1000     # streams that arrive within one second, minutes
python -m bench.proxy --profile           # CPU time per pipeline stage with py-spy, minutes

All proxies take turns in every round. A ratio is the median of the ratios to the pass-through, the
baseline, in each round.
"""

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

from bench.proxy import arrivals, cpu_profile, plot, report, startup, workers
from bench.proxy.cases import SETS, Case
from bench.proxy.measure import Measured, measure
from bench.proxy.peers.other_proxies import litellm, portkey
from bench.proxy.peers.peer import Peer, citestream, passthrough
from bench.proxy.peers.processes import Process, module

ROUNDS = 3


def main() -> None:
    """Measure, print the table, draw the plots and compare with the committed results."""
    chosen = arguments()
    if chosen.profile:
        print(cpu_profile.table())
        return
    if chosen.workers:
        print(workers.table(chosen.workers, chosen.rounds))
        return
    if chosen.arrivals:
        print(arrivals.table(chosen.arrivals, chosen.rounds))
        return
    cases = tuple(case for case in SETS["quick" if chosen.quick else chosen.set] if chosen.only in case.name)
    starts = (passthrough, citestream, *((portkey, litellm) if chosen.others else ()))
    with ExitStack() as running:
        upstream = running.enter_context(module("bench.proxy.peers.fake_provider"))
        peers = [running.enter_context(start(upstream)) for start in starts]
        rows = report.rows(cases, peers, rounds(cases, peers, upstream, chosen.rounds))
    print(report.table(rows))
    print(startup.table())
    if chosen.json:
        chosen.json.write_text(report.as_json(rows))
    if chosen.plot:
        plot.draw(rows, chosen.plot)
    if chosen.commit:
        report.commit(rows)
    if chosen.check and (worse := report.worse(rows)):
        sys.exit("\n".join(["worse than committed:", *worse]))


def arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="only the most important cases")
    options.add_argument("--set", choices=SETS, default="full", help="set of cases")
    options.add_argument("--only", default="", metavar="WORDS", help="only cases whose name contains these words")
    options.add_argument("--others", action="store_true", help="measure LiteLLM and Portkey too, without evidence")
    options.add_argument("--profile", action="store_true", help="only measure the CPU time per pipeline stage")
    options.add_argument("--workers", type=int, nargs="+", metavar="N", help="only compare numbers of processes")
    options.add_argument("--arrivals", type=int, metavar="N", help="only N streams that arrive within one second")
    options.add_argument("--rounds", type=int, default=ROUNDS)
    options.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    options.add_argument("--plot", type=Path, metavar="FILE", help="save the plots")
    options.add_argument("--check", action="store_true", help=f"compare with {report.COMMITTED.name}")
    options.add_argument("--commit", action="store_true", help="save these ratios for --check")
    return options.parse_args()


def rounds(cases: tuple[Case, ...], peers: list[Peer], upstream: Process, count: int) -> report.Rounds:
    """Measure each case with each proxy that supports it, in turns. The first round is a warm-up and not counted."""
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
