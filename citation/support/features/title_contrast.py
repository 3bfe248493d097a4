"""The contrast between similar titles: which of "Plus, dental" and "Premium, dental" does the subject point to?

The typical error of a strong model is the right statement of the wrong product, version or year. The excerpt contains
all words of the sentence. Its title differs from that of another excerpt in a few terms, and the question, or the
titles of the excerpts that the model cited before, have those of the other one.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...text.words.frequencies import rarity

Floats = NDArray[np.float32]

# More titles are not compared: the time grows with the square of their number. 20 titles take 60 µs once, and 20 µs
# for each sentence; 200 take 1 ms and 0.1 ms.
_MAX_TITLES = 200
# Titles with more different terms are not compared either: an index is cached, and each of its titles may have 400
# characters. This many take 400 KB.
_MAX_CELLS = 100_000  # titles times different terms
_MIN_WEIGHT = 1e-6  # avoids division by zero


class TitleContrast:
    """The titles of N excerpts with V terms in all, and in which terms each pair of them differs."""

    def __init__(self, titles: Mapping[str, Sequence[int]], excerpts: int) -> None:
        """`titles`: the rows of the excerpts whose title contains a term. `excerpts`: their number, N."""
        self._none = np.zeros(excerpts, dtype=np.float32)
        are_compared = 1 < excerpts <= _MAX_TITLES and len(titles) * excerpts <= _MAX_CELLS
        self._term_rows = {term: row for row, term in enumerate(titles)} if are_compared else {}
        if not self._term_rows:
            return
        self._weights = np.array([rarity(term) for term in titles], dtype=np.float32)  # (V,)
        self._contains = np.zeros((len(titles), excerpts), dtype=np.float32)  # (V, N)
        for row, containing in enumerate(titles.values()):
            self._contains[row, list(containing)] = 1.0
        weighted = self._contains * self._weights[:, None]
        total = weighted.sum(axis=0)
        shared = weighted.T @ self._contains
        self._differing = np.maximum(total[:, None] - shared, _MIN_WEIGHT)  # [n, m]: weight of what only title n has
        self._similarity = shared / np.maximum(total[:, None] + total - shared, _MIN_WEIGHT)  # weighted Jaccard index

    def with_terms(self, terms: Iterable[str]) -> Floats:
        """Return the contrast with a text that has these terms, (N,); see `_contrast`."""
        return self._contrast({row: 1.0 for term in terms if (row := self._term_rows.get(term)) is not None})

    def with_titles(self, counts: Mapping[int, int]) -> Floats:
        """Return the contrast with the titles of other excerpts, (N,); see `_contrast`.

        `counts`: how often each excerpt counts, by its row.
        """
        total = sum(counts.values())
        if not total or not self._term_rows:
            return self._none
        rows = list(counts)
        shares = self._contains[:, rows] @ np.array([counts[row] / total for row in rows], dtype=np.float32)
        return self._contrast({int(row): float(shares[row]) for row in np.flatnonzero(shares)})

    def _contrast(self, shares: Mapping[int, float]) -> Floats:
        """Return from -1 to 0 for each excerpt, (N,): by how much a similar title agrees better with a text.

        `shares`: how often the text has each term of the titles, 0 to 1. Of two titles, only the terms in which they
        differ count, weighted by their rarity. The result is that of the title for which it is lowest, times the
        similarity of both.
        """
        if not shares:
            return self._none
        rows, values = list(shares), np.array(list(shares.values()), dtype=np.float32)
        weighted = self._contains[rows] * (self._weights[rows] * values)[:, None]
        present = weighted.T @ (1 - self._contains[rows])  # [n, m]: weight of what only title n and the text have
        agreement = present / self._differing
        return np.asarray(np.minimum((self._similarity * (agreement - agreement.T)).min(axis=1), 0.0))
