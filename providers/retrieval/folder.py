"""The embedded store as a retriever: words and vectors, each ranked by itself, then fused."""

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
from .question_scope import breadth
from .questions import question_vector
from .rank_fusion import fused
from .ranking import MAX_QUESTION
from .retriever import Entry, Retrieved, Retriever
from .store import Excerpt, Hit, Matrix, Store, StoreError

CANDIDATES = 100  # of each half: what stands below in both is never among the first ten of the fused
PREFERENCE = 1.15  # what the kind of evidence that a question wants is worth: two ranks at the top


class FolderRetriever(Retriever):
    """Searches one store, on a thread of its own. Sees at its next search what `citestream index` changed."""

    def __init__(self, path: Path, embedder: Embedder | None = None, url_prefix: str = "") -> None:
        """Raises StoreError. `embedder`: who made the store's vectors, closed by the caller; None: words only.

        `url_prefix`: what the file's name follows on in `url`, for entries that have none.
        """
        self._store = Store(path)
        self._embedder = embedder
        self._url_prefix = url_prefix
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="evidence")
        self._version = -1
        self._numbers: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._vectors: Matrix = np.zeros((0, 0), dtype=np.float32)

    async def retrieve(self, query: str, top_k: int) -> Retrieved:
        """Raises ProviderError where the store cannot be read. Without vectors, where their maker fails, by words."""
        vector, notes = await question_vector(self._embedder, query)
        asked = query[:MAX_QUESTION]  # others wait for the same thread
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._thread, self._search, asked, vector, top_k)
        except (Error, StoreError) as error:
            raise ProviderError(f"The evidence store cannot be read: {type(error).__name__}.", code="store") from None
        return Retrieved(found.entries, found.found, {**found.notes, **notes})

    async def reach(self) -> None:
        """Raises ProviderError where the store cannot be read."""
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._store.counts)
        except (Error, StoreError) as error:
            raise ProviderError(f"The evidence store cannot be read: {type(error).__name__}.", code="store") from None

    async def aclose(self) -> None:
        """Let go of the file."""
        self._thread.shutdown()
        self._store.close()

    def _search(self, query: str, vector: NDArray[np.float32] | None, top_k: int) -> Retrieved:
        began = perf_counter()
        with self._store.reading():
            weights = self._store.weights(query)
            by_words = self._store.by_words(weights, CANDIDATES)
            by_vectors = self._by_vectors(vector) if vector is not None else []
            found = self._store.excerpts({hit.excerpt for hit in (*by_words, *by_vectors)})
        kind = breadth(query)
        halves = [[hit.excerpt for hit in half if hit.excerpt in found] for half in (by_words, by_vectors) if half]
        similar = {hit.excerpt: hit.score for hit in by_vectors}
        chosen = []
        for number, _ in fused(halves, _worth(found, kind))[:top_k]:
            score = max(similar.get(number, 0.0), found[number].covers(weights))
            chosen.append(self._placed(found[number].entry) | {"score": round(score, 4)})
        notes = {"by_words": len(by_words), "by_vectors": len(by_vectors), "breadth": kind or None}
        return Retrieved(chosen, len(found), {**notes, "search_ms": _milliseconds(began)})

    def _placed(self, entry: Entry) -> Entry:
        """With its address, if there is one; a PDF opens at the page."""
        name = entry.get("file_name")
        if not (self._url_prefix and name) or entry.get("url"):
            return entry
        page = f"#page={entry['page_number']}" if entry.get("page_number") and name.lower().endswith(".pdf") else ""
        return entry | {"url": f"{self._url_prefix}{quote(name)}{page}"}

    def _by_vectors(self, vector: NDArray[np.float32]) -> list[Hit]:
        """The closest excerpts by cosine, exactly."""
        if (version := self._store.version()) != self._version:
            self._numbers, self._vectors = self._store.matrix()
            self._version = version
        if self._vectors.shape[1] != len(vector):
            return []  # made by another model: `citestream index` is about to replace them
        scores = self._vectors @ vector
        most = min(CANDIDATES, len(scores))
        best = np.argpartition(-scores, most - 1)[:most]
        order = best[np.lexsort((self._numbers[best], -scores[best]))]
        return [Hit(int(self._numbers[at]), float(scores[at])) for at in order]


def _worth(found: Mapping[int, Excerpt], kind: str) -> dict[int, float]:
    """A broad question prefers artifacts, any other the source text."""
    wanted = kind == "broad"
    return {
        number: PREFERENCE
        for number, excerpt in found.items()
        if bool(excerpt.entry.get("is_generated_artifact")) == wanted
    }


def _milliseconds(since: float) -> float:
    return round((perf_counter() - since) * 1000, 3)
