"""A cache of vectors by what was embedded: bounded by bytes, the least recently used leave first."""

from collections import OrderedDict
from hashlib import blake2b

import numpy as np

from .model import Vectors

KEY_BYTES = 16  # two of a billion texts meet with a chance of 10^-21
OVERHEAD_BYTES = 250  # of an entry: array header, key, place in the table; measured with tracemalloc


class VectorCache:
    """Vectors by key. Text is not kept."""

    def __init__(self, most_bytes: int) -> None:
        """`most_bytes`: of all vectors together; 0 keeps nothing."""
        self._most = most_bytes
        self._bytes = 0
        self._kept: OrderedDict[bytes, Vectors] = OrderedDict()

    def get(self, key: bytes) -> Vectors | None:
        """The vector, (D,), which counts as used now."""
        vector = self._kept.get(key)
        if vector is not None:
            self._kept.move_to_end(key)
        return vector

    def put(self, key: bytes, vector: Vectors) -> None:
        """Keep a copy, so that a whole batch does not stay alive for one of its rows."""
        if key in self._kept or _size(vector) > self._most:
            return
        self._kept[key] = np.array(vector)
        self._bytes += _size(vector)
        while self._bytes > self._most:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= _size(dropped)

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
        self._bytes = 0

    def __len__(self) -> int:
        """Vectors kept."""
        return len(self._kept)


def key_of(model: str, text: str) -> bytes:
    """What a vector is kept under."""
    return blake2b(f"{model}\0{text}".encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


def _size(vector: Vectors) -> int:
    return int(vector.nbytes) + OVERHEAD_BYTES
