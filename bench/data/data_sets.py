"""The labelled data sets: which of them may be fitted to, and which have the same source."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.data.pairs import Record

# No licence of the data is stated. Measured only.
_ATTRIBUTION_BENCH = ("attrbench_gensearch", "attrbench_aqa", "attrbench_attrscore")
MEASURED_ONLY = frozenset(("healthver", "covidfact", "climate_fever", "qags", "assin", "inferes", *_ATTRIBUTION_BENCH))
# Our own pairs of claims in nearly the same words. Fitted to, but not a data set whose results count.
NEAR_MISSES = "near_misses"
# Labels that are partly made by comparing words. Neither fitted to nor measured.
LEFT_OUT = frozenset(["halueval_sum"])
# Sets of the same source and the same way of labelling are left out together: one would give the other away.
_SOURCE = {
    "fm2_more": "fm2",
    "uhgeval_zh": "uhgeval",
    "uhgeval_more": "uhgeval",
    "wice_more": "wice",
    "fever_symmetric": "fever",
}


def source(data_set: str) -> str:
    """Return the name that all sets of the same source share."""
    return _SOURCE.get(data_set, data_set)


def sources(records: Sequence[Record]) -> NDArray[np.str_]:
    """Return the source of each record's data set."""
    return np.array([source(record["dataset"]) for record in records])


def fitted(records: Sequence[Record]) -> NDArray[np.bool_]:
    """Return whether weights may be fitted to each record."""
    return np.array([record["dataset"] not in MEASURED_ONLY | LEFT_OUT for record in records])
