"""Model: one embedding model behind one address, asked one batch at a time; and what may go into a batch."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import BrokenStream

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may hold, and how many may be under way."""

    texts: int  # in a request
    characters: int  # of a request
    text_characters: int  # of a text; the rest of a longer one is not embedded
    requests: int = 4  # at a time
    seconds: float = 30.0  # for one request


class Model(Protocol):
    """What differs between vendors."""

    name: str  # with its kind and address: vectors of two models must never meet in a cache
    limits: Limits

    async def vectors(self, texts: Sequence[str]) -> Any:
        """n rows of numbers, as they come. May raise anything; the Embedder checks and translates."""
        ...

    async def aclose(self) -> None:
        """Let go of connections and threads."""
        ...


def as_vectors(rows: Any, expected: int) -> Vectors:
    """(n, D) float32 of unit length. Raises BrokenStream where they are not one finite vector a text."""
    try:
        found = np.array(rows, dtype=np.float32)
    except (TypeError, ValueError):
        raise BrokenStream("The embedder's answer does not hold vectors.", code="broken_embeddings") from None
    if found.ndim != 2 or len(found) != expected or not found.shape[1] or not np.isfinite(found).all():
        raise BrokenStream("The embedder's answer is not one vector for each text.", code="broken_embeddings")
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(found / np.maximum(lengths, np.finfo(np.float32).tiny))


def importing(module: str) -> "Future[Any]":
    """A module on its way, in a thread: a client's import takes a second, which no sentence has to wait for."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="import")
    found = thread.submit(import_module, module)
    thread.shutdown(wait=False)
    return found
