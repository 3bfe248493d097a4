"""Scores to a probability of support: a small boosted forest, fitted by `bench/fit.py`, stored as readable JSON.

Any scorer can have one: `citation/scoring/<scorer>.json`, with the names of the features it reads.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import Judgement, Scores

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Calibration:
    """T complete trees of depth D over F features; a row goes right where its value is above the split's."""

    features: tuple[str, ...]
    base: float  # log odds before the first tree
    split_feature: NDArray[np.int64]  # (T, 2^D - 1), breadth first
    split_value: Floats  # (T, 2^D - 1)
    leaf: Floats  # (T, 2^D), log odds
    threshold: float  # cite from this probability on
    hint_threshold: float  # for evidence the model cited
    provenance: dict[str, Any]

    def probability(self, scores: Scores) -> Floats:
        """(N,) probability of support. ValueError names a feature the scores lack."""
        rows = scores.features[:, _columns(self.features, scores.names)]
        count, width = self.split_feature.shape
        right = rows[:, self.split_feature.ravel()] > self.split_value.ravel()  # every split of every row at once
        row, first = np.arange(len(rows))[:, None], np.arange(count) * width
        node = np.zeros((len(rows), count), dtype=np.int64)
        for _ in range(_depth(self.leaf.shape[1])):
            node = 2 * node + 1 + right[row, first + node]
        odds = self.base + self.leaf[np.arange(count), node - width].sum(axis=1)
        return np.asarray(1 / (1 + np.exp(-odds)))

    def judge(self, scores: Scores) -> Judgement:
        """The same bar for every piece of evidence, a lower one for what the model cited."""
        probability = self.probability(scores)
        every = np.ones_like(probability)
        return Judgement(probability, every * self.threshold, every * self.hint_threshold)


def judge(scores: Scores) -> Judgement:
    """By the scorer's own rule, where it has one, else by its calibration."""
    return scores.judgement or calibration(scores.scorer).judge(scores)


@lru_cache(maxsize=16)
def calibration(scorer: str) -> Calibration:
    """The calibration of that scorer. FileNotFoundError where there is none."""
    raw = json.loads(files("citation.scoring").joinpath(f"{scorer}.json").read_text("utf-8"))
    return parse(raw)


def parse(raw: dict[str, Any]) -> Calibration:
    """A calibration from its JSON: trees are `{"split": [[feature, value], ...], "leaf": [...]}`."""
    features = tuple(raw["features"])
    number = {name: i for i, name in enumerate(features)}
    trees = raw["trees"]
    return Calibration(
        features=features,
        base=raw["base"],
        split_feature=np.array([[number[f] for f, _ in tree["split"]] for tree in trees], dtype=np.int64),
        split_value=np.array([[_value(v) for _, v in tree["split"]] for tree in trees]),
        leaf=np.array([tree["leaf"] for tree in trees]),
        threshold=raw["threshold"],
        hint_threshold=raw["hint_threshold"],
        provenance=raw["provenance"],
    )


def _value(raw: float | None) -> float:
    return float("inf") if raw is None else raw  # null: no split here, everything goes left


def _depth(leaves: int) -> int:
    return leaves.bit_length() - 1


@lru_cache(maxsize=64)
def _columns(wanted: tuple[str, ...], have: tuple[str, ...]) -> list[int]:
    missing = [name for name in wanted if name not in have]
    if missing:
        raise ValueError(f"the scores lack {', '.join(missing)}")
    return [have.index(name) for name in wanted]
