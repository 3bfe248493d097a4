"""Counts in memory that several workers share. Each of them changes only its own numbers, so no lock is needed."""

import mmap
from typing import TypeAlias, Union

Counts: TypeAlias = Union[list[int], "memoryview[int]"]
COUNT_BYTES = 8


class SharedCounts:
    """The running requests of each worker, those of each client, and the memory of their bodies."""

    def __init__(self, workers: int, clients: int) -> None:
        """Create counts of 0. Processes that are forked afterwards share them."""
        self._clients = clients
        self.requests = _counts(workers)
        self.bodies = _counts(workers)
        self.clients = _counts(workers * clients)

    def reset(self, worker: int) -> None:
        """Set the counts of a worker that has ended to 0."""
        self.requests[worker] = self.bodies[worker] = 0
        for index in range(worker * self._clients, (worker + 1) * self._clients):
            self.clients[index] = 0


def _counts(number: int) -> "memoryview[int]":
    return memoryview(mmap.mmap(-1, COUNT_BYTES * max(1, number))).cast("Q")[:number]
