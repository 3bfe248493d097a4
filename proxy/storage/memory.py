"""Entries in the memory of one process, for as long as it runs."""

from collections import OrderedDict
from collections.abc import Callable

from ..config import ReferencesConfig


class MemoryEntries:
    """Bounded; used right where entries come up: one takes 2 µs, and handing it to a thread would take 50."""

    def __init__(self, config: ReferencesConfig, clock: Callable[[], float]) -> None:
        """`clock`: seconds."""
        self._config = config
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], tuple[float, bytes]] = OrderedDict()  # the oldest first
        self._bytes = 0

    def put(self, client: str, name: str, data: bytes) -> None:
        """Keep or replace an entry."""
        _, before = self._kept.pop((client, name), (0.0, b""))
        self._kept[client, name] = (self._clock(), data)
        self._bytes += len(data) - len(before)
        while len(self._kept) > self._config.keep or self._bytes > self._config.max_bytes:
            _, (_, oldest) = self._kept.popitem(last=False)
            self._bytes -= len(oldest)

    def get(self, client: str, name: str) -> bytes | None:
        """What was put and is not too old."""
        at, data = self._kept.get((client, name), (0.0, None))
        return data if at >= self._clock() - self._config.keep_seconds else None
