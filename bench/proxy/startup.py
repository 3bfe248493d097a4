"""Measure a new `citestream serve`: time to start, time of the first answer, and memory before and after 64 streams."""

import time
from urllib.request import urlopen

from bench.proxy.cases import Case
from bench.proxy.measure import measure
from bench.proxy.peers.peer import Peer, citestream
from bench.proxy.peers.processes import Process, module

STREAMS = 64
EVIDENCE = (0, 5, 20)
STARTS = 3


def table() -> str:
    """Return the results as text."""
    with module("bench.proxy.peers.fake_provider") as upstream:
        cpu, listens, answered, resident = sorted(_start(upstream) for _ in range(STARTS))[STARTS // 2]
        waits = f"listens after {listens:.2f} s, has answered after {answered:.2f} s, {cpu:.2f} s of them CPU"
        said = ["", f"start: {waits}; at rest {resident:.0f} MB"]
        for evidence in EVIDENCE:
            with citestream(upstream) as peer:
                case = Case(STREAMS, evidence, paced=True)
                measure(peer, case, upstream)
                said.append(f"memory after {STREAMS} streams, {evidence} excerpts: {peer.process.resident():.0f} MB")
    return "\n".join(said)


def _start(upstream: Process) -> tuple[float, float, float, float]:
    """Return CPU seconds, seconds until it listens, seconds until the first answer, and memory in MB."""
    began = time.monotonic()
    with citestream(upstream) as peer:
        _alive(peer)
        return peer.process.cpu(), peer.process.started_in, time.monotonic() - began, peer.process.resident()


def _alive(peer: Peer) -> None:
    with urlopen(f"http://127.0.0.1:{peer.process.port}/healthz", timeout=10) as answer:  # nosec B310 # server of this project
        answer.read()
