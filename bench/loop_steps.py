"""Serve with a configuration, and print the longest step of the event loop in ms of CPU time at the end.

python -m bench.loop_steps CONFIG

A step is one callback of the loop. Its CPU time does not depend on other processes, and excludes other threads.
"""

import asyncio
import signal
import sys
import time
from typing import Any


class StepTimer:
    """Times every callback of asyncio's own event loop."""

    def __init__(self) -> None:
        """Replace the method that runs a callback."""
        self.longest = 0.0
        run_callback = asyncio.events.Handle._run

        def timed(handle: Any) -> None:
            began = time.thread_time()
            run_callback(handle)
            self.longest = max(self.longest, time.thread_time() - began)

        asyncio.events.Handle._run = timed  # type: ignore[method-assign, assignment]

    def reset(self) -> None:
        """Forget the steps so far."""
        self.longest = 0.0


def main() -> None:
    """Serve until SIGTERM."""
    sys.modules["uvloop"] = None  # type: ignore[assignment] # its callbacks cannot be timed
    from citestream.proxy.config import load
    from citestream.proxy.http.application import serve

    timer = StepTimer()

    def started(address: str) -> None:
        asyncio.get_running_loop().call_soon(timer.reset)  # this step also starts the server
        print(address, flush=True)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(load(sys.argv[1], port=0), started)
    print(f"longest step: {1000 * timer.longest:.1f} ms", flush=True)


if __name__ == "__main__":
    main()
