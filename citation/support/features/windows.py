"""Windows of one, two or three neighbouring sentences: which one is best, and which terms it contains.

Array shapes: K claims, U query terms of all claims, S sentences, N pieces of evidence. See `features` for how windows
are laid out in arrays.
"""

import numpy as np
from numpy.typing import NDArray

from .index import WINDOW_SENTENCES, Index

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def by_window(presence: Floats, index: Index) -> Floats:
    """Turn the presence of terms in sentences, (U, S), into their presence in windows of 1, 2 and 3, (U, 3 S)."""
    seen = np.repeat(presence[:, None], WINDOW_SENTENCES, axis=1)
    for size in range(1, min(WINDOW_SENTENCES, index.size)):
        np.maximum(seen[:, size - 1, :-size], presence[:, size:], out=seen[:, size, :-size])
    return np.asarray(seen.reshape(len(presence), WINDOW_SENTENCES * index.size))


def best_windows(value: Floats, index: Index) -> tuple[Ints, Ints]:
    """Return the first and last sentence, (K, N) each, of the window with the highest value; `value` is (K, 3, S).

    Of equal windows the shorter wins, then the earlier.
    """
    claims = np.arange(len(value))[:, None]
    begins = (claims * index.size + index.first_sentence[:-1]).ravel()  # as if each claim had its own evidence
    owner = (claims * len(index.evidence) + index.sentence_owner).ravel()
    flat = value.swapaxes(0, 1).reshape(WINDOW_SENTENCES, -1)
    highest = flat.max(axis=0)
    positions = np.flatnonzero(highest == np.maximum.reduceat(highest, begins)[owner])
    first = positions[owner[positions].searchsorted(np.arange(len(begins)))]
    extra = flat[:, first].argmax(axis=0)
    earliest = first.reshape(len(value), -1) - claims * index.size
    return earliest, earliest + extra.reshape(earliest.shape)


def in_windows(presence: Floats, first: Ints, last: Ints) -> Floats:
    """Return the presence of terms in one window per evidence, (U, N), given its sentences, (U, N)."""
    begins = (np.arange(len(presence)) * presence.shape[1])[
        :, None
    ]  # flat index of each row; this makes `take` 10 times as fast
    seen = presence.take(begins + first)
    for sentence in (np.minimum(first + 1, last), last):
        np.maximum(seen, presence.take(begins + sentence), out=seen)
    return np.asarray(seen)


def best_sentences(value: Floats, first: Ints, last: Ints) -> Ints:
    """Return the sentence of each window, (K, N), that has the highest value, (K, S)."""
    three = np.minimum(first[..., None] + np.arange(WINDOW_SENTENCES), last[..., None])
    begins = (np.arange(len(value)) * value.shape[1])[:, None, None]
    best = value.take(begins + three).argmax(axis=2)
    return np.asarray(np.minimum(first + best, last))
