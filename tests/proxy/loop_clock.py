"""A clock for tests of timeouts: no test waits, and none depends on the speed of the machine."""

import asyncio

import pytest


class LoopClock:
    """The clock of the running event loop. Only the test moves it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        loop = asyncio.get_running_loop()
        self.now = loop.time()
        monkeypatch.setattr(loop, "time", lambda: self.now)

    def advance(self, seconds: float) -> None:
        self.now += seconds
