"""Encode an answer and send it to one client, streamed or complete."""

import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from functools import partial

from aiohttp import web

from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk, Finish, OtherDelta
from citestream.providers.scheduler import Work, scheduler
from citestream.providers.wire.json_steps import is_large, release_in_steps

from ..pipeline.chunk_fields import SHARED_FIELDS, has_own_fields
from ..pipeline.collect_chunks import MANY_CHUNKS, Completion
from ..pipeline.outgoing import Failed, Outgoing, TextOut
from ..pipeline.respond import Batches
from .client_api import Encoder, Fields
from .client_stream import Stream, stream_headers
from .error_responses import error_body, status_of

log = logging.getLogger("citestream")

MakeChunks = Callable[[Outgoing], list[Chunk]]

LONG_EVENT_BYTES = 128 * 2**10  # bytes of JSON, which take 1 ms to encode


async def send(
    stream: Stream, batches: Batches, make_chunks: MakeChunks, encoder: Encoder, headers: Mapping[str, str]
) -> web.StreamResponse:
    """Stream an answer. Each batch leaves in one write, which costs as much as ten tokens.

    `headers`: of the provider's answer, which are known when it begins. Raise ProviderError if nothing of the answer
    has arrived.
    """
    encoding = _Encoding(make_chunks, encoder)
    async with aclosing(batches):
        batch = await anext(batches, None)
        await stream.begin({**headers, **stream_headers(encoder)})
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
        ending = await scheduler().in_thread(partial(_failure, error, encoder))  # may repeat the whole answer
    except Exception:
        log.exception("the error of a stream cannot be encoded")
        return stream.abort()
    return await stream.end(ending)


def _failure(error: Exception, encoder: Encoder) -> bytes:
    return encoder.failure(error_body(error), status_of(error)) + encoder.end()


async def collect(batches: Batches, make_chunks: MakeChunks, encoder: Encoder, completion: Completion) -> Fields:
    """Return the complete answer, whose chunks are added to `completion`.

    Raise ProviderError if it breaks off, since half an answer would look complete.
    """
    is_long = False
    work = Work("encode")
    async with aclosing(batches):
        async for batch in batches:
            events = iter(batch)
            while True:
                with work:  # the iterator renders the text of the event
                    if (event := next(events, None)) is None:
                        break
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
    return await scheduler().in_thread(body) if is_long or completion.chunks > MANY_CHUNKS else body()


class _Encoding:
    """Encodes the events of one answer. The references of a long one are encoded in a thread."""

    def __init__(self, make_chunks: MakeChunks, encoder: Encoder) -> None:
        self._make_chunks = make_chunks
        self._encoder = encoder
        self._work = Work("encode")
        self._events = 0
        self._has_long = False

    async def encode(self, batch: Iterable[Outgoing]) -> list[bytes]:
        """Return the bytes of a batch in parts. A long event is a part of its own, so that it is not copied."""
        parts: list[bytes] = []
        short: list[bytes] = []
        events = iter(batch)
        while True:
            if self._work.due:
                await self._work.pause()
            with self._work:  # the iterator renders the text of the event
                if (event := next(events, None)) is None:
                    return [*parts, b"".join(short)]
                self._events += 1
                chunks = self._make_chunks(event)
                is_long = _is_long(event, chunks) or (isinstance(event, Failed) and self._is_long)
                if not is_long:
                    short.append(self._encode_event(event, chunks))
            if is_long:
                self._has_long = True
                parts += [b"".join(short), await scheduler().in_thread(partial(self._encode_event, event, chunks))]
                short.clear()
                if isinstance(event, OtherDelta):
                    _release(event.chunk)

    async def end(self) -> bytes:
        """Return the end of the stream."""
        return await scheduler().in_thread(self._encoder.end) if self._is_long else self._encoder.end()

    @property
    def _is_long(self) -> bool:
        """Whether the end of the answer, which may repeat all of it, takes milliseconds to encode."""
        return self._has_long or self._events > MANY_CHUNKS

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
            return (event.logprobs is not None or has_own_fields(event.chunk)) and is_large(chunks, LONG_EVENT_BYTES)
        case Finish() | Failed():
            return is_large(chunks, LONG_EVENT_BYTES)
        case _:
            return False
