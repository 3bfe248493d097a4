"""The clock of the event loop, set by a test."""

import asyncio

import pytest


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
