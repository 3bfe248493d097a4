"""StreamDecoder: the bytes of one stream to events, without long steps.

A payload may have megabytes: an image, a complete answer with log-probabilities, or whatever a hostile provider sends.
It is decoded in steps and translated in a thread, and its memory is freed in steps.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from ..events import Event, Finish, OtherDelta, TextDelta
from ..scheduler import Work, scheduler
from ..wire.json_steps import loads_in_steps, release_in_steps
from ..wire.sanitize_chunk import sanitize
from ..wire.text_runs import PayloadReader, RunDecoder

LARGE_BYTES = 64 * 2**10  # decoding and translating a payload of this size takes 1 to 5 ms

_UNKNOWN_SHAPE = (AttributeError, IndexError, KeyError, TypeError, ValueError)


class Splitter(Protocol):
    """Splits the bytes of a stream into payloads."""

    def feed(self, received: bytes) -> list[bytes]:
        """Return the payloads that these bytes complete."""
        ...

    def flush(self) -> list[bytes]:
        """Return an incomplete payload at the end of the stream."""
        ...


class StreamDecoder:
    """Decodes one stream."""

    def __init__(self, splitter: Splitter, reader: PayloadReader, work: Work, begin: Callable[[], None]) -> None:
        """`reader`: translates payloads; those that it cannot read are skipped and counted. `work`: of this stream.

        `begin`: called when there are events.
        """
        self._splitter = splitter
        self._reader = reader
        self._begin = begin
        self._runs = RunDecoder(reader)
        self._work = work
        self._large: list[Any] = []  # decoded payloads to be freed

    async def feed(self, received: bytes) -> list[Event]:
        """Return the events that these bytes complete: fewer bytes than LARGE_BYTES. Raises BrokenStream."""
        with self._work:
            payloads = self._splitter.feed(received)
            if not self._is_large(payloads):
                return self._decode(payloads)
        return [*await self._decode_large(payloads[0]), *self._decode(payloads[1:])]

    async def flush(self) -> list[Event]:
        """Return the events of an incomplete payload at the end of the stream."""
        payloads = self._splitter.flush()
        return await self._decode_large(payloads[0]) if self._is_large(payloads) else self._decode(payloads)

    @property
    def holds_large(self) -> bool:
        """Whether `release` is going to free the memory of a large payload."""
        return bool(self._large)

    def release(self) -> None:
        """Free the memory of a large payload. Its events have been passed on."""
        if self._large:
            scheduler().start("read_provider", release_in_steps(self._large.pop()))

    @staticmethod
    def _is_large(payloads: list[bytes]) -> bool:
        """Return whether the first payload is large. The others are parts of what was received last."""
        return bool(payloads) and len(payloads[0]) > LARGE_BYTES

    def _decode(self, payloads: list[bytes]) -> list[Event]:
        events: list[Event] = []
        position = 0
        while position < len(payloads):
            try:
                decoded, position = self._runs.decode(payloads, position)
                events += decoded
            except _UNKNOWN_SHAPE:
                self._reader.skipped += 1
                position += 1
        if events:
            self._begin()
        return events

    async def _decode_large(self, payload: bytes) -> list[Event]:
        try:
            value, is_clean = await self._work.run(loads_in_steps(payload, replace=True))
            self._large.append(value)
            events = await scheduler().in_thread(partial(_translate, self._reader.read_value, value, is_clean))
        except _UNKNOWN_SHAPE:
            self._reader.skipped += 1
            return []
        if events:
            self._begin()
        return events


def _translate(read: Callable[[Any, bool], list[Event]], value: Any, is_clean: bool) -> list[Event]:
    """Return the events of a large payload, marked as such."""
    events = [sanitize(event) for event in read(value, is_clean)]
    return [
        replace(event, is_large=True) if isinstance(event, TextDelta | OtherDelta | Finish) else event
        for event in events
    ]
