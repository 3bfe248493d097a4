"""Embedder: what all embedding models share. Cache, batches, deadlines, and the work that concurrent callers share.

Callers put what nobody has embedded yet into one queue, then take turns: whoever has the turn sends the next batch,
whoever it belongs to. So while all connections are busy the sentences of many requests gather into one batch, without
a delay of our own and without a task that nobody owns. A caller that leaves mid-request gives its batch back.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import BrokenStream, ProviderError, Rejected, TimedOut, translate
from .cache import VectorCache, key_of
from .model import Model, Vectors, as_vectors

CACHE_BYTES = 64 * 2**20  # 30,000 sentences of 512 numbers
_SAYS_SOMETHING = re.compile(r"\w")
_TOO_LARGE = frozenset({400, 413, 422})  # what servers answer to a batch larger than they take


@dataclass(eq=False, slots=True)
class _Wanted:
    """A text somebody waits for. `done` is cancelled when the sender gave up: whoever still waits asks again."""

    key: bytes
    text: str
    waiting: int = 0  # callers
    done: "asyncio.Future[Vectors]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Embedder:
    """One model with a cache. To be used from one event loop."""

    def __init__(self, model: Model, *, cache_bytes: int = CACHE_BYTES) -> None:
        """Nothing is connected yet."""
        self.model = model
        self.embedded = 0  # texts so far: whether it gets on
        self._cache = VectorCache(cache_bytes)
        self._queue: dict[bytes, _Wanted] = {}  # what nobody has sent yet, in order
        self._wanted: dict[bytes, _Wanted] = {}  # that, and what is under way
        self._turns = asyncio.Semaphore(model.limits.requests)
        self._dimensions = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, D) float32 of unit length; zeros for a text without a letter or digit. Raises ProviderError."""
        most = self.model.limits.text_characters
        asked = [text[:most] if _SAYS_SOMETHING.search(text[:most]) else "" for text in texts]
        keys = [key_of(self.model.name, text) if text else b"" for text in asked]
        missing = {key: text for key, text in zip(keys, asked, strict=True) if key}
        found: dict[bytes, Vectors] = {}
        while missing:
            found |= {key: kept for key in missing if (kept := self._cache.get(key)) is not None}
            found |= await self._share([self._want(key, text) for key, text in missing.items() if key not in found])
            missing = {key: text for key, text in missing.items() if key not in found}
        nothing = np.zeros(self._dimensions, np.float32)
        if any(len(vector) != len(nothing) for vector in found.values()):
            raise BrokenStream("The embedder's vectors changed their length.", code="broken_embeddings")
        return np.stack([found.get(key, nothing) for key in keys]) if keys else nothing[None][:0]

    async def aclose(self) -> None:
        """Let go of connections and threads."""
        await self.model.aclose()

    def _want(self, key: bytes, text: str) -> _Wanted:
        wanted = self._wanted.get(key)
        if wanted is None:
            wanted = self._wanted[key] = self._queue[key] = _Wanted(key, text)
        wanted.waiting += 1
        return wanted

    async def _share(self, wanted: Sequence[_Wanted]) -> dict[bytes, Vectors]:
        """Send what is queued until all of these are under way, then wait for them; without those given back."""
        batches = -(-len(wanted) // self.model.limits.texts)
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(min(batches, self.model.limits.requests)):
                    tasks.create_task(self._send(wanted))
            if wanted:
                await asyncio.wait([one.done for one in wanted])
        finally:
            self._leave(wanted)
        return {one.key: one.done.result() for one in wanted if not one.done.cancelled()}

    def _leave(self, wanted: Sequence[_Wanted]) -> None:
        """What nobody waits for any more need not be sent."""
        for one in wanted:
            one.waiting -= 1
            if not one.waiting and one.key in self._queue:
                del self._queue[one.key]
                self._wanted.pop(one.key, None)

    async def _send(self, wanted: Sequence[_Wanted]) -> None:
        while any(one.key in self._queue for one in wanted):
            async with self._turns:
                await self._settle(self._batch())

    def _batch(self) -> list[_Wanted]:
        """As much of the queue as one request may hold."""
        limits, batch, characters = self.model.limits, list[_Wanted](), 0
        while self._queue and len(batch) < limits.texts:
            key, one = next(iter(self._queue.items()))
            characters += len(one.text)
            if batch and characters > limits.characters:
                break
            batch.append(self._queue.pop(key))
        return batch

    async def _settle(self, batch: list[_Wanted]) -> None:
        """Embed a batch; every text of it is done, failed or given back afterwards."""
        try:
            if batch:
                vectors = await self._ask([one.text for one in batch])
                if vectors.shape[1] != self._dimensions:  # another model has taken its place: those kept are of no use
                    self._dimensions = vectors.shape[1]
                    self._cache.clear()
                self.embedded += len(batch)
                for one, vector in zip(batch, vectors, strict=True):
                    self._cache.put(one.key, vector)
                    one.done.set_result(vector)
        except ProviderError as error:
            for one in batch:
                one.done.set_exception(error)
                one.done.exception()  # seen: its callers may all have left
        finally:
            for one in batch:
                one.done.cancel()
                self._wanted.pop(one.key, None)

    async def _ask(self, texts: list[str]) -> Vectors:
        """One request; a batch that the server finds too large is halved."""
        try:
            async with asyncio.timeout(self.model.limits.seconds):
                return as_vectors(await self.model.vectors(texts), len(texts))
        except TimeoutError:
            raise TimedOut("The embedder did not answer in time.") from None
        except Exception as error:  # noqa: BLE001 - whatever an SDK raises is the embedder's failure
            failure = translate(error)
        if len(texts) == 1 or not (isinstance(failure, Rejected) and failure.status in _TOO_LARGE):
            raise failure
        half = len(texts) // 2
        return np.concatenate((await self._ask(texts[:half]), await self._ask(texts[half:])))
