"""Measure how long the event loop is blocked, and by what.

The scheduler reports its long steps with their cause. Python's cycle collector is timed by its callbacks. Anything
else that blocks the loop (a library, the machine) makes a timer late and is reported as `other`.
"""

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

from citestream.providers.scheduler import REPORTED_SECONDS, scheduler

INTERVAL_SECONDS = 0.1  # between two timers; ten a second take 0.05 % of a core
LATE_SECONDS = 0.02  # shortest delay of a timer that is reported; a shared machine causes shorter ones

Observe = Callable[[str, float], None]


class StallWatch:
    """The watch over the running event loop."""

    def __init__(self, observe: Observe) -> None:
        """`observe`: receives the cause and the seconds of each stall."""
        self._observe = observe
        self._explained = 0.0  # seconds of the stalls that were reported since the last timer
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._collecting_since = 0.0
        self._collections: list[float] = []  # seconds of long collections that are not reported yet

    @contextmanager
    def running(self) -> Iterator[None]:
        """Watch for the duration of the block."""
        scheduler().observers.append(self.report)
        gc.callbacks.append(self._collecting)
        self._schedule()
        try:
            yield
        finally:
            scheduler().observers.remove(self.report)
            gc.callbacks.remove(self._collecting)
            if self._timer:
                self._timer.cancel()

    def report(self, cause: str, seconds: float) -> None:
        """Report a stall with a known cause."""
        self._explained += seconds
        self._observe(cause, seconds)

    def _schedule(self) -> None:
        loop = asyncio.get_running_loop()
        self._due = loop.time() + INTERVAL_SECONDS
        self._timer = loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        collections, self._collections = self._collections, []
        for seconds in collections:
            self.report("garbage_collection", seconds)
        late = asyncio.get_running_loop().time() - self._due - self._explained
        if late >= LATE_SECONDS:
            self._observe("other", late)
        self._explained = 0.0
        self._schedule()

    def _collecting(self, phase: str, _info: dict[str, int]) -> None:
        """Note a collection. It is reported later, because it may begin while a lock of the metrics is held."""
        if phase == "start":
            self._collecting_since = perf_counter()
        elif (seconds := perf_counter() - self._collecting_since) >= REPORTED_SECONDS:
            self._collections.append(seconds)
