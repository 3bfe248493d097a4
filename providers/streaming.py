"""stream: one call's answer as events; what all providers over HTTP have in common.

Whatever breaks, everything that had arrived is yielded first, and a broken end is only forgiven when every choice
already had its finish reason.
"""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

import aiohttp

from .errors import BrokenStream, IncompleteAnswer, ProviderError, TimedOut
from .events import Event, Idle, TextDelta
from .settings import Settings
from .transport import MAX_EVENT_BYTES, Call, EventSplitter, Transport, Watch, accept, drain, kind_of, reads
from .wire.sanitize_chunk import sanitize
from .wire.text_runs import Reads, Runs

IDLE = Idle()

log = logging.getLogger(__name__)


class Splitter(Protocol):
    """Bytes in, payloads out."""

    def feed(self, received: bytes) -> list[bytes]:
        """The payloads that these bytes complete."""
        ...

    def flush(self) -> list[bytes]:
        """What the stream's end left open."""
        ...


class Reader(Reads, Protocol):
    """Payloads in, events out; see ChunkReader."""

    error: ProviderError | None
    done: bool
    skipped: int

    @property
    def complete(self) -> bool:
        """Whether the answer is complete."""
        ...

    def end(self) -> list[Event]:
        """The events of the stream's end. Raises ProviderError where it is none."""
        ...


class WholeBody:
    """The splitter for a server that says it answers in one piece although a stream was asked for.

    Some say so and stream all the same: what does not begin as JSON is read as events.
    """

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        """`limit`: bytes, above which `feed` raises BrokenStream."""
        self._limit = limit
        self._size = 0
        self._held: list[bytes] = []
        self._begun = False  # something besides white space has come
        self._events: EventSplitter | None = None

    def feed(self, received: bytes) -> list[bytes]:
        """Nothing yet, unless it is a stream."""
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
        """The body."""
        return self._events.flush() if self._events else [b"".join(self._held)]


async def stream(
    transport: Transport, call: Call, settings: Settings, splitter: Splitter, reader: Reader, *, closes: bool = False
) -> AsyncGenerator[Event, None]:
    """Send the call and read its answer. Raises ProviderError.

    `closes`: this server always ends the stream itself, so the wait after a finish reason is not cut short.
    """
    with await accept(transport, call, settings.timeouts) as accepted:
        response, watch = accepted.response, accepted.watch
        splitter = _suited(response, splitter)
        runs = Runs(reader)
        broken: ProviderError | None = None
        left = settings.max_answer_bytes
        async with aclosing(reads(response, watch)) as received:
            try:
                async for data in received:
                    for event in (
                        _followed(_events(splitter.feed(data), reader, runs, watch), reader) if data else [IDLE]
                    ):
                        yield event
                    if reader.complete and not closes:
                        watch.finish()
                    left -= len(data)
                    if reader.error or reader.done:
                        break
                    if left < 0:
                        broken = BrokenStream(f"The provider's answer has more than {settings.max_answer_bytes} bytes.")
                        break
            except (IncompleteAnswer, TimedOut) as error:
                broken = error
        for event in _events(splitter.flush(), reader, runs, watch):
            yield event
        if reader.skipped:
            log.warning("%d events of a provider's stream could not be read and have been skipped", reader.skipped)
        if broken and not reader.complete and not reader.error:
            raise broken
        for event in reader.end():
            yield sanitize(event)
        if not broken:
            await drain(response)


def _events(payloads: list[bytes], reader: Reader, runs: Runs, watch: Watch) -> list[Event]:
    events: list[Event] = []
    at = 0
    while at < len(payloads):
        try:
            found, at = runs.next(payloads, at)
            events += map(sanitize, found)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):  # JSON, but in none of the known shapes
            reader.skipped += 1
            at += 1
    if events:
        watch.begin()
    return events


def _followed(events: list[Event], reader: Reader) -> list[Event]:
    """The same events; text says where another one follows."""
    last = len(events) if reader.done else len(events) - 1  # behind what completes an answer comes its end
    for at, event in enumerate(events[:last]):
        if isinstance(event, TextDelta):
            events[at] = replace(event, more=True)
    return events


def _suited(response: aiohttp.ClientResponse, splitter: Splitter) -> Splitter:
    """The splitter for what the answer says it is. Raises BrokenStream for a web page."""
    kind = kind_of(response)
    return WholeBody(splitter.limit) if kind == "application/json" and isinstance(splitter, EventSplitter) else splitter
