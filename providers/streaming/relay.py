"""relay: pass a request and its answer through unchanged, for clients that speak the provider's own API."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from citestream.citation.text.steps import Steps

from ..errors import BrokenStream, IncompleteAnswer, ProviderError, passed_headers
from ..events import Relayed
from ..masking import KeyFilter
from ..scheduler import Work, join
from ..transport import (
    LARGE_READ_BYTES,
    MAX_EVENT_BYTES,
    Accepted,
    Call,
    EventSplitter,
    Timeouts,
    Transport,
    accept,
    content_type,
    read_body,
    release,
)
from ..wire.json_steps import PIECE_BYTES, loads_in_steps
from ..wire.stream_end import TERMINATORS, StreamEnd, after_last_terminator

NO_REASON = "The provider's answer ended without a finish reason."
MAX_TERMINATOR_BYTES = 3  # the longest part of a terminator that an earlier read may end with


class EventBuffer:
    """Lets only whole events pass, so that other bytes (a keep-alive, an error) may be inserted between them.

    A client cannot use a part of an event.
    """

    def __init__(self, terminators: tuple[bytes, ...], limit: int = MAX_EVENT_BYTES) -> None:
        """`terminators`: one of TERMINATORS. `limit`: bytes of one event, above which `feed` raises BrokenStream."""
        self._terminators = terminators
        self._limit = limit
        self._held: list[bytes] = []
        self._size = 0
        self._tail = b""  # the last bytes of what is held, which may begin a terminator

    def feed(self, data: bytes) -> bytes:
        """Return the events that these bytes complete. Raises BrokenStream for one above the limit."""
        if not self._held and data.endswith(self._terminators):
            return data  # nearly every server writes whole events
        seen = self._tail + data
        end = after_last_terminator(seen, self._terminators, len(seen)) - len(self._tail)
        if end <= 0:
            self._hold(data)
            return b""
        self._held.append(data[:end])
        complete = self.flush()
        self._hold(data[end:])
        return complete

    def flush(self) -> bytes:
        """Return what is held at the end of a complete answer."""
        held = b"".join(self._held)
        self._held, self._size, self._tail = [], 0, b""
        return held

    def terminate(self, remaining: bytes) -> Steps[bytes]:
        """Return what is held when the stream breaks: a whole event with a terminator, or nothing for a part of one."""
        event = remaining.rstrip()
        splitter, payloads = EventSplitter(len(event) + 2), [event]  # a line, or the data of an event
        for start in range(0, len(event), PIECE_BYTES):
            payloads += splitter.feed(event[start : start + PIECE_BYTES])
            yield None
        for payload in payloads + splitter.feed(b"\n\n"):
            try:
                value, _ = yield from loads_in_steps(payload, replace=True)
            except ValueError:
                continue
            if isinstance(value, dict):
                return event + self._terminators[0]
        return b""

    def _hold(self, data: bytes) -> None:
        if data:
            self._held.append(data)
            self._size += len(data)
            self._tail = (self._tail + data)[-MAX_TERMINATOR_BYTES:]
            if self._size > self._limit:
                self.flush()
                raise BrokenStream(f"The provider sent an event of more than {self._limit} bytes.")


async def relay(
    transport: Transport,
    call: Call,
    timeouts: Timeouts,
    end: StreamEnd | None = None,
    limit: int = MAX_EVENT_BYTES,
) -> Relayed:
    """Send the call and return its answer when the headers have arrived. Raises ProviderError, also for a status.

    The answer's body has to be closed (`aclosing`), which closes the provider's stream. It raises ProviderError if the
    connection breaks, and IncompleteAnswer if the stream closes without its `end`, so that a truncated answer never
    looks complete. Errors after the end are ignored. `limit`: bytes of one event.
    """
    accepted = await accept(transport, call, timeouts)
    response = accepted.response
    try:
        kind = content_type(response)
    except BrokenStream:
        release(response)
        raise
    headers = {"content-type": response.headers.get("Content-Type", "application/octet-stream")}
    headers |= passed_headers(response.headers)
    buffer = EventBuffer(TERMINATORS[kind], limit) if kind in TERMINATORS else None
    body = _body(accepted, end if buffer else None, buffer)
    await anext(body)  # once the generator has started, closing it closes the connection, even if it is never read
    return Relayed(response.status, headers, body, events=buffer is not None)


async def read_json(relayed: Relayed, limit: int = MAX_EVENT_BYTES) -> dict[str, Any]:
    """Return the JSON object in an answer that is not streamed, {} if it is none. Raises ProviderError."""
    parts: list[bytes] = []
    size = 0
    async with aclosing(relayed.body) as received:
        async for data in received:
            parts.append(data)
            size += len(data)
            if size > limit:
                raise BrokenStream(f"The provider sent an answer of more than {limit} bytes.")
    try:
        value, _ = await Work("read_provider").run(loads_in_steps(await join(parts), replace=True))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


async def _body(accepted: Accepted, end: StreamEnd | None, buffer: EventBuffer | None) -> AsyncGenerator[bytes, None]:
    key_filter, work = KeyFilter(), Work("read_provider")
    broken: ProviderError | None = None
    response, watch = accepted.response, accepted.watch
    with accepted:
        yield b""
        try:
            async with aclosing(read_body(response, watch)) as received:
                async for data in received:
                    with work:
                        events = buffer.feed(data) if buffer else data
                    if data:
                        watch.begin()
                    done = -1
                    if end and events:
                        done = await work.run(end.feed_in_steps(events))
                        if end.seen and not end.server_closes:
                            watch.finish()
                    yield key_filter.feed(events[:done] if done >= 0 else events)
                    if done >= 0:
                        raise IncompleteAnswer(NO_REASON)
                    if len(data) >= LARGE_READ_BYTES:
                        await work.pause()
        except ProviderError as error:
            broken = error
        remaining = buffer.flush() if buffer else b""
        broken = await _error_at_end(end, remaining, broken, work)
        if buffer and broken:
            remaining = await work.run(buffer.terminate(remaining))
        yield key_filter.feed(remaining) + key_filter.flush()
        if broken and not (end and end.seen):
            raise broken


async def _error_at_end(
    end: StreamEnd | None, remaining: bytes, broken: ProviderError | None, work: Work
) -> ProviderError | None:
    """Return the error of a stream that has closed with this rest. `broken`: the error that closed it."""
    if end is None:
        return broken
    await work.run(end.feed_in_steps(remaining))
    if not broken:
        end.close()
    return broken if broken or end.seen else IncompleteAnswer(NO_REASON)
