"""Scheduler: divides long work into steps, so that no request blocks the event loop of the others.

A coroutine measures its work with `Work` and pauses when it has worked for STEP_SECONDS:

    work = Work("read_provider")
    for piece in pieces:
        with work:
            decode(piece)
        if work.due:
            await work.pause()

Work that is a generator (`citestream.citation.text.steps`) is given to `Work.run`. Work that is not awaited yet is
given to `Scheduler.start`.

Paused work continues one step at a time, and each step in an iteration of the event loop of its own. Work that has
taken little time so far comes first, as in a multi-level feedback queue, so that a short request is not delayed by
long ones. Steps that take longer than REPORTED_SECONDS are reported with their cause.

A request calls `Scheduler.begin` before its first work, so that only one of many that arrive at once begins in an
iteration of the event loop. Otherwise hundreds of first steps in one iteration would delay all requests by seconds.
Clients take turns. Requests whose clients have left end one by one, too (`Scheduler.end`).

Threads are used only for functions that cannot be divided: Python code in a thread holds the interpreter's lock, and
uvloop takes that lock for every read and write. While another thread is busy, each of them waits for
`sys.getswitchinterval()`. With 16 concurrent streams of 20 excerpts each, the first text arrived after 300 ms with
threads, and arrives after 60 ms with steps.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from types import TracebackType
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from citestream.citation.text.steps import Steps

T = TypeVar("T")

STEP_SECONDS = 0.002  # time to work until others have their turn; a step ends at most one unit of work later
SHORT_SECONDS = 0.02  # total time of work that counts as short, such as preparing 20 excerpts
LONG_SHARE = 4  # every fourth turn belongs to long work, even if there is short work
# Every sixteenth turn belongs to the oldest work that has not begun, or to the oldest short work if there is none.
LATE_SHARE = 16
NEW_SHARE = 2  # every second turn belongs to new requests, so that they are sent to their providers early
ENDED_TOGETHER = 4  # requests that end in one iteration of the event loop; each takes 0.2 ms
REPORTED_SECONDS = 0.005  # duration of a step that is reported; shorter ones do not matter
LARGE_JOIN_BYTES = (
    2**20
)  # bytes whose copy takes 1 ms; from this size on, Python releases its lock while it joins bytes

Step = Callable[[], bool]  # does a part of the work; False if the work was cancelled
StepObserver = Callable[[str, float], None]  # receives the cause of a step and its seconds


class Scheduler:
    """The queue of long work of one event loop."""

    def __init__(self) -> None:
        """Use `scheduler()`, which returns the one of the running event loop."""
        self.observers: list[StepObserver] = []
        self._first: deque[Step] = deque()  # first steps, in order of arrival
        self._short: deque[Step] = deque()  # next steps of short work, the latest first
        self._long: deque[Step] = deque()
        self._new = _ClientQueue()  # requests that have not begun
        self._has_begun = False  # whether a request has begun in this iteration of the event loop
        self._ends: deque[Callable[[], None]] = deque()  # functions that end requests
        self._ended = 0  # requests that have ended in this iteration of the event loop
        self._turns = 0
        self._is_scheduled = False
        self._thread: ThreadPoolExecutor | None = None

    def start(self, cause: str, steps: Steps[T], *, delay: float = 0.0) -> "asyncio.Future[T]":
        """Begin the work after `delay` seconds; return its future. Cancelling the future ends the work."""
        job = _Job(cause, steps, self)
        if delay:
            asyncio.get_running_loop().call_later(delay, job.enqueue)
        else:
            job.enqueue()
        return job.future

    async def in_thread(self, function: Callable[[], T]) -> T:
        """Run a function that cannot be divided in the scheduler's only thread."""
        return await asyncio.get_running_loop().run_in_executor(self.thread, function)

    async def begin(self, client: str = "") -> None:
        """Wait for a turn if another request waits, or has begun in this iteration of the event loop.

        The requests of one client begin in their order. The clients take turns.
        """
        loop = asyncio.get_running_loop()
        if self._has_begun or self._new:
            turn: asyncio.Future[None] = loop.create_future()
            self._new.append(client, partial(_wake, turn))
            self._schedule()
            await turn
        self._has_begun = True
        loop.call_soon(self._end_iteration)

    def _end_iteration(self) -> None:
        self._has_begun = False

    def end(self, function: Callable[[], None]) -> None:
        """Call a function that ends a request: now, or in a later iteration of the event loop if others were called.

        Thousands of clients may leave at once.
        """
        self._ends.append(function)
        if not self._ended:
            asyncio.get_running_loop().call_soon(self._end_next)
        self._end_some()

    def _end_next(self) -> None:
        self._ended = 0
        if self._ends:
            asyncio.get_running_loop().call_soon(self._end_next)
            self._end_some()

    def _end_some(self) -> None:
        while self._ends and self._ended < ENDED_TOGETHER:
            self._ended += 1
            self._ends.popleft()()

    async def turn(self, worked: float) -> None:
        """Wait for the next turn. `worked`: seconds of work so far."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.enqueue(partial(_wake, turn), worked)
        await turn

    def enqueue(self, step: Step, worked: float) -> None:
        """Call `step` when it is its turn. Short work goes first, and continues before other short work begins."""
        if worked > SHORT_SECONDS:
            self._long.append(step)
        elif worked:
            self._short.appendleft(step)
        else:
            self._first.append(step)
        self._schedule()

    @property
    def idle(self) -> bool:
        """Whether no work waits for its turn, and no request for its end."""
        return not (self._waits or self._ends)

    @property
    def _waits(self) -> bool:
        """Whether work waits for its turn."""
        return bool(self._new or self._first or self._short or self._long)

    def report(self, cause: str, seconds: float) -> None:
        """Report a step if it was long."""
        if seconds >= REPORTED_SECONDS:
            for observe in self.observers:
                observe(cause, seconds)

    @property
    def thread(self) -> ThreadPoolExecutor:
        """The thread for functions that cannot be divided."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "undivided")
        return self._thread

    def close(self) -> None:
        """Wait for the function that runs in the thread, and drop the others. Later functions get a new thread."""
        if self._thread:
            self._thread.shutdown(cancel_futures=True)
            self._thread = None

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            # Skip one iteration of the loop: data that arrives in this one wakes the tasks of other streams in the next
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self._take_turn)

    def _take_turn(self) -> None:
        self._is_scheduled = False
        self._turns += 1
        try:
            # Cancelled work takes no turn. Otherwise it would delay other work when requests are refused quickly.
            while self._waits and not self._next_step()():
                pass
        finally:
            if self._waits:
                self._schedule()

    def _next_step(self) -> Step:
        """Remove and return the step whose turn it is."""
        short = self._short or self._first
        if self._new and (not (short or self._long) or self._turns % NEW_SHARE == 0):
            return self._new.popleft()
        if short and self._turns % LATE_SHARE == LATE_SHARE - 1:
            return self._first.popleft() if self._first else self._short.pop()
        is_long = self._long and (not short or self._turns % LONG_SHARE == 1)
        return self._long.popleft() if is_long else short.popleft()


class _ClientQueue:
    """The first steps of requests. The clients take turns, and the steps of each are in order of arrival."""

    def __init__(self) -> None:
        self._steps: dict[str, deque[Step]] = {}  # the client whose turn it is comes first

    def __bool__(self) -> bool:
        return bool(self._steps)

    def append(self, client: str, step: Step) -> None:
        self._steps.setdefault(client, deque()).append(step)

    def popleft(self) -> Step:
        client = next(iter(self._steps))
        steps = self._steps.pop(client)
        step = steps.popleft()
        if steps:
            self._steps[client] = steps
        return step


def _wake(turn: "asyncio.Future[None]") -> bool:
    if turn.done():  # cancelled
        return False
    turn.set_result(None)
    return True


class _Job(Generic[T]):
    """Work that is a generator."""

    def __init__(self, cause: str, steps: Steps[T], scheduler: Scheduler) -> None:
        self.future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._cause = cause
        self._steps = steps
        self._scheduler = scheduler
        self._worked = 0.0
        self._received: Any = None  # the result of the function that ran in the thread
        self._failed: BaseException | None = None

    def enqueue(self) -> None:
        self._scheduler.enqueue(self.step, self._worked)

    def step(self) -> bool:
        """Work for STEP_SECONDS and enqueue the rest. Return False if the work was cancelled."""
        if self.future.done():
            self._steps.close()
            return False
        began = perf_counter()
        function = None
        try:
            while function is None:
                function, self._received = self._next(), None
                if perf_counter() - began >= STEP_SECONDS:
                    break
        except StopIteration as stop:
            self.future.set_result(stop.value)
        except Exception as error:  # noqa: BLE001 - raised where the future is awaited
            self.future.set_exception(error)
        seconds = perf_counter() - began
        self._worked += seconds
        if function:
            running = asyncio.get_running_loop().run_in_executor(self._scheduler.thread, function)
            running.add_done_callback(self._take_result)
        elif not self.future.done():
            self.enqueue()
        self._scheduler.report(self._cause, seconds)
        return True

    def _next(self) -> Callable[[], Any] | None:
        if self._failed:
            failed, self._failed = self._failed, None
            return self._steps.throw(failed)
        return self._steps.send(self._received)

    def _take_result(self, running: "asyncio.Future[Any]") -> None:
        if running.cancelled():
            self.future.cancel()
            return
        self._failed = running.exception()
        self._received = None if self._failed else running.result()
        self.enqueue()


class Work:
    """The work of one coroutine, measured where it enters and leaves the context."""

    __slots__ = ("_began", "_cause", "_since_pause", "_worked")

    def __init__(self, cause: str) -> None:
        """`cause`: the name of the work in the metric `loop_stall_seconds`."""
        self._cause = cause
        self._began = self._since_pause = self._worked = 0.0

    def __enter__(self) -> None:
        self._began = perf_counter()

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        seconds = perf_counter() - self._began
        self._since_pause += seconds
        if seconds >= REPORTED_SECONDS:
            scheduler().report(self._cause, seconds)

    async def run(self, steps: Steps[T]) -> T:
        """Perform work that is a generator, with pauses, and return its result."""
        received: Any = None
        try:
            while True:
                if self.due:
                    await self.pause()
                function: Callable[[], Any] | None = None
                with self:
                    while function is None:
                        function, received = steps.send(received), None
                        if self._is_over():
                            break
                received = await scheduler().in_thread(function) if function else None
        except StopIteration as stop:
            value: T = stop.value
            return value
        finally:
            steps.close()

    def _is_over(self) -> bool:
        """Return whether the step that runs now has taken its time."""
        return self._since_pause + perf_counter() - self._began >= STEP_SECONDS

    @property
    def due(self) -> bool:
        """Whether it is time to pause."""
        return self._since_pause >= STEP_SECONDS

    async def pause(self) -> None:
        """Wait for the next turn."""
        self._worked += self._since_pause
        self._since_pause = 0.0
        await scheduler().turn(self._worked)


async def join(parts: Sequence[bytes]) -> bytes:
    """Return the joined parts. Many bytes are joined in the scheduler's thread, which does not hold Python's lock."""
    is_large = sum(map(len, parts)) >= LARGE_JOIN_BYTES
    return await scheduler().in_thread(partial(b"".join, parts)) if is_large else b"".join(parts)


_schedulers: "WeakKeyDictionary[asyncio.AbstractEventLoop, Scheduler]" = WeakKeyDictionary()


def scheduler() -> Scheduler:
    """Return the scheduler of the running event loop."""
    loop = asyncio.get_running_loop()
    of_this_loop = _schedulers.get(loop)
    if of_this_loop is None:
        of_this_loop = _schedulers[loop] = Scheduler()
    return of_this_loop
