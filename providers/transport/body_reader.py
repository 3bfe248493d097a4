"""read_body: yield the bytes of an answer as they arrive, a tick when its consumer asks for one, and raise if late."""

import asyncio
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Self, cast

import aiohttp

from ..errors import IncompleteAnswer, TimedOut
from ..events import Wakeup
from .session import CONNECTION_ERRORS, Timeouts

TICK = b""  # yielded when nothing arrived
MAX_ANSWER_BYTES = 128 * 2**20  # the text is kept; 128,000 tokens, the most that models write, are 45 MB
# Seconds between two looks at the connection during a read. A look costs 2 µs. After an error in the framing, aiohttp
# closes the connection without waking its reader.
LOOK_SECONDS = 2.0
AFTER_FINISH_SECONDS = 5.0  # for usage and [DONE] after every finish reason; some servers never send them


class Watch:
    """The time limits of one stream: until the first event, between bytes, after the finish, and in total."""

    def __init__(self, timeouts: Timeouts, started: float) -> None:
        """Start the limits. `started`: time of the request by the clock of the event loop, in seconds."""
        self._idle = timeouts.idle
        self._first_event_due: float | None = started + timeouts.first_token
        self._end_due = started + timeouts.total
        self._last_received = started

    def begin(self) -> None:
        """Note that the first event has arrived."""
        self._first_event_due = None

    def finish(self) -> None:
        """Note that the answer is complete and only the end of the stream is missing."""
        self._first_event_due = None
        self._idle = min(self._idle, AFTER_FINISH_SECONDS)

    def received(self, now: float) -> None:
        """Note that bytes have arrived."""
        self._last_received = now

    def exceeded(self, now: float) -> str:
        """Return which limit has passed although bytes arrive: no event, or no end. An empty string if none has."""
        if self._first_event_due is not None and now >= self._first_event_due:
            return "The provider did not begin to answer in time."
        return "The provider's answer takes longer than it may." if now >= self._end_due else ""

    def remaining(self, now: float) -> float:
        """Return the seconds until the nearest limit. At or below 0, it has passed."""
        due = min(self._last_received + self._idle, self._end_due)
        return (due if self._first_event_due is None else min(due, self._first_event_due)) - now


async def read_body(
    response: aiohttp.ClientResponse, watch: Watch, wakeup: Wakeup | None = None
) -> AsyncGenerator[bytes, None]:
    """Yield bytes as they arrive, and TICK if none arrive until `wakeup`, until the end of the body.

    Raises TimedOut, and IncompleteAnswer if the connection breaks, after all bytes that had arrived were yielded. Bytes
    that are there are returned at once; only waiting is limited.
    """
    content, wakeup = response.content, wakeup or Wakeup()
    clock = asyncio.get_running_loop().time
    watch.received(clock())
    with _ReadTimer(response) as timer:
        while True:
            try:
                data = content.read_nowait()
                if not data:
                    if content.at_eof():
                        return
                    now = clock()
                    data = await timer.read(now, min(wakeup.remaining(), watch.remaining(now)))
            except CONNECTION_ERRORS:
                if unread := _unread_bytes(content):
                    yield unread
                raise IncompleteAnswer("The connection to the provider broke before its answer ended.") from None
            if not data and content.at_eof():
                return
            if not data and watch.remaining(clock()) <= 0:
                raise TimedOut(watch.exceeded(clock()) or "The provider stopped answering.")
            yield data
            if data:
                watch.received(clock())  # the time that our consumer took does not count as the provider's silence
            if exceeded := watch.exceeded(clock()):
                raise TimedOut(exceeded)


class _ReadTimer:
    """Reads the body of a response with a time limit; a context manager.

    Its one timer is not cancelled when bytes arrive. When it fires, it checks whether a read has waited too long.
    `asyncio.timeout` sets and cancels a timer for each read, which took 13 of 78 µs per token with 64 paced streams.
    """

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._fires_at = 0.0  # by the clock of the loop
        self._due = 0.0  # when the current read has waited too long
        self._reading: asyncio.Task[object] | None = None
        self._expired = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._timer:
            self._timer.cancel()

    async def read(self, now: float, seconds: float) -> bytes:
        """Return the next bytes, or TICK if none arrive for `seconds` or the connection is closed."""
        task = cast("asyncio.Task[object]", asyncio.current_task())
        cancelled_before = task.cancelling()
        self._reading, self._due, self._expired = task, now + seconds, False
        if self._timer is None or self._due < self._fires_at:
            self._schedule(now)
        try:
            return await self._response.content.readany()
        except asyncio.CancelledError:
            if self._expired and task.uncancel() <= cancelled_before:  # cancelled by this timer alone
                return TICK
            raise
        finally:
            self._reading = None

    def _schedule(self, now: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._fires_at = min(self._due, now + LOOK_SECONDS)
        self._timer = self._loop.call_at(self._fires_at, self._check)

    def _check(self) -> None:
        self._timer = None
        if self._reading is None:
            return
        now, connection = self._loop.time(), self._response.connection
        if now < self._due and connection is not None and connection.transport is not None:
            self._schedule(now)
        else:
            self._expired = True
            self._reading.cancel()


def _unread_bytes(content: aiohttp.StreamReader) -> bytes:
    """Return the bytes that arrived before the connection broke.

    aiohttp raises its error before it hands out the bytes that it still holds. They are part of the answer, so the
    error is removed first.
    """
    content.set_exception(cast("BaseException", None))
    return content.read_nowait()
