"""reads: the bytes of an answer as they come, a tick where none come, an error where none come for too long."""

import asyncio
from collections.abc import AsyncGenerator

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
    What has arrived is taken at once; a timer is only set to wait.
    """
    content = response.content
    clock = asyncio.get_running_loop().time
    watch.received(clock())
    while True:
        try:
            data = content.read_nowait()
            if not data:
                if content.at_eof():
                    return
                data = await _wait(content, min(watch.tick, watch.left(clock())))
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


async def _wait(content: aiohttp.StreamReader, seconds: float) -> bytes:
    try:
        async with asyncio.timeout(seconds):
            return await content.readany()
    except TimeoutError:
        return TICK


def _arrived(content: aiohttp.StreamReader) -> bytes:
    """What had arrived before the connection broke: aiohttp raises its error first and would drop it."""
    try:
        return content._read_nowait(-1)
    except AttributeError:  # an aiohttp that keeps it elsewhere
        return b""
