"""A second look: a model that reads sentence and passage together decides what the other scores leave open.

The hybrid scorer judges first. Of what it finds neither likely nor unlikely, `open` says which evidence to ask about;
what the model answers, log odds that the passage entails the sentence, is combined with the first judgement by a
logistic regression of three numbers, fitted by `bench/fit_entailment.py`. The model itself lives elsewhere.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...evidence import Evidence
from ..calibration import judge
from ..index import Index
from ..passages import Passages
from . import Judgement, Scores, Vectors
from .hybrid import HybridPrepared, HybridScorer

FEATURES = ("first", "entailed")  # log odds of the first judgement, and of the model; 0 where it was not asked

# Far enough from 0 and 1 that a passage of one kind never decides alone.
_LEAST = 1e-4
# Pairs a sentence: the most uncertain. A pair takes some 25 ms, and a sentence is on its way to somebody.
MOST_ASKED = 6


@dataclass(frozen=True, slots=True)
class Weighing:
    """How both judgements are combined, and for which first ones."""

    open_from: float  # probabilities between which the first judgement is left open
    open_to: float
    intercept: float
    first: float  # weight of the first judgement's log odds
    entailed: float  # and of the model's
    threshold: float
    hint_threshold: float
    provenance: dict[str, Any] = field(default_factory=dict)

    def probability(self, first: NDArray[np.float64], entailed: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probability of support from log odds."""
        return np.asarray(1 / (1 + np.exp(-(self.intercept + self.first * first + self.entailed * entailed))))

    def open(self, probability: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of the first judgement's probabilities decide nothing."""
        return (probability > self.open_from) & (probability < self.open_to)

    def as_dict(self) -> dict[str, Any]:
        """As stored."""
        return asdict(self)


@lru_cache(maxsize=1)
def weighing() -> Weighing:
    """The fitted one."""
    return Weighing(
        **json.loads(files("citestream.citation.support").joinpath("weights", "entailment.json").read_text("utf-8"))
    )


class EntailmentScorer(HybridScorer):
    """As the hybrid scorer until the model has been asked. `weighing`: for another model, one of its own."""

    name = "entailment"

    def __init__(self, weighing: Weighing | None = None, passages: Passages | None = None) -> None:
        """Without `weighing`, as fitted with a relevance model."""
        super().__init__(passages)
        self._weighing = weighing

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> "EntailmentPrepared":
        """As the hybrid scorer."""
        return EntailmentPrepared(Index(evidence, self._passages), vectors, self._weighing or weighing())


class EntailmentPrepared(HybridPrepared):
    """Indexed evidence that knows what to ask."""

    name = "entailment"

    def __init__(self, index: Index, vectors: Vectors | None, weighing: Weighing) -> None:
        """See HybridPrepared."""
        super().__init__(index, vectors)
        self._weighing = weighing

    def with_vectors(self, vectors: Vectors) -> "EntailmentPrepared":
        """The same evidence, its vectors having come."""
        return EntailmentPrepared(self.index, vectors, self._weighing)

    def open(self, scores: Scores) -> list[int]:
        """The rows the first judgement leaves open, most uncertain first."""
        probability = judge(scores).probability
        rows = np.flatnonzero(self._weighing.open(probability))
        return [int(row) for row in rows[np.argsort(np.abs(probability[rows] - 0.5), kind="stable")]][:MOST_ASKED]

    def passages(self, scores: Scores, rows: Sequence[int]) -> list[str]:
        """What the model is to read: the best window with its title and a sentence on each side."""
        found = []
        for row in rows:
            evidence = self.evidence[row]
            start, end = self.index.widened(row, *scores.windows[row].tolist())
            found.append(
                f"{evidence.title}. {evidence.text[start:end]}" if evidence.title else evidence.text[start:end]
            )
        return found

    def read(self, scores: Scores, rows: Sequence[int], entailed: Sequence[float]) -> Scores:
        """With the model's log odds for these rows; without any, the first judgement stands, by the bars of both."""
        weighing, first = self._weighing, judge(scores)
        odds = log_odds(first.probability)
        said = np.zeros(len(odds))
        said[list(rows)] = entailed
        probability = first.probability.copy()
        probability[list(rows)] = weighing.probability(odds[list(rows)], said[list(rows)])
        every = np.ones(len(odds))
        features = np.concatenate((scores.features, np.stack((odds, said), axis=1)), axis=1)
        return replace(
            scores,
            names=scores.names + FEATURES,
            features=features.astype(np.float32),
            scorer=self.name,
            judgement=Judgement(probability, every * weighing.threshold, every * weighing.hint_threshold),
        )


def log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Finite ones, also of certainty."""
    inside = np.clip(probability, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(inside / (1 - inside)))
