"""The clock of the event loop, set by a test."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.upstreams.wire import Answer, Break, Request, Step

HOUR = 3600.0  # longer than every timeout
TURNS = 100  # turns of the event loop in which a client processes the bytes that were sent


class Clock:
    """The clock of the event loop, which stands still until a test moves it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        loop = asyncio.get_running_loop()
        self.now = loop.time()
        monkeypatch.setattr(loop, "time", lambda: self.now)

    def advance(self, seconds: float) -> None:
        self.now += seconds

    def advance_soon(self, seconds: float) -> None:
        """Advance when the test waits."""
        asyncio.get_running_loop().call_soon(self.advance, seconds)


def timing_out(answer: Answer, clock: Clock) -> Answer:
    """Let the timeouts of a client pass when an answer stalls, after the client has processed the bytes before."""

    async def stalling(request: Request) -> AsyncIterator[Step]:
        async for step in answer(request):
            if step is Break.STALL:
                for _ in range(TURNS):
                    await asyncio.sleep(0)
                clock.advance(HOUR)
            yield step

    return stalling
