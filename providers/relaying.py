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
from .transport import MAX_EVENT_BYTES, Call, Timeouts, Transport, Watch, accepted, reads

# How each API's stream shows that it came to an end, or to an error of its own. In the text of an answer these quotes
# would be escaped, so only the stream itself can match.
ENDS = {
    "openai": re.compile(rb'"finish_reason" ?: ?"|"error" ?: ?[{"]'),
    "ollama": re.compile(rb'"done" ?: ?true|"error" ?: ?[{"]'),
    "gemini": re.compile(rb'"finishReason" ?: ?"|"blockReason" ?: ?"|"error" ?: ?[{"]'),
}
STREAMS = ("text/event-stream", "application/x-ndjson")
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


async def relay(transport: Transport, call: Call, timeouts: Timeouts, ends: re.Pattern[bytes] | None = None) -> Relayed:
    """The answer to this call, once its headers are here. Raises ProviderError, also for an error status.

    Its body has to be closed (`aclosing`): that ends the provider's stream. It raises ProviderError when the connection
    breaks, and IncompleteAnswer when a stream that should show one of `ends` has none, so that a cut answer is never
    made to look like a whole one.
    """
    async with AsyncExitStack() as stack:
        response, watch = await stack.enter_async_context(accepted(transport, call, timeouts))
        headers = {"content-type": response.headers.get("Content-Type", "application/octet-stream")}
        headers |= passed_headers(response.headers)
        opened = stack.pop_all()
    ending = Ending(ends) if ends and headers["content-type"].lower().startswith(STREAMS) else None
    started = _body(opened, response, watch, ending)
    await anext(started)  # from here on, closing it closes the connection, even if nobody ever reads
    return Relayed(response.status, headers, started)


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
    opened: AsyncExitStack, response: aiohttp.ClientResponse, watch: Watch, ending: Ending | None
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
                yield passing.feed(data)
        except ProviderError:
            yield passing.flush()
            raise
        yield passing.flush()
        if ending and not ending.seen:
            raise IncompleteAnswer("The provider's answer ended without a finish reason.")
