"""A least-recently-used cache whose entries have sizes."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """A mapping that drops the least recently used entries when its total size exceeds a limit.

    `functools.lru_cache` limits the number of entries, and excerpts differ in size by a factor of a thousand.
    Not thread-safe.
    """

    def __init__(self, max_size: int) -> None:
        """Limit the sum of the sizes of all entries to `max_size`."""
        self._max_size = max_size
        self._size = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return the value of `key` and mark it as used, or return None."""
        if (entry := self._entries.get(key)) is None:
            return None
        self._entries.move_to_end(key)
        return entry[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Add an entry unless `key` exists, then drop old entries until the limit holds."""
        if key not in self._entries:
            self._entries[key] = value, size
            self._size += size
        while self._size > self._max_size:
            _, (_, dropped) = self._entries.popitem(last=False)
            self._size -= dropped
