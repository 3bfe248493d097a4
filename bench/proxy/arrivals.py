"""Measure many streams that arrive within one second: how many are reset, and how long the first sentence takes.

The proxies take turns. The client and the fake provider run on the same cores, so the cores are busy.
"""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median, quantiles

import uvloop

from bench.proxy.cases import PACE, Case
from bench.proxy.load import Stream, ask
from bench.proxy.peers.peer import Peer, citestream, passthrough
from bench.proxy.peers.processes import module

ARRIVAL_SECONDS = 1.0
SECONDS = 300.0  # maximum of one round
EVIDENCE = (0, 5)  # excerpts


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Results of one round."""

    complete: int
    lost: tuple[str, ...]  # one error for each stream without an answer
    first: tuple[float, float]  # seconds from the request to the first complete sentence, p50 and p99


def table(streams: int, rounds: int) -> str:
    """Return the results as text. A row has the medians of the rounds, and the streams lost in all of them."""
    cases = [Case(streams, evidence, paced=True) for evidence in EVIDENCE]
    found: dict[tuple[Case, str], list[Arrivals]] = {}
    with ExitStack() as running:
        upstream = running.enter_context(module("bench.proxy.peers.fake_provider"))
        peers = [running.enter_context(one) for one in (passthrough(upstream), citestream(upstream, "--workers", "2"))]
        for number in range(rounds):
            for case in cases:
                for peer in peers:
                    if peer.cites or not case.evidence:
                        measured = uvloop.run(_measure(peer, case, f"a{number}"))
                        found.setdefault((case, peer.name), []).append(measured)
    return "\n".join(_line(case, name, results) for (case, name), results in found.items())


async def _measure(peer: Peer, case: Case, run: str) -> Arrivals:
    streams: list[Stream] = []
    lost: list[str] = []

    async def client(number: int) -> None:
        await asyncio.sleep(number * ARRIVAL_SECONDS / case.streams)
        try:
            streams.append(await ask(peer.process.port, peer.request(case, number, run), number, timed=True))
        except (OSError, RuntimeError, asyncio.IncompleteReadError) as error:
            lost.append(f"{type(error).__name__}: {str(error)[:100]}")

    async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as clients:
        for number in range(case.streams):
            clients.create_task(client(number))
    percentiles = quantiles([stream.stops[0] - stream.sent for stream in streams if stream.stops], n=100)
    return Arrivals(len(streams), tuple(lost), (percentiles[49], percentiles[98]))


def _line(case: Case, name: str, found: Sequence[Arrivals]) -> str:
    lost = [error for one in found for error in one.lost]
    first = [median(one.first[at] for one in found) for at in (0, 1)]
    evidence = f"{case.evidence} new excerpts" if case.evidence else "no evidence"
    row = f"{case.streams} streams, {PACE} ms a token, {evidence:15} {name:13}"
    counts = f"complete {min(one.complete for one in found)}, lost {len(lost)}"
    result = f"{row} {counts}, first sentence p50 {first[0]:.2f} s, p99 {first[1]:.2f} s"
    return f"{result}\n  {sorted(set(lost))[:3]}" if lost else result
