"""reads: the bytes of an answer as they come, a tick where none come, an error where none come for too long."""

import asyncio
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Self, cast

import aiohttp

from ..errors import IncompleteAnswer, TimedOut
from .session import BROKEN, Timeouts

TICK = b""  # what `reads` yields when nothing came
MAX_ANSWER_BYTES = 128 * 2**20  # its text is kept; 128,000 tokens, the most that models write, are 45 MB
AFTER_FINISH_SECONDS = 5.0  # that usage and [DONE] may take after every finish reason; some servers never send them


class Watch:
    """How long a stream may still be silent: first until its first event, then between bytes, then after its end.

    And how long it may take altogether.
    """

    def __init__(self, timeouts: Timeouts, started: float) -> None:
        """`started`: when the request was sent, in seconds of the loop's clock."""
        self.tick = timeouts.tick
        self._idle = timeouts.idle
        self._first: float | None = started + timeouts.first_token
        self._last = started + timeouts.total
        self._latest = started

    def begin(self) -> None:
        """The first event has come."""
        self._first = None

    def finish(self) -> None:
        """The answer is complete; only what may follow it is still awaited."""
        self._first = None
        self._idle = min(self._idle, AFTER_FINISH_SECONDS)

    def received(self, now: float) -> None:
        """Bytes have come."""
        self._latest = now

    def late(self, now: float) -> str:
        """What takes too long although bytes come: no event among them, or no end. Nothing where neither does."""
        if self._first is not None and now >= self._first:
            return "The provider did not begin to answer in time."
        return "The provider's answer takes longer than it may." if now >= self._last else ""

    def left(self, now: float) -> float:
        """Seconds until the nearest limit; at or below zero once it is passed."""
        limit = min(self._latest + self._idle, self._last)
        return (limit if self._first is None else min(limit, self._first)) - now


async def reads(response: aiohttp.ClientResponse, watch: Watch) -> AsyncGenerator[bytes, None]:
    """Yield bytes as they come, and TICK after each `watch.tick` seconds without any. Ends with the body.

    Raises TimedOut, and IncompleteAnswer when the connection breaks, after all that had arrived was yielded.
    What has arrived is taken at once; only waiting is watched.
    """
    content = response.content
    clock = asyncio.get_running_loop().time
    watch.received(clock())
    with _Alarm() as alarm:
        while True:
            try:
                data = content.read_nowait()
                if not data:
                    if content.at_eof():
                        return
                    now = clock()
                    data = await alarm.read(content, now + min(watch.tick, watch.left(now)))
            except BROKEN:
                if arrived := _arrived(content):
                    yield arrived
                raise IncompleteAnswer("The connection to the provider broke before its answer ended.") from None
            if not data and content.at_eof():
                return
            if not data and watch.left(clock()) <= 0:
                raise TimedOut(watch.late(clock()) or "The provider stopped answering.")
            yield data
            if data:
                watch.received(clock())  # the time that the reader took is not the provider's silence
            if late := watch.late(clock()):
                raise TimedOut(late)


class _Alarm:
    """Ends waits that take too long; a context, for one stream.

    Its timer goes off about once a tick, and then looks whether anybody waits for that long. To set and cancel one for
    each wait, as `asyncio.timeout` does, takes a sixth of what a token costs where 64 streams are paced: 13 of 78 µs.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._at = 0.0  # when the timer goes off, by the loop's clock
        self._due = 0.0  # when the wait has taken too long
        self._waiting: asyncio.Task[object] | None = None
        self._rang = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._timer:
            self._timer.cancel()

    async def read(self, content: aiohttp.StreamReader, due: float) -> bytes:
        """What comes next, or TICK where nothing has come when it is `due`."""
        task = cast("asyncio.Task[object]", asyncio.current_task())
        cancelled = task.cancelling()
        self._waiting, self._due, self._rang = task, due, False
        if self._timer is None or due < self._at:
            self._set(due)
        try:
            return await content.readany()
        except asyncio.CancelledError:
            if self._rang and task.uncancel() <= cancelled:  # by us alone
                return TICK
            raise
        finally:
            self._waiting = None

    def _set(self, at: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._at, self._timer = at, self._loop.call_at(at, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._waiting is None:
            return
        if self._loop.time() < self._due:
            self._set(self._due)
        else:
            self._rang = True
            self._waiting.cancel()


def _arrived(content: aiohttp.StreamReader) -> bytes:
    """Return the bytes that arrived before the connection broke.

    aiohttp raises its error before it hands out the bytes that it still holds. They are part of the answer, so the
    error is removed first.
    """
    content.set_exception(cast("BaseException", None))
    return content.read_nowait()
