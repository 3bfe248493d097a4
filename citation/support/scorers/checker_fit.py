"""Fit the weights of a checker to labelled pairs: a logistic regression with two features, by Newton's method."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .checker import CheckerWeights

MIN_PAIRS = 30  # with fewer labelled pairs, the weights say little
RIDGE = 1.0  # pulls the weights towards those of `CheckerWeights` before the fit, as strongly as a few pairs
_STEPS = 25  # Newton's method needs about seven


def fit_weights(
    start: CheckerWeights, first: Sequence[float], entailed: Sequence[float], labels: Sequence[bool]
) -> CheckerWeights:
    """Return `start` with other weights. Raise ValueError if there are too few pairs, or all have the same label.

    `first`, `entailed`: the log odds of each pair. A checker that contradicts the labels gets the weight 0.
    """
    if len(labels) < MIN_PAIRS or len(set(labels)) < 2:
        raise ValueError(
            f"{len(labels)} labelled pairs are too few, or all have the same label; {MIN_PAIRS} are needed"
        )
    limited = np.clip(np.asarray(entailed, dtype=np.float64), -start.limit, start.limit)
    features = np.stack((np.ones(len(labels)), np.asarray(first, dtype=np.float64), limited), axis=1)
    prior = np.array([start.intercept, start.first, start.entailed])
    weights = _regression(features, np.asarray(labels, dtype=np.float64), prior)
    if weights[2] < 0:
        weights = np.append(_regression(features[:, :2], np.asarray(labels, dtype=np.float64), prior[:2]), 0.0)
    intercept, of_first, of_entailed = (round(float(weight), 4) for weight in weights)
    return CheckerWeights(start.open_from, start.open_to, intercept, of_first, of_entailed, start.limit)


def _regression(
    features: NDArray[np.float64], labels: NDArray[np.float64], prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    weights, ridge = prior.copy(), RIDGE * np.eye(len(prior))
    for _ in range(_STEPS):
        probability = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        gradient = features.T @ (labels - probability) - RIDGE * (weights - prior)
        curvature = (features * (probability * (1 - probability))[:, None]).T @ features + ridge
        weights = weights + np.linalg.solve(curvature, gradient)
    return weights
