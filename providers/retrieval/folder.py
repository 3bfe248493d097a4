"""The embedded store as a retriever. Results by words and by vectors are ranked separately, then fused."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from sqlite3 import Error
from time import perf_counter
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from ..embedding import Embedder
from ..errors import ProviderError
from .hybrid_search import fuse, milliseconds_since, question_vector
from .question_scope import breadth
from .ranking import MAX_QUESTION
from .retriever import Entry, Retrieved, Retriever
from .store import Hit, Matrix, Store, StoredExcerpt, StoreError

CANDIDATES = 100  # results of each ranking; lower ones in both are never among the first ten after fusion
PREFERENCE = 1.15  # weight of the kind of evidence that a question prefers; two ranks at the top


class FolderRetriever(Retriever):
    """Searches one store in a thread of its own. Each search sees the latest changes of `citestream index`."""

    def __init__(self, path: Path, embedder: Embedder | None = None, url_prefix: str = "") -> None:
        """Open the store. Raises StoreError.

        `embedder`: the one that made the store's vectors, closed by the caller; None: search by words only.
        `url_prefix`: prefix of the file name in `url`, for entries without one.
        """
        self._store = Store(path)
        self._embedder = embedder
        self._url_prefix = url_prefix
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="evidence")
        self._version = -1
        self._numbers: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._vectors: Matrix = np.zeros((0, 0), dtype=np.float32)

    async def retrieve(self, query: str, top_k: int) -> Retrieved:
        """Search, by words only if the embedder fails. Raises ProviderError if the store cannot be read."""
        vector, notes = await question_vector(self._embedder, query)
        truncated = query[:MAX_QUESTION]  # other requests wait for the same thread
        try:
            found = await asyncio.get_running_loop().run_in_executor(
                self._thread, self._search, truncated, vector, top_k
            )
        except (Error, StoreError) as error:
            raise ProviderError(f"The evidence store cannot be read: {type(error).__name__}.", code="store") from None
        return Retrieved(found.entries, found.found, {**found.notes, **notes})

    async def reach(self) -> None:
        """Check that the store can be read. Raises ProviderError if not."""
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._store.counts)
        except (Error, StoreError) as error:
            raise ProviderError(f"The evidence store cannot be read: {type(error).__name__}.", code="store") from None

    async def aclose(self) -> None:
        """Close the file."""
        self._thread.shutdown()
        self._store.close()

    def _search(self, query: str, vector: NDArray[np.float32] | None, top_k: int) -> Retrieved:
        began = perf_counter()
        with self._store.snapshot():
            weights = self._store.term_weights(query)
            by_words = self._store.search_words(weights, CANDIDATES)
            by_vectors = self._by_vectors(vector) if vector is not None else []
            found = self._store.excerpts({hit.excerpt for hit in (*by_words, *by_vectors)})
        kind = breadth(query)
        rankings = [[hit.excerpt for hit in hits if hit.excerpt in found] for hits in (by_words, by_vectors) if hits]
        similar = {hit.excerpt: hit.score for hit in by_vectors}
        chosen = []
        for number, _ in fuse(rankings, _weights(found, kind))[:top_k]:
            score = max(similar.get(number, 0.0), found[number].coverage(weights))
            chosen.append(self._with_url(found[number].entry) | {"score": round(score, 4)})
        notes = {"by_words": len(by_words), "by_vectors": len(by_vectors), "breadth": kind or None}
        return Retrieved(chosen, len(found), {**notes, "search_ms": milliseconds_since(began)})

    def _with_url(self, entry: Entry) -> Entry:
        """Return the entry with its URL, if there is one. The URL of a PDF includes the page."""
        name = entry.get("file_name")
        if not (self._url_prefix and name) or entry.get("url"):
            return entry
        page = f"#page={entry['page_number']}" if entry.get("page_number") and name.lower().endswith(".pdf") else ""
        return entry | {"url": f"{self._url_prefix}{quote(name)}{page}"}

    def _by_vectors(self, vector: NDArray[np.float32]) -> list[Hit]:
        """Return the closest excerpts by exact cosine similarity."""
        if (version := self._store.data_version()) != self._version:
            self._numbers, self._vectors = self._store.load_vectors()
            self._version = version
        if self._vectors.shape[1] != len(vector):
            return []  # vectors of another model, until `citestream index` replaces them
        scores = self._vectors @ vector
        count = min(CANDIDATES, len(scores))
        best = np.argpartition(-scores, count - 1)[:count]
        order = best[np.lexsort((self._numbers[best], -scores[best]))]
        return [Hit(int(self._numbers[at]), float(scores[at])) for at in order]


def _weights(found: Mapping[int, StoredExcerpt], kind: str) -> dict[int, float]:
    """Return weights by excerpt. A broad question prefers artifacts, any other question the source text."""
    prefers_artifacts = kind == "broad"
    return {
        number: PREFERENCE
        for number, excerpt in found.items()
        if bool(excerpt.entry.get("is_generated_artifact")) == prefers_artifacts
    }
