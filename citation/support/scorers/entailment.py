"""The hybrid scorer plus an entailment model, which reads claim and passage together.

The hybrid scores are calibrated first. The evidence whose probability is neither high nor low is given to the model. A
logistic regression, fitted by `bench/fit_entailment.py`, combines the first log odds with the model's log odds that the
passage entails the claim. The model itself is in `providers`.
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
from ...text import MAX_TITLE
from ...text.steps import Steps
from ..calibration import calibrate
from ..features.excerpts import ExcerptCache
from ..features.index import Index
from . import PreparedEvidence, Scores, Vectors
from .hybrid import HybridPrepared, HybridScorer

FEATURES = ("first", "entailed")  # log odds of the hybrid scores and of the model; 0 if the model was not asked

# Probabilities are clipped to this distance from 0 and 1, so that log odds are finite and no side decides alone.
_MIN_PROBABILITY = 1e-4
# Passages per claim that the model reads, the most uncertain first. Each takes about 25 ms, and a reader is waiting.
MAX_PASSAGES = 6


@dataclass(frozen=True, slots=True)
class EntailmentWeights:
    """How both log odds are combined, and for which evidence. The field names are those of the stored JSON."""

    open_from: float  # the model reads evidence whose first probability is between these
    open_to: float
    intercept: float
    first: float  # weight of the first log odds
    entailed: float  # weight of the model's log odds
    provenance: dict[str, Any] = field(default_factory=dict)

    def probability(self, first: NDArray[np.float64], entailed: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of support for both log odds."""
        return np.asarray(1 / (1 + np.exp(-(self.intercept + self.first * first + self.entailed * entailed))))

    def is_open(self, probability: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which of the first probabilities leave the question open."""
        return (probability > self.open_from) & (probability < self.open_to)

    def as_dict(self) -> dict[str, Any]:
        """Return the stored form."""
        return asdict(self)


@lru_cache(maxsize=1)
def default_weights() -> EntailmentWeights:
    """Return the weights fitted with a relevance model."""
    path = files("citestream.citation.support").joinpath("weights", "entailment.json")
    return EntailmentWeights(**json.loads(path.read_text("utf-8")))


class EntailmentScorer(HybridScorer):
    """Scores like the hybrid scorer until the model has answered."""

    name = "checker"

    def __init__(self, weights: EntailmentWeights | None = None, excerpts: ExcerptCache | None = None) -> None:
        """`weights`: of the model in use; by default those of `default_weights`."""
        super().__init__(excerpts)
        self._weights = weights

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> "EntailmentPrepared":
        """Index the evidence; `vectors`: (S, D), if they are already known."""
        return EntailmentPrepared(Index(evidence, self._excerpts), vectors, self._weights or default_weights())

    def prepare_in_steps(self, evidence: Sequence[Evidence]) -> Steps[PreparedEvidence]:
        """Index the evidence in steps."""
        index = yield from Index.of(evidence, self._excerpts)
        return EntailmentPrepared(index, None, self._weights or default_weights())


class EntailmentPrepared(HybridPrepared):
    """Indexed evidence that selects passages for the model."""

    name = "checker"
    needs_entailment = True

    def __init__(self, index: Index, vectors: Vectors | None, weights: EntailmentWeights) -> None:
        """See HybridPrepared."""
        super().__init__(index, vectors)
        self._weights = weights

    def with_vectors(self, vectors: Vectors) -> "EntailmentPrepared":
        """Return the same evidence with vectors."""
        return EntailmentPrepared(self.index, vectors, self._weights)

    def undecided(self, scores: Scores) -> list[int]:
        """Return the rows whose first probability is open, the most uncertain first."""
        probability = calibrate(scores).probability
        rows = np.flatnonzero(self._weights.is_open(probability))
        ranked = rows[np.argsort(np.abs(probability[rows] - 0.5), kind="stable")]
        return [int(row) for row in ranked[:MAX_PASSAGES]]

    def passages(self, scores: Scores, rows: Sequence[int]) -> list[str]:
        """Return the best window of each row with its title and one sentence on each side."""
        passages = []
        for row in rows:
            evidence = self.evidence[row]
            start, end = self.index.widened(row, *scores.windows[row].tolist())
            text = evidence.text[start:end]
            passages.append(f"{evidence.title[:MAX_TITLE]}. {text}" if evidence.title else text)
        return passages

    def with_entailment(self, scores: Scores, rows: Sequence[int], log_odds: Sequence[float]) -> Scores:
        """Combine the model's log odds for these rows; other rows keep their first probability."""
        weights, first = self._weights, calibrate(scores)
        first_odds = to_log_odds(first.probability)
        entailed = np.zeros(len(first_odds))
        entailed[list(rows)] = log_odds
        probability = first.probability.copy()
        probability[list(rows)] = weights.probability(first_odds[list(rows)], entailed[list(rows)])
        features = np.concatenate((scores.features, np.stack((first_odds, entailed), axis=1)), axis=1)
        return replace(
            scores,
            names=scores.names + FEATURES,
            features=features.astype(np.float32),
            calibrated=replace(first, probability=probability),
        )


def to_log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return finite log odds, also of 0 and 1."""
    clipped = np.clip(probability, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
    return np.asarray(np.log(clipped / (1 - clipped)))
