"""Model: the interface of an embedding model, and the limits of its requests."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..errors import BrokenStream

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Limits:
    """The size of one request, and the number of concurrent requests."""

    texts: int  # in a request
    characters: int  # limit of a request
    text_characters: int  # limit of a text; longer texts are truncated
    requests: int = 4  # concurrent
    seconds: float = 30.0  # for one request


class Model(Protocol):
    """The parts that differ between vendors."""

    name: str  # with its kind and address, because vectors of two models must not be mixed
    limits: Limits

    async def vectors(self, texts: Sequence[str]) -> Any:
        """Return one row of numbers for each text. May raise anything; the Embedder checks and translates."""
        ...

    async def aclose(self) -> None:
        """Close connections and threads."""
        ...


@runtime_checkable
class LoadedModel(Protocol):
    """A model that is loaded into this process."""

    async def load(self) -> None:
        """Wait until the model is loaded. May raise anything."""
        ...


def as_vectors(rows: Any, expected: int) -> Vectors:
    """Return (n, D) float32 vectors of unit length. Raises BrokenStream unless each text has one finite vector."""
    try:
        vectors = np.array(rows, dtype=np.float32)
    except (TypeError, ValueError):
        raise BrokenStream("The embedder's answer does not hold vectors.", code="broken_embeddings") from None
    if vectors.ndim != 2 or len(vectors) != expected or not vectors.shape[1] or not np.isfinite(vectors).all():
        raise BrokenStream("The embedder's answer is not one vector for each text.", code="broken_embeddings")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.finfo(np.float32).tiny))


def import_in_thread(module: str) -> "Future[Any]":
    """Import a module in a thread. The import of an SDK takes a second, in which the loop must not be blocked."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="import")
    imported = thread.submit(import_module, module)
    thread.shutdown(wait=False)
    return imported
