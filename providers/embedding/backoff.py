"""The wait after a failure, until something that may work later is tried again."""

from collections.abc import Callable
from time import monotonic

FIRST_SECONDS = 1.0
MOST_SECONDS = 60.0  # someone who installs a package or a key finds it in use after this time at most


class Backoff:
    """Waits a second after the first failure, and twice as long after each further one."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """`clock`: the current time in seconds."""
        self._clock = clock
        self._failures = 0
        self._next = clock()

    def is_over(self) -> bool:
        """Return whether the wait after the last failure is over."""
        return self._clock() >= self._next

    def fail(self) -> None:
        """Wait again, because another attempt failed."""
        self._next = self._clock() + min(FIRST_SECONDS * 2.0**self._failures, MOST_SECONDS)
        self._failures = min(self._failures + 1, 64)
