"""The response to one client: its headers, writes and keep-alives, and a client that does not read or leaves."""

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from contextlib import suppress
from time import perf_counter

from aiohttp import web

from ..config import Server
from ..observability.telemetry import WAIT_TIME
from .client_api import Encoder
from .connection import PROBE_SECONDS, Connection
from .encoding import WRITTEN_BYTES

log = logging.getLogger("citestream")

BLOCKED_SECONDS = 0.001  # a write that takes longer waits for the client; a shorter one is our own work

STREAM_HEADERS = {
    "Cache-Control": "no-cache, no-transform",  # a cache or compressor in between would buffer the stream
    "X-Accel-Buffering": "no",  # nginx would buffer it too
}


class Stream:
    """The response to one client. Its headers are sent with the first data, so that an earlier error has a status."""

    def __init__(self, request: web.Request, config: Server, encoder: Encoder | None = None) -> None:
        """Send nothing yet. `encoder`: writes the keep-alives of a streamed answer."""
        self._request = request
        self._keepalive_seconds = config.keepalive_seconds
        self._stalled_seconds = config.stalled_seconds
        self._encoder = encoder
        self._response = web.StreamResponse()
        self._clock = asyncio.get_running_loop().time
        self._last_sent = self._clock()
        self._writing_since: float | None = None
        self._keepalive: asyncio.Task[None] | None = None  # sends one keep-alive

    @property
    def begun(self) -> bool:
        """Whether anything has been sent."""
        return self._response.prepared

    async def watch(self, answering: Awaitable[web.StreamResponse]) -> web.StreamResponse:
        """Await an answer. Meanwhile send keep-alives, and disconnect a client that does not read.

        The task of the watch costs 10 µs per request. Raises what `answering` raises, which the task group would wrap.
        """
        failed: Exception | None = None
        response: web.StreamResponse = self._response
        try:
            async with asyncio.TaskGroup() as tasks:
                watch = tasks.create_task(self._watch(tasks))
                try:
                    response = await answering
                except Exception as error:  # noqa: BLE001 - raised below
                    failed = error
                finally:
                    watch.cancel()
                    if self._keepalive:
                        self._keepalive.cancel()
        except* ConnectionError as group:
            raise group.exceptions[0] from None
        if failed:
            raise failed
        return response

    def disable_keepalive(self) -> None:
        """Send no keep-alives any more."""
        self._encoder = None

    async def begin(self, headers: Mapping[str, str], status: int = 200) -> None:
        """Send the headers if they have not been sent."""
        if self.begun:
            return
        self._response.set_status(status)
        self._response.headers.update(headers)
        await self._response.prepare(self._request)

    async def write(self, data: bytes) -> None:
        """Send data as soon as the client takes it. Raise ConnectionError if the client has left."""
        for start in range(0, len(data), WRITTEN_BYTES):
            if start:  # a client that reads fast does not make us wait
                self._writing_since = self._clock()  # a keep-alive would be inside the data
                await asyncio.sleep(0)
            await self._send(self._response.write(data[start : start + WRITTEN_BYTES]))

    async def end(self, data: bytes = b"") -> web.StreamResponse:
        """Send the last data. Raise ConnectionError if the client has left."""
        if len(data) > WRITTEN_BYTES:
            await self.write(data)
            data = b""
        await self._send(self._response.write_eof(data))
        return self._response

    def abort(self) -> web.StreamResponse:
        """Abort the connection, so that an incomplete answer does not look complete."""
        if self._request.transport is not None:
            self._request.transport.abort()
        return self._response

    async def _send(self, writing: Awaitable[None]) -> None:
        began, self._writing_since = perf_counter(), self._clock()
        try:
            await writing
        finally:
            self._writing_since, self._last_sent = None, self._clock()
            blocked = perf_counter() - began
            if blocked > BLOCKED_SECONDS and (wait_time := WAIT_TIME.get()):
                wait_time.add(blocked)

    async def _watch(self, tasks: asyncio.TaskGroup) -> None:
        while True:
            silence = self._clock() - self._last_sent
            if self._writing_since is not None:
                stalled = self._clock() - self._writing_since
                if stalled >= self._stalled_seconds:
                    log.info("disconnecting a client that has read nothing for %.0f s", stalled)
                    self.abort()
                    return
                wait = self._stalled_seconds - stalled
            elif self._encoder and silence >= self._keepalive_seconds:
                # In a task of its own, because a client that does not read may block it, which the watch must notice
                self._keepalive = tasks.create_task(self._send_keepalive(self._encoder))
                wait = self._keepalive_seconds
            else:
                wait = self._keepalive_seconds - silence if self._encoder else self._stalled_seconds
            await self._wait(min(wait, self._keepalive_seconds, self._stalled_seconds))

    async def _wait(self, seconds: float) -> None:
        """Wait, and meanwhile notice when a half-closed client leaves altogether."""
        connection = self._request.protocol
        if not isinstance(connection, Connection):
            await asyncio.sleep(seconds)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await connection.half_closed.wait()
                while True:
                    if connection.is_open:
                        await self._probe()
                    await asyncio.sleep(PROBE_SECONDS)

    async def _probe(self) -> None:
        """Write what the client ignores, unless a write is under way. Before the headers, `Connection` does that."""
        if self.begun and self._encoder and self._writing_since is None:
            await self.write(self._encoder.keepalive)

    async def _send_keepalive(self, encoder: Encoder) -> None:
        await self.begin(stream_headers(encoder))
        if self._writing_since is None:  # else it would be inside the data that is being written in pieces
            await self.write(encoder.keepalive)


def stream_headers(encoder: Encoder) -> dict[str, str]:
    """Return the headers of a streamed answer."""
    return {"Content-Type": encoder.content_type, **STREAM_HEADERS}
