"""A bounded store in the memory of one process. It needs no thread: an entry takes 3 µs, a thread switch 50 µs."""

import heapq
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from citestream.providers.redis_cache import Bounds

_MIN_OUTDATED = 100  # amounts after which a heap is built again, if they are more than the current ones
MAX_REMOVED = 5_000  # expired entries that are removed at a time: 10 ms


@dataclass(slots=True)
class _Owned:
    """The entries of one client, with the time at which each was stored, the oldest first."""

    entries: OrderedDict[tuple[str, str], tuple[float, bytes]] = field(default_factory=OrderedDict)
    size: int = 0  # bytes of all entries


class MemoryStore:
    """Entries by client and name. Above a limit, the client with the most entries or bytes loses its oldest entry.

    Storing an entry takes the same time whatever the number of clients is.
    """

    def __init__(self, bounds: Bounds, clock: Callable[[], float]) -> None:
        """`clock` returns seconds."""
        self._bounds = bounds
        self._clock = clock
        self._owners: dict[str, _Owned] = {}
        self._owner_of: dict[tuple[str, str], str] = {}  # the entry that was stored first is the first
        self._size = 0
        self._most_entries, self._most_bytes = _Largest(), _Largest()

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._owner_of)

    def put(self, client: str, name: str, data: bytes, owner: str) -> None:
        """Store or replace an entry, and remove the oldest ones above the limits. `owner`: the client that uses it."""
        self._remove((client, name))
        self.remove_expired()
        owned = self._owners.setdefault(owner, _Owned())
        owned.entries[client, name] = (self._clock(), data)
        self._owner_of[client, name] = owner
        owned.size += len(data)
        self._size += len(data)
        self._count(owner, owned)
        while len(self) > self._bounds.keep:
            self._remove_oldest(self._most_entries.name())
        while self._size > self._bounds.max_bytes:
            self._remove_oldest(self._most_bytes.name())

    def get(self, client: str, name: str) -> bytes | None:
        """Return the data of an entry, or None if it is unknown or expired."""
        if (owner := self._owner_of.get((client, name))) is None:
            return None
        stored_at, data = self._owners[owner].entries[client, name]
        return data if stored_at >= self._oldest else None

    def remove_expired(self) -> bool:
        """Remove expired entries. Return whether there are more of them."""
        oldest = self._oldest
        for _ in range(MAX_REMOVED):
            if not self._owner_of:
                return False
            key, owner = next(iter(self._owner_of.items()))
            if self._owners[owner].entries[key][0] >= oldest:
                return False
            self._remove(key)
        return True

    @property
    def _oldest(self) -> float:
        """The time before which an entry has expired."""
        return self._clock() - self._bounds.keep_seconds

    def _remove_oldest(self, owner: str) -> None:
        self._remove(next(iter(self._owners[owner].entries)))

    def _remove(self, key: tuple[str, str]) -> None:
        if (owner := self._owner_of.pop(key, None)) is None:
            return
        owned = self._owners[owner]
        _, data = owned.entries.pop(key)
        owned.size -= len(data)
        self._size -= len(data)
        self._count(owner, owned)
        if not owned.entries:
            del self._owners[owner]

    def _count(self, owner: str, owned: _Owned) -> None:
        self._most_entries.set(owner, len(owned.entries))
        self._most_bytes.set(owner, owned.size)


class _Largest:
    """The client with the largest amount, and of equal ones the client that was added first.

    The heap contains outdated amounts, too. They are dropped when they reach the top, or if most are outdated.
    """

    def __init__(self) -> None:
        self._current: dict[str, tuple[int, int, str]] = {}  # -amount, number of the client, client
        self._heap: list[tuple[int, int, str]] = []
        self._added = 0

    def set(self, name: str, amount: int) -> None:
        """Set the amount of a client. 0 removes it."""
        if not amount:
            self._current.pop(name, None)
            return
        if name in self._current:
            number = self._current[name][1]
        else:
            number = self._added = self._added + 1
        item = self._current[name] = (-amount, number, name)
        heapq.heappush(self._heap, item)
        if len(self._heap) > 2 * len(self._current) + _MIN_OUTDATED:
            self._heap = [*self._current.values()]
            heapq.heapify(self._heap)

    def name(self) -> str:
        """Return the client. There must be one."""
        while self._current.get(self._heap[0][2]) != self._heap[0]:
            heapq.heappop(self._heap)
        return self._heap[0][2]
