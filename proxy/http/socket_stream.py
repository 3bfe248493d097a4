"""The events of one response as messages of a WebSocket."""

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from citestream.providers.scheduler import Work
from citestream.providers.transport import EventSplitter
from citestream.providers.wire.json_steps import loads_in_steps
from citestream.providers.wire.json_text import as_object
from citestream.providers.wire.responses import FINAL_EVENTS

from ..config import Server
from .client_stream import Stream

MAX_EVENT_BYTES = 2**30  # larger than any event: the limits of answers and of providers were applied before
_FINAL = tuple(f'"{name}"'.encode() for name in FINAL_EVENTS)


class SocketStream(Stream):
    """Sends each event of a stream as one message. Pings of the socket take the place of keep-alives."""

    def __init__(self, request: web.Request, config: Server, socket: web.WebSocketResponse) -> None:
        """Send nothing yet. `request`: opened the socket, or is a copy of that request."""
        super().__init__(request, config)
        self.final: dict[str, Any] = {}  # the last event of the response, as soon as it was sent
        self._socket = socket
        self._splitter = EventSplitter(MAX_EVENT_BYTES)
        self._has_begun = False

    @property
    def begun(self) -> bool:
        """Whether an event of the response may have been sent."""
        return self._has_begun

    async def begin(self, headers: Mapping[str, str], status: int = 200) -> None:
        """Note that the response has begun. Messages have no headers."""
        self._has_begun = True

    async def write(self, data: bytes) -> None:
        """Send the events that these bytes complete, up to the last one of the response.

        Its failure has another event after it on HTTP, which clients of a socket would take for a part of the next
        response. Raise ConnectionError if the client has left.
        """
        for event in self._splitter.feed(data):
            if self.final:
                return
            if any(name in event for name in _FINAL):
                value, _ = await Work("parse_request").run(loads_in_steps(event))
                value = as_object(value)
                self.final = dict(value) if value.get("type") in FINAL_EVENTS else {}
            await self._send(self._socket.send_str(event.decode()))

    async def end(self, data: bytes = b"") -> web.StreamResponse:
        """Send the last events. The socket stays open. Raise ConnectionError if the client has left."""
        await self.write(data)
        return self._socket
