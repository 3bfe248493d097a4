"""Admission: how many requests are answered at once, and none any more once the server was told to stop."""

import asyncio

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from .auth import OPEN_PATHS
from .error_responses import RequestError

RETRY_AFTER = 1  # seconds; a stream ends, or another server takes over, about this soon


class Admission:
    """Counts what is running; turns the rest away with 503 and the time to come back."""

    def __init__(self, most: int) -> None:
        """`most`: requests that may run at once."""
        self.open = True
        self._most = most
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def middleware(self) -> Middleware:
        """At the door of every handler but those that a load balancer asks."""

        @web.middleware
        async def admission(request: web.Request, handler: Handler) -> web.StreamResponse:
            if request.path in OPEN_PATHS:
                return await handler(request)
            if not self.open:
                raise RequestError(503, "the server is stopping", code="shutting_down", retry_after=RETRY_AFTER)
            if self._running >= self._most:
                raise RequestError(503, "too many requests at once", code="over_capacity", retry_after=RETRY_AFTER)
            self._running += 1
            self._idle.clear()
            try:
                return await handler(request)
            finally:
                self._running -= 1
                if not self._running:
                    self._idle.set()

        return admission

    async def drain(self, seconds: float) -> None:
        """Let nobody in any more; wait for what is running, at most this long."""
        self.open = False
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return
