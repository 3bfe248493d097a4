"""The features of another scorer, plus a checker: a local model that reads claim and passages together.

The scores are calibrated first. The evidence whose probability is neither high nor low is given to the model. A
logistic regression combines the first log odds with the model's log odds that the passage entails the claim. The model
itself is in `providers`.

A claim that rests on several excerpts is entailed by none of them alone. So the model also reads the passages of all
evidence that the answer's model cites for the claim as one text. Its result counts for each of them, unless one of them
is enough.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...evidence import Evidence
from ...text import MAX_TITLE_CHARACTERS
from ...text.steps import Steps
from ..calibration import calibrate
from ..features.index import Index
from . import Claim, Pair, PreparedEvidence, Scorer, Scores, Vectors
from .hybrid import HybridScorer

FEATURES = ("first", "entailed")  # log odds of the other scorer and of the model; 0 if the model was not asked

# Probabilities are clipped to this distance from 0 and 1, so that log odds are finite and no side decides alone.
_MIN_PROBABILITY = 1e-4
# Passages per claim that the model reads, the most uncertain first. Each takes about 25 ms, and a reader is waiting.
MAX_PASSAGES = 6
_NO_LIMIT = 1e3


@dataclass(frozen=True, slots=True)
class CheckerWeights:
    """How both log odds are combined, and for which evidence. The field names are those of the stored JSON."""

    open_from: float  # the model reads evidence whose first probability is between these
    open_to: float
    intercept: float
    first: float  # weight of the first log odds
    entailed: float  # weight of the model's log odds
    limit: float = _NO_LIMIT  # the model's log odds count up to this size
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def probability(self, first: NDArray[np.float64], entailed: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of support for both log odds."""
        limited = np.clip(entailed, -self.limit, self.limit)
        return np.asarray(1 / (1 + np.exp(-(self.intercept + self.first * first + self.entailed * limited))))

    def is_open(self, probability: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which of the first probabilities leave the question open."""
        return (probability > self.open_from) & (probability < self.open_to)

    def as_dict(self) -> dict[str, Any]:
        """Return the stored form."""
        return asdict(self)


@cache
def default_weights(kind: str = "entailment") -> CheckerWeights:
    """Return the weights for a model of which nothing was fitted. `kind`: "entailment" or "relevance"."""
    path = files("citestream.citation.support").joinpath("weights", f"checker_{kind}.json")
    return CheckerWeights(**json.loads(path.read_text("utf-8")))


class CheckerScorer(Scorer):
    """Scores like another scorer until the model has answered."""

    name = "checker"

    def __init__(self, weights: CheckerWeights | None = None, base: Scorer | None = None) -> None:
        """`weights`: of the model in use; by default those of `default_weights`. `base`: by default `hybrid`."""
        self._base = base or HybridScorer()
        self._weights = weights or default_weights()
        self.needs_vectors = self._base.needs_vectors

    def texts_to_embed(self, evidence: Sequence[Evidence]) -> list[str]:
        """Return the texts whose vectors the other scorer needs."""
        return self._base.texts_to_embed(evidence)

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> "CheckerPrepared":
        """Prepare the evidence; `vectors`: as for the other scorer."""
        return CheckerPrepared(self._base.prepare(evidence, vectors), self._weights)

    def prepare_in_steps(self, evidence: Sequence[Evidence]) -> Steps[PreparedEvidence]:
        """Prepare the evidence in steps."""
        return CheckerPrepared((yield from self._base.prepare_in_steps(evidence)), self._weights)


class CheckerPrepared(PreparedEvidence):
    """Prepared evidence that selects passages for the model."""

    name = "checker"
    needs_checker = True

    def __init__(self, base: PreparedEvidence, weights: CheckerWeights) -> None:
        """Take the evidence as the other scorer has prepared it."""
        super().__init__(base.evidence)
        self._base = base
        self._weights = weights

    @property
    def index(self) -> Index:
        """The index of the other scorer."""
        return self._base.index

    def with_vectors(self, vectors: Vectors) -> "CheckerPrepared":
        """Return the same evidence with vectors."""
        return CheckerPrepared(self._base.with_vectors(vectors), self._weights)

    def score(self, claim: Claim) -> Scores:
        """Return the scores of the other scorer."""
        return self._base.score(claim)

    def score_all(self, claims: Sequence[Claim]) -> list[Scores]:
        """Return the scores of the other scorer."""
        return self._base.score_all(claims)

    def score_in_steps(self, claims: Sequence[Claim]) -> Steps[list[Scores]]:
        """Return the scores of the other scorer."""
        return self._base.score_in_steps(claims)

    def undecided(self, scores: Scores) -> list[int]:
        """Return the rows whose first probability is open, the most uncertain first."""
        probability = calibrate(scores).probability
        rows = np.flatnonzero(self._weights.is_open(probability))
        ranked = rows[np.argsort(np.abs(probability[rows] - 0.5), kind="stable")]
        return [int(row) for row in ranked[:MAX_PASSAGES]]

    def pairs_to_check(self, claim: Claim, scores: Scores) -> list[Pair]:
        """Return the passage of each open row, and at the end those of all cited rows together."""
        rows = self.undecided(scores)
        joint = self._joint(claim, rows)
        premises = [self.passage(scores, row) for row in rows]
        if joint:
            premises.append(" ".join(self.passage(scores, row) for row in joint))
        return [(premise, claim.text) for premise in premises]

    def with_checked(self, claim: Claim, scores: Scores, log_odds: Sequence[float]) -> Scores:
        """Combine the model's log odds for the open rows; other rows keep their first probability."""
        rows, weights, first = self.undecided(scores), self._weights, calibrate(scores)
        entailed = np.zeros(len(first.probability))
        entailed[rows] = log_odds[: len(rows)]
        cited = [row for row in rows if row in self._joint(claim, rows)]
        if cited and entailed[cited].max() <= 0:
            entailed[cited] = np.maximum(entailed[cited], log_odds[-1])
        first_odds = to_log_odds(first.probability)
        probability = first.probability.copy()
        probability[rows] = weights.probability(first_odds[rows], entailed[rows])
        features = np.concatenate((scores.features, np.stack((first_odds, entailed), axis=1)), axis=1)
        return replace(
            scores,
            names=scores.names + FEATURES,
            features=features.astype(np.float32),
            calibrated=replace(first, probability=probability),
        )

    def _joint(self, claim: Claim, rows: Sequence[int]) -> list[int]:
        """Return the rows that the model reads as one text; none if fewer than two are cited or all are certain."""
        cited = [row for row, evidence in enumerate(self.evidence) if evidence.number in claim.cited][:MAX_PASSAGES]
        return cited if len(cited) > 1 and set(cited) & set(rows) else []

    def passage(self, scores: Scores, row: int) -> str:
        """Return the best window of a row with its title and one sentence on each side."""
        evidence = self.evidence[row]
        start, end = self.index.widened(row, *scores.windows[row].tolist())
        text = evidence.text[start:end]
        return f"{evidence.title[:MAX_TITLE_CHARACTERS]}. {text}" if evidence.title else text


def to_log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return finite log odds, also of 0 and 1."""
    clipped = np.clip(probability, _MIN_PROBABILITY, 1 - _MIN_PROBABILITY)
    return np.asarray(np.log(clipped / (1 - clipped)))
