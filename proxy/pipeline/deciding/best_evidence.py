"""The scores of claims when there is too much work: of the best evidence only, or none."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from citestream.citation.evidence import Evidence
from citestream.citation.support.calibration import calibrate
from citestream.citation.support.scores import Calibrated, Scores

BEST = 3  # pieces of evidence that are compared with a claim, and the same number of those that the model cited


def with_best_evidence(
    scores: Scores, cited: frozenset[int], evidence: Sequence[Evidence]
) -> tuple[Scores, frozenset[int]]:
    """Return the scores and the cited numbers of the most probable evidence. All other evidence has no probability."""
    calibrated = calibrate(scores)
    ranked = np.argsort(-calibrated.probability, kind="stable").tolist()
    by_model = [row for row in ranked if evidence[row].number in cited][:BEST]
    rows = [*ranked[:BEST], *by_model]
    probability = np.zeros_like(calibrated.probability)
    probability[rows] = calibrated.probability[rows]
    best = frozenset(evidence[row].number for row in by_model)
    return replace(scores, calibrated=replace(calibrated, probability=probability)), best


def count_candidates(scores: Scores, cited: int, at_least: float) -> int:
    """Return about how many pieces of evidence are compared with a claim."""
    calibrated = calibrate(scores)
    lowest = np.minimum(calibrated.threshold, at_least)
    return cited + int(np.count_nonzero(calibrated.probability >= lowest))


def unscored(example: Scores) -> Scores:
    """Return the scores of a claim that was not scored. `example`: those of another claim of the request."""
    ones = np.ones(len(example.features))
    return replace(
        example,
        features=np.zeros_like(example.features),
        windows=np.zeros_like(example.windows),
        degraded=True,
        calibrated=Calibrated(0 * ones, ones),
    )


def is_unscored(scores: Scores) -> bool:
    """Return whether the claim was not scored: no evidence has a window."""
    return not scores.windows[:, 1].any()
