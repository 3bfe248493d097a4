"""Fit how much each disagreement of claim and passage counts: `citation/support/weights/disagreements.json`.

A logistic regression: the log odds of a scorer, less a doubt of at least 0 for each kind of disagreement, in simple
pairs and in complex ones, are those of support. Rare kinds get about the mean of all kinds. The log odds come from
weights that have not seen the source of the data. `bench.fit` runs this for the default scorer.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]

from bench.data.data_sets import NEAR_MISSES, fitted
from bench.data.pairs import Pairs, Record
from citestream.citation.support.gates.reliability import CERTAIN, reliability

Floats = NDArray[np.float64]

# A claim among the near-misses counts as this many natural claims. With 1 the mean AUC on left-out data is .756 instead
# of .751, but 34 % of the false near-misses are cited instead of 21 %. Near-misses are written in the words of the
# passage, so they count once for the rule that the words of the claim are missing.
NEAR_MISS_WEIGHT = 8.0
_SURE = 3.0  # from which a doubt counts as certain, so that a high score does not outweigh it
_TO_MEAN = 3.0  # strength of the pull of each doubt towards the mean
_TO_ZERO = 0.02
_UNLIKELY = 0.2  # pairs with a lower probability are not cited, whatever the strictness
_START = 0.5
# Not counted in complex pairs, where they object to more true claims than false ones: 21 and 2, 11 and 2, 139 and 78.
# The mean AUC on left-out data is the same without them.
IGNORED_IN_COMPLEX = frozenset(("role/role", "modality/plan", "unknown_name/name?"))
OUT = Path(__file__).parent.parent / "citation" / "support" / "weights" / "disagreements.json"


@dataclass(frozen=True, slots=True)
class Doubts:
    """Amounts by which R rules lower the log odds of support: in simple pairs and in complex ones."""

    rules: tuple[str, ...]
    simple: Floats  # (R,)
    complex: Floats  # (R,)

    def lower(self, table: Pairs, probability: Floats) -> Floats:
        """Return the probabilities of all pairs, (P,), less the strongest doubt of each.

        Simple pairs without a doubt have a higher probability, see `agreement`.
        """
        amounts = np.where(table.simple[:, None], self.simple, self.complex)
        doubt = (table.disagreements * amounts).max(axis=1, initial=0.0)
        shift = np.where(doubt > 0, doubt, -table.agreement)
        return np.asarray(probability / (probability + (1 - probability) * np.exp(shift)))


def stored(rules: tuple[str, ...]) -> Doubts:
    """Return how much each kind of disagreement counts in the product."""
    known = reliability()
    simple, complicated = (
        np.array([values.get(rule, _unknown(rule)) for rule in rules]) for values in (known.simple, known.complex)
    )
    return Doubts(rules, simple, complicated)


def _unknown(rule: str) -> float:
    return 0.0 if rule.endswith("?") else CERTAIN


def counted(table: Pairs) -> Pairs:
    """Return the pairs without the disagreements that do not count."""
    ignored = np.array([rule in IGNORED_IN_COMPLEX for rule in table.rules])
    return replace(table, disagreements=table.disagreements & (table.simple[:, None] | ~ignored))


def fit_doubts(records: Sequence[Record], table: Pairs, probability: Floats, used: NDArray[np.bool_]) -> Doubts:
    """Fit to the best pair of each sentence of the `used` records, (R,), if it has a disagreement."""
    first = np.searchsorted(table.sentence, np.arange(len(table.place)))
    best = probability == np.maximum.reduceat(probability, first)[table.sentence]
    rows = best & (table.weight > 0) & ~table.gated & (probability > _UNLIKELY)
    rows &= table.disagreements.any(axis=1) & (used & fitted(records))[table.record]
    if not rows.any():
        return Doubts(table.rules, np.zeros(len(table.rules)), np.zeros(len(table.rules)))
    near_miss = np.array([record["dataset"] == NEAR_MISSES for record in records])[table.record[rows]]
    often = near_miss & table.contradicted[rows]
    found = table.disagreements[rows]
    simple = table.simple[rows, None]
    design = np.concatenate([found & simple, found & ~simple], axis=1).astype(float)
    doubts = _fit(design, _log_odds(probability[rows]), table.label[rows], np.where(often, NEAR_MISS_WEIGHT, 1.0))
    in_simple, in_complex = np.split(np.where(doubts < _SURE, doubts, CERTAIN), 2)
    ignored = [rule in IGNORED_IN_COMPLEX for rule in table.rules]
    return Doubts(table.rules, in_simple, np.where(ignored, 0.0, in_complex))


def _fit(design: Floats, log_odds: Floats, label: NDArray[np.bool_], weight: Floats) -> Floats:
    """Return one doubt for each column of `design`, (M, 2 R), at least 0."""
    kinds = design.shape[1] // 2

    def loss(values: Floats) -> tuple[float, Floats]:
        means, doubts = values[:2], values[2:]
        score = log_odds - design @ doubts
        expected = 1 / (1 + np.exp(-score))
        error = weight * (expected - label)
        apart = doubts - np.repeat(means, kinds)
        total = float((weight * (np.logaddexp(0, score) - label * score)).sum())
        total += _TO_MEAN * float(apart @ apart) + _TO_ZERO * float(means @ means)
        gradient = np.concatenate(
            [
                2 * _TO_ZERO * means - 2 * _TO_MEAN * apart.reshape(2, kinds).sum(axis=1),
                2 * _TO_MEAN * apart - design.T @ error,
            ]
        )
        return total, gradient

    start = np.full(2 + 2 * kinds, _START)
    bounds = [(0.0, CERTAIN)] * len(start)
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x[2:])


def _log_odds(probability: Floats) -> Floats:
    bounded = np.clip(probability, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(bounded / (1 - bounded)))


def write(doubts: Doubts, provenance: dict[str, Any]) -> None:
    """Store the doubts."""
    raw = {
        name: {rule: round(float(v), 2) for rule, v in zip(doubts.rules, values, strict=True)}
        for name, values in (("simple", doubts.simple), ("complex", doubts.complex))
    }
    OUT.write_text(json.dumps(raw | {"provenance": provenance}, indent=1) + "\n", "utf-8")
