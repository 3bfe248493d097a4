"""The lead of an excerpt over its rivals. Excerpts that say the same are no rivals.

Retrievers return overlapping excerpts, and documents repeat themselves. An excerpt with all words of a sentence does
not lose to another one that has them, too. Artifacts, which were generated from the excerpts, are nobody's rivals.
"""

import numpy as np
from numpy.typing import NDArray

from .index import Index

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_COMPLETE = 0.95  # share of the claim's weight from which on an excerpt has all of it
_ARTIFACT = -1  # the group of generated artifacts


def rival_groups(windows: NDArray[np.int32], cover: Floats, index: Index) -> Ints:
    """Return the group of each excerpt, (N,). Excerpts of the same group are no rivals.

    `windows`, (N, 2): the best passages. `cover`, (N,): the share of the claim's weight that they contain.
    """
    group_numbers: dict[str, int] = {}
    groups = np.empty(len(cover), dtype=np.int64)
    rows = zip(index.evidence, windows.tolist(), (cover >= _COMPLETE).tolist(), strict=True)
    for row, (evidence, (start, end), complete) in enumerate(rows):
        key = "" if complete else evidence.text[start:end].strip()
        groups[row] = _ARTIFACT if evidence.is_generated_artifact else group_numbers.setdefault(key, len(group_numbers))
    return groups


def lead(values: NDArray[np.floating], groups: Ints) -> NDArray[np.floating]:
    """Return each value minus the best one of the rivals, along the last axis; without rivals, the value itself.

    `values`, (..., N). `groups`, (N,): see `rival_groups`.
    """
    return np.asarray(values - best_of_rivals(values, groups))


def best_of_rivals(values: NDArray[np.floating], groups: Ints) -> NDArray[np.floating]:
    """Return the best value of the rivals of each excerpt, (..., N), at least 0."""
    of_group = np.zeros((int(groups.max(initial=_ARTIFACT)) + 1, *values.shape[:-1]), dtype=values.dtype)
    sources = np.flatnonzero(groups != _ARTIFACT)
    np.maximum.at(of_group, groups[sources], np.moveaxis(values[..., sources], -1, 0))
    if not len(of_group):
        return np.zeros_like(values)
    first = of_group.argmax(axis=0)
    best = np.take_along_axis(of_group, first[None], axis=0)[0]
    np.put_along_axis(of_group, first[None], 0, axis=0)
    second = of_group.max(axis=0)
    return np.asarray(np.where(groups == first[..., None], second[..., None], best[..., None]))
