"""The embedded store as a retriever. Results by words and by vectors are ranked separately, then fused."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from sqlite3 import Error
from time import perf_counter
from typing import TypeVar
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from citestream.citation.text.queries.acronyms import spelled_out

from ...embedding import Embedder
from ...errors import ProviderError
from ..hybrid_search import SEARCH_SECONDS, combine, fuse, milliseconds_since, question_vector
from ..question_scope import breadth
from ..ranking import MAX_QUESTION_CHARACTERS
from ..readers.source_file import SourceFile, unreadable
from ..retriever import Document, Entry, Retrieved, Retriever
from .directory_walk import OpenFolder
from .store import Matrix, Store, StoredExcerpt
from .store_file import FileVersion, StoreError
from .vocabulary import Vocabulary
from .word_index import Hit

CANDIDATES = 100  # results of each ranking; lower ones in both are never among the first ten after fusion
COMBINED = 30  # results of each ranking whose scores are added; reading the terms of one takes 0.1 ms
# The default minimum of an excerpt's coverage, the weighted share of the question's terms in it. Prompts of coding
# agents get 1.6 excerpts instead of 8.0; 89.1 % of the related questions find a relevant one instead of 91.8 %
# (make bench). There is no default with vectors, since the similarity of unrelated texts depends on the model.
MIN_COVERAGE = 0.3
PREFERENCE = 1.15  # weight of the kind of evidence that a question prefers; two ranks at the top

Result = TypeVar("Result")

logger = logging.getLogger("citestream")

FindEmbedder = Callable[[str], Embedder | None]  # from the option with which a store was indexed


def _no_embedder(_: str) -> Embedder | None:
    return None


class FolderRetriever(Retriever):
    """Searches one store in a thread of its own.

    Each search sees the latest changes of `citestream index`. If the file is replaced, rebuilt or restored, the next
    search opens the new one. If it is moved away, the open file is searched until there is another one at its path.
    """

    def __init__(
        self,
        path: Path,
        find_embedder: FindEmbedder = _no_embedder,
        url_prefix: str = "",
        timeout: float = SEARCH_SECONDS,
    ) -> None:
        """Open the store. Raises StoreError.

        `find_embedder`: return the embedder that made the store's vectors, closed by the caller, or None to search by
        words only. `url_prefix`: prefix of the file name in `url`, for entries without one. `timeout`: seconds of a
        search, which the caller limits; if the embedder does not answer in a part of them, words are searched.
        """
        self._path = path
        self._find_embedder = find_embedder
        self._url_prefix = url_prefix
        self._timeout = timeout
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="evidence")
        self._store = Store(path)
        self._option = self._store.metadata("embedder")
        self._refused: FileVersion | None = None  # a file that could not be opened
        self._version = -1  # data version of the words and vectors in memory
        self._vocabulary = Vocabulary()
        self._numbers: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._vectors: Matrix = np.zeros((0, 0), dtype=np.float32)
        self._thread.submit(self._preload)

    async def retrieve(self, query: str, top_k: int) -> Retrieved:
        """Search, by words only if the embedder fails. Raises ProviderError if the store cannot be read."""
        option = self._option
        embedder = self._find_embedder(option) if option else None
        vector, notes = await question_vector(embedder, query, self._timeout)
        if option and embedder is None:
            notes = {"degraded": "by words only: the embedder is not available"}
        truncated = query[:MAX_QUESTION_CHARACTERS]  # other requests wait for the same thread
        retrieved = await self._in_thread(partial(self._search, truncated, vector, option, top_k))
        return replace(retrieved, notes={**retrieved.notes, **notes})

    async def document(self, document_id: str, first: int = 0, limit: int | None = None) -> Document:
        """Return excerpts of a file. Raises ProviderError if the store cannot be read."""
        entries, total = await self._in_thread(lambda: self._store.document(document_id, first, limit))
        return Document([self._with_url(entry) for entry in entries], total, has_file=True)

    async def file(self, document_id: str) -> SourceFile | None:
        """Open an indexed file; None if it is not indexed. Raises ProviderError and UnreadableFileError."""
        folder = await self._in_thread(lambda: self._store.folder_of(document_id))
        if folder is None:
            return None
        return await asyncio.to_thread(_open_file, folder, document_id.partition("/")[2])

    async def reach(self) -> None:
        """Check that the store can be read. Raises ProviderError if not."""
        await self._in_thread(lambda: self._store.counts())

    async def _in_thread(self, read: Callable[[], Result]) -> Result:
        """Read from the latest store. One that fails is opened again once. Raises ProviderError."""

        def attempt() -> Result:
            self._switch_if_replaced()
            try:
                return read()
            except (Error, StoreError):
                self._open()
                return read()

        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, attempt)
        except (Error, StoreError) as error:
            logger.warning("the evidence store %s cannot be read: %s", self._path, error)
            raise ProviderError(
                "The evidence store cannot be read. The log of the server says why.", code="store"
            ) from None

    def _switch_if_replaced(self) -> None:
        current = FileVersion.of(self._path)
        if current in (None, self._store.file_version, self._refused):
            return
        try:
            self._open()
        except StoreError as error:  # perhaps it is still being copied, which will change the file again
            self._refused = current
            logger.warning("the evidence store was replaced, but the old one stays in use: %s", error)

    def _open(self) -> None:
        """Open the file at the path, and close the former one. Raises StoreError, and keeps the former one."""
        opened = Store(self._path)
        try:
            self._option = opened.metadata("embedder")
        except Error as error:
            opened.close()
            raise StoreError(f"{self._path} cannot be used: {error}") from None
        self._store.close()
        self._store, self._version, self._refused = opened, -1, None

    async def aclose(self) -> None:
        """Close the file."""
        self._thread.shutdown()
        self._store.close()

    def _search(self, query: str, vector: NDArray[np.float32] | None, option: str, top_k: int) -> Retrieved:
        """Search the store. `vector`: of the query, by the embedder with this option."""
        began = perf_counter()
        if option != self._option:
            vector = None  # the store was replaced by one with vectors of another model
        with self._store.snapshot():
            words = self._store.words
            counts = words.counts(query)
            acronyms = words.rare_acronyms(query, counts)
            weights = words.weights(counts)
            self._load()
            similar = self._vocabulary.similar_terms(counts)
            by_words = words.add_similar(words.search(counts, CANDIDATES), counts, similar, CANDIDATES)
            by_initials = words.spelled_out(acronyms, {hit.excerpt for hit in by_words}, CANDIDATES)
            by_vectors = self._by_vectors(vector) if vector is not None else []
            excerpts = self._store.excerpts({*by_initials, *(hit.excerpt for hit in (*by_words, *by_vectors))})
        kind = breadth(query)
        coverage = cache(lambda number: excerpts[number].coverage(weights, acronyms, similar))
        spelled = _spelled_out(acronyms, by_initials, excerpts, coverage)
        preferences = _preferences(excerpts, kind)
        bm25 = {hit.excerpt: hit.score for hit in by_words if hit.excerpt in excerpts}
        cosines = {hit.excerpt: hit.score for hit in by_vectors if hit.excerpt in excerpts}
        if by_vectors:
            count = max(COMBINED, top_k)
            combined = {*list(bm25)[:count], *list(cosines)[:count], *spelled}
            ranked = combine(bm25, cosines, {number: coverage(number) for number in combined}, preferences)
        else:
            ranked = fuse([list(bm25), *([spelled] if spelled else [])], preferences)
        chosen = []
        for number, _ in ranked[:top_k]:
            score = max(cosines.get(number, 0.0), coverage(number))
            chosen.append(self._with_url(excerpts[number].entry) | {"score": round(score, 4)})
        notes = {
            "by_words": len({*spelled, *bm25}),
            "by_vectors": len(by_vectors),
            "breadth": kind or None,
        }
        min_score = 0.0 if by_vectors else MIN_COVERAGE
        return Retrieved(
            chosen, len({*bm25, *cosines, *spelled}), {**notes, "search_ms": milliseconds_since(began)}, min_score
        )

    def _with_url(self, entry: Entry) -> Entry:
        """Return the entry with its URL, if there is one. The URL of a PDF includes the page."""
        name = entry.get("file_name")
        if not (self._url_prefix and name) or entry.get("url"):
            return entry
        page = f"#page={entry['page_number']}" if entry.get("page_number") and name.lower().endswith(".pdf") else ""
        return entry | {"url": f"{self._url_prefix}{quote(name)}{page}"}

    def _preload(self) -> None:
        """Read what the first search needs. Errors are left to that search."""
        with suppress(Error, StoreError), self._store.snapshot():
            self._load()

    def _load(self) -> None:
        """Read the words and vectors into memory if they have changed."""
        if (version := self._store.data_version()) != self._version:
            self._vocabulary = self._store.words.vocabulary()
            self._numbers, self._vectors = self._store.load_vectors()
            self._version = version

    def _by_vectors(self, vector: NDArray[np.float32]) -> list[Hit]:
        """Return the closest excerpts by exact cosine similarity."""
        if self._vectors.shape[1] != len(vector):
            return []  # vectors of another model, until `citestream index` replaces them
        scores = self._vectors @ vector
        count = min(CANDIDATES, len(scores))
        best = np.argpartition(-scores, count - 1)[:count]
        order = best[np.lexsort((self._numbers[best], -scores[best]))]
        return [Hit(int(self._numbers[index]), float(scores[index])) for index in order]


def _open_file(path: Path, name: str) -> SourceFile:
    try:
        with OpenFolder(path) as folder:
            return folder.open(name)
    except OSError as error:
        raise unreadable(path, error) from None


def _spelled_out(
    acronyms: Mapping[str, str],
    excerpts: Sequence[int],
    stored: Mapping[int, StoredExcerpt],
    coverage: Callable[[int], float],
) -> list[int]:
    """Return the excerpts that spell out one of these acronyms, those with most terms of the question first."""
    exact = [number for number in excerpts if number in stored and spelled_out(acronyms, stored[number].entry["text"])]
    return sorted(exact, key=lambda number: (-coverage(number), number))


def _preferences(excerpts: Mapping[int, StoredExcerpt], kind: str) -> dict[int, float]:
    """Return weights by excerpt. A broad question prefers artifacts, any other question the source text."""
    prefers_artifacts = kind == "broad"
    return {
        number: PREFERENCE
        for number, excerpt in excerpts.items()
        if bool(excerpt.entry.get("is_generated_artifact")) == prefers_artifacts
    }
