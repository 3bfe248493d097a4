"""Scores to a probability of support: a small boosted forest, fitted by `bench/fit.py`, stored as readable JSON.

Any scorer can have one: `citation/support/weights/<scorer>.json`, with the names of the features it reads.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from itertools import accumulate, groupby, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .scorers import Judgement, Scores

Floats = NDArray[np.float64]

# What trees say is added up in whole parts of 1, so that the order, thus who else is judged, changes nothing.
_ONE = 1 << 40
_MOST_SPLITS = 7  # of a tree: three levels; the outcomes of more do not fit into a byte


@dataclass(frozen=True, slots=True)
class Calibration:
    """T complete trees of S splits over F features; a row goes right where its value is above the split's.

    Every split of every tree is tried at once; what a tree says is then looked up by all its outcomes together. For 20
    pieces of evidence that takes 24 µs, walking down the trees 80.
    """

    features: tuple[str, ...]
    base: float  # log odds before the first tree
    split_feature: NDArray[np.int64]  # (S T,): the first split of every tree, then the second, ...; breadth first
    split_value: NDArray[np.float32]  # (S T, 1)
    outcome: NDArray[np.uint8]  # (S T, 1): 1 for the first split, 2 for the second, 4, ...
    # (T 2^S,), in 1 / _ONE: what a tree says by the sum of the outcomes of its splits that go right
    odds: NDArray[np.int64]
    threshold: float  # cite from this probability on
    hint_threshold: float  # for evidence the model cited
    provenance: dict[str, Any]

    def judge(self, scores: Sequence[Scores]) -> list[Judgement]:
        """The same bar for every piece of evidence, a lower one for what the model cited.

        All scores are of one scorer. ValueError names a feature they lack.
        """
        if not scores:
            return []
        every = np.concatenate([one.features for one in scores])
        probability = self._probability(every.T[_columns(self.features, scores[0].names)])
        bar, hint_bar = np.full(len(every), self.threshold), np.full(len(every), self.hint_threshold)
        bounds = pairwise(accumulate((len(one.features) for one in scores), initial=0))
        return [Judgement(probability[a:b], bar[a:b], hint_bar[a:b]) for a, b in bounds]

    def _probability(self, rows: NDArray[np.float32]) -> Floats:
        """(M,), of support, from the features, (F, M)."""
        right = rows.take(self.split_feature, axis=0) > self.split_value
        splits = int(self.outcome[-1, 0]).bit_length()
        trees = len(self.outcome) // splits
        outcomes = (right * self.outcome).reshape(splits, trees, rows.shape[1])
        said = np.bitwise_or.reduce(outcomes, axis=0) + _first(trees, splits)
        odds = self.base + self.odds.take(said).sum(axis=0) / _ONE
        return np.asarray(1 / (1 + np.exp(-odds)))


def judge(scores: Scores) -> Judgement:
    """By the scorer's own rule, where it has one, else by its calibration."""
    return scores.judgement or calibration(scores.scorer).judge([scores])[0]


def judged(scores: Sequence[Scores]) -> list[Scores]:
    """The same with their judgements. Ten times 20 pieces of evidence take 80 µs, one by one 300."""
    found: list[Scores] = []
    for scorer, group in groupby(scores, lambda one: None if one.judgement else one.scorer):
        alike = list(group)
        if scorer is not None:
            judgements = calibration(scorer).judge(alike)
            alike = [replace(one, judgement=own) for one, own in zip(alike, judgements, strict=True)]
        found += alike
    return found


@lru_cache(maxsize=16)
def calibration(scorer: str) -> Calibration:
    """The calibration of that scorer. FileNotFoundError where there is none."""
    raw = json.loads(files("citestream.citation.support").joinpath("weights", f"{scorer}.json").read_text("utf-8"))
    return parse(raw)


def parse(raw: dict[str, Any]) -> Calibration:
    """A calibration from its JSON: trees are `{"split": [[feature, value], ...], "leaf": [...]}`."""
    features = tuple(raw["features"])
    number = {name: i for i, name in enumerate(features)}
    trees = raw["trees"]
    splits = np.array([[number[f] for f, _ in tree["split"]] for tree in trees], dtype=np.int64)
    values = np.array([[_value(v) for _, v in tree["split"]] for tree in trees])
    count = splits.shape[1]
    if count > _MOST_SPLITS:
        raise ValueError(f"a tree may have at most {_MOST_SPLITS} splits, not {count}")
    leaves = np.array([tree["leaf"] for tree in trees])
    return Calibration(
        features=features,
        base=raw["base"],
        split_feature=splits.T.ravel(),
        split_value=_rounded_down(values.T.reshape(-1, 1)),
        outcome=np.repeat(1 << np.arange(count), len(trees)).astype(np.uint8)[:, None],
        odds=np.rint(leaves[:, [_leaf(outcomes, count) for outcomes in range(1 << count)]].ravel() * _ONE).astype(
            np.int64
        ),
        threshold=raw["threshold"],
        hint_threshold=raw["hint_threshold"],
        provenance=raw["provenance"],
    )


def _value(raw: float | None) -> float:
    return float("inf") if raw is None else raw  # null: no split here, everything goes left


def _rounded_down(values: Floats) -> NDArray[np.float32]:
    """As float32, so that a float32 is above the rounded value just where it is above the value itself."""
    rounded = values.astype(np.float32)
    return np.where(rounded > values, np.nextafter(rounded, np.float32(-np.inf)), rounded)


def _leaf(outcomes: int, splits: int) -> int:
    """The leaf one comes to, where the splits of these outcomes go right."""
    node = 0
    while node < splits:
        node = 2 * node + 1 + (outcomes >> node & 1)
    return node - splits


@lru_cache(maxsize=16)
def _first(trees: int, splits: int) -> NDArray[np.int32]:
    """(T, 1): where the odds of each tree begin."""
    return (np.arange(trees, dtype=np.int32) << splits)[:, None]


@lru_cache(maxsize=64)
def _columns(wanted: tuple[str, ...], have: tuple[str, ...]) -> list[int]:
    missing = [name for name in wanted if name not in have]
    if missing:
        raise ValueError(f"the scores lack {', '.join(missing)}")
    return [have.index(name) for name in wanted]
