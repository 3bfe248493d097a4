"""relay: a request and its answer passed through, bytes unchanged, for clients that speak the provider's own API."""

import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from typing import Any

import aiohttp

from .errors import BrokenStream, IncompleteAnswer, ProviderError, passed_headers
from .events import Relayed
from .json_text import loads
from .masking import Passing
from .transport import MAX_EVENT_BYTES, Call, Timeouts, Transport, Watch, accepted, kind_of, reads

# How each API's stream shows that it came to an end, or to an error of its own. In the text of an answer these quotes
# would be escaped, so only the stream itself can match.
ENDS = {
    "openai": re.compile(rb'"finish_reason" ?: ?"|"error" ?: ?[{"]'),
    "ollama": re.compile(rb'"done" ?: ?true|"error" ?: ?[{"]'),
    "gemini": re.compile(rb'"finishReason" ?: ?"|"blockReason" ?: ?"|"error" ?: ?[{"]'),
}
# What the events of a stream end with, by its content type. Behind a blank line that ends with "\r" a "\n" may follow,
# which then is an empty line of its own and changes nothing.
KINDS = {
    "text/event-stream": (b"\n\n", b"\r\n\r\n", b"\n\r\n", b"\r\r", b"\n\r"),
    "application/x-ndjson": (b"\n",),
}
LONGEST_BLANK = 3  # bytes of such an end that may have come with an earlier read
LONGEST_END = 32  # bytes of such a sign, which two reads may share


class Ending:
    """Looks for the sign of an end in bytes that pass by."""

    def __init__(self, sign: re.Pattern[bytes]) -> None:
        """`sign`: one of ENDS."""
        self.seen = False
        self._sign = sign
        self._tail = b""

    def pass_by(self, data: bytes) -> None:
        """The next bytes."""
        if not self.seen:
            self.seen = self._sign.search(self._tail + data) is not None
            self._tail = (self._tail + data)[-LONGEST_END:]


class Whole:
    """Lets only whole events by, so that behind each piece something else may stand: a sign of life, an error.

    Nothing of an event is of use to a client before its end.
    """

    def __init__(self, ends: tuple[bytes, ...], limit: int = MAX_EVENT_BYTES) -> None:
        """`ends`: what an event ends with, one of KINDS. `limit`: bytes of one, above which `feed` raises."""
        self._ends = ends
        self._limit = limit
        self._held: list[bytes] = []
        self._size = 0
        self._tail = b""  # of what is held: the beginning of an end

    def feed(self, data: bytes) -> bytes:
        """The events that these bytes complete. Raises BrokenStream for one above the limit."""
        if not self._held and data.endswith(self._ends):
            return data  # as nearly every server writes
        seen = self._tail + data
        at = max(seen.rfind(end) + len(end) if end in seen else 0 for end in self._ends) - len(self._tail)
        if at <= 0:
            self._hold(data)
            return b""
        passed = self.flush() + data[:at]
        self._hold(data[at:])
        return passed

    def flush(self) -> bytes:
        """What is held at the end of an answer that is complete."""
        held = b"".join(self._held)
        self._held, self._size, self._tail = [], 0, b""
        return held

    def broken(self) -> bytes:
        """What is held at the end of one that is not: an event that only lacks its end, with it; half an event not."""
        event = self.flush().rstrip()
        return event + self._ends[0] if isinstance(loads(event.lstrip().removeprefix(b"data:"))[0], dict) else b""

    def _hold(self, data: bytes) -> None:
        if data:
            self._held.append(data)
            self._size += len(data)
            self._tail = (self._tail + data)[-LONGEST_BLANK:]
            if self._size > self._limit:
                raise BrokenStream(f"The provider sent an event of more than {self._limit} bytes.")


async def relay(
    transport: Transport,
    call: Call,
    timeouts: Timeouts,
    ends: re.Pattern[bytes] | None = None,
    limit: int = MAX_EVENT_BYTES,
) -> Relayed:
    """The answer to this call, once its headers are here. Raises ProviderError, also for an error status.

    Its body has to be closed (`aclosing`): that ends the provider's stream. It raises ProviderError when the connection
    breaks, and IncompleteAnswer when a stream that should show one of `ends` has none, so that a cut answer is never
    made to look like a whole one. `limit`: bytes of one event.
    """
    async with AsyncExitStack() as stack:
        response, watch = await stack.enter_async_context(accepted(transport, call, timeouts))
        kind = kind_of(response)
        headers = {"content-type": response.headers.get("Content-Type", "application/octet-stream")}
        headers |= passed_headers(response.headers)
        opened = stack.pop_all()
    whole = Whole(KINDS[kind], limit) if kind in KINDS else None
    started = _body(opened, response, watch, Ending(ends) if ends and whole else None, whole)
    await anext(started)  # from here on, closing it closes the connection, even if nobody ever reads
    return Relayed(response.status, headers, started, events=whole is not None)


async def answered(relayed: Relayed, limit: int = MAX_EVENT_BYTES) -> dict[str, Any]:
    """The JSON object that an answer in one piece is; {} where it is none. Raises ProviderError."""
    parts: list[bytes] = []
    size = 0
    async with aclosing(relayed.body) as received:
        async for data in received:
            parts.append(data)
            size += len(data)
            if size > limit:
                raise BrokenStream(f"The provider sent an answer of more than {limit} bytes.")
    value, _ = loads(b"".join(parts))
    return value if isinstance(value, dict) else {}


async def _body(
    opened: AsyncExitStack,
    response: aiohttp.ClientResponse,
    watch: Watch,
    ending: Ending | None,
    whole: Whole | None,
) -> AsyncGenerator[bytes, None]:
    passing = Passing()
    async with opened:
        yield b""
        try:
            async for data in reads(response, watch):
                if data:
                    watch.begin()
                    if ending:
                        ending.pass_by(data)
                yield passing.feed(whole.feed(data) if whole else data)
            if ending and not ending.seen:
                raise IncompleteAnswer("The provider's answer ended without a finish reason.")
        except ProviderError:
            yield passing.feed(whole.broken() if whole else b"") + passing.flush()
            raise
        yield passing.feed(whole.flush() if whole else b"") + passing.flush()
