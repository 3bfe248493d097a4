"""A claim, and its scores: what a scorer reads and returns.

Array shapes: N pieces of evidence in number order, F features, D dimensions of a vector.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..options import Strictness

Vectors = NDArray[np.float32]  # (D,) of one text, or (number of texts, D)

# Maximum number of claims that are scored in one call. Ten claims with 20 excerpts take 1.1 ms in one call and 4.0
# ms in ten; larger batches gain little, and other requests wait for them.
MAX_BATCH = 16
MAX_QUESTION_CHARACTERS = (
    1_000  # characters; longer ones contain a text, and every sentence would be about the question
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the answer without markers, and its context."""

    text: str
    context: str = ""  # the previous sentence of the same paragraph
    question: str = ""  # the beginning of the user's question, up to MAX_QUESTION_CHARACTERS
    cited: frozenset[int] = frozenset()  # the numbers of the evidence that the model cites for this sentence
    # how often the model cited the evidence with each number for the sentences before
    cited_before: Mapping[int, int] = field(default_factory=dict, hash=False)
    vector: Vectors | None = None  # (D,), unit length, if the request has an embedder

    @property
    def model_cites(self) -> bool:
        """Whether the model cites evidence for this sentence or for one before it."""
        return bool(self.cited or self.cited_before)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """Scores as probabilities of support, and the thresholds they have to reach. One value per evidence."""

    probability: NDArray[np.float64]  # (N,), 0..1
    threshold: NDArray[np.float64]  # (N,)
    checked: bool = True  # whether what the checks find lowers the probability
    strictness: Strictness = "balanced"  # to which the thresholds belong


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one claim. One row per evidence, in number order."""

    names: tuple[str, ...]  # F feature names
    features: NDArray[np.float32]  # (N, F)
    windows: NDArray[np.int32]  # (N, 2): start and end of the best window in Evidence.text
    degraded: bool = False  # whether something the scorer needs, such as a vector, was missing
    scorer: str = "lexical"  # the name of the calibration to use
    calibrated: Calibrated | None = None  # by a rule of the scorer's own, or by its calibration; None: not yet
