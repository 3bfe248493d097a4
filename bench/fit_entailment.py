"""Fit how a cross-encoder's second look is weighed: `python -m bench.fit_entailment MODEL_FOLDER DATA.jsonl`.

Everything is held out: the first judgement of a record comes from a forest, and the weights from a regression, that
have not seen it. Prints what the second look changes; the baseline is the first judgement of the same records.
`--write` stores the weights. Takes many minutes.
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

from bench.data.pairs import Pairs, Record, claims_of, evidence_of, folds, load, pairs, predictions
from bench.fit import FOLDS, HINT_ODDS, MEASURES, OUT, SEEDS, Probabilities, cross_validate
from citestream.citation.evaluate import evaluate
from citestream.citation.support.scorers import Scores, scorer
from citestream.citation.support.scorers.entailment import (
    EntailmentPrepared,
    EntailmentScorer,
    EntailmentWeights,
    to_log_odds,
)
from citestream.providers.judging.cross_encoder import EntailmentModel, Pair

OPEN_FROM, OPEN_TO = 0.1, 0.9  # wider bands ask half as much again and change nothing
MOST_BAD = (0.12, 0.16, 0.18)  # limits of wrong citations that are printed
STORED = 0.16  # limit for the stored weights, as for the other scorers
_UNFITTED = EntailmentWeights(
    OPEN_FROM, OPEN_TO, intercept=0.0, first=1.0, entailed=0.0, threshold=0.5, hint_threshold=0.25
)


def main() -> None:
    """Fit, cross-validate, print, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model", type=Path)
    options.add_argument("data", nargs="*", default=os.environ.get("CITESTREAM_DATA", "").split())
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    records = load(chosen.data)
    table = pairs(records, scorer("hybrid"))
    first = [cross_validate(records, table, seed) for seed in SEEDS]
    asked, entailed = read(chosen.model, records, table, first)
    second = [_held_out(records, table, p, entailed, seed) for p, seed in zip(first, SEEDS, strict=True)]
    print(f"{asked.sum() / len(table.place):.2f} pairs asked a sentence")
    for most in MOST_BAD:
        for name, found in (("first", first), ("second", second)):
            threshold, quality = chosen_by(records, table, found, most)
            print(f"bad <= {most} {name:6s} {threshold:.2f}", *(f"{k} {v:.3f}" for k, v in quality.items()))
    if chosen.write:
        threshold, quality = chosen_by(records, table, second, STORED)
        _write(table, np.mean(first, axis=0), entailed, threshold, quality)


def look_again(
    model: Path, records: Sequence[Record], table: Pairs, first: Sequence[Probabilities], seeds: Sequence[int]
) -> list[Probabilities]:
    """Return held-out second judgements for the held-out first judgements of splits by these seeds."""
    _, entailed = read(model, records, table, first)
    return [_held_out(records, table, p, entailed, seed) for p, seed in zip(first, seeds, strict=True)]


def read(
    model: Path, records: Sequence[Record], table: Pairs, first: Sequence[Probabilities]
) -> tuple[NDArray[np.bool_], Probabilities]:
    """Return which pairs a first judgement leaves open, and the model's log odds for them, 0 for the others."""
    asked = np.any([(p > OPEN_FROM) & (p < OPEN_TO) for p in first], axis=0) & ~table.gated
    entailed = np.zeros(len(asked))
    entailed[asked] = asyncio.run(_read(model, _pairs(records, table, np.flatnonzero(asked))))
    return asked, entailed


def chosen_by(
    records: Sequence[Record], table: Pairs, found: Sequence[Probabilities], most: float
) -> tuple[float, dict[str, float]]:
    """Return the lowest threshold with at most `most` bad, and its quality, both as means over the splits."""
    quality: dict[str, float] = {}
    for threshold in np.arange(0.2, 0.95, 0.01):
        one = [evaluate(records, predictions(records, table, p, float(threshold)))["ALL"] for p in found]
        quality = {name: float(np.mean([getattr(q, name) for q in one])) for name in MEASURES}
        if quality["bad"] <= most:
            break
    return float(threshold), quality


def _pairs(records: Sequence[Record], table: Pairs, rows: NDArray[np.intp]) -> list[Pair]:
    """Return the passage and the sentence of these rows, as the scorer passes them to the model."""
    found: list[Pair] = []
    known: dict[int, tuple[EntailmentPrepared, Scores]] = {}
    for row in rows:
        sentence = int(table.sentence[row])
        number, i = table.place[sentence]
        claim = next(claim for at, claim in claims_of(records[number]) if at == i)
        if sentence not in known:
            prepared = EntailmentScorer(_UNFITTED).prepare(evidence_of(records[number]))
            known = {sentence: (prepared, prepared.score(claim))}
        prepared, scores = known[sentence]
        found.append((prepared.passages(scores, [int(table.evidence[row])])[0], claim.text))
    return found


async def _read(folder: Path, asked: list[Pair]) -> list[float]:
    model = EntailmentModel(folder)
    found = await model.entailed(asked)
    await model.aclose()
    return found


def _held_out(
    records: Sequence[Record], table: Pairs, first: Probabilities, entailed: Probabilities, seed: int
) -> Probabilities:
    fold = folds(records, FOLDS, seed)[table.record]
    is_open = (first > OPEN_FROM) & (first < OPEN_TO) & ~table.gated
    both = np.stack((to_log_odds(first), entailed), axis=1)
    found = first.copy()
    for held in range(FOLDS):
        train = is_open & (fold != held) & (table.weight > 0)
        test = is_open & (fold == held)
        fitted = LogisticRegression().fit(both[train], table.label[train])
        found[test] = fitted.predict_proba(both[test])[:, 1]
    return found


def _write(
    table: Pairs, first: Probabilities, entailed: Probabilities, threshold: float, quality: dict[str, float]
) -> None:
    is_open = (first > OPEN_FROM) & (first < OPEN_TO) & ~table.gated & (table.weight > 0)
    both = np.stack((to_log_odds(first), entailed), axis=1)[is_open]
    fitted = LogisticRegression().fit(both, table.label[is_open])
    odds = threshold / (1 - threshold) / HINT_ODDS
    weights = EntailmentWeights(
        open_from=OPEN_FROM,
        open_to=OPEN_TO,
        intercept=round(float(fitted.intercept_[0]), 4),
        first=round(float(fitted.coef_[0][0]), 4),
        entailed=round(float(fitted.coef_[0][1]), 4),
        threshold=round(threshold, 4),
        hint_threshold=round(odds / (1 + odds), 4),
        provenance={
            "command": "python -m bench.fit_entailment MODEL_FOLDER DATA.jsonl --write",
            "model": "ms-marco-MiniLM-L12, int8: relevance, English",
            "pairs": int(is_open.sum()),
            "cross_validated": {name: round(value, 3) for name, value in quality.items()},
        },
    )
    (OUT / "entailment.json").write_text(json.dumps(weights.as_dict(), indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
