"""Fit how a cross-encoder's second look is weighed: `python -m bench.fit_entailment MODEL_FOLDER DATA.jsonl`.

Everything is held out: the first judgement of a record comes from a forest, and the weights from a regression, that
have not seen it. Prints what the second look changes; the baseline is the first judgement of the same records.
`--write` stores the weights in the folder of the model. Takes many minutes.
"""

import argparse
import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from bench.data.pairs import Pairs, Record, claims_of, evidence_of, folds, load, predictions
from bench.fit import FOLDS, Probabilities, cross_validate
from citestream.citation.support.calibration import calibration
from citestream.citation.support.scorers import Scores
from citestream.citation.support.scorers.checker import CheckerPrepared, CheckerScorer, CheckerWeights, to_log_odds
from citestream.providers.judging.cross_encoder import EntailmentModel, Pair
from citestream.proxy.checkers import WEIGHTS_FILE
from citestream.proxy.cli.checking.record_measures import evaluate

OPEN_FROM, OPEN_TO = 0.1, 0.9  # wider bands ask half as much again and change nothing
MEASURES = ("precision", "recall", "f1", "balanced", "bad")
_UNFITTED = CheckerWeights(OPEN_FROM, OPEN_TO, intercept=0.0, first=1.0, entailed=0.0)


def main() -> None:
    """Fit, cross-validate, print, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model", type=Path)
    options.add_argument("data", nargs="*", default=os.environ.get("CITESTREAM_DATA", "").split())
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    records = load(chosen.data)
    table, first = cross_validate(records, "hybrid")
    asked, entailed = read(chosen.model, records, table, first)
    second = _held_out(records, table, first, entailed)
    print(f"{asked.sum() / len(table.place):.2f} pairs asked a sentence")
    qualities = {name: quality(records, table, found) for name, found in (("first", first), ("second", second))}
    for name, found in qualities.items():
        print(f"{name:6s}", *(f"{k} {v:.3f}" for k, v in found.items()))
    if chosen.write:
        _write(chosen.model, table, first, entailed, qualities["second"])


def look_again(model: Path, records: Sequence[Record], table: Pairs, first: Probabilities) -> Probabilities:
    """Return held-out second judgements for held-out first judgements."""
    _, entailed = read(model, records, table, first)
    return _held_out(records, table, first, entailed)


def read(
    model: Path, records: Sequence[Record], table: Pairs, first: Probabilities
) -> tuple[NDArray[np.bool_], Probabilities]:
    """Return which pairs a first judgement leaves open, and the model's log odds for them, 0 for the others."""
    asked = _is_open(first)
    entailed = np.zeros(len(asked))
    entailed[asked] = asyncio.run(_read(model, _pairs(records, table, np.flatnonzero(asked))))
    return asked, entailed


def quality(records: Sequence[Record], table: Pairs, found: Probabilities) -> dict[str, float]:
    """Return the quality at the threshold of the hybrid scorer, where no model cites anything."""
    threshold = np.full(len(found), calibration("hybrid").thresholds["balanced"].alone)
    measured = evaluate(records, predictions(records, table, found, threshold))["ALL"]
    return {name: float(getattr(measured, name)) for name in MEASURES}


def _is_open(first: Probabilities) -> NDArray[np.bool_]:
    return (first > OPEN_FROM) & (first < OPEN_TO)


def _pairs(records: Sequence[Record], table: Pairs, rows: NDArray[np.intp]) -> list[Pair]:
    """Return the passage and the sentence of these rows, as the scorer passes them to the model."""
    found: list[Pair] = []
    known: dict[int, tuple[CheckerPrepared, Scores]] = {}
    for row in rows:
        sentence = int(table.sentence[row])
        number, i = table.place[sentence]
        claim = next(claim for at, claim in claims_of(records[number]) if at == i)
        if sentence not in known:
            prepared = CheckerScorer(_UNFITTED).prepare(evidence_of(records[number]))
            known = {sentence: (prepared, prepared.score(claim))}
        prepared, scores = known[sentence]
        found.append((prepared.passage(scores, int(table.evidence[row])), claim.text))
    return found


async def _read(folder: Path, asked: list[Pair]) -> list[float]:
    model = EntailmentModel(folder)
    found = await model.entailed(asked)
    await model.aclose()
    return found


def _held_out(records: Sequence[Record], table: Pairs, first: Probabilities, entailed: Probabilities) -> Probabilities:
    fold = folds(records, FOLDS)[table.record]
    is_open = _is_open(first)
    both = np.stack((to_log_odds(first), entailed), axis=1)
    found = first.copy()
    for held in range(FOLDS):
        train = is_open & (fold != held) & (table.weight > 0)
        test = is_open & (fold == held)
        fitted = LogisticRegression().fit(both[train], table.label[train])
        found[test] = fitted.predict_proba(both[test])[:, 1]
    return found


def _write(
    model: Path, table: Pairs, first: Probabilities, entailed: Probabilities, measured: dict[str, float]
) -> None:
    is_open = _is_open(first) & (table.weight > 0)
    both = np.stack((to_log_odds(first), entailed), axis=1)[is_open]
    fitted = LogisticRegression().fit(both, table.label[is_open])
    weights = CheckerWeights(
        open_from=OPEN_FROM,
        open_to=OPEN_TO,
        intercept=round(float(fitted.intercept_[0]), 4),
        first=round(float(fitted.coef_[0][0]), 4),
        entailed=round(float(fitted.coef_[0][1]), 4),
        provenance={
            "command": "python -m bench.fit_entailment MODEL_FOLDER DATA.jsonl --write",
            "model": model.name,
            "pairs": int(is_open.sum()),
            "cross_validated": {name: round(value, 3) for name, value in measured.items()},
        },
    )
    (model / WEIGHTS_FILE).write_text(json.dumps(weights.as_dict(), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
