"""The lexical features, and the similarity of vectors from an embedding model.

Each sentence of the evidence has a vector; the vector of a window is the mean of its sentences' vectors. On the
development data this is as good as embedding the windows themselves (F1 within .002) and costs a third.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...evidence import Evidence
from ...text import split_sentences
from ...text.steps import Steps
from ..features.excerpts import ExcerptCache
from ..features.features import compute_features
from ..features.index import WINDOW_SENTENCES, Index
from ..features.rivals import lead, rival_groups
from . import Claim, PreparedEvidence, Scorer, Scores, Vectors

FEATURES = (
    "near_1",  # highest cosine of a sentence
    "near_2",  # highest cosine of two neighbouring sentences
    "near_3",
    "near_all",  # cosine of the whole excerpt
    "near_window",  # cosine of the best lexical window
    "near_margin",  # lead of the best window over those of other evidence
    "near_relative",  # relative to the best of all evidence
    "near_best",  # the best of all evidence
    "near_unusual",  # in standard deviations above the mean of the request's sentences
)

_MIN_NORM = 1e-6  # a shorter vector is not scaled to unit length
_NO_WINDOW = -2.0  # less than any cosine: the excerpt has fewer sentences
# Lower bounds of divisors. Below them all evidence is equally dissimilar.
_MIN_SPREAD, _MIN_BEST = 1e-3, 1e-3


class HybridScorer(Scorer):
    """Computes the lexical features, `features.FEATURES`, and the similarities of vectors, FEATURES."""

    name = "hybrid"
    needs_vectors = True

    def __init__(self, excerpts: ExcerptCache | None = None) -> None:
        """`excerpts`: a cache that requests share."""
        self._excerpts = excerpts or ExcerptCache()

    def texts_to_embed(self, evidence: Sequence[Evidence]) -> list[str]:
        """Return the sentences of all evidence, in order."""
        return [e.text[start:end] for e in evidence for start, end in split_sentences(e.text) or [(0, len(e.text))]]

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> "HybridPrepared":
        """Index the evidence; `vectors`: (S, D), if they are already known."""
        return HybridPrepared(Index(evidence, self._excerpts), vectors)

    def prepare_in_steps(self, evidence: Sequence[Evidence]) -> Steps[PreparedEvidence]:
        """Index the evidence in steps."""
        return HybridPrepared((yield from Index.of(evidence, self._excerpts)))


class HybridPrepared(PreparedEvidence):
    """Indexed evidence and the vectors of its windows."""

    name = "hybrid"

    def __init__(self, index: Index, vectors: Vectors | None = None) -> None:
        """`vectors`: (S, D), of the index's sentences. ValueError if their number differs."""
        if vectors is not None and len(vectors) != index.size:
            raise ValueError(f"{len(vectors)} vectors for {index.size} sentences")
        super().__init__(index.evidence, index)
        self._windows = None if vectors is None or not index.size else _window_vectors(vectors, index)

    def with_vectors(self, vectors: Vectors) -> "HybridPrepared":
        """Return the same evidence with vectors."""
        return HybridPrepared(self.index, vectors)

    def score(self, claim: Claim) -> Scores:
        """Return the features of one claim; only lexical ones, and `degraded`, if a vector is missing."""
        return self.score_all([claim])[0]

    def score_all(self, claims: Sequence[Claim]) -> list[Scores]:
        """Return the features of several claims."""
        lexical = compute_features(claims, self.index)
        return [self._with_similarity(*pair) for pair in zip(claims, lexical, strict=True)]

    def _with_similarity(self, claim: Claim, lexical: Scores) -> Scores:
        if self._windows is None or claim.vector is None or self._windows[0].shape[1] != len(claim.vector):
            return replace(lexical, degraded=bool(self.index.size))
        groups = rival_groups(lexical.windows, lexical.features[:, lexical.names.index("soft_3")], self.index)
        near = _similarity(claim.vector, *self._windows, lexical.windows, groups, self.index)
        features = np.concatenate((lexical.features, near), axis=1)
        return replace(lexical, names=lexical.names + FEATURES, features=features, scorer=HybridScorer.name)


def _window_vectors(vectors: Vectors, index: Index) -> tuple[Vectors, Vectors]:
    """Return the unit vectors of windows, by size and first sentence, (3 S, D), and of excerpts, (N, D)."""
    sums = [vectors.astype(np.float32)]
    for size in range(1, WINDOW_SENTENCES):
        longer = sums[-1].copy()
        longer[: len(vectors) - size] += vectors[size:] * index.valid[size, : len(vectors) - size, None]
        sums.append(longer)
    whole = np.add.reduceat(vectors, index.first_sentence[:-1], axis=0)
    return _unit(np.concatenate(sums)), _unit(whole)


def _unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _MIN_NORM), np.float32)


def _similarity(
    claim: Vectors,
    windows: Vectors,
    whole: Vectors,
    chosen: NDArray[np.int32],
    groups: NDArray[np.int64],
    index: Index,
) -> NDArray[np.float32]:
    """Return the features, (N, F). `chosen`, (N, 2): the spans of the best lexical windows. `groups`: of rivals."""
    cosine = (windows @ claim).reshape(WINDOW_SENTENCES, -1)
    by_size = np.maximum.reduceat(np.where(index.valid, cosine, _NO_WINDOW), index.first_sentence[:-1], axis=1)
    by_size = np.where(by_size == _NO_WINDOW, by_size[0], by_size)
    nearest = by_size.max(axis=0)
    best = float(nearest.max())
    spread = max(float(cosine[0].std()), _MIN_SPREAD)
    first, last = _sentences_of(chosen, index)
    columns = (
        *by_size,
        whole @ claim,
        cosine[last - first, first],
        lead(nearest, groups),
        nearest / max(best, _MIN_BEST),
        np.full(len(nearest), best),
        (nearest - float(cosine[0].mean())) / spread,
    )
    return np.stack(columns, axis=1).astype(np.float32)


def _sentences_of(chosen: NDArray[np.int32], index: Index) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and last sentence of the windows with these spans."""
    longest = int(index.sentence_spans[:, 1].max()) + 1
    starts = index.sentence_owner * longest + index.sentence_spans[:, 0]
    rows = np.arange(len(chosen)) * longest
    first, last = (
        np.searchsorted(starts, rows + positions, side="right") - 1 for positions in (chosen[:, 0], chosen[:, 1] - 1)
    )
    return first, np.maximum(first, last)
