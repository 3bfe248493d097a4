"""Term order: which neighbouring terms of a claim are neighbours in the evidence, and the longest shared run."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .index import Index

# Maximum number of repeats of a pair of terms in a claim; further ones are ignored. If the evidence repeats the pair
# too, the work is the product of both: 1,200 equal characters against 20,000 of them took 24 s and 2 GB.
MAX_REPEATS = 8

_MANY_POSTINGS = 2_000  # all pairs of a claim together; above this number, arrays are faster than plain lists

Ints = NDArray[np.int64]
_Posting = list[int]  # position, evidence row, sentence; the sentence is -1 if one ends between the two terms
_Match = tuple[int, int, NDArray[np.int32]]  # step, key and postings of a pair; the postings are an array of (n, 3)


class OrderCounts(NamedTuple):
    """Counts of terms in the claim's order. One value per evidence, except for `pairs`."""

    longest: list[float]  # terms of the longest shared run
    in_window: list[int]  # pairs that are neighbours in the window
    in_excerpt: list[int]  # pairs that are neighbours anywhere in the excerpt
    pairs: int  # pairs of the claim; 1 if there are none


def count_ordered_pairs(
    terms: Sequence[str], index: Index, shared: list[float], first: list[int], last: list[int]
) -> OrderCounts:
    """Count the pairs and runs of `terms` in each evidence, whose window goes from sentence `first` to `last`.

    `shared` is 1 where any term occurs; it is changed and returned as `longest`. Plain lists, since evidence contains
    few of a claim's pairs: with arrays this takes twice as long.
    """
    pairs, matches = _matching_pairs(terms, index)
    if sum(len(postings) for *_, postings in matches) > _MANY_POSTINGS:
        return _count_many(pairs, matches, shared, np.array(first), np.array(last))
    longest, in_window, in_excerpt = shared, [0] * len(shared), [0] * len(shared)
    runs: dict[int, int] = {}  # (position, step) as one number -> length of the run that ends there
    width, seen = len(terms), set()
    for step, pair, pair_postings in matches:
        postings: list[_Posting] = pair_postings.tolist()
        counts = pair not in seen
        seen.add(pair)
        counted = counted_in_window = -1  # the last row of which this pair was counted; the rows are ascending
        for position, row, sentence in postings:
            key = position * width + step
            runs[key] = run = runs.get(key - width - 1, 1) + 1
            if run > longest[row]:
                longest[row] = run
            if counts and sentence >= 0:
                if row != counted:
                    in_excerpt[row] += 1
                    counted = row
                if row != counted_in_window and first[row] <= sentence <= last[row]:
                    in_window[row] += 1
                    counted_in_window = row
    return OrderCounts(longest, in_window, in_excerpt, max(1, pairs))


def _count_many(pairs: int, matches: list[_Match], shared: list[float], first: Ints, last: Ints) -> OrderCounts:
    """Count with arrays, for evidence that repeats the claim's pairs thousands of times."""
    longest, in_window, in_excerpt = np.array(shared), np.zeros(len(shared), int), np.zeros(len(shared), int)
    seen: set[int] = set()
    for _, pair, postings in matches:
        if pair in seen:
            continue
        seen.add(pair)
        rows, sentences = postings[:, 1], postings[:, 2]
        in_excerpt[np.unique(rows[sentences >= 0])] += 1
        in_window[np.unique(rows[(first[rows] <= sentences) & (sentences <= last[rows])])] += 1
    positions = np.concatenate([postings[:, 0] for *_, postings in matches]).astype(np.int64)
    steps = np.repeat([step for step, *_ in matches], [len(postings) for *_, postings in matches])
    rows = np.concatenate([postings[:, 1] for *_, postings in matches])
    # A run is a sequence of pairs in which position and step grow together: consecutive keys of one diagonal.
    order = np.argsort(keys := (positions - steps + steps.max()) * (int(positions.max()) + 2) + positions)
    begins = np.flatnonzero(np.concatenate([[True], np.diff(keys[order]) != 1]))
    lengths = np.diff(np.append(begins, len(keys))) + 1  # terms, of which a run has one more than pairs
    np.maximum.at(longest, rows[order][begins], lengths)
    return OrderCounts(longest.tolist(), in_window.tolist(), in_excerpt.tolist(), max(1, pairs))


def _matching_pairs(terms: Sequence[str], index: Index) -> tuple[int, list[_Match]]:
    """Return the number of pairs in `terms`, and the step, key and postings of those that the evidence contains.

    A repeated pair counts once, unless it has a term that no evidence contains.
    """
    ids = [index.vocabulary.get(term, -1) for term in terms]
    width = len(index.vocabulary) + 1
    known_pairs = [(step, a * width + b) for step, (a, b) in enumerate(pairwise(ids)) if a >= 0 and b >= 0]
    keys = [key for _, key in known_pairs]
    repeats = len(keys) - len(set(keys))
    count = max(0, len(ids) - 1) - repeats
    if not known_pairs:
        return count, []
    if repeats >= MAX_REPEATS:
        known_pairs = _limit_repeats(known_pairs)
        keys = [key for _, key in known_pairs]
    bounds = index.pair_keys.searchsorted(keys + [key + 1 for key in keys]).tolist()
    return count, [
        (step, key, index.pairs[low:high])
        for (step, key), low, high in zip(known_pairs, bounds[: len(keys)], bounds[len(keys) :], strict=True)
        if low < high
    ]


def _limit_repeats(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Keep the first MAX_REPEATS (step, key) pairs of each key."""
    times: Counter[int] = Counter()
    limited = []
    for step, key in pairs:
        times[key] += 1
        if times[key] <= MAX_REPEATS:
            limited.append((step, key))
    return limited
