"""The command `citestream judge-check`: measures a judge on near-misses and on labelled data.

Two results are measured: the verdicts of the judge alone, and the decisions of the product with this judge, where the
scorer proposes candidates and the gates refuse some of them.
"""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.decision import JUDGE_THRESHOLD
from citestream.citation.support.scorers import Claim
from citestream.providers.errors import ProviderError

from ..config import Config
from ..judges import judge_model, make_judge
from ..model_routes import Routes
from ..pipeline.deciding.judge_models import JudgeModel, Question
from ..scorers import Scorers
from .labelled_records import read_records

SEED = 0  # seed of the sample: two judges read the same pairs
MAX_ERRORS = 5  # calls in a row that may fail before the check gives up: the address or the key is wrong
QUANTILES = 20  # the last of 20 is the 95th percentile


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim and a passage, and whether the passage supports the claim."""

    kind: str  # row of the table: `near-misses en`, or the name of a data set
    claim: str
    context: str
    title: str
    passage: str
    supported: bool


@dataclass(slots=True)
class Tally:
    """Results of one kind of pairs."""

    true: int = 0
    false: int = 0
    judge_refused: int = 0  # true claims, by the judge alone
    judge_accepted: int = 0  # false claims, by the judge alone
    product_refused: int = 0  # true claims, by the product with this judge
    product_accepted: int = 0
    unread: int = 0  # replies that are neither Yes nor No, and failed calls


@dataclass(slots=True)
class Results:
    """Everything that was measured."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)  # one value per call
    tokens: int = 0


def near_misses() -> list[Pair]:
    """Return the near-misses that the package contains, of both parts: a judge is not tuned on any of them."""
    folder = files("citestream.proxy.cli").joinpath("near_misses")
    entries = [entry for part in (folder, folder.joinpath("held_out")) for entry in part.iterdir()]
    found = []
    for file in sorted(entries, key=lambda entry: entry.name):
        if file.name.endswith(".jsonl"):
            rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            found += [
                Pair(f"near-misses {row['lang']}", row["claim"], "", "", row["evidence"], row["supported"])
                for row in rows
            ]
    return found


def labelled(paths: Sequence[Path]) -> Iterator[Pair]:
    """Yield the labelled pairs of files in the format of `citestream eval`."""
    for path in paths:
        for record in read_records(path):
            yield from _pairs(record)


def _pairs(record: dict[str, Any]) -> Iterator[Pair]:
    """Yield a pair per gold passage of a supported sentence, and one per passage of an unsupported one."""
    before = ""
    for at, sentence in enumerate(record["answer_sentences"]):
        supported = record["sent_label"][at] == "supported"
        rows = record["gold"][at] if supported else range(len(record["evidence"]))
        if record["sent_label"][at] in ("supported", "unsupported"):
            for row in rows:
                evidence = record["evidence"][row]
                yield Pair(record["dataset"], sentence, before, evidence["title"] or "", evidence["text"], supported)
        before = sentence


def run(paths: Sequence[Path], model: str, *, sample: int, price: float, as_json: bool, config: Config) -> None:
    """Print a table or JSON. Raise FieldError, OSError, ConfigError, or ProviderError if the judge cannot be reached.

    `sample`: number of pairs, 0 for all. `price`: of a million tokens, in any currency.
    """
    pairs = [*near_misses(), *labelled(paths)]
    if 0 < sample < len(pairs):
        pairs = Random(SEED).sample(pairs, sample)  # noqa: S311 # nosec B311 # a reproducible sample
    scoring = config.scoring.model_copy(update={"judge": model, "judge_deadline_seconds": 10.0})
    results = asyncio.run(_measure(pairs, config.model_copy(update={"scoring": scoring})))
    cost = results.tokens / 1e6 * price
    if as_json:
        latency = {"median": median(results.seconds), "p95": _p95(results.seconds)} if results.seconds else {}
        tallies = {kind: asdict(tally) for kind, tally in results.tallies.items()}
        print(
            json.dumps({"model": model, "pairs": tallies, "seconds": latency, "tokens": results.tokens, "cost": cost})
        )
        return
    _show(model, results, len(pairs), cost)


async def _measure(pairs: Sequence[Pair], config: Config) -> Results:
    """Ask the judge about each pair, alone and within the product."""
    routes = Routes(config)
    model = judge_model(config.scoring, routes)
    judge = make_judge(config.scoring, routes)
    scorers = Scorers(config, judge=judge)
    console, results, errors = Console(stderr=True), Results(), 0
    try:
        for pair in track(pairs, "judging", console=console, transient=True, disable=not console.is_terminal):
            tally = results.tallies.setdefault(pair.kind, Tally())
            try:
                await _ask(pair, model, tally, results)
                errors = 0
            except ProviderError:
                tally.unread += 1
                errors += 1
                if errors >= MAX_ERRORS:
                    raise
            await _decide(pair, scorers, config.citations, tally)
    finally:
        await scorers.aclose()
        await model.aclose()
        await routes.aclose()
    return results


async def _ask(pair: Pair, model: JudgeModel, tally: Tally, results: Results) -> None:
    began = perf_counter()
    opinion = await model.read(Question(pair.claim, pair.context, pair.title, pair.passage))
    results.seconds.append(perf_counter() - began)
    results.tokens += opinion.tokens
    if opinion.probability is None:
        tally.unread += 1
        return
    accepted = opinion.probability >= JUDGE_THRESHOLD
    tally.true += pair.supported
    tally.false += not pair.supported
    tally.judge_refused += pair.supported and not accepted
    tally.judge_accepted += accepted and not pair.supported


async def _decide(pair: Pair, scorers: Scorers, options: Options, tally: Tally) -> None:
    evidence = [Evidence(1, pair.passage, "e1", title=pair.title or None)]
    scoring = scorers.open(replace(options, judge=True), evidence)
    (decision,) = await scoring.decide([Claim(pair.claim, pair.context)], options)
    tally.product_refused += pair.supported and not decision.supports
    tally.product_accepted += bool(decision.supports) and not pair.supported


def _show(model: str, results: Results, pairs: int, cost: float) -> None:
    title = f"{model}: false claims accepted and true claims refused"
    table = Table("pairs", "true", "false", "judge alone", "", "with the scorer", "", title=title, box=None)
    table.add_row("", "", "", "accepted", "refused", "accepted", "refused")
    for kind, one in sorted(results.tallies.items()):
        table.add_row(
            kind,
            str(one.true),
            str(one.false),
            _share(one.judge_accepted, one.false),
            _share(one.judge_refused, one.true),
            _share(one.product_accepted, one.false),
            _share(one.product_refused, one.true),
        )
    console = Console(highlight=False)
    console.print(table)
    unread = sum(tally.unread for tally in results.tallies.values())
    if results.seconds:
        middle, high = median(results.seconds) * 1000, _p95(results.seconds) * 1000
        console.print(f"latency: median {middle:.0f} ms, 95th percentile {high:.0f} ms; unreadable or failed: {unread}")
        console.print(
            f"tokens: {results.tokens / len(results.seconds):.0f} per call, {results.tokens} in {pairs} pairs"
        )
    if cost:
        console.print(f"cost: {cost:.4f} for {pairs} calls")


def _share(count: int, total: int) -> str:
    return f"{count / total:.1%}" if total else "-"


def _p95(seconds: Sequence[float]) -> float:
    return quantiles(seconds, n=QUANTILES)[-1] if len(seconds) > 1 else seconds[0]
