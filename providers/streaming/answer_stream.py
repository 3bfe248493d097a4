"""The streaming of one answer from a provider over HTTP.

If a stream breaks, the events that arrived before are yielded first. A broken end is ignored only if every choice
already had its finish reason.
"""

import logging
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

import aiohttp

from ..errors import BrokenStream, IncompleteAnswer, ProviderError, TimedOut, passed_headers
from ..events import Event, Idle, TextDelta, Wakeup
from ..scheduler import Work
from ..settings import Settings
from ..transport import MAX_EVENT_BYTES, Call, EventSplitter, Transport, accept, content_type, drain, read_body
from ..wire.sanitize_chunk import sanitize
from ..wire.text_runs import PayloadReader
from .stream_decoder import Splitter, StreamDecoder

NOTHING_ARRIVED: list[Event] = [Idle()]
# Bytes that are decoded at a time: 1 ms. A read returns up to 512 KB, and a decompressed body of 20 KB can be 20 MB.
PIECE_BYTES = 16 * 2**10
# Bytes of one read whose events stay together: an answer of 200 tokens. Sentences that arrive together are scored in
# one call and sent in one write.
GROUPED_BYTES = 4 * PIECE_BYTES

log = logging.getLogger(__name__)


class StreamReader(PayloadReader, Protocol):
    """Translates the payloads of one stream into events; see ChunkReader."""

    error: ProviderError | None  # reported by the provider; raised after the events before it
    done: bool  # the end marker was read: what follows is not part of the answer

    @property
    def complete(self) -> bool:
        """Whether the answer is complete."""
        ...

    def end(self) -> list[Event]:
        """Return the events of the stream's end. Raises ProviderError if the answer is incomplete."""
        ...


class BodySplitter:
    """The splitter for a server that answers with `application/json` although a stream was requested.

    Some servers send that content type and stream nevertheless. A body that does not begin like JSON is split into
    events.
    """

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        """`limit`: bytes, above which `feed` raises BrokenStream."""
        self._limit = limit
        self._size = 0
        self._held: list[bytes] = []
        self._begun = False  # something besides white space has arrived
        self._events: EventSplitter | None = None

    def feed(self, received: bytes) -> list[bytes]:
        """Return payloads if the body is a stream of events, nothing otherwise."""
        if self._events:
            return self._events.feed(received)
        self._held.append(received)
        self._size += len(received)
        if self._size > self._limit:
            raise BrokenStream(f"The provider sent an answer of more than {self._limit} bytes.")
        if not self._begun and (start := received.lstrip()[:1]):
            self._begun = True
            if start not in b"{[":
                self._events = EventSplitter(self._limit)
                return self._events.feed(b"".join(self._held))
        return []

    def flush(self) -> list[bytes]:
        """Return the whole body."""
        return self._events.flush() if self._events else [b"".join(self._held)]


async def stream(
    transport: Transport,
    call: Call,
    settings: Settings,
    splitter: Splitter,
    reader: StreamReader,
    headers: dict[str, str],
    wakeup: Wakeup,
    *,
    server_closes: bool = False,
) -> AsyncGenerator[Event, None]:
    """Send the call and yield the events of its answer. Raises ProviderError.

    `headers`: receives those of the answer that clients may see. `wakeup`: when to yield Idle. `server_closes`: this
    server always closes a finished stream, so the wait for that is not shortened.
    """
    with await accept(transport, call, settings.timeouts) as accepted:
        del call  # its body is not sent again
        response, watch = accepted.response, accepted.watch
        headers.clear()  # a route is used for several calls of one request, and for all of a judge
        headers |= passed_headers(response.headers)
        broken: ProviderError | None = None
        work = Work("read_provider")
        decoder = StreamDecoder(_splitter_for(response, splitter), reader, work, watch.begin)
        groups = EventGroups(reader)
        pieces = _pieces(read_body(response, watch, wakeup), settings.max_answer_bytes, work)
        async with aclosing(pieces) as received:
            try:
                async for data, followed in received:
                    events = await decoder.feed(data) if data else NOTHING_ARRIVED
                    for event in groups.mark(events, followed and not decoder.holds_large):
                        yield event
                    decoder.release()
                    if reader.complete and not server_closes:
                        watch.finish()
                    if reader.error or reader.done:
                        break
            except _TooManyBytesError:
                broken = BrokenStream(f"The provider's answer has more than {settings.max_answer_bytes} bytes.")
            except (IncompleteAnswer, TimedOut) as error:
                broken = error
        for event in await decoder.flush():
            yield event
        decoder.release()
        if reader.skipped:
            log.warning("skipped %d events of a provider's stream that could not be read", reader.skipped)
        if broken and not reader.complete and not reader.error:
            raise broken
        for event in reader.end():
            yield sanitize(event)
        if not broken:
            await drain(response)


class _TooManyBytesError(Exception):
    """The body has more bytes than the limit."""


async def _pieces(
    received: AsyncGenerator[bytes, None], limit: int, work: Work
) -> AsyncGenerator[tuple[bytes, bool], None]:
    """Yield the bytes in pieces of at most PIECE_BYTES, and whether the next piece belongs to the same group.

    Pause between them if there was much work on the last ones. Raises _TooManyBytesError after the piece that
    exceeds the limit.
    """
    left = limit
    async with aclosing(received):
        async for data in received:
            if work.due:
                await work.pause()
            if len(data) <= PIECE_BYTES:
                yield data, False
            else:
                for start in range(0, min(len(data), left + 1), PIECE_BYTES):
                    after = start + PIECE_BYTES
                    yield data[start:after], after < len(data) and after % GROUPED_BYTES > 0
                    if work.due:
                        await work.pause()
            left -= len(data)
            if left < 0:
                raise _TooManyBytesError


class EventGroups:
    """Sets `more` on the events that another event follows at once."""

    def __init__(self, reader: StreamReader) -> None:
        """`reader`: of the same stream."""
        self._reader = reader
        self._held = False  # whether the last event waits for those of the next piece

    def mark(self, events: list[Event], followed: bool) -> Iterator[Event]:
        """Yield the events of one piece, marked. `followed`: another piece of the same group follows.

        The end of the answer follows its last text. Other events do not wait for it: the body may take up to
        DRAIN_SECONDS to end. One piece may have 20,000 events, so they are marked one by one as they are used.
        """
        reader = self._reader
        followed = followed and not (reader.error or reader.done)
        if self._held and not events and not followed:
            events = NOTHING_ARRIVED
        self._held = followed and (self._held or bool(events))
        end_follows = bool(events) and reader.done and isinstance(events[-1], TextDelta)
        last = len(events) if end_follows or followed else len(events) - 1
        for index, event in enumerate(events):
            yield replace(event, more=True) if index < last else event


def _splitter_for(response: aiohttp.ClientResponse, splitter: Splitter) -> Splitter:
    """Return the splitter for the answer's content type. Raises BrokenStream for a web page."""
    kind = content_type(response)
    return (
        BodySplitter(splitter.limit) if kind == "application/json" and isinstance(splitter, EventSplitter) else splitter
    )
