"""Plots of the CPU time per chunk by streams, excerpts and length, and of the delay of sentences."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.proxy.cases import TOKENS
from bench.proxy.report import BASELINE, OURS, Row

COLOURS = {
    BASELINE: "#7f7f7f",
    "Citestream, no evidence": "#1a7f5a",
    "Citestream, 5 excerpts": "#3aa37a",
    "Citestream, 20 same excerpts": "#2e8bb0",
    "Citestream, 20 new excerpts": "#0b4f6c",
    "Citestream, new excerpts": "#0b4f6c",
    "Citestream, same excerpts": "#2e8bb0",
    "Portkey": "#c98a1b",
    "LiteLLM": "#b23a48",
}
SIXTEEN = 16  # streams in the panels that vary another parameter

Of = Callable[[Row], float]
Line = dict[float, tuple[float, float]]  # x -> values of the pass-through and the proxy


def draw(rows: Sequence[Row], file: Path) -> None:
    """Save a plot as PNG or SVG, depending on the file name, with a panel for each varied parameter."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker

    panels = [panel for panel in _panels(rows) if len({x for line in panel[3].values() for x in line}) > 1]
    figure, found = pyplot.subplots(1, len(panels), figsize=(5.2 * len(panels), 4.2), dpi=160, squeeze=False)
    for axes, (title, xlabel, ylabel, lines) in zip(found[0], panels, strict=True):
        _draw(axes, lines)
        axes.set(title=title, xlabel=xlabel, ylabel=ylabel, yscale="log" if ylabel == "µs" else "linear")
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks := sorted({x for line in lines.values() for x in line}), [f"{x:g}" for x in ticks])
        if ylabel == "µs":
            axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_minor_formatter(ticker.NullFormatter())
        axes.yaxis.set_major_formatter("{x:g}")
    figure.tight_layout()
    figure.savefig(file)


def _panels(rows: Sequence[Row]) -> list[tuple[str, str, str, dict[str, Line]]]:
    """Return the title, the axis labels and the lines of each panel."""
    ours = [row for row in rows if "live" not in row.case and row.case.startswith("openai")]
    burst = [row for row in ours if not row.paced]
    usual = [row for row in burst if row.tokens == TOKENS]
    sixteen = [row for row in burst if row.streams == SIXTEEN]
    paced = [row for row in ours if row.paced]
    much = [row for row in sixteen if row.tokens == TOKENS and row.evidence]
    return [
        ("CPU per chunk, burst", "concurrent streams", "µs", _by(usual, lambda row: row.streams, _proxy, odd=True)),
        ("16 streams, by excerpts", "excerpts", "µs", _by(much, lambda row: row.evidence, _kind)),
        ("16 streams, by length", "tokens of the answer", "µs", _by(sixteen, lambda row: row.tokens, _proxy, odd=True)),
        (
            "Delay of a sentence, p99",
            "concurrent streams",
            "ms",
            _by(paced, lambda row: row.streams, _proxy, waiting=True),
        ),
    ]


def _by(
    rows: Sequence[Row], x: Of, name: Callable[[Row], str], *, odd: bool = False, waiting: bool = False
) -> dict[str, Line]:
    """Return lines by name. `odd`: only lines with several points; `waiting`: the delay instead of CPU time."""
    lines: dict[str, Line] = {}
    for row in rows:
        value = (0.0, row.held[1]) if waiting else row.cpu
        lines.setdefault(name(row), {})[x(row)] = value
        if not row.evidence and not waiting:
            lines.setdefault(BASELINE, {})[x(row)] = value
    return {name: line for name, line in lines.items() if not odd or len(line) > 1}


def _proxy(row: Row) -> str:
    if row.proxy != OURS:
        return row.proxy
    same = "same" if "same" in row.case else "new"
    return f"{OURS}, {row.evidence} {same} excerpts" if row.evidence else f"{OURS}, no evidence"


def _kind(row: Row) -> str:
    return f"{OURS}, {'same' if 'same' in row.case else 'new'} excerpts"


def _draw(axes: Any, lines: dict[str, Line]) -> None:
    for name, line in lines.items():
        points = sorted((x, base if name == BASELINE else own) for x, (base, own) in line.items())
        axes.plot([x for x, _ in points], [y for _, y in points], "o-", label=name, color=COLOURS.get(name))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
