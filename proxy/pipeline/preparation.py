"""Prepare evidence while the model thinks, in steps so short that other streams are not delayed.

Preparation does not run in threads: it is Python code that holds the interpreter's lock, and uvloop takes that lock
for every read and write. While another thread is busy, each of them waits for `sys.getswitchinterval()`. With 16
concurrent streams of 20 excerpts each, the first text arrived after 300 ms with threads, and arrives after 60 ms with
steps.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import PreparedEvidence, Scorer

BEGIN_SECONDS = 0.002  # delay before the first step, so that the request to the provider is sent first
STEP_SECONDS = 0.001  # duration of a step before the event loop looks at its sockets again
LONG_EXCERPT = 5_000  # characters; preparing one takes 1 ms, the longest delay that a token of another stream may have
LONG_EVIDENCE = 100_000  # characters of all excerpts of a request; building their index takes 2 ms


class Preparations:
    """A queue of evidence to prepare. One step runs in each iteration of the event loop.

    Evidence that is too long for steps is prepared in a thread, one request after the other.
    """

    def __init__(self) -> None:
        self._jobs: deque[_Job] = deque()
        self._thread = ThreadPoolExecutor(1, "preparing")

    def begin(self, scorer: Scorer, evidence: Sequence[Evidence]) -> "asyncio.Future[PreparedEvidence]":
        """Return a future with the prepared evidence. Cancelling it ends the work. Requires a running event loop."""
        loop = asyncio.get_running_loop()
        lengths = [one.characters for one in evidence]
        if sum(lengths) > LONG_EVIDENCE or max(lengths, default=0) > LONG_EXCERPT:
            return loop.run_in_executor(self._thread, scorer.prepare, evidence)
        self._jobs.append(_Job(scorer, evidence, prepared := loop.create_future()))
        if len(self._jobs) == 1:
            loop.call_later(BEGIN_SECONDS, self._step, loop)
        return prepared

    def close(self) -> None:
        """Wait for the thread to end."""
        self._thread.shutdown(cancel_futures=True)

    def _step(self, loop: asyncio.AbstractEventLoop) -> None:
        until = monotonic() + STEP_SECONDS
        while self._jobs:
            if self._jobs[0].advance():
                self._jobs.popleft()
            if monotonic() >= until:
                break
        if self._jobs:
            # Skip one iteration of the loop: data that arrives in this one wakes the tasks of other streams in the next
            loop.call_soon(loop.call_soon, self._step, loop)


class _Job:
    """The evidence of one request. Each excerpt is a step; the last step builds the index of all."""

    def __init__(
        self, scorer: Scorer, evidence: Sequence[Evidence], prepared: "asyncio.Future[PreparedEvidence]"
    ) -> None:
        self._scorer = scorer
        self._evidence = evidence
        self._prepared = prepared
        self._unread = deque(evidence)

    def advance(self) -> bool:
        """Perform one step. Return whether the job is done."""
        if self._prepared.done():
            return True  # cancelled
        try:
            if self._unread:
                self._scorer.analyze(self._unread.popleft())
                return False
            self._prepared.set_result(self._scorer.prepare(self._evidence))
        except Exception as error:  # noqa: BLE001 - raised where the future is awaited
            self._prepared.set_exception(error)
        return True
