"""Embedder: cache, batches and deadlines for all embedding models, and shared work of concurrent callers.

Callers put texts that have not been embedded into one queue and then take turns: the caller whose turn it is sends the
next batch, even if its texts belong to others. While all connections are busy, the sentences of many requests gather
in one batch, without an extra delay and without a task that has no owner. If a caller is cancelled during a request,
its batch is queued again by the callers that still wait for it.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import BrokenStream, ProviderError, Rejected, TimedOut, translate
from .cache import VectorCache, key_of
from .model import LoadedModel, Model, Vectors, as_vectors

CACHE_BYTES = 64 * 2**20  # 30,000 sentences of 512 numbers
_HAS_CONTENT = re.compile(r"\w")
_TOO_LARGE = frozenset({400, 413, 422})  # statuses of servers for a batch that is too large


@dataclass(eq=False, slots=True)
class _Wanted:
    """A text that callers wait for. `done` is cancelled if the sender gave up; remaining callers queue it again."""

    key: bytes
    text: str
    callers: int = 0  # number of callers that wait for it
    done: "asyncio.Future[Vectors]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Embedder:
    """One model with a cache. For one event loop."""

    def __init__(self, model: Model, *, cache_bytes: int = CACHE_BYTES) -> None:
        """Nothing is connected yet."""
        self.model = model
        self.embedded = 0  # number of texts so far, as a sign of progress
        self._cache = VectorCache(cache_bytes)
        self._queue: dict[bytes, _Wanted] = {}  # texts that have not been sent, in order
        self._wanted: dict[bytes, _Wanted] = {}  # texts of the queue and of running requests
        self._turns = asyncio.Semaphore(model.limits.requests)
        self._dimensions = 0

    async def load(self) -> None:
        """Wait until the model is ready if it is on this machine. Raises ProviderError."""
        if isinstance(self.model, LoadedModel):
            try:
                await self.model.load()
            except Exception as error:  # noqa: BLE001 - a package may raise anything
                raise translate(error, "embedder") from None

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return (n, D) float32 vectors of unit length. Raises ProviderError.

        The vector of a text without a letter or digit is zero.
        """
        limit = self.model.limits.text_characters
        cleaned = [text[:limit] if _HAS_CONTENT.search(text[:limit]) else "" for text in texts]
        keys = [key_of(self.model.name, text) if text else b"" for text in cleaned]
        missing = {key: text for key, text in zip(keys, cleaned, strict=True) if key}
        vectors: dict[bytes, Vectors] = {}
        while missing:
            vectors |= {key: cached for key in missing if (cached := self._cache.get(key)) is not None}
            vectors |= await self._share([self._want(key, text) for key, text in missing.items() if key not in vectors])
            missing = {key: text for key, text in missing.items() if key not in vectors}
        zero = np.zeros(self._dimensions, np.float32)
        if any(len(vector) != len(zero) for vector in vectors.values()):
            raise BrokenStream("The embedder's vectors changed their length.", code="broken_embeddings")
        return np.stack([vectors.get(key, zero) for key in keys]) if keys else zero[None][:0]

    async def aclose(self) -> None:
        """Close connections and threads."""
        await self.model.aclose()

    def _want(self, key: bytes, text: str) -> _Wanted:
        wanted = self._wanted.get(key)
        if wanted is None:
            wanted = self._wanted[key] = self._queue[key] = _Wanted(key, text)
        wanted.callers += 1
        return wanted

    async def _share(self, wanted: Sequence[_Wanted]) -> dict[bytes, Vectors]:
        """Send batches of the queue until all of these texts are sent, then wait. Cancelled texts are left out."""
        batches = -(-len(wanted) // self.model.limits.texts)
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(min(batches, self.model.limits.requests)):
                    tasks.create_task(self._send(wanted))
            if wanted:
                await asyncio.wait([entry.done for entry in wanted])
        finally:
            self._leave(wanted)
        return {entry.key: entry.done.result() for entry in wanted if not entry.done.cancelled()}

    def _leave(self, wanted: Sequence[_Wanted]) -> None:
        """Remove texts from the queue that no caller waits for."""
        for entry in wanted:
            entry.callers -= 1
            if not entry.callers and entry.key in self._queue:
                del self._queue[entry.key]
                self._wanted.pop(entry.key, None)

    async def _send(self, wanted: Sequence[_Wanted]) -> None:
        while any(entry.key in self._queue for entry in wanted):
            async with self._turns:
                await self._settle(self._batch())

    def _batch(self) -> list[_Wanted]:
        """Remove the texts of one request from the queue."""
        limits, batch, characters = self.model.limits, list[_Wanted](), 0
        while self._queue and len(batch) < limits.texts:
            key, entry = next(iter(self._queue.items()))
            characters += len(entry.text)
            if batch and characters > limits.characters:
                break
            batch.append(self._queue.pop(key))
        return batch

    async def _settle(self, batch: list[_Wanted]) -> None:
        """Embed a batch. Afterwards each of its texts is done, failed or cancelled."""
        try:
            if batch:
                vectors = await self._ask([entry.text for entry in batch])
                if vectors.shape[1] != self._dimensions:  # the server uses another model now
                    self._dimensions = vectors.shape[1]
                    self._cache.clear()
                self.embedded += len(batch)
                for entry, vector in zip(batch, vectors, strict=True):
                    self._cache.put(entry.key, vector)
                    entry.done.set_result(vector)
        except ProviderError as error:
            for entry in batch:
                entry.done.set_exception(error)
                entry.done.exception()  # retrieved, because all callers may have been cancelled
        finally:
            for entry in batch:
                entry.done.cancel()
                self._wanted.pop(entry.key, None)

    async def _ask(self, texts: list[str]) -> Vectors:
        """Send one request. A batch that is too large for the server is halved."""
        try:
            async with asyncio.timeout(self.model.limits.seconds):
                return as_vectors(await self.model.vectors(texts), len(texts))
        except TimeoutError:
            raise TimedOut("The embedder did not answer in time.") from None
        except Exception as error:  # noqa: BLE001 - an SDK may raise anything
            failure = translate(error, "embedder")
        if len(texts) == 1 or not (isinstance(failure, Rejected) and failure.status in _TOO_LARGE):
            raise failure
        half = len(texts) // 2
        return np.concatenate((await self._ask(texts[:half]), await self._ask(texts[half:])))
