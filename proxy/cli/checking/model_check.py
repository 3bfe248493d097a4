"""The command `citestream models check`: what a local checker changes in the citations of natural answers.

It is measured as the checker, one more feature of the decision, and as the judge, whose verdict is final.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Column, Table

from citestream.citation.evidence import FieldError
from citestream.citation.options import Options
from citestream.citation.support.scorers.checker import CheckerWeights
from citestream.citation.support.scorers.checker_fit import fit_weights
from citestream.providers.judging.checkers import find_checker
from citestream.providers.judging.cross_encoder import EntailmentModel

from ...checkers import WEIGHTS_FILE, Measured, checker_folder, unfitted_weights
from ...config import Config
from ...judges import make_judge
from ...model_routes import Routes
from ...scorers import Scorers
from .judge_check import DEADLINE_SECONDS, SEED, cited
from .labelled_pairs import Pairs, halves, joined, labelled_pairs
from .measures import Counts, count, ratio
from .natural_answers import Answer, built_in, read

SHOWN = ("F1", "kept", "removed", "filled", "bad")
WORSE, BETTER = 0.02, 0.02  # differences of F1 that a recommendation mentions
WORDS, CHECKER, JUDGE = "words alone", "as the checker", "as the judge"


@dataclass(slots=True)
class Result:
    """Result of one way to decide, over all answers."""

    counts: Counts = field(default_factory=Counter)
    seconds: float = 0.0
    degraded: int = 0  # answers for which the model was too slow or failed


def run(paths: Sequence[Path], model: str, *, sample: int, fits: bool, as_json: bool, config: Config) -> None:
    """Print a table or JSON, and store the result with the model.

    Raise FieldError, OSError, ConfigError, or ProviderError if the model cannot be used. `paths`: files of natural
    answers; without any, those of the package. `sample`: number of answers, 0 for all. `fits`: fit the weights of the
    checker to the answers.
    """
    answers = [answer for path in paths for answer in read(path)] if paths else built_in()
    if 0 < sample < len(answers):
        answers = Random(SEED).sample(answers, sample)  # noqa: S311 # nosec B311 # a reproducible sample
    folder = checker_folder(model)
    results = asyncio.run(_measure(answers, folder, config, fits=fits))
    f1 = {name: ratio(result.counts)["F1"] for name, result in results.items()}
    Measured(len(answers), f1[WORDS], f1[CHECKER]).write(folder)
    of_models = sum(
        (count(answer, [set(s["model_cites"]) for s in answer["sentences"]]) for answer in answers), Counter()
    )
    if as_json:
        print(json.dumps(_as_dict(model, of_models, results, len(answers))))
    else:
        _show(model, of_models, results, len(answers))


async def _measure(answers: Sequence[Answer], folder: str, config: Config, *, fits: bool) -> dict[str, Result]:
    """Cite each answer with words alone, with the checker, and with the judge.

    `fits`: measure the checker with weights that are fitted to other answers, and store those that are fitted to all.
    """
    model = EntailmentModel(folder)
    await model.load()
    await model.aclose()
    named = f"onnx:{folder}"
    words = _changed(config, replace(config.citations, scorer="lexical"))
    checker = _changed(config, replace(config.citations, scorer="checker"), checker=named)
    judge = _changed(config, replace(config.citations, scorer="lexical", judge=True), judge=named)
    results = {WORDS: await _cite(answers, words, WORDS)}
    if fits:
        results[CHECKER] = await _fit(answers, folder, checker)
    else:
        results[CHECKER] = await _cite(answers, checker, CHECKER)
    results[JUDGE] = await _cite(answers, judge, JUDGE)
    return results


def _changed(config: Config, options: Options, **scoring: str) -> Config:
    """Return the configuration with other options, and without a judge and a checker unless they are given."""
    changes = {
        "judge": "",
        "checker": "",
        "deadline_seconds": DEADLINE_SECONDS,
        "judge_deadline_seconds": DEADLINE_SECONDS,
        **scoring,
    }
    return config.model_copy(update={"scoring": config.scoring.model_copy(update=changes), "citations": options})


async def _cite(
    answers: Sequence[Answer],
    config: Config,
    title: str,
    weights: CheckerWeights | None = None,
    pairs: list[Pairs] | None = None,
) -> Result:
    """Cite these answers. The labelled pairs of each are added to `pairs`."""
    result, routes, console = Result(), Routes(config), Console(stderr=True)
    scorers = Scorers(config, judge=make_judge(config.scoring, routes), checker_weights=weights)
    try:
        await scorers.load()
        for answer in track(answers, title, console=console, transient=True, disable=not console.is_terminal):
            began = perf_counter()
            numbers, scored = await cited(answer, scorers, config.citations)
            result.seconds += perf_counter() - began
            result.counts += count(answer, numbers)
            result.degraded += scored.scoring.degraded
            if pairs is not None:
                pairs.append(labelled_pairs(answer, scored))
    finally:
        await scorers.aclose()
        await routes.aclose()
    return result


async def _fit(answers: Sequence[Answer], folder: str, config: Config) -> Result:
    """Return the result of weights that are fitted to the answers of other authors. Raise FieldError."""
    start, result = unfitted_weights(folder), Result()
    pairs: list[Pairs] = []
    await _cite(answers, config, "reading", start, pairs)
    parts = halves(answers)
    try:
        for part in (0, 1):
            of_other_authors = [pairs[index] for index, of_part in enumerate(parts) if of_part != part]
            fitted = fit_weights(start, *joined(of_other_authors))
            of_part = [answer for answer, number in zip(answers, parts, strict=True) if number == part]
            measured = await _cite(of_part, config, CHECKER, fitted)
            result.counts += measured.counts
            result.seconds += measured.seconds
            result.degraded += measured.degraded
        weights = fit_weights(start, *joined(pairs))
    except ValueError as error:
        raise FieldError("--fit", f"needs more answers: {error}") from None
    provenance = {"command": "citestream models check --fit", "answers": len(answers), "pairs": len(joined(pairs)[0])}
    text = json.dumps(replace(weights, provenance=provenance).as_dict(), indent=2)
    (Path(folder) / WEIGHTS_FILE).write_text(f"{text}\n", "utf-8")
    return result


def recommendation(model: str, results: dict[str, Result]) -> str:
    """Return in words whether the model is worth it, and in which role."""
    before = ratio(results[WORDS].counts)
    role = max((CHECKER, JUDGE), key=lambda name: ratio(results[name].counts)["F1"])
    after = ratio(results[role].counts)
    if results[role].degraded:
        return f"Not usable as it is: it was too slow or failed in {results[role].degraded} answers."
    gains = f"removes {after['removed']:.0%} instead of {before['removed']:.0%} of the wrong citations"
    costs = f"keeps {after['kept']:.0%} instead of {before['kept']:.0%} of the right ones"
    if after["F1"] < before["F1"] - WORSE:
        return f"Do not use it: {role} it {gains}, but {costs}; F1 falls from {before['F1']:.2f} to {after['F1']:.2f}."
    if after["F1"] < before["F1"] + BETTER:
        return f"It changes little: {role} it {gains} and {costs}. It is hardly worth its time."
    setting = f"scoring.judge: {model}" if role == JUDGE else f"scoring.checker: {model} and citations.scorer: checker"
    return f"Use it ({setting}): it {gains} and {costs}. F1 rises from {before['F1']:.2f} to {after['F1']:.2f}."


def _as_dict(model: str, of_models: Counts, results: dict[str, Result], answers: int) -> dict[str, Any]:
    ways = {
        name.replace(" ", "_"): {
            **ratio(result.counts),
            "milliseconds_per_answer": result.seconds / answers * 1000,
            "degraded": result.degraded,
        }
        for name, result in results.items()
    }
    return {
        "model": model,
        "answers": answers,
        "own": ratio(of_models),
        **ways,
        "recommendation": recommendation(model, results),
    }


def _show(model: str, of_models: Counts, results: dict[str, Result], answers: int) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{model} on {answers} natural answers")
    table = Table(*(Column(name, no_wrap=True) for name in ("citations", *SHOWN, "ms per answer")), box=None)
    table.add_row("of the models", *(f"{ratio(of_models)[measure]:.3f}" for measure in SHOWN), "")
    for name, result in results.items():
        values = ratio(result.counts)
        milliseconds = f"{result.seconds / answers * 1000:.0f}"
        table.add_row(name, *(f"{values[measure]:.3f}" for measure in SHOWN), milliseconds)
    console.print(table)
    checker = find_checker(model)
    if checker and checker.preset:
        console.print(f"The model reads {checker.preset.languages}.")
    console.print(recommendation(model, results))
