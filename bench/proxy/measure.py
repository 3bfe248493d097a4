"""Measure one case with one proxy: run the load and read the CPU clocks before and after."""

import asyncio
from dataclasses import dataclass, replace
from itertools import count
from math import nan
from statistics import median, quantiles

import orjson
import uvloop

from bench.proxy.cases import Case
from bench.proxy.load import Stream, run
from bench.proxy.peers.peer import Peer
from bench.proxy.peers.processes import Process
from bench.proxy.reference_work import milliseconds
from bench.proxy.sample_text import answer

_runs = count()


@dataclass(frozen=True, slots=True)
class Measured:
    """Results of one round."""

    cpu: float  # µs per chunk
    rate: float  # chunks per second of all streams
    first: float  # ms from the request to the first text, median
    held: tuple[
        float, float
    ]  # ms from the end of a sentence at the provider to its arrival, p50 and p99; only for paced cases
    resident: float  # MB
    yard: float  # ms of the reference work on this machine at this time


def measure(peer: Peer, case: Case, upstream: Process) -> Measured:
    """Run one round and return its results."""
    before = milliseconds()
    found = uvloop.run(_measure(peer, case, upstream))
    return replace(found, yard=(before + milliseconds()) / 2)


async def _measure(peer: Peer, case: Case, upstream: Process) -> Measured:
    name = f"r{next(_runs)}"
    before = peer.process.cpu()
    streams = await run(
        peer.process.port,
        lambda number: peer.request(case, number, name),
        case.streams,
        total := peer.total(case),
        timed=case.paced or case.streams == 1,
        spread=case.spread,
    )
    used = peer.process.cpu() - before
    whole(streams, case)
    chunks = total * case.tokens
    passed = max(stream.done for stream in streams) - min(stream.sent for stream in streams)
    firsts = [stream.first - stream.sent for stream in streams if stream.first] or [nan]
    return Measured(
        cpu=used / chunks * 1e6,
        rate=chunks / passed,
        first=median(firsts) * 1000,
        held=await _held(streams, upstream, case, name, peer.ahead(case)) if case.paced else (0.0, 0.0),
        resident=peer.process.resident(),
        yard=0.0,
    )


def whole(streams: list[Stream], case: Case) -> None:
    """Raise RuntimeError if an answer is incomplete, because its times would be meaningless."""
    expected = "".join(answer(case.tokens).tokens)
    for stream in streams:
        if stream.text and _letters(stream.text) != _letters(expected):
            raise RuntimeError(f"{case.name}: the text is not the provider's: {stream.text[-300:]!r}")


def _letters(text: str) -> str:
    """Return the text without the characters of markers."""
    return "".join(character for character in text if character.isalpha())


async def _held(streams: list[Stream], upstream: Process, case: Case, name: str, ahead: int) -> tuple[float, float]:
    """Return p50 and p99 of the delay in ms from the last token of a sentence at the provider to its arrival.

    Both are NaN if fewer than two sentences arrived.

    With `ahead` 1, the delay is measured from the next token, because "3." can continue with "14": a proxy that waits
    for whole sentences cannot detect the end earlier.
    """
    reader, writer = await asyncio.open_connection("127.0.0.1", upstream.port)
    waits: list[float] = []
    for stream in streams:
        written = await _times(reader, writer, f"{name}-{stream.number}")
        due = [written[at + ahead] for at in answer(case.tokens).ends]
        waits += [(arrived - left) * 1000 for arrived, left in zip(stream.stops, due, strict=False)]
    writer.close()
    if len(waits) < 2:  # no sentence arrived, as when a peer collects the whole answer
        return nan, nan
    percentiles = quantiles(waits, n=100)
    return percentiles[49], percentiles[98]


async def _times(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str) -> list[float]:
    writer.write(f"GET /times/{name} HTTP/1.1\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    found: list[float] = orjson.loads(await reader.readexactly(int(head.split()[-1])))
    return found
