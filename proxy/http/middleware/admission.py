"""Admission control: limit the number of concurrent requests, and refuse new ones while the server stops."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from ...observability.logs import TENANT
from ..error_responses import RequestError
from .auth import OPEN_PATHS
from .body_budget import BodyBudget
from .client_shares import ClientShares
from .shared_counts import Counts

ADMISSION = web.AppKey["Admission"]("admission")
RETRY_AFTER_SECONDS = 1  # seconds; by then a stream has ended or another server has taken over


class Admission:
    """Counts the running requests. Refuses the others with status 503 and `Retry-After`."""

    def __init__(
        self,
        max_requests: int,
        counts: Counts | None = None,
        worker: int = 0,
        *,
        clients: ClientShares | None = None,
        bodies: BodyBudget | None = None,
    ) -> None:
        """Admit at most `max_requests` in all workers together.

        `counts`: the number of running requests of each worker, in memory that the workers share. Each of them changes
        only its own number, so no lock is needed. `worker`: the index of this worker. `clients`: the limits of each
        client. `bodies`: the memory of the bodies of all requests. Without both, there are none.
        """
        self.open = True
        self.bodies = bodies
        self._clients = clients or ClientShares((), max_requests)
        self._max_requests = max_requests
        self._counts = [0] if counts is None else counts
        self._worker = worker
        self._outside = 0  # requests of this worker that do not count at the moment
        self.stopping = asyncio.Event()  # set when the server stops
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def idle(self) -> bool:
        """Whether this worker has no running request."""
        return not self._counts[self._worker] + self._outside

    @contextmanager
    def outside_of_streams(self, tenant: str) -> Iterator[None]:
        """Do not count a request of this client that waits for something else than a provider, such as a reader.

        It counts again at the end, even if that exceeds the limit: its own queue is short.
        """
        self._clients.end(tenant)
        self._counts[self._worker] -= 1
        self._outside += 1
        try:
            yield
        finally:
            self._outside -= 1
            self._counts[self._worker] += 1
            self._clients.resume(tenant)

    @contextmanager
    def suspend(self, tenant: str) -> Iterator[None]:
        """Do not count a request of this client that is an open connection. `admit` counts what it asks for."""
        self._end(tenant)
        try:
            yield
        finally:
            self._counts[self._worker] += 1
            self._clients.resume(tenant)
            self._idle.clear()

    @contextmanager
    def admit(self, tenant: str) -> Iterator[None]:
        """Count a request of this client. Raise RequestError if there are too many, or the server stops."""
        if not self.open:
            raise RequestError(503, "the server is stopping", code="shutting_down", retry_after=RETRY_AFTER_SECONDS)
        if sum(self._counts) >= self._max_requests:
            raise RequestError(503, "too many requests at once", code="over_capacity", retry_after=RETRY_AFTER_SECONDS)
        self._clients.begin(tenant)
        self._counts[self._worker] += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._end(tenant)

    def _end(self, tenant: str) -> None:
        self._clients.end(tenant)
        self._counts[self._worker] -= 1
        if self.idle:
            self._idle.set()

    def middleware(self) -> Middleware:
        """Return the middleware. Paths in `OPEN_PATHS`, such as health checks, are always admitted."""

        @web.middleware
        async def admission(request: web.Request, handler: Handler) -> web.StreamResponse:
            if request.path in OPEN_PATHS:
                return await handler(request)
            with self.admit(request.get(TENANT, "")):
                return await handler(request)

        return admission

    async def drain(self, seconds: float) -> None:
        """Admit no more requests, and wait at most this long for the running ones."""
        self.open = False
        self.stopping.set()
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return
