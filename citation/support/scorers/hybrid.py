"""What the lexical scorer sees, and how near in meaning an embedder finds sentence and evidence.

One vector a sentence of evidence; that of a window is the mean of its sentences'. On the development data the mean
is as good as a vector of the window's own text (F1 within .002) and costs a third.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...evidence import Evidence
from ...text import split_sentences
from ..features import compare
from ..index import WINDOW_SENTENCES, Index
from ..passages import Passages
from ..windows import lead
from . import Claim, Scores, Vectors

FEATURES = (
    "near_1",  # cosine with the nearest sentence
    "near_2",  # with the nearest two neighbours
    "near_3",
    "near_all",  # with the whole excerpt
    "near_window",  # with the window that shares most words
    "near_margin",  # the nearest window's lead on the best of the others
    "near_relative",  # its share of the nearest of all evidence
    "near_best",  # that of the nearest of all evidence
    "near_unusual",  # in standard deviations above the sentences of this request
)

_SMALLEST = 1e-6
_NO_WINDOW = -2.0  # less than any cosine: the excerpt has fewer sentences
# Standard deviations and relations of cosines are not made of less: below it all evidence is equally far away.
_LEAST_SPREAD, _LEAST_BEST = 1e-3, 1e-3


class HybridScorer:
    """The features of `comparison.FEATURES` and of FEATURES."""

    name = "hybrid"
    needs_vectors = True

    def __init__(self, passages: Passages | None = None) -> None:
        """`passages`: who reads excerpts, and keeps what was read for other requests."""
        self._passages = passages or Passages()

    def preread(self, evidence: Evidence) -> None:
        """Read its words."""
        self._passages.of(evidence)

    def windows(self, evidence: Sequence[Evidence]) -> list[str]:
        """The sentences of all evidence, in order."""
        return [e.text[start:end] for e in evidence for start, end in split_sentences(e.text) or [(0, len(e.text))]]

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> "HybridPrepared":
        """Index the evidence; `vectors`: (S, D), or None while there are none."""
        return HybridPrepared(Index(evidence, self._passages), vectors)


class HybridPrepared:
    """Indexed evidence and the vectors of its windows."""

    name = "hybrid"

    def __init__(self, index: Index, vectors: Vectors | None = None) -> None:
        """`vectors`: (S, D), those of the index's sentences. ValueError where they are not as many."""
        if vectors is not None and len(vectors) != index.size:
            raise ValueError(f"{len(vectors)} vectors for {index.size} sentences")
        self.index = index
        self.evidence = index.evidence
        self._windows = None if vectors is None or not index.size else _of_windows(vectors, index)

    def with_vectors(self, vectors: Vectors) -> "HybridPrepared":
        """The same evidence, its vectors having come."""
        return HybridPrepared(self.index, vectors)

    def score(self, claim: Claim) -> Scores:
        """Lexical scores, marked as degraded, where a vector is missing."""
        return self.score_all([claim])[0]

    def score_all(self, claims: Sequence[Claim]) -> list[Scores]:
        """The same for several claims."""
        return [self._with_vector(*pair) for pair in zip(claims, compare(claims, self.index), strict=True)]

    def _with_vector(self, claim: Claim, lexical: Scores) -> Scores:
        if self._windows is None or claim.vector is None or self._windows[0].shape[1] != len(claim.vector):
            return replace(lexical, degraded=bool(self.index.size))
        near = _near(claim.vector, *self._windows, lexical.windows, self.index)
        features = np.concatenate((lexical.features, near), axis=1)
        return replace(lexical, names=lexical.names + FEATURES, features=features, scorer=HybridScorer.name)


def _of_windows(vectors: Vectors, index: Index) -> tuple[Vectors, Vectors]:
    """(3 S, D) and (N, D): vectors of the windows of 1, 2 and 3 sentences, by where they start, and of excerpts."""
    sums = [vectors.astype(np.float32)]
    for size in range(1, WINDOW_SENTENCES):
        longer = sums[-1].copy()
        longer[: len(vectors) - size] += vectors[size:] * index.valid[size, : len(vectors) - size, None]
        sums.append(longer)
    whole = np.add.reduceat(vectors, index.first_sentence[:-1], axis=0)
    return _unit(np.concatenate(sums)), _unit(whole)


def _unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _SMALLEST), np.float32)


def _near(
    claim: Vectors, windows: Vectors, whole: Vectors, chosen: NDArray[np.int32], index: Index
) -> NDArray[np.float32]:
    """(N, F). `chosen`: (N, 2), the offsets of the windows that share most words."""
    cosine = (windows @ claim).reshape(WINDOW_SENTENCES, -1)
    by_size = np.maximum.reduceat(np.where(index.valid, cosine, _NO_WINDOW), index.first_sentence[:-1], axis=1)
    by_size = np.where(by_size == _NO_WINDOW, by_size[0], by_size)
    nearest = by_size.max(axis=0)
    best = float(nearest.max())
    spread = max(float(cosine[0].std()), _LEAST_SPREAD)
    first, last = _sentences_of(chosen, index)
    columns = (
        *by_size,
        whole @ claim,
        cosine[last - first, first],
        lead(nearest),
        nearest / max(best, _LEAST_BEST),
        np.full(len(nearest), best),
        (nearest - float(cosine[0].mean())) / spread,
    )
    return np.stack(columns, axis=1).astype(np.float32)


def _sentences_of(chosen: NDArray[np.int32], index: Index) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First and last sentence of the windows at these offsets."""
    longest = int(index.sentence_spans[:, 1].max()) + 1
    starts = index.sentence_owner * longest + index.sentence_spans[:, 0]
    rows = np.arange(len(chosen)) * longest
    first, last = (np.searchsorted(starts, rows + at, side="right") - 1 for at in (chosen[:, 0], chosen[:, 1] - 1))
    return first, np.maximum(first, last)
