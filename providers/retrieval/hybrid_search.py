"""Hybrid search: the vector of a question, and the fusion of the rankings by words and by vectors."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..embedding import Embedder
from ..errors import ProviderError

# The constant of reciprocal rank fusion. The paper's 60 was chosen for rankings of 1,000 documents. For the first ten
# of two short rankings 10 is better (recall@5 .733 instead of .723; make bench).
RANK_CONSTANT = 10
SEARCH_SECONDS = 5.0  # for a whole search, unless the configuration says otherwise
EMBEDDING_SHARE = 0.5  # part for the vector of the question; the rest is for the search by words


async def question_vector(
    embedder: Embedder | None, query: str, timeout: float
) -> tuple[NDArray[np.float32] | None, dict[str, Any]]:
    """Return the query's vector, and notes for the report. The vector is None without an embedder or if it fails.

    `timeout`: seconds for the whole search. An embedder that does not answer in its share of them has failed.
    """
    if embedder is None:
        return None, {}
    began = perf_counter()
    try:
        async with asyncio.timeout(EMBEDDING_SHARE * timeout):
            (vector,) = await embedder.embed([query])
    except TimeoutError:
        return None, {"degraded": "by words only: The embedder did not answer in time."}
    except ProviderError as error:
        return None, {"degraded": f"by words only: {error.message}"}
    return vector, {"embedding_ms": milliseconds_since(began)}


def fuse(rankings: Sequence[Sequence[int]], weights: Mapping[int, float] | None = None) -> list[tuple[int, float]]:
    """Return (item, score) by reciprocal rank fusion (Cormack, Clarke, Büttcher: SIGIR 2009), best first.

    An item that is first in every ranking has the score 1. `weights`: factors for some items; the others
    have 1. An item without a rank is not returned.
    """
    scores: defaultdict[int, float] = defaultdict(float)
    for ranking in rankings:
        for rank, item in enumerate(ranking, 1):
            scores[item] += (RANK_CONSTANT + 1) / (RANK_CONSTANT + rank) / len(rankings)
    for item in scores:
        scores[item] *= (weights or {}).get(item, 1.0)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


def combine(
    by_words: Mapping[int, float],
    by_vectors: Mapping[int, float],
    coverage: Mapping[int, float],
    weights: Mapping[int, float] | None = None,
) -> list[tuple[int, float]]:
    """Return (item, score) by a sum of three scores, best first.

    Unlike ranks, scores show how good the best item is: recall@5 is .739 instead of .731 (make bench).

    `by_words`: BM25. `by_vectors`: cosine similarities. `coverage`: the items to return, with the share of the
    question's terms in each. Cosine similarities are scaled from 0 to 1, because their range depends on the model. BM25
    is scaled from 0 to the best coverage: if no item has many terms of the question, vectors decide. `weights`: factors
    for some items; the others have 1.
    """
    lowest = min(by_vectors.values(), default=0.0)
    spread = max(by_vectors.values(), default=0.0) - lowest
    best = max(by_words.values(), default=0.0)
    best_coverage = max(coverage.values(), default=0.0)
    scores = {}
    for item, share in coverage.items():
        similarity = (by_vectors.get(item, lowest) - lowest) / (spread or 1.0)
        words = best_coverage * by_words.get(item, 0.0) / (best or 1.0)
        scores[item] = (share + similarity + words) * (weights or {}).get(item, 1.0)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


def milliseconds_since(began: float) -> float:
    """Return the milliseconds since a reading of `perf_counter`."""
    return round((perf_counter() - began) * 1000, 3)
