"""Serve with a configuration, and print the longest steps of the event loop as JSON at the end.

python -m bench.isolation.loop_steps CONFIG    # until it is interrupted; `bench.isolation` starts it for each case

A step is one callback of the loop. It is measured in CPU time of the loop's thread, which does not depend on other
processes and excludes other threads. A timer signal samples what the long steps execute: Python delivers it after the
current call of C code, so a long call appears as the line that made it, with the time since the previous sample.
"""

import asyncio
import gc
import json
import resource
import signal
import sys
from dataclasses import dataclass, field
from heapq import nlargest
from pathlib import Path
from time import process_time, thread_time
from types import FrameType, TracebackType
from typing import Any, Self

SAMPLED_SECONDS = 0.001  # between two samples; the kernel's clock may be coarser
REPORTED = 3  # steps
LINES = 4  # per step
CALLERS = 3  # frames of our own code per line
ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class Step:
    """One step: seconds of CPU time, seconds of the cycle collector among them, and seconds by lines of code."""

    seconds: float = 0.0
    collecting: float = 0.0
    lines: dict[str, float] = field(default_factory=dict)

    def report(self) -> dict[str, Any]:
        """Return the step as JSON, in milliseconds."""
        lines = {
            line: _milliseconds(seconds)
            for line, seconds in nlargest(LINES, self.lines.items(), key=lambda one: one[1])
        }
        return {
            "ms": _milliseconds(self.seconds),
            "garbage_collection_ms": _milliseconds(self.collecting),
            "lines": lines,
        }


class StepTimer:
    """Times every callback of asyncio's own event loop while its context is entered.

    That must happen in the main thread, which receives signals.
    """

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._step = Step()
        self._sampled = self._collected = 0.0  # CPU time of the last sample and of the collection's begin
        self._run_callback = asyncio.events.Handle._run

    def __enter__(self) -> Self:
        """Replace the method that runs a callback."""
        run_callback = self._run_callback

        def timed(handle: Any) -> None:
            step = self._step = Step()
            began = self._sampled = thread_time()
            run_callback(handle)
            step.seconds = thread_time() - began
            if len(self._steps) < REPORTED or step.seconds > self._steps[-1].seconds:
                self._steps = nlargest(REPORTED, [*self._steps, step], key=lambda one: one.seconds)

        asyncio.events.Handle._run = timed  # type: ignore[method-assign, assignment]
        gc.callbacks.append(self._collecting)
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, SAMPLED_SECONDS, SAMPLED_SECONDS)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_IGN)  # one may be pending, and its default action ends the process
        gc.callbacks.remove(self._collecting)
        asyncio.events.Handle._run = self._run_callback  # type: ignore[method-assign]

    @property
    def longest(self) -> float:
        """CPU time of the longest step, in seconds."""
        return self._steps[0].seconds if self._steps else 0.0

    def reset(self) -> None:
        """Forget the steps so far."""
        self._steps = []

    def report(self) -> list[dict[str, Any]]:
        """Return the longest steps."""
        return [step.report() for step in self._steps]

    def _collecting(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._collected = thread_time()
        else:
            seconds = thread_time() - self._collected
            self._step.collecting += seconds
            self._step.lines[f"garbage collection, generation {info['generation']}"] = seconds

    def _sample(self, _signal: int, frame: FrameType | None) -> None:
        now = thread_time()
        lines, location = self._step.lines, _location(frame)
        lines[location] = lines.get(location, 0.0) + now - self._sampled
        self._sampled = now


def _location(frame: FrameType | None) -> str:
    """Return the innermost lines of our own code, the innermost first."""
    lines: list[str] = []
    while frame and len(lines) < CALLERS:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT) and ".venv" not in path.parts and path != Path(__file__):
            lines.append(f"{path.relative_to(ROOT)}:{frame.f_lineno}")
        frame = frame.f_back
    return " < ".join(lines)


def _milliseconds(seconds: float) -> float:
    return round(1000 * seconds, 1)


def main() -> None:
    """Serve until SIGTERM. SIGUSR1 prints the steps since the last one, and the CPU time of the process."""
    sys.modules["uvloop"] = None  # type: ignore[assignment] # its callbacks cannot be timed
    from citestream.proxy.config import load
    from citestream.proxy.http.serving.server import serve_process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))  # two for each stream
    with StepTimer() as timer:

        def report() -> None:
            print(json.dumps({"cpu": process_time(), "steps": timer.report()}), flush=True)
            asyncio.get_running_loop().call_soon(timer.reset)

        def started(address: str) -> None:
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGUSR1, report)
            loop.call_soon(timer.reset)  # this step also starts the server
            print(address, flush=True)

        serve_process(load(sys.argv[1], port=0), started)
    print(json.dumps(timer.report()), flush=True)


if __name__ == "__main__":
    main()
