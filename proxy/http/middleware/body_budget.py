"""Limit the memory of all request bodies in flight: decompressed and parsed, one small request may take 100 MB."""

from ..error_responses import RequestError
from .shared_counts import Counts

RETRY_AFTER_SECONDS = 5  # seconds; a large request is sent to its provider and freed by then, unless it is a stream
_REQUEST_BYTES = 16 * 2**10  # estimate of a request without its body, counted at its end
_COPIES = 2  # a string of JSON is kept as it was received while it is parsed, or as the provider receives it
# In addition to their text: a number in a list, half of a string, a list, and an object.
_ELEMENT_BYTES, _QUOTE_BYTES, _LIST_BYTES, _OBJECT_BYTES = 36, 40, 64, 192


class BodyBudget:
    """Counts the memory that the bodies of running requests may take, in all workers together."""

    def __init__(self, max_bytes: int, counts: Counts | None = None, worker: int = 0) -> None:
        """Create an empty budget.

        `counts`: the bytes of each worker, in memory that the workers share. `worker`: the index of this one.
        """
        self._max_bytes = max_bytes
        self._counts: Counts = [0] if counts is None else counts
        self._worker = worker
        self.released = 0  # bytes of all requests of this worker that have ended

    @property
    def used(self) -> int:
        """Bytes of all workers."""
        return sum(self._counts)

    def reservation(self) -> "Reservation":
        """Return the part of one request, which is empty."""
        return Reservation(self)

    def add(self, size: int, reserved: int) -> None:
        """Add bytes to a reservation of `reserved` bytes. Raise RequestError if there is no room.

        One request may exceed the limit if it is alone. Otherwise it would be refused each time that it is sent.
        """
        used_by_others = self.used - reserved
        if used_by_others and used_by_others + reserved + size > self._max_bytes:
            raise RequestError(
                503,
                "the bodies of all requests take too much memory at the moment",
                code="over_capacity",
                retry_after=RETRY_AFTER_SECONDS,
                closes=True,
            )
        self._counts[self._worker] += size

    def remove(self, size: int) -> None:
        """Return bytes."""
        self._counts[self._worker] -= size
        self.released += size + _REQUEST_BYTES if size else 0


class Reservation:
    """The memory of one request's body."""

    def __init__(self, budget: BodyBudget) -> None:
        """Reserve nothing yet."""
        self._budget = budget
        self._size = 0

    def add(self, data: bytes) -> None:
        """Reserve memory for a part of a body. Raise RequestError if there is no room."""
        size = memory_of(data)
        self._budget.add(size, self._size)
        self._size += size

    def release(self) -> None:
        """Return all of it."""
        self._budget.remove(self._size)
        self._size = 0


def memory_of(data: bytes) -> int:
    """Return an estimate of the memory that a part of a body takes while its request runs, from its JSON.

    The counts take 50 microseconds for 64 KB.
    """
    lists = _LIST_BYTES * data.count(b"[") + _OBJECT_BYTES * data.count(b"{")
    return _COPIES * len(data) + _ELEMENT_BYTES * data.count(b",") + _QUOTE_BYTES * data.count(b'"') + lists
