"""Report the results: a table, a file, and a comparison with the committed results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import isnan
from pathlib import Path
from statistics import median

import orjson

from bench.proxy.cases import Case
from bench.proxy.measure import Measured
from bench.proxy.peers.peer import Peer

COMMITTED = Path(__file__).parent / "ratios.json"
# The best round must be this much worse than the committed median by both measures, which noise does not cause.
TOLERANCE = 1.25
BASELINE, OURS = "pass-through", "Citestream"

Rounds = Mapping[tuple[str, str], Sequence[Measured]]


@dataclass(frozen=True, slots=True)
class Row:
    """Medians of one case. Pairs are the values of the pass-through and the proxy."""

    case: str
    proxy: str
    streams: int
    evidence: int
    tokens: int
    paced: bool
    cpu: tuple[float, float]  # µs per chunk
    ratio: float
    ratios: tuple[float, ...]  # for each round
    yards: tuple[float, ...]  # for each round: µs per chunk for each ms of the reference work
    delivered: float  # chunks per second, ratio
    first: float  # delay of the first text compared with the pass-through in ms
    held: tuple[
        float, float
    ]  # delay of sentences compared with the pass-through in ms, p50 and p99; only for paced cases
    resident: float  # MB


def rows(cases: Sequence[Case], peers: Sequence[Peer], found: Rounds) -> list[Row]:
    """Return a row for each case and each proxy except the pass-through."""
    return [
        _row(case, peer.name, found[BASELINE, case.baseline.name], found[peer.name, asked.name])
        for case in cases
        for peer in peers
        if peer.name != BASELINE and (peer.name, (asked := case if peer.cites else case.baseline).name) in found
        if peer.cites or case == case.baseline
    ]


def _row(case: Case, proxy: str, base: Sequence[Measured], own: Sequence[Measured]) -> Row:
    pairs = list(zip(base, own, strict=True))
    ratios = tuple(round(two.cpu / one.cpu, 3) for one, two in pairs)
    return Row(
        case=case.name,
        proxy=proxy,
        streams=case.streams,
        evidence=case.evidence,
        tokens=case.tokens,
        paced=case.paced,
        cpu=(round(median(one.cpu for one in base), 2), round(median(two.cpu for two in own), 2)),
        ratio=median(ratios),
        ratios=ratios,
        yards=tuple(round(two.cpu / two.yard, 3) for two in own),
        delivered=round(median(two.rate / one.rate for one, two in pairs), 3),
        first=round(median(two.first - one.first for one, two in pairs), 2),
        held=(
            round(median(two.held[0] - one.held[0] for one, two in pairs), 2),
            round(median(two.held[1] - one.held[1] for one, two in pairs), 2),
        ),
        resident=round(max(two.resident for two in own), 1),
    )


HEADINGS = (
    *("case", "proxy", "pass-through", "CPU per chunk", "ratio (of the rounds)", "delivered", "first text"),
    *("sentence p50, p99", "RSS"),
)
WIDTHS = (58, 10, 12, 11, 22, 9, 10, 20, 7)


def table(found: Sequence[Row]) -> str:
    """Return the table as text. Times are the additional time compared with the pass-through."""
    return "\n".join(
        [_line(HEADINGS), "-|-".join("-" * width for width in WIDTHS), *(_line(_cells(row)) for row in found)]
    )


def _cells(row: Row) -> list[str]:
    return [
        row.case,
        row.proxy,
        f"{row.cpu[0]:.1f} µs",
        f"{row.cpu[1]:.1f} µs",
        f"{row.ratio:.2f}× ({min(row.ratios):.2f}–{max(row.ratios):.2f})",
        f"{row.delivered:.3f}×" if row.paced else "",
        _delay(row.first) if row.paced or row.streams == 1 else "",
        _delay(*row.held) if row.paced else "",
        f"{row.resident:.0f} MB",
    ]


def _delay(*delays: float) -> str:
    """Return delays in ms. One that could not be measured is a NaN."""
    return "not measured" if any(map(isnan, delays)) else ", ".join(f"{delay:+.1f}" for delay in delays) + " ms"


def _line(cells: Sequence[str]) -> str:
    return " | ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True))


def as_json(found: Sequence[Row]) -> str:
    """Return all results as JSON."""
    listed = [{field.name: getattr(row, field.name) for field in fields(row)} for row in found]
    return orjson.dumps(listed, option=orjson.OPT_INDENT_2).decode() + "\n"


def commit(found: Sequence[Row]) -> None:
    """Save the results for later comparisons. Cases that were not measured keep their committed results."""
    known = _committed() if COMMITTED.exists() else {}
    known |= {row.case: [round(row.ratio, 2), round(median(row.yards), 2)] for row in found if row.proxy == OURS}
    COMMITTED.write_bytes(orjson.dumps(known, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def worse(found: Sequence[Row]) -> list[str]:
    """Return the cases that are clearly worse than the committed results. Cases without results are skipped."""
    committed = _committed()
    said = []
    for row in found:
        if row.proxy != OURS or row.case not in committed:
            continue
        ratio, yards = committed[row.case]
        if min(row.ratios) > ratio * TOLERANCE and min(row.yards) > yards * TOLERANCE:
            said.append(f"{row.case}: {row.ratio:.2f}× the pass-through's CPU, committed {ratio:.2f}×")
    return said


def _committed() -> dict[str, list[float]]:
    """Return by case the CPU time per chunk relative to the pass-through, and in µs per ms of the reference work."""
    found: dict[str, list[float]] = orjson.loads(COMMITTED.read_bytes())
    return found
