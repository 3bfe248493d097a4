"""Send an answer to one client, streamed or complete."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing, suppress
from functools import partial
from time import perf_counter

from aiohttp import HttpVersion11, web

from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk, Finish, OtherDelta
from citestream.providers.scheduler import Work, scheduler
from citestream.providers.wire.json_steps import is_large, release_in_steps

from ..config import Server
from ..observability.telemetry import WAIT_TIME
from ..pipeline.collect_chunks import Completion
from ..pipeline.outgoing import Failed, Outgoing, TextOut
from ..pipeline.respond import Batches
from ..pipeline.segment_stream import SHARED_FIELDS, has_own_fields
from .client_api import Encoder, Fields
from .encoding import WRITTEN_BYTES
from .error_responses import error_body, status_of
from .serving.connection import PROBE, PROBE_SECONDS, Connection

log = logging.getLogger("citestream")

MakeChunks = Callable[[Outgoing], list[Chunk]]

BLOCKED_SECONDS = 0.001  # a write that takes longer waits for the client; a shorter one is our own work

LONG_EVENT = 128 * 2**10  # bytes of JSON, which take 1 ms to encode

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
                    await self._probe()
                    await asyncio.sleep(PROBE_SECONDS)

    async def _probe(self) -> None:
        """Write what the client ignores, unless a write is under way or the headers of the answer must come first."""
        if self._writing_since is not None:
            return
        if self.begun and self._encoder:
            await self.write(self._encoder.keepalive)
        elif not self.begun and self._request.transport and self._request.version >= HttpVersion11:
            self._request.transport.write(PROBE)

    async def _send_keepalive(self, encoder: Encoder) -> None:
        await self.begin(stream_headers(encoder))
        if self._writing_since is None:  # else it would be inside the data that is being written in pieces
            await self.write(encoder.keepalive)


async def send(stream: Stream, batches: Batches, make_chunks: MakeChunks, encoder: Encoder) -> web.StreamResponse:
    """Stream an answer. Each batch leaves in one write, which costs as much as ten tokens.

    Raise ProviderError if nothing of the answer has arrived.
    """
    encoding = _Encoding(make_chunks, encoder)
    async with aclosing(batches):
        batch = await anext(batches, None)
        await stream.begin(stream_headers(encoder))
        try:
            while batch is not None:
                for data in await encoding.encode(batch):
                    await stream.write(data)
                batch = await anext(batches, None)
            ending = await encoding.end()
        except ConnectionError:
            raise  # the client has left
        except Exception as error:  # the client of a stream must be able to read how it ends
            if not isinstance(error, ProviderError):
                log.exception("a stream failed")
            return await send_failure(stream, error, encoder)
    return await stream.end(ending)


async def send_failure(stream: Stream, error: Exception, encoder: Encoder) -> web.StreamResponse:
    """End a stream that has begun with an error. If its encoder fails, abort the connection."""
    try:
        ending = encoder.failure(error_body(error), status_of(error)) + encoder.end()
    except Exception:
        log.exception("the error of a stream cannot be encoded")
        return stream.abort()
    return await stream.end(ending)


async def collect(batches: Batches, make_chunks: MakeChunks, encoder: Encoder) -> Fields:
    """Return the complete answer. Raise ProviderError if it breaks off, since half an answer would look complete."""
    completion, is_long = Completion(), False
    work = Work("encode")
    async with aclosing(batches):
        async for batch in batches:
            with work:
                for event in batch:
                    if isinstance(event, Failed):
                        raise event.error
                    chunks = make_chunks(event)
                    for chunk in chunks:
                        completion.add(chunk)
                    encoder.observe(chunks)
                    is_long = is_long or _is_long(event, chunks)
            if work.due:
                await work.pause()
    body = partial(encoder.body, completion)
    return await scheduler().in_thread(body) if is_long else body()


def stream_headers(encoder: Encoder) -> dict[str, str]:
    """Return the headers of a streamed answer."""
    return {"Content-Type": encoder.content_type, **STREAM_HEADERS}


class _Encoding:
    """Encodes the events of one answer. The references of a long one are encoded in a thread."""

    def __init__(self, make_chunks: MakeChunks, encoder: Encoder) -> None:
        self._make_chunks = make_chunks
        self._encoder = encoder
        self._work = Work("encode")
        self._is_long = False

    async def encode(self, batch: Iterable[Outgoing]) -> list[bytes]:
        """Return the bytes of a batch: one part, or three if a long answer ends, whose references are not copied."""
        parts: list[bytes] = []
        events = iter(batch)
        if self._work.due:
            await self._work.pause()
        while True:
            with self._work:
                encoded, ending = self._encode_until_long(events)
            parts.append(encoded)
            if ending is None:
                return parts
            parts.append(await scheduler().in_thread(partial(self._encode_event, *ending)))
            if isinstance(ending[0], OtherDelta):
                _release(ending[0].chunk)

    async def end(self) -> bytes:
        """Return the end of the stream."""
        return await scheduler().in_thread(self._encoder.end) if self._is_long else self._encoder.end()

    def _encode_until_long(self, events: Iterator[Outgoing]) -> tuple[bytes, tuple[Outgoing, list[Chunk]] | None]:
        """Return the encoded events before the end of a long answer, and that end, or None if it is not there."""
        parts: list[bytes] = []
        for event in events:
            chunks = self._make_chunks(event)
            if _is_long(event, chunks):
                self._is_long = True
                return b"".join(parts), (event, chunks)
            parts.append(self._encode_event(event, chunks))
        return b"".join(parts), None

    def _encode_event(self, event: Outgoing, chunks: list[Chunk]) -> bytes:
        encoded = self._encoder.chunks(chunks)
        if isinstance(event, Failed):
            encoded += self._encoder.failure(error_body(event.error), status_of(event.error))
        return encoded


def _release(chunk: Chunk) -> None:
    """Free the memory of a large chunk that was encoded. The pipeline still holds the chunk, so it is emptied."""
    fields = {name: chunk.pop(name) for name in [*chunk] if name == "choices" or name not in SHARED_FIELDS}
    scheduler().start("encode", release_in_steps(fields))


def _is_long(event: Outgoing, chunks: list[Chunk]) -> bool:
    """Return whether encoding the chunks of this event takes milliseconds: they have many references or large fields.

    Looking at a chunk takes longer than encoding it, so most chunks are not looked at.
    """
    match event:
        case OtherDelta():
            return event.is_large
        case TextOut():
            return (event.logprobs is not None or has_own_fields(event.chunk)) and is_large(chunks, LONG_EVENT)
        case Finish() | Failed():
            return is_large(chunks, LONG_EVENT)
        case _:
            return False
