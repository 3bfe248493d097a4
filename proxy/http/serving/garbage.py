"""Python's cycle collector: when it looks at all objects.

Such a pass blocks the event loop. It takes 20 ms for 100,000 objects, and a request of some megabytes has a million.
Nearly all of them are freed without the collector, so it waits until no request runs.
"""

import asyncio
import ctypes
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# New objects after which Python looks for cycles; its default of 700 is a few sentences. 10,000 saves 6 to 13 % of CPU
# in comparison with it, but then the second pass below takes up to 24 ms.
YOUNG_OBJECTS = 5_000
# Passes over young objects until their survivors are looked at again; Python's default is 10. The second pass then
# takes less than 10 ms while a body of 20 MB is read.
MIDDLE_PASSES = 1
DUE_PASSES = 150  # passes over these survivors until all objects are looked at while no request runs
FORCED_PASSES = 600  # the same if a request always runs: 6,000,000 new objects
# Bytes of request bodies that have ended until the same happens, and free memory is returned to the system. The passes
# count objects, and a body of 30 MB may be one.
DUE_BYTES = 64 * 2**20
CHECK_SECONDS = 1.0


def configure() -> None:
    """Set the thresholds of the collector."""
    gc.set_threshold(YOUNG_OBJECTS, MIDDLE_PASSES, FORCED_PASSES)


@contextmanager
def collecting_when_idle(is_idle: Callable[[], bool], released: Callable[[], int] = lambda: 0) -> Iterator[None]:
    """Look for cycles among all objects while `is_idle()`. Requires a running event loop.

    `released`: returns the bytes of all request bodies that have ended so far.
    """
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle
    returned = 0  # bytes of bodies whose memory was returned to the system

    def check() -> None:
        nonlocal timer, returned
        due = released() - returned
        if (due >= DUE_BYTES or gc.get_count()[2] >= DUE_PASSES) and is_idle():
            gc.collect()
            if due >= DUE_BYTES:
                _return_memory()
                returned = released()
        timer = loop.call_later(CHECK_SECONDS, check)

    timer = loop.call_later(CHECK_SECONDS, check)
    try:
        yield
    finally:
        timer.cancel()


def _return_memory() -> None:
    """Return free memory to the system. Only glibc needs that: its heap shrinks at the end alone."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
