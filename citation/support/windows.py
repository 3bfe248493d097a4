"""Windows of one, two or three neighbouring sentences: which is best, and what it holds.

K claims, U units of all of them, S sentences, N pieces of evidence; see `comparison` for how windows lie in arrays.
"""

import numpy as np
from numpy.typing import NDArray

from .index import WINDOW_SENTENCES, Index

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def by_window(presence: Floats, index: Index) -> Floats:
    """(U, S) presence to (U, 3 S): how far each window of one sentence, of two, of three says it."""
    seen = np.repeat(presence[:, None], WINDOW_SENTENCES, axis=1)
    for size in range(1, min(WINDOW_SENTENCES, index.size)):
        np.maximum(seen[:, size - 1, :-size], presence[:, size:], out=seen[:, size, :-size])
    return np.asarray(seen.reshape(len(presence), WINDOW_SENTENCES * index.size))


def best_windows(value: Floats, index: Index) -> tuple[Ints, Ints]:
    """(K, 3, S) to (K, N) twice: first and last sentence of the best; of equals the shorter, then the earlier."""
    claims = np.arange(len(value))[:, None]
    begins = (claims * index.size + index.first_sentence[:-1]).ravel()  # as if each claim had evidence of its own
    owner = (claims * len(index.evidence) + index.sentence_owner).ravel()
    flat = value.swapaxes(0, 1).reshape(WINDOW_SENTENCES, -1)
    highest = flat.max(axis=0)
    at = np.flatnonzero(highest == np.maximum.reduceat(highest, begins)[owner])
    first = at[np.searchsorted(owner[at], np.arange(len(begins)))]
    more = flat[:, first].argmax(axis=0)
    earliest = first.reshape(len(value), -1) - claims * index.size
    return earliest, earliest + more.reshape(earliest.shape)


def in_windows(presence: Floats, first: Ints, last: Ints) -> Floats:
    """(U, S) presence to (U, N): what each row's windows hold; `first` and `last`, (U, N), are their sentences."""
    begins = (np.arange(len(presence)) * presence.shape[1])[
        :, None
    ]  # of each row in the flat array, ten times as fast to take
    seen = presence.take(begins + first)
    for sentence in (np.minimum(first + 1, last), last):
        np.maximum(seen, presence.take(begins + sentence), out=seen)
    return np.asarray(seen)


def most_alike(value: Floats, first: Ints, last: Ints) -> Ints:
    """(K, N): of the sentences of each window the one with the highest value, (K, S)."""
    three = np.minimum(first[..., None] + np.arange(WINDOW_SENTENCES), last[..., None])
    begins = (np.arange(len(value)) * value.shape[1])[:, None, None]
    best = value.take(begins + three).argmax(axis=2)
    return np.asarray(np.minimum(first + best, last))


def lead(score: NDArray[np.floating]) -> NDArray[np.floating]:
    """(..., N): how far each is above the best of the others; one alone is above nothing."""
    if score.shape[-1] < 2:
        return score
    second, top = np.moveaxis(np.sort(score, axis=-1)[..., -2:, None], -2, 0)
    return np.asarray(score - np.where(score == top, second, top))
