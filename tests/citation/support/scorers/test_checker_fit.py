"""Weights of a checker, fitted to labelled pairs."""

import numpy as np
import pytest

from citestream.citation.support.scorers.checker import CheckerWeights
from citestream.citation.support.scorers.checker_fit import MIN_PAIRS, fit_weights

START = CheckerWeights(0.02, 0.98, intercept=0.0, first=1.0, entailed=0.275, limit=4.0)


def drawn(first: float, entailed: float, pairs: int = 4000) -> tuple[list[float], list[float], list[bool]]:
    """Return log odds, and labels that follow a logistic model with these weights."""
    random = np.random.default_rng(0)
    odds = random.normal(0, 2, (pairs, 2))
    probability = 1 / (1 + np.exp(-(first * odds[:, 0] + entailed * np.clip(odds[:, 1], -4, 4))))
    return odds[:, 0].tolist(), odds[:, 1].tolist(), (random.random(pairs) < probability).tolist()


@pytest.mark.parametrize("weights", [(1.0, 0.0), (1.0, 0.5), (0.5, 1.5)])
def test_the_weights_of_the_labels_are_found(weights: tuple[float, float]) -> None:
    fitted = fit_weights(START, *drawn(*weights))
    assert fitted.first == pytest.approx(weights[0], abs=0.1)
    assert fitted.entailed == pytest.approx(weights[1], abs=0.1)
    assert (fitted.open_from, fitted.open_to, fitted.limit) == (0.02, 0.98, 4.0)
    assert fitted.intercept == pytest.approx(0, abs=0.15)


def test_a_checker_that_contradicts_the_labels_has_no_weight() -> None:
    fitted = fit_weights(START, *drawn(1.0, -1.0))
    assert fitted.entailed == 0.0
    assert fitted.first > 0


def test_few_pairs_change_the_weights_less_than_many() -> None:
    few, many = (
        fit_weights(START, [0.0] * pairs, [-1.0, 1.0] * (pairs // 2), [False, True] * (pairs // 2)).entailed
        for pairs in (MIN_PAIRS, 4000)
    )
    assert START.entailed < few < many


def test_pairs_that_are_separated_perfectly_have_finite_weights() -> None:
    odds = [-9.0, 9.0] * MIN_PAIRS
    fitted = fit_weights(START, [0.0] * len(odds), odds, [value > 0 for value in odds])
    assert 0 < fitted.entailed < 10


@pytest.mark.parametrize("labels", [[True, False], [True] * MIN_PAIRS])
def test_too_few_pairs_or_a_single_label_are_refused(labels: list[bool]) -> None:
    with pytest.raises(ValueError, match="too few, or all have the same label"):
        fit_weights(START, [0.0] * len(labels), [0.0] * len(labels), labels)
