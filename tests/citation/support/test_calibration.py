"""The trees of a calibration: the leaf that a row of features reaches, and the sum over all trees."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.support.calibration import STRICTNESS, Forest, parse

FEATURES = ["a", "b"]
DEEP = {"split": [["a", 0.5], *[["b", 0.25 * n] for n in range(6)]], "leaf": [0.5 * n for n in range(8)]}
SHIFTED = {"split": [["b", 1.0], *[["a", 0.25 * n] for n in range(6)]], "leaf": [-0.25 * n for n in range(8)]}


def forest(*trees: dict[str, Any], base: float = 0.0) -> Forest:
    raw = {"features": FEATURES, "base": base, "trees": trees}
    level = {"cited": 0.4, "uncited": 0.5, "alone": 0.5}
    return parse({"cited": raw, "uncited": raw, "thresholds": dict.fromkeys(STRICTNESS, level), "provenance": {}}).cited


def log_odds(found: Forest, *rows: tuple[float, float]) -> list[float]:
    return [float(one) for one in found.log_odds(np.array(rows, dtype=np.float32).T)]


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
    expected = [-0.5 + leaf(DEEP, row) + leaf(SHIFTED, row) for row in rows]
    assert log_odds(forest(DEEP, SHIFTED, base=-0.5), *rows) == pytest.approx(expected)


def test_a_row_goes_right_only_if_its_value_exceeds_the_split() -> None:
    tree = {"split": [["a", 0.1]], "leaf": [-1.0, 1.0]}
    exactly, more = np.float32(0.1), np.nextafter(np.float32(0.1), np.float32(1))
    found = log_odds(forest(tree), (0.0, 0.0), (float(exactly), 0.0), (float(more), 0.0))
    assert found == pytest.approx([-1, 1, 1])  # float32(0.1) exceeds 0.1


def test_without_a_split_every_row_goes_left() -> None:
    tree = {"split": [["a", None]], "leaf": [1.0, -1.0]}
    assert log_odds(forest(tree), (1e30, 0.0)) == pytest.approx([1])
