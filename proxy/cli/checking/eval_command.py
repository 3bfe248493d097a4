"""The command `citestream eval`: compares citations with labelled data."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from operator import attrgetter
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from citestream.citation.cite import align, calibrate_answer
from citestream.citation.evidence import Evidence, FieldError
from citestream.citation.options import Options
from citestream.citation.support.claims import makes_claim
from citestream.citation.support.decision import Verdict, explain
from citestream.citation.support.scorers import Claim
from citestream.citation.text.segmentation import Kind
from citestream.providers.install_hint import install_command

from ...config import Config
from ...http.encoding import dumps
from ...scorers import Scorers
from .labelled_records import read_records
from .record_measures import Detection, Quality, Record, detection, evaluate, interval, mean_balanced

DEADLINE_SECONDS = 60.0  # quality is results here, not speed
BINS = 10  # number of bins of the calibration plot
SHOWN = ("sup", "uns", "P", "R", "F1", "balanced", "bad")
BOUNDED = ("f1", "balanced", "bad")  # measures with confidence intervals
COLUMNS = ("supported", "unsupported", "precision", "recall", "f1", "balanced", "bad")


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A labelled pair of a sentence and a piece of evidence.

    `probability` of support, whether the labels say that it supports (`right`), and whether no gate refused it.
    """

    probability: float
    right: bool
    passed: bool


@dataclass(slots=True)
class Results:
    """Citations and labelled pairs of all records."""

    cited: dict[str, list[list[int]]] = field(
        default_factory=dict
    )  # by record id: 0-based evidence indexes per sentence
    judged: list[JudgedPair] = field(default_factory=list)
    flagged: set[str] = field(default_factory=set)  # ids of records with a claim that nothing supports
    degraded: int = 0  # number of records without the embeddings or the model that the scorer needs


def run(paths: Sequence[Path], name: str, *, as_json: bool, plot: Path | None, config: Config | None = None) -> None:
    """Print a table or JSON, and save the plot. Raise FieldError for an invalid record, OSError or ConfigError."""
    records = [record for path in paths for record in read_records(path)]
    results = Results()
    asyncio.run(_measure(records, name, config or Config(), results))
    qualities = evaluate(records, results.cited)
    answers = detection(records, results.flagged)
    intervals = {name: interval(records, results.cited, attrgetter(name)) for name in BOUNDED}
    if as_json:
        quality = {k: asdict(v) for k, v in qualities.items()}
        report = {"scorer": name, "quality": quality, "intervals": intervals, "degraded": results.degraded}
        report |= {"mean_balanced": mean_balanced(qualities), "answers": asdict(answers)}
        print(dumps(report).decode())
    else:
        _show(name, qualities, intervals, answers)
        if results.degraded:
            print(f"{results.degraded} of {len(records)} records were scored without the model that this scorer needs.")
    if plot is not None:
        draw(results.judged, plot)


async def _measure(records: Sequence[Record], name: str, config: Config, results: Results) -> None:
    """Cite every record and store the results."""
    console = Console(stderr=True)
    options = replace(config.citations, scorer=name)
    scoring = config.scoring.model_copy(update={"deadline_seconds": DEADLINE_SECONDS})
    scorers = Scorers(config.model_copy(update={"citations": options, "scoring": scoring}))
    try:
        for record in track(records, "citing", console=console, transient=True, disable=not console.is_terminal):
            results.cited[record["id"]] = [row async for row in _cited(record, scorers, options, results)]
    finally:
        await scorers.aclose()


async def _cited(
    record: Record, scorers: Scorers, options: Options, results: Results
) -> AsyncGenerator[list[int], None]:
    """Yield the 0-based indexes of the cited evidence for each sentence."""
    evidence = [
        Evidence(number, item["text"], item["id"] or str(number), title=item["title"])
        for number, item in enumerate(record["evidence"], 1)
    ]
    texts = record["answer_sentences"]
    claims = [
        Claim(text, before, record.get("question") or "") if makes_claim(text, Kind.PROSE) else None
        for before, text in zip(["", *texts], texts, strict=False)
    ]
    scoring = scorers.open(options, evidence)
    made = [claim for claim in claims if claim is not None]
    await scoring.embed(made)
    scores = align(claims, await scoring.score_all(made))
    results.degraded += scoring.degraded
    prepared = await scoring.prepared()
    calibrated = calibrate_answer(scores, prepared, options.strictness)
    for index, (claim, scored) in enumerate(zip(claims, calibrated, strict=True)):
        if claim is None or scored is None:
            yield []
            continue
        verdicts = explain(claim, scored, prepared)
        results.judged += _judged(record, index, verdicts)
        if not any(verdict.cited for verdict in verdicts) and record["sent_label"][index] in (
            "supported",
            "unsupported",
        ):
            results.flagged.add(record["id"])
        yield [verdict.number - 1 for verdict in verdicts if verdict.cited]


def _judged(record: Record, index: int, verdicts: Sequence[Verdict]) -> list[JudgedPair]:
    """Return the labelled pairs of a sentence."""
    if record["sent_label"][index] not in ("supported", "unsupported") or record["gold_level"] != "chunk":
        return []
    gold = set(record["gold"][index]).union(*record["gold_alt"][index] or [()])
    skipped = set(record["ignore"][index])
    return [
        JudgedPair(verdict.probability, verdict.number - 1 in gold, not verdict.findings)
        for verdict in verdicts
        if verdict.number - 1 not in skipped
    ]


def _show(
    name: str, qualities: Mapping[str, Quality], intervals: Mapping[str, tuple[float, float]], answers: Detection
) -> None:
    table = Table("data set", *SHOWN, title=f"scorer {name}", title_justify="left", box=None)
    for dataset, quality in qualities.items():
        values = [getattr(quality, column) for column in COLUMNS]
        table.add_row(dataset, *[f"{value:.3f}" if isinstance(value, float) else str(value) for value in values])
    console = Console(highlight=False)
    console.print(table)
    console.print("95 %: " + ", ".join(f"{measure} {low:.3f}-{high:.3f}" for measure, (low, high) in intervals.items()))
    console.print(f"mean of the balanced accuracies of the data sets: {mean_balanced(qualities):.3f}")
    console.print(
        f"answers with an unsupported sentence: {answers.unsupported}; found with precision {answers.precision:.3f}, "
        f"recall {answers.recall:.3f}, F1 {answers.f1:.3f}"
    )


def draw(judged: Sequence[JudgedPair], file: Path) -> None:
    """Save a plot of precision over recall and of the calibration. Raise FieldError if matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise FieldError("--plot", f"requires matplotlib: {install_command('plot')}") from None
    every = sum(pair.right for pair in judged)  # includes pairs that a gate refused: no threshold restores them
    passed = [pair for pair in judged if pair.passed]
    probability = np.array([pair.probability for pair in passed])
    right = np.array([pair.right for pair in passed])
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    left, middle = figure.subplots(1, 2)
    order = np.argsort(-probability, kind="stable")
    hits = np.cumsum(right[order])
    left.plot(hits / max(1, every), hits / np.arange(1, len(order) + 1))
    left.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02), title="citations at every threshold")
    edges = np.linspace(0, 1, BINS + 1)
    bins = np.clip(np.digitize(probability, edges) - 1, 0, BINS - 1)
    filled = [b for b in range(BINS) if (bins == b).any()]
    middle.plot([0, 1], [0, 1], color="0.7", linewidth=1)
    middle.plot([probability[bins == b].mean() for b in filled], [right[bins == b].mean() for b in filled], "o-")
    middle.set(
        xlabel="probability", ylabel="share of supported pairs", xlim=(0, 1), ylim=(0, 1.02), title="calibration"
    )
    figure.savefig(file, dpi=120)
