"""Measure `--workers N`: answers per second and CPU time per chunk for several numbers of processes.

The client and the fake provider also use CPU time, a tenth of that of Citestream with evidence. Therefore two workers
on two cores cannot be twice as fast.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from statistics import median

from bench.proxy.cases import Case
from bench.proxy.measure import Measured, measure
from bench.proxy.peers.peer import citestream
from bench.proxy.peers.processes import module

CASES = (Case(64), Case(64, 20), Case(64, 20, same=True))


def table(numbers: Sequence[int], rounds: int) -> str:
    """Return the results as text."""
    found: dict[tuple[int, Case], list[Measured]] = {}
    with ExitStack() as running:
        upstream = running.enter_context(module("bench.proxy.peers.fake_provider"))
        peers = {one: running.enter_context(citestream(upstream, "--workers", str(one))) for one in numbers}
        for number in range(rounds + 1):
            for case in CASES:
                for workers, peer in peers.items():
                    measured = measure(peer, case, upstream)
                    if number:  # the first is a warm-up
                        found.setdefault((workers, case), []).append(measured)
    return "\n".join(
        [
            f"{'case':55} workers  chunks/s  CPU a chunk      RSS",
            *(_line(*key, found[key]) for key in sorted(found, key=_order)),
        ]
    )


def _order(key: tuple[int, Case]) -> tuple[int, int]:
    workers, case = key
    return CASES.index(case), workers


def _line(workers: int, case: Case, found: Sequence[Measured]) -> str:
    rate, cpu = median(one.rate for one in found), median(one.cpu for one in found)
    return f"{case.name:55} {workers:7} {rate:9.0f} {cpu:9.1f} µs {max(one.resident for one in found):5.0f} MB"
