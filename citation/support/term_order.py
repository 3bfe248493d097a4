"""Order: which neighbouring terms of a claim are neighbours in the evidence too, and how long a run both share."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .index import Index

# Times that a claim may say the same pair; those beyond are not looked for. Where evidence repeats it too, the work is
# the product of both: a line of 1,200 equal characters and 20,000 of them took 24 s and 2 GB.
MOST_REPEATS = 8

_Place = list[int]  # place, row, sentence; -1 where a sentence ends between the two


class Neighbours(NamedTuple):
    """What evidence has of a claim's order: a value a piece of evidence, but for the last."""

    longest: list[float]  # terms of the longest run that both share
    window: list[int]  # pairs that are neighbours in its window
    everywhere: list[int]  # in all of it
    pairs: int  # of how many; 1 where there are none


def neighbours(
    terms: Sequence[str], index: Index, shared: list[float], first: list[int], last: list[int]
) -> Neighbours:
    """The order of `terms` in each piece of evidence, whose window goes from sentence `first` to `last`.

    `shared`: 1 where any term is; becomes `longest`. Evidence has few of a claim's pairs: arrays take twice as long.
    """
    pairs, found = _standing(terms, index)
    longest, window, everywhere = shared, [0] * len(shared), [0] * len(shared)
    runs: dict[int, int] = {}  # place and step in one number -> terms of the run that ends there
    width, seen = len(terms), set()
    for step, pair, places in found:
        for place, row, _ in places:
            at = place * width + step
            runs[at] = run = runs.get(at - width - 1, 1) + 1
            if run > longest[row]:
                longest[row] = run
        if pair not in seen:
            seen.add(pair)
            for row in {row for _, row, sentence in places if sentence >= 0}:
                everywhere[row] += 1
            for row in {row for _, row, sentence in places if first[row] <= sentence <= last[row]}:
                window[row] += 1
    return Neighbours(longest, window, everywhere, max(1, pairs))


def _standing(terms: Sequence[str], index: Index) -> tuple[int, list[tuple[int, int, list[_Place]]]]:
    """How many pairs of neighbours `terms` have; and of those that stand in the evidence step, key and places.

    A pair counts once; one with a term that no evidence has, each time.
    """
    ids = [index.vocabulary.get(term, -1) for term in terms]
    width = len(index.vocabulary) + 1
    known = [(step, a * width + b) for step, (a, b) in enumerate(pairwise(ids)) if a >= 0 and b >= 0]
    keys = [key for _, key in known]
    repeats = len(keys) - len(set(keys))
    count = max(0, len(ids) - 1) - repeats
    if not known:
        return count, []
    if repeats >= MOST_REPEATS:
        known = _seldom(known)
        keys = [key for _, key in known]
    bounds = np.searchsorted(index.pair_keys, keys + [key + 1 for key in keys]).tolist()
    return count, [
        (step, key, index.pairs[low:high].tolist())
        for (step, key), low, high in zip(known, bounds[: len(keys)], bounds[len(keys) :], strict=True)
        if low < high
    ]


def _seldom(known: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Steps and keys without those of a key that has come MOST_REPEATS times before."""
    times: Counter[int] = Counter()
    seldom = []
    for step, key in known:
        times[key] += 1
        if times[key] <= MOST_REPEATS:
            seldom.append((step, key))
    return seldom
