"""Preparing: evidence is made ready while the model thinks, in steps so short that no other stream notices.

Not in threads: reading words is Python and holds the interpreter's lock, which uvloop takes anew for every read and
write. Beside a busy thread each of them waits for `sys.getswitchinterval()`. 16 streams at once, each with 20 excerpts
of its own: the first text came after 300 ms with threads and comes after 60 ms with steps.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import PreparedEvidence, Scorer

BEGIN_SECONDS = 0.002  # after which preparing begins: first the question is on its way to the model
STEP_SECONDS = 0.001  # that preparing takes between two looks at the sockets
LONG_EXCERPT = 5_000  # characters; reading one takes 1 ms, more than anybody's token should wait
LONG = 100_000  # characters of all excerpts of a request; putting their index together takes 2 ms


class Preparations:
    """The evidence that waits to be made ready: in order, a step each time the loop has looked at its sockets.

    What is too long for that goes to one thread, one after the other.
    """

    def __init__(self) -> None:
        """Nothing waits yet."""
        self._jobs: deque[_Job] = deque()
        self._thread = ThreadPoolExecutor(1, "preparing")

    def begin(self, scorer: Scorer, evidence: Sequence[Evidence]) -> "asyncio.Future[PreparedEvidence]":
        """Prepare this evidence; may only be called where an event loop runs. Cancelling it ends the work."""
        loop = asyncio.get_running_loop()
        lengths = [one.characters for one in evidence]
        if sum(lengths) > LONG or max(lengths, default=0) > LONG_EXCERPT:
            return loop.run_in_executor(self._thread, scorer.prepare, evidence)
        self._jobs.append(_Job(scorer, evidence, prepared := loop.create_future()))
        if len(self._jobs) == 1:
            loop.call_later(BEGIN_SECONDS, self._step, loop)
        return prepared

    def close(self) -> None:
        """Wait for the thread."""
        self._thread.shutdown(cancel_futures=True)

    def _step(self, loop: asyncio.AbstractEventLoop) -> None:
        until = monotonic() + STEP_SECONDS
        while self._jobs:
            if self._jobs[0].advance():
                self._jobs.popleft()
            if monotonic() >= until:
                break
        if self._jobs:
            loop.call_soon(loop.call_soon, self._step, loop)  # two turns on: what comes in now wakes others in the next


class _Job:
    """The evidence of one request: each excerpt is a step, what is made of all of them is the last."""

    def __init__(
        self, scorer: Scorer, evidence: Sequence[Evidence], prepared: "asyncio.Future[PreparedEvidence]"
    ) -> None:
        self._scorer = scorer
        self._evidence = evidence
        self._prepared = prepared
        self._unread = deque(evidence)

    def advance(self) -> bool:
        """Do one step; whether there is nothing more to do."""
        if self._prepared.done():
            return True  # nobody waits for it any more
        try:
            if self._unread:
                self._scorer.analyze(self._unread.popleft())
                return False
            self._prepared.set_result(self._scorer.prepare(self._evidence))
        except Exception as error:  # noqa: BLE001 - whoever waits for it gets it
            self._prepared.set_exception(error)
        return True
