"""What was used last, as much of it as may be kept."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A dictionary that forgets what was used longest ago. One thread at a time."""

    def __init__(self, most: int) -> None:
        """`most`: the sum of the sizes of what is kept."""
        self._most = most
        self._size = 0
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """What is kept under this key; it is used now."""
        if (known := self._kept.get(key)) is None:
            return None
        self._kept.move_to_end(key)
        return known[0]

    def keep(self, key: K, value: V, size: int) -> None:
        """Keep it, unless something is kept under this key, and forget what is too much then."""
        if key not in self._kept:
            self._kept[key] = value, size
            self._size += size
        while self._size > self._most:
            _, (_, forgotten) = self._kept.popitem(last=False)
            self._size -= forgotten
