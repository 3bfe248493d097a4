"""Calibration: scores to probabilities of support, by small boosted trees fitted by `bench/fit.py`.

Each scorer has its own weights, `citation/support/weights/<scorer>.json`, with the names of the features they read.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from itertools import accumulate, groupby, pairwise
from math import exp
from typing import Any, NamedTuple, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from ..options import Strictness
from ..text.steps import Steps, complete
from .candidates import is_candidate
from .gates.checks import CHECK_FEATURES
from .scores import Calibrated, Scores

Floats = NDArray[np.float64]
P = TypeVar("P", float, Floats)

# How certain a citation has to be. The scorer's weights have thresholds for each level.
STRICTNESS: tuple[Strictness, ...] = get_args(Strictness)
# For scorers that calibrate their scores themselves: the difference of the thresholds to those of `balanced`, in log
# odds. It is about the difference that the fitted scorers have.
_STRICTNESS_SHIFT: dict[Strictness, float] = {"strict": 1.5, "balanced": 0.0, "lenient": -0.8}

# Leaves are stored as whole numbers, in units of 1 / _SCALE. A sum of whole numbers below 2^53 does not depend on its
# order, so a claim gets the same probability alone and in a batch.
_SCALE = 1 << 40

# Pieces of evidence, of several claims together, whose probabilities are computed at once: 2 ms.
_ROWS = 1_000
_CLAIM_ROWS = 10  # pieces of evidence that take as long as what is done for each claim: 20 µs


class Thresholds(NamedTuple):
    """The probabilities from which on evidence is cited."""

    cited: float  # evidence that the model cites for this sentence
    uncited: float  # other evidence, in an answer that has citations of the model
    alone: float  # evidence in an answer without any citation of the model so far


@dataclass(frozen=True, slots=True)
class Forest:
    """T complete binary trees of depth D over F features; a row goes right if its value exceeds the split's."""

    features: tuple[str, ...]
    base: float  # log odds before the first tree
    split_feature: NDArray[np.int64]  # (2^D - 1, T), breadth first
    split_value: NDArray[np.float32]  # (2^D - 1, T)
    leaves: Floats  # (2^D, T), log odds in units of 1 / _SCALE, whole numbers

    def log_odds(self, features: NDArray[np.float32]) -> Floats:
        """Return the log odds of support, (M,), for features, (F, M)."""
        (splits, trees), rows = self.split_feature.shape, features.shape[1]
        right = features.take(self.split_feature.ravel(), axis=0) > self.split_value.reshape(-1, 1)
        right = right.reshape(splits, trees, rows)  # (nodes, T, M), whether a row would go right
        reached = np.ones((1, trees, rows), dtype=bool)  # the same, whether a row reaches a node of the level
        for level in range(splits.bit_length()):
            goes_right = right[len(reached) - 1 : 2 * len(reached) - 1]
            below = np.empty((2 << level, trees, rows), dtype=bool)
            np.greater(reached, goes_right, out=below[::2])
            np.logical_and(reached, goes_right, out=below[1::2])
            reached = below
        chosen = reached.reshape(self.leaves.size, rows).astype(np.float64)  # one leaf of each tree
        return np.asarray(self.base + self.leaves.ravel() @ chosen / _SCALE)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Two questions: is a citation of the model right, and does other evidence support the sentence as well?"""

    cited: Forest  # for evidence that the model cites for the sentence
    uncited: Forest  # for other evidence
    thresholds: dict[Strictness, Thresholds]
    provenance: dict[str, Any]

    def calibrate(self, scores: Sequence[Scores], strictness: Strictness = "balanced") -> list[Calibrated]:
        """Return the probabilities of several claims. Raise ValueError if a feature is missing.

        Evidence that is no candidate (`candidates`) has the probability 0.
        """
        if not scores:
            return []
        names = scores[0].names
        rows = np.concatenate([claim_scores.features for claim_scores in scores])
        is_cited = rows[:, names.index("cited")] > 0
        candidate = np.concatenate([is_candidate(claim_scores.features, names) for claim_scores in scores])
        probability = np.zeros(len(rows))
        for forest, chosen in ((self.cited, candidate & is_cited), (self.uncited, candidate & ~is_cited)):
            if chosen.any():
                odds = forest.log_odds(_columns(rows[chosen], names, forest.features))
                probability[chosen] = 1 / (1 + np.exp(-odds))
        levels, model_cites = self.thresholds[strictness], rows[:, names.index("model_cites")] > 0
        threshold = np.where(is_cited, levels.cited, np.where(model_cites, levels.uncited, levels.alone))
        bounds = pairwise(accumulate((len(claim_scores.features) for claim_scores in scores), initial=0))
        return [Calibrated(probability[a:b], threshold[a:b], strictness=strictness) for a, b in bounds]

    def effect(self, features: NDArray[np.float32], names: tuple[str, ...], found_features: Collection[str]) -> float:
        """Return by how much findings change the log odds of one piece of evidence; not above 0.

        `features`, (F,): those of the evidence. `found_features`: the CHECK_FEATURES that are present.
        """
        forest = self.cited if features[names.index("cited")] > 0 else self.uncited
        without, present = _columns(np.stack((features, features)), names, forest.features), forest.features
        for row, name in enumerate(present):
            if name in found_features:
                without[row, 1] = 1.0
        before, after = forest.log_odds(without).tolist()
        return float(after - before)


def calibrate(scores: Scores, strictness: Strictness = "balanced") -> Calibrated:
    """Return the probabilities by the scorer's own rule, or else by its calibration."""
    return scores.calibrated or calibration(scores.scorer).calibrate([scores], strictness)[0]


def calibrate_all(scores: Sequence[Scores], strictness: Strictness = "balanced") -> list[Scores]:
    """Return the scores with their probabilities; see `calibrate_in_steps`."""
    return complete(calibrate_in_steps(scores, strictness))


def calibrate_in_steps(scores: Sequence[Scores], strictness: Strictness = "balanced") -> Steps[list[Scores]]:
    """Return the scores with their probabilities, computed together for neighbours of the same scorer.

    The thresholds of a scorer's own rule are shifted. RAGFlow's rule, which has no gates, is not changed.
    """
    calibrated: list[Scores] = []
    for (name, _), group in groupby(_in_batches(_adjusted(scores, strictness)), _scorer_and_batch):
        neighbours = [claim_scores for claim_scores, _ in group]
        yield None
        if name is not None:
            results = calibration(name).calibrate(neighbours, strictness)
            neighbours = [
                replace(claim_scores, calibrated=result)
                for claim_scores, result in zip(neighbours, results, strict=True)
            ]
        calibrated += neighbours
    return calibrated


def _adjusted(scores: Iterable[Scores], strictness: Strictness) -> Iterator[Scores]:
    for claim_scores in scores:
        yield (
            replace(claim_scores, calibrated=_adjust(claim_scores.calibrated, strictness))
            if claim_scores.calibrated
            else claim_scores
        )


def _in_batches(scores: Iterable[Scores]) -> Iterator[tuple[Scores, int]]:
    """Yield each of these scores with a number; those with the same number are computed together."""
    rows = 0
    for claim_scores in scores:
        rows += len(claim_scores.features) + _CLAIM_ROWS
        yield claim_scores, rows // _ROWS


def _scorer_and_batch(numbered: tuple[Scores, int]) -> tuple[str | None, int]:
    claim_scores, batch = numbered
    return None if claim_scores.calibrated else claim_scores.scorer, batch


def _adjust(calibrated: Calibrated | None, strictness: Strictness) -> Calibrated | None:
    """Return probabilities of a scorer's own rule with the thresholds of a strictness."""
    if calibrated is None or calibrated.strictness == strictness or not calibrated.checked:
        return calibrated
    shift = _STRICTNESS_SHIFT[strictness] - _STRICTNESS_SHIFT[calibrated.strictness]
    return replace(
        calibrated,
        threshold=shift_log_odds(calibrated.threshold, shift),
        strictness=strictness,
    )


def shift_log_odds(probability: P, amount: float) -> P:
    """Add `amount`, which may be negative, to the log odds of a probability or of an array of them."""
    return probability / (probability + (1 - probability) * exp(-amount))


@lru_cache(maxsize=16)
def calibration(scorer: str) -> Calibration:
    """Return the calibration of this scorer. Raise FileNotFoundError if it has none."""
    raw = json.loads(files("citestream.citation.support").joinpath("weights", f"{scorer}.json").read_text("utf-8"))
    return parse(raw)


def parse(raw: dict[str, Any]) -> Calibration:
    """Return a calibration from its JSON, with a forest for cited and one for uncited evidence."""
    levels = {name: raw["thresholds"][name] for name in STRICTNESS}
    return Calibration(
        cited=_forest(raw["cited"]),
        uncited=_forest(raw["uncited"]),
        thresholds={
            name: Thresholds(*(float(level[field]) for field in Thresholds._fields)) for name, level in levels.items()
        },
        provenance=raw["provenance"],
    )


def _forest(raw: dict[str, Any]) -> Forest:
    """Return a forest from its JSON: trees are `{"split": [[feature, value], ...], "leaf": [...]}`.

    A split value of null means that there is no split: every row goes left.
    """
    features = tuple(raw["features"])
    number = {name: i for i, name in enumerate(features)}
    trees = raw["trees"]
    values = [[float("inf") if value is None else value for _, value in tree["split"]] for tree in trees]
    return Forest(
        features=features,
        base=raw["base"],
        split_feature=np.array(
            [[number[name] for name, _ in tree["split"]] for tree in trees], dtype=np.int64
        ).T.copy(),
        split_value=_rounded_down(np.array(values).T.copy()),
        leaves=np.rint(np.array([tree["leaf"] for tree in trees]).T.copy() * _SCALE),
    )


def _rounded_down(values: Floats) -> NDArray[np.float32]:
    """Round down to float32: a float32 exceeds the result exactly where it exceeds the value itself."""
    rounded = values.astype(np.float32)
    return np.where(rounded > values, np.nextafter(rounded, np.float32(-np.inf)), rounded)


def _columns(rows: NDArray[np.float32], names: tuple[str, ...], wanted: tuple[str, ...]) -> NDArray[np.float32]:
    """Return the wanted features as rows, (number of wanted, M). Features of checks that did not run are 0."""
    columns = np.zeros((len(wanted), len(rows)), dtype=np.float32)
    targets, source = _places(wanted, names)
    columns[targets] = rows.T[source]
    return columns


@lru_cache(maxsize=64)
def _places(wanted: tuple[str, ...], names: tuple[str, ...]) -> tuple[list[int], list[int]]:
    """Return where the wanted features are, there and in `names`. Raise ValueError if one is missing."""
    missing = [name for name in wanted if name not in names and name not in CHECK_FEATURES]
    if missing:
        raise ValueError(f"the scores lack {', '.join(missing)}")
    shared = [name for name in wanted if name in names]
    return [wanted.index(name) for name in shared], [names.index(name) for name in shared]
