"""The trees of a calibration: the leaf that a row of features reaches, and the sum over all trees."""

from math import exp
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.support.calibration import Calibration, parse

FEATURES = ["a", "b"]
DEEP = {"split": [["a", 0.5], *[["b", 0.25 * n] for n in range(6)]], "leaf": [0.5 * n for n in range(8)]}
SHIFTED = {"split": [["b", 1.0], *[["a", 0.25 * n] for n in range(6)]], "leaf": [-0.25 * n for n in range(8)]}


def calibration(*trees: dict[str, Any], base: float = 0.0) -> Calibration:
    return parse(
        {"features": FEATURES, "base": base, "trees": trees, "threshold": 0.5, "hint_threshold": 0.4, "provenance": {}}
    )


def probabilities(found: Calibration, *rows: tuple[float, float]) -> list[float]:
    return [float(one) for one in found.probability(np.array(rows, dtype=np.float32).T)]


def probability(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))


def leaf(tree: dict[str, Any], row: tuple[float, float]) -> float:
    """Return the value of the leaf that a row reaches, by a walk from the root."""
    node, split = 0, tree["split"]
    while node < len(split):
        name, value = split[node]
        node = 2 * node + 1 + (row[FEATURES.index(name)] > value)
    return float(tree["leaf"][node - len(split)])


VALUES = st.integers(0, 16).map(lambda number: number / 8)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=5))
def test_each_row_reaches_its_leaf_in_every_tree(rows: list[tuple[float, float]]) -> None:
    expected = [probability(-0.5 + leaf(DEEP, row) + leaf(SHIFTED, row)) for row in rows]
    assert probabilities(calibration(DEEP, SHIFTED, base=-0.5), *rows) == pytest.approx(expected)


def test_a_row_goes_right_only_if_its_value_exceeds_the_split() -> None:
    tree = {"split": [["a", 0.1]], "leaf": [-1.0, 1.0]}
    exactly, more = np.float32(0.1), np.nextafter(np.float32(0.1), np.float32(1))
    found = probabilities(calibration(tree), (0.0, 0.0), (float(exactly), 0.0), (float(more), 0.0))
    assert found == pytest.approx([probability(-1), probability(1), probability(1)])  # float32(0.1) exceeds 0.1


def test_without_a_split_every_row_goes_left() -> None:
    tree = {"split": [["a", None]], "leaf": [1.0, -1.0]}
    assert probabilities(calibration(tree), (1e30, 0.0)) == pytest.approx([probability(1)])
