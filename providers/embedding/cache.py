"""VectorCache: an LRU cache of vectors, limited in bytes."""

from collections import OrderedDict
from hashlib import blake2b

import numpy as np

from ..cache_owner import CACHE_OWNER
from .model import Vectors

KEY_BYTES = 16  # the probability of a collision among a billion texts is 10^-21
OVERHEAD_BYTES = 250  # array header, key and table entry of a vector; measured with tracemalloc


class VectorCache:
    """Vectors by key. Texts are not stored."""

    def __init__(self, max_bytes: int) -> None:
        """`max_bytes`: of all vectors together; 0 stores nothing."""
        self._max_bytes = max_bytes
        self._bytes = 0
        self._vectors: OrderedDict[bytes, Vectors] = OrderedDict()

    def get(self, key: bytes) -> Vectors | None:
        """Return the vector, (D,), and mark it as used."""
        vector = self._vectors.get(key)
        if vector is not None:
            self._vectors.move_to_end(key)
        return vector

    def put(self, key: bytes, vector: Vectors) -> None:
        """Store a copy, so that one row does not keep its whole batch in memory."""
        if key in self._vectors or _size(vector) > self._max_bytes:
            return
        self._vectors[key] = np.array(vector)
        self._bytes += _size(vector)
        while self._bytes > self._max_bytes:
            _, evicted = self._vectors.popitem(last=False)
            self._bytes -= _size(evicted)

    def clear(self) -> None:
        """Remove all vectors."""
        self._vectors.clear()
        self._bytes = 0

    def __len__(self) -> int:
        """Return the number of vectors."""
        return len(self._vectors)


def key_of(model: str, text: str) -> bytes:
    """Return the key of a text's vector for the client of the current task."""
    named = f"{CACHE_OWNER.get()}\0{model}\0{text}"
    return blake2b(named.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


def _size(vector: Vectors) -> int:
    return int(vector.nbytes) + OVERHEAD_BYTES
