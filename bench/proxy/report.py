"""The table, the file, and the comparison with what was committed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median

import orjson

from bench.proxy.cases import Case
from bench.proxy.measure import Measured

COMMITTED = Path(__file__).parent / "ratios.json"
TOLERANCE = 1.25  # even the best round must be this much worse than the committed median: noise is not, a mistake is
BASELINE, OURS = "pass-through", "Citestream"

Rounds = Mapping[tuple[str, str], Sequence[Measured]]


@dataclass(frozen=True, slots=True)
class Row:
    """Medians of one case; pairs are the pass-through and the proxy."""

    case: str
    proxy: str
    cpu: tuple[float, float]  # µs a chunk
    ratio: float
    ratios: tuple[float, ...]  # of each round
    delivered: float  # chunks a second, ratio
    first: float  # ms later than the pass-through's first text
    held: tuple[float, float]  # ms later than the pass-through's, p50 and p99 of sentences; paced only
    resident: float  # MB


def rows(cases: Sequence[Case], found: Rounds, proxy: str = OURS) -> list[Row]:
    """One for each case."""
    return [_row(case.name, proxy, found[BASELINE, case.baseline.name], found[proxy, case.name]) for case in cases]


def _row(name: str, proxy: str, base: Sequence[Measured], own: Sequence[Measured]) -> Row:
    pairs = list(zip(base, own, strict=True))
    ratios = tuple(round(two.cpu / one.cpu, 3) for one, two in pairs)
    return Row(
        case=name,
        proxy=proxy,
        cpu=(round(median(one.cpu for one in base), 2), round(median(two.cpu for two in own), 2)),
        ratio=median(ratios),
        ratios=ratios,
        delivered=round(median(two.rate / one.rate for one, two in pairs), 3),
        first=round(median(two.first - one.first for one, two in pairs), 2),
        held=(
            round(median(two.held[0] - one.held[0] for one, two in pairs), 2),
            round(median(two.held[1] - one.held[1] for one, two in pairs), 2),
        ),
        resident=round(max(two.resident for two in own), 1),
    )


def table(found: Sequence[Row]) -> str:
    """As Markdown."""
    lines = [
        "| case | CPU a chunk, pass-through | this | ratio | delivered | first text | sentence p50 / p99 | RSS |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in found:
        held = f"{row.held[0]:+.1f} / {row.held[1]:+.1f} ms" if "paced" in row.case else ""
        low, high = min(row.ratios), max(row.ratios)
        lines.append(
            f"| {row.case} | {row.cpu[0]:.1f} µs | {row.cpu[1]:.1f} µs | {row.ratio:.2f}× ({low:.2f}–{high:.2f}) "
            f"| {row.delivered:.3f}× | {row.first:+.1f} ms | {held} | {row.resident:.0f} MB |"
        )
    return "\n".join(lines)


def as_json(found: Sequence[Row]) -> str:
    """Everything measured."""
    listed = [{field.name: getattr(row, field.name) for field in fields(row)} for row in found]
    return orjson.dumps(listed, option=orjson.OPT_INDENT_2).decode() + "\n"


def commit(found: Sequence[Row]) -> None:
    """Make these ratios the ones that later ones are compared with; cases that were not measured keep theirs."""
    known: dict[str, float] = orjson.loads(COMMITTED.read_bytes()) if COMMITTED.exists() else {}
    known |= {row.case: round(row.ratio, 2) for row in found}
    COMMITTED.write_bytes(orjson.dumps(known, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def worse(found: Sequence[Row]) -> list[str]:
    """What is clearly worse than committed; cases that were not committed are none."""
    committed: dict[str, float] = orjson.loads(COMMITTED.read_bytes())
    said = []
    for row in found:
        ratio = committed.get(row.case)
        if ratio is not None and min(row.ratios) > ratio * TOLERANCE:
            said.append(f"{row.case}: {row.ratio:.2f}× the pass-through's CPU, committed {ratio:.2f}×")
    return said
