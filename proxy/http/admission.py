"""Admission control: limit the number of concurrent requests, and refuse new ones while the server stops."""

import asyncio

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from .auth import OPEN_PATHS
from .error_responses import RequestError

RETRY_AFTER = 1  # seconds; by then a stream has ended or another server has taken over


class Admission:
    """Counts the running requests. Refuses the others with status 503 and `Retry-After`."""

    def __init__(self, max_requests: int) -> None:
        self.open = True
        self._max_requests = max_requests
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def idle(self) -> bool:
        """Whether no request runs."""
        return not self._running

    def middleware(self) -> Middleware:
        """Return the middleware. Paths in `OPEN_PATHS`, such as health checks, are always admitted."""

        @web.middleware
        async def admission(request: web.Request, handler: Handler) -> web.StreamResponse:
            if request.path in OPEN_PATHS:
                return await handler(request)
            if not self.open:
                raise RequestError(503, "the server is stopping", code="shutting_down", retry_after=RETRY_AFTER)
            if self._running >= self._max_requests:
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
        """Admit no more requests, and wait at most this long for the running ones."""
        self.open = False
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return
