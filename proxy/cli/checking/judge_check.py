"""The command `citestream judge-check`: what a judge changes in the citations of natural answers, and at what cost."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from citestream.citation.grounding import JudgeReport
from citestream.citation.options import Options
from citestream.citation.support.judge_prompt import Excerpt, Question

from ...config import Config
from ...judges import judge_model, make_judge
from ...model_routes import Routes
from ...pipeline.cite_text import ScoredText, score_text
from ...scorers import Scorers
from .measures import Counts, count, ratio
from .natural_answers import Answer, built_in, citations, evidence_of, marked_sentences, read

SEED = 0  # seed of the sample: two judges read the same answers
SHOWN = ("F1", "precision", "recall", "kept", "removed", "filled", "bad")
DEADLINE_SECONDS = 10.0  # seconds: the largest that the configuration allows, so that a slow judge is measured too
MOST_UNREAD = 0.1  # share of the calls without a usable reply, above which the quality says little
WORSE, BETTER = 0.02, 0.02  # differences that a recommendation mentions
# Whether the judge can be reached is found out with one question before the measurement.
PROBE = Question("The bridge opened in 1932.", (Excerpt(1, "", "The bridge was opened in 1932."),))


@dataclass(slots=True)
class Results:
    """Results for some answers."""

    of_models: Counts = field(default_factory=Counter)  # the citations of the models
    without: Counts = field(default_factory=Counter)  # those of the scorer alone
    judged: Counts = field(default_factory=Counter)  # those of the scorer and the judge
    report: JudgeReport = field(default_factory=JudgeReport)  # sums of all answers
    seconds: list[float] = field(default_factory=list)  # until each answer was cited


def run(paths: Sequence[Path], model: str, *, sample: int, price: float, as_json: bool, config: Config) -> None:
    """Print a table or JSON. Raise FieldError, OSError, ConfigError, or ProviderError if the judge cannot be reached.

    `paths`: files of natural answers; without any, those of the package. `sample`: number of answers, 0 for all.
    `price`: of a million tokens, in any currency.
    """
    answers = [answer for path in paths for answer in read(path)] if paths else built_in()
    if 0 < sample < len(answers):
        answers = Random(SEED).sample(answers, sample)  # noqa: S311 # nosec B311 # a reproducible sample
    scoring = config.scoring.model_copy(update={"judge": model, "judge_deadline_seconds": DEADLINE_SECONDS})
    results = asyncio.run(_measure(answers, config.model_copy(update={"scoring": scoring})))
    cost = results.report.tokens / 1e6 * price / len(answers)
    if as_json:
        print(json.dumps(_as_dict(model, results, len(answers), cost)))
    else:
        _show(model, results, len(answers), cost)


async def _measure(answers: Sequence[Answer], config: Config) -> Results:
    """Cite each answer without the judge and with it."""
    routes = Routes(config)
    judge = make_judge(config.scoring, routes)
    scorers = Scorers(config, judge=judge)
    console, results = Console(stderr=True), Results()
    try:
        await judge_model(config.scoring, routes).read(PROBE)
        for answer in track(answers, "judging", console=console, transient=True, disable=not console.is_terminal):
            of_model = [set(sentence["model_cites"]) for sentence in answer["sentences"]]
            results.of_models += count(answer, of_model)
            without, _ = await cited(answer, scorers, replace(config.citations, judge=False))
            results.without += count(answer, without)
            began = perf_counter()
            judged, _ = await cited(answer, scorers, replace(config.citations, judge=True), results.report)
            results.seconds.append(perf_counter() - began)
            results.judged += count(answer, judged)
    finally:
        await scorers.aclose()
        await routes.aclose()
    return results


async def cited(
    answer: Answer, scorers: Scorers, options: Options, total: JudgeReport | None = None
) -> tuple[list[set[int]], ScoredText]:
    """Return the citations of each sentence, and the scored text.

    The work of the judge is added to `total`.
    """
    marked = marked_sentences(answer)
    scored = await score_text(
        "".join(marked), tuple(evidence_of(answer)), options, scorers=scorers, question=answer["question"]
    )
    text = await scored.cited()
    if total is not None and (report := scored.response.grounding.judging):
        for name, value in asdict(report).items():
            setattr(total, name, getattr(total, name) + value)
    numbers = [[support.number for support in supports] for supports in text.supports]
    return citations(scored.drafts, numbers, marked), scored


def recommendation(results: Results) -> str:
    """Return in words whether the judge is worth it."""
    before, after, report = ratio(results.without), ratio(results.judged), results.report
    unread = report.late + report.failed + report.unreadable
    if unread > MOST_UNREAD * max(1, report.calls):
        return (
            f"Not usable as it is: {unread} of {report.calls} calls were late, failed or could not be read. "
            "Choose another model, or write a prompt for it (scoring.judge_template)."
        )
    gains = f"removes {after['removed']:.0%} instead of {before['removed']:.0%} of the wrong citations"
    costs = f"keeps {after['kept']:.0%} instead of {before['kept']:.0%} of the right ones"
    if after["F1"] < before["F1"] - WORSE:
        return f"Do not use it: it {gains}, but {costs}, and F1 falls from {before['F1']:.2f} to {after['F1']:.2f}."
    if after["F1"] < before["F1"] + BETTER:
        return f"It changes little: it {gains} and {costs}. It is worth its cost only if wrong citations are expensive."
    return f"Use it: it {gains} and {costs}. F1 rises from {before['F1']:.2f} to {after['F1']:.2f}."


def _as_dict(model: str, results: Results, answers: int, cost: float) -> dict[str, Any]:
    return {
        "model": model,
        "answers": answers,
        "own": ratio(results.of_models),
        "without_judge": ratio(results.without),
        "with_judge": ratio(results.judged),
        "judge": asdict(results.report),
        "seconds_per_answer": sum(results.seconds) / answers,
        "cost_per_answer": cost,
        "recommendation": recommendation(results),
    }


def _show(model: str, results: Results, answers: int, cost: float) -> None:
    table = Table("citations", *SHOWN, title=f"{model} on {answers} natural answers", box=None)
    rows = {"of the models": results.of_models, "without the judge": results.without, "with the judge": results.judged}
    for name, counts in rows.items():
        shares = ratio(counts)
        table.add_row(name, *(f"{shares[measure]:.3f}" for measure in SHOWN))
    console, report = Console(highlight=False), results.report
    console.print(table)
    calls = report.calls or 1
    console.print(
        f"per answer: {report.calls / answers:.1f} calls, {report.tokens / answers:.0f} tokens, "
        f"{sum(results.seconds) / answers * 1000:.0f} ms; a call takes {report.milliseconds / calls:.0f} ms"
    )
    console.print(f"late: {report.late}, failed: {report.failed}, unreadable: {report.unreadable}")
    if cost:
        console.print(f"cost: {cost:.6f} per answer")
    console.print(recommendation(results))
