"""The picture: CPU a chunk and waiting, by streams."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.proxy.report import BASELINE, OURS, Row

COLOURS = {
    BASELINE: "#7f7f7f",
    "Citestream, no evidence": "#1a7f5a",
    "Citestream, 5 excerpts": "#3aa37a",
    "Citestream, 20 excerpts": "#0b4f6c",
    "Portkey": "#c98a1b",
    "LiteLLM": "#b23a48",
}


def draw(rows: Sequence[Row], file: Path) -> None:
    """Write it as PNG or SVG, by the name's ending."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2), dpi=160)
    burst = [row for row in rows if not row.paced and "live" not in row.case and row.case.startswith("openai")]
    _lines(left, {name: _by_streams(found, _cpu) for name, found in _series(burst).items()})
    left.set(title="CPU a chunk, burst", xlabel="streams at once", ylabel="µs", yscale="log")
    paced = [row for row in rows if row.paced and "live" not in row.case]
    _lines(right, {name: _by_streams(found, _waiting) for name, found in _series(paced).items() if name != BASELINE})
    right.set(title="Added to the time of a sentence, paced 10 ms, p99", xlabel="streams at once", ylabel="ms")
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(file)


def _series(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows by the line they belong to; the pass-through's are in each of them."""
    found: dict[str, list[Row]] = {BASELINE: [row for row in rows if row.proxy == OURS and not row.evidence]}
    for row in rows:
        if "same" not in row.case:
            what = f"{row.evidence} excerpts" if row.evidence else "no evidence"
            found.setdefault(f"{OURS}, {what}" if row.proxy == OURS else row.proxy, []).append(row)
    return found


def _by_streams(rows: Sequence[Row], value: Any) -> list[tuple[int, float, float]]:
    return sorted((row.streams, *value(row)) for row in rows)


def _cpu(row: Row) -> tuple[float, float]:
    return row.cpu


def _waiting(row: Row) -> tuple[float, float]:
    return 0.0, row.held[1]


def _lines(axes: Any, series: dict[str, list[tuple[int, float, float]]]) -> None:
    for name, points in series.items():
        if points:
            values = [base if name == BASELINE else own for _, base, own in points]
            axes.plot([streams for streams, _, _ in points], values, "o-", label=name, color=COLOURS.get(name))
