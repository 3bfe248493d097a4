"""Sending: an answer on its way to one client, streamed or whole, and how long a client may keep it waiting."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from time import perf_counter
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar, cast

from aiohttp import web
from aiohttp.http import StreamWriter

from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk, Relayed

from ..config import Server
from ..observability.telemetry import WAIT_TIME
from ..pipeline.collect_chunks import Completion
from ..pipeline.outgoing import Failed, Outgoing, Waiting
from ..pipeline.wait_hooks import before_waiting
from .error_responses import error_body, status_of

Fields = dict[str, Any]
T = TypeVar("T")

log = logging.getLogger("citestream")

BLOCKED_SECONDS = 0.001  # a write that takes longer waits for the client; any other is our own work

STREAM_HEADERS = {
    "Cache-Control": "no-cache, no-transform",  # a cache or a compressor in between would hold the stream back
    "X-Accel-Buffering": "no",  # so would nginx's buffer
}
HELD_SECONDS = 0.005  # that bytes may wait for others to leave with: half the time a fast model takes for a token


class _Response(web.StreamResponse):
    """One whose headers leave together with its first bytes, as those of aiohttp's whole answers do."""

    _send_headers_immediately = False


class Shaper(Protocol):
    """What makes chunks of the pipeline's events: Chunks, or Unchanged."""

    def of(self, event: Outgoing) -> list[Chunk]:
        """The chunks of one event."""
        ...

    def annotations(self, choice: int) -> list[Fields]:
        """The annotations of a choice so far."""
        ...


class Encoder(Protocol):
    """How one client API writes what the hub's chunks say; one for each request."""

    @property
    def content_type(self) -> str:
        """Of the stream."""
        ...

    @property
    def keepalive(self) -> bytes:
        """A sign of life that this API's clients take no notice of."""
        ...

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """The next bytes of the stream."""
        ...

    def failure(self, error: Fields, status: int) -> bytes:
        """An error inside the stream, with what of the answer is still held. `status`: as which it would be told."""
        ...

    def end(self) -> bytes:
        """The last bytes of the stream."""
        ...

    def body(self, completion: Completion) -> Fields:
        """The whole answer at once."""
        ...


class Stream:
    """What one client is streamed. Its headers go with the first byte, so that an error before has a status.

    A write to a socket costs as much as ten tokens: what is there at the same time is held, and leaves in one.
    A client that takes nothing for too long is let go: what waits for it is held back, the provider's connection too.
    """

    def __init__(self, request: web.Request, config: Server | None = None) -> None:
        """To be used as a context, which ends the watch over the client."""
        config = config or Server()
        self._request = request
        self._patience = config.keepalive_seconds
        self._stalled = config.stalled_seconds
        self._response = _Response()
        self._loop = asyncio.get_running_loop()
        self._writing = 0.0  # since when the client keeps a write waiting
        self._held: list[bytes] = []
        self._held_since = 0.0
        self._watch: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._watch:
            self._watch.cancel()

    @property
    def begun(self) -> bool:
        """Whether anything has been sent."""
        return self._response.prepared

    @property
    def patience(self) -> float:
        """Seconds of silence after which the client wants a sign of life."""
        return self._patience

    async def begin(self, headers: Mapping[str, str], status: int = 200) -> None:
        """Send the headers, where they have not been."""
        if self.begun:
            return
        self._response.set_status(status)
        self._response.headers.update(headers)
        await self._response.prepare(self._request)
        self._watch = self._loop.call_later(self._stalled, self._look)

    async def hold(self, data: bytes) -> None:
        """To be sent on with the next write; before, where others have been held for long. Raises as that does.

        Waits for a client that is behind.
        """
        if self._request.protocol.writing_paused:
            began = self._begun_writing()
            await self._request.writer.drain()
            self._written(began)
        now = perf_counter()  # the loop's own clock stands still while it is busy
        if not self._held:
            self._held_since = now
        self._held.append(data)
        if now - self._held_since >= HELD_SECONDS:
            await self.write()

    def push(self) -> None:
        """Send on what is held, if anything is, without waiting for the client: `hold` does. Raises as `write` does."""
        if self._held:
            writer = cast("StreamWriter", self._request.writer)
            writing = writer.write(self._with_held(b""), drain=False)
            try:
                writing.send(None)
            except StopIteration:
                return
            raise RuntimeError("aiohttp waits although it was told not to: what it keeps back would be lost")

    async def write(self, data: bytes = b"") -> None:
        """Send on, as soon as the client takes it. Raises ConnectionError where it has gone."""
        began = self._begun_writing()
        try:
            await self._response.write(self._with_held(data))
        finally:
            self._written(began)

    async def awaiting(self, work: Awaitable[T], encoder: Encoder | None) -> T:
        """What this comes to. Each time that it keeps the client waiting for too long, a sign of life is sent.

        A task is made for the first of those, not for the work: its switches would take 25 µs of every request.
        """
        if encoder is None:
            return await work
        outcome: list[T] = []
        failed: Exception | None = None
        showing: list[asyncio.Task[None]] = []
        try:
            async with asyncio.TaskGroup() as tasks:  # which would wrap errors
                show = partial(self._show_life, encoder)
                timer = self._loop.call_later(self._patience, lambda: showing.append(tasks.create_task(show())))
                try:
                    outcome.append(await work)
                except Exception as error:  # noqa: BLE001 - raised below
                    failed = error
                finally:
                    timer.cancel()
                    for task in showing:
                        task.cancel()
        except* ConnectionError as gone:
            raise gone.exceptions[0] from None
        if failed:
            raise failed
        return outcome[0]

    async def end(self, data: bytes = b"") -> web.StreamResponse:
        """The last bytes; nothing follows. Raises as `write` does."""
        began = self._begun_writing()
        await self._response.write_eof(self._with_held(data))
        self._written(began)
        return self._response

    def abort(self) -> web.StreamResponse:
        """Break the connection, so that what has been sent does not look whole."""
        if self._request.transport is not None:
            self._request.transport.abort()
        return self._response

    async def _show_life(self, encoder: Encoder) -> None:
        while True:
            await self.begin(stream_headers(encoder))
            await self.write(encoder.keepalive)
            await asyncio.sleep(self._patience)

    def _begun_writing(self) -> float:
        self._writing = self._loop.time()
        return perf_counter()

    def _written(self, began: float) -> None:
        self._writing = 0.0
        if (passed := perf_counter() - began) > BLOCKED_SECONDS and (spent := WAIT_TIME.get()):
            spent.add(passed)

    def _with_held(self, data: bytes) -> bytes:
        if not self._held:
            return data
        held, self._held = self._held, []
        if data:
            held.append(data)
        return held[0] if len(held) == 1 else b"".join(held)

    def _look(self) -> None:
        """Whether the client still takes what it is sent."""
        waited = self._loop.time() - self._writing if self._writing else 0.0
        if waited >= self._stalled:
            log.info("a client took nothing for %.0f s and is let go", waited)
            self.abort()
        else:
            self._watch = self._loop.call_later(self._stalled - waited, self._look)


async def send(
    stream: Stream, outgoing: AsyncGenerator[Outgoing, None], chunks: Shaper, encoder: Encoder
) -> web.StreamResponse:
    """Stream an answer. Raises ProviderError while nothing of it has been sent."""
    async with aclosing(outgoing):
        event = await stream.awaiting(anext(outgoing, None), encoder)
        await stream.begin(stream_headers(encoder))
        try:
            while event is not None:
                if data := _encoded(event, chunks, encoder):
                    await stream.hold(data)
                event = await before_waiting(anext(outgoing, None), stream.push)
        except ConnectionError:
            raise  # the client has gone
        except Exception as error:  # whatever it is, a stream that has begun ends with what its client can read
            if not isinstance(error, ProviderError):
                log.exception("a stream failed")
            return await fail(stream, error, encoder)
    return await stream.end(encoder.end())


async def fail(stream: Stream, error: Exception, encoder: Encoder) -> web.StreamResponse:
    """End a stream that has begun with an error."""
    return await stream.end(encoder.failure(error_body(error), status_of(error)) + encoder.end())


async def relay(stream: Stream, upstream: Relayed, encoder: Encoder | None) -> web.StreamResponse:
    """The provider's own answer, byte for byte; where it is silent, signs of life between its events.

    One that breaks off never looks whole: a stream gets an error frame from `encoder`, a body loses its connection.
    """
    clock = asyncio.get_running_loop().time
    left, sent = clock(), False
    try:
        async with aclosing(upstream.body) as body:
            await stream.begin({**(STREAM_HEADERS if encoder else {}), **upstream.headers}, upstream.status)
            async for data in body:
                if data:  # at once: to hold it until its reader would wait costs 30 µs a read of a paced stream
                    await stream.write(data)
                    left, sent = clock(), True
                elif encoder and (upstream.events or not sent) and clock() - left >= stream.patience:
                    await stream.write(encoder.keepalive)
                    left = clock()
    except ProviderError as error:
        return await fail(stream, error, encoder) if encoder else stream.abort()
    return await stream.end()


async def collect(outgoing: AsyncGenerator[Outgoing, None], chunks: Shaper, encoder: Encoder) -> Fields:
    """The same answer in one piece. Raises ProviderError, since half an answer would look like a whole one."""
    completion = Completion()
    async with aclosing(outgoing):
        async for event in outgoing:
            if isinstance(event, Failed):
                raise event.error
            for chunk in chunks.of(event):
                completion.add(chunk)
    return encoder.body(completion)


def stream_headers(encoder: Encoder) -> dict[str, str]:
    """Of the streams that this writes."""
    return {"Content-Type": encoder.content_type, **STREAM_HEADERS}


def _encoded(event: Outgoing, chunks: Shaper, encoder: Encoder) -> bytes:
    match event:
        case Waiting():
            return encoder.keepalive
        case Failed(error):
            return encoder.chunks(chunks.of(event)) + encoder.failure(error_body(error), status_of(error))
        case _:
            return encoder.chunks(chunks.of(event))
