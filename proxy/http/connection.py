"""One connection of a client, below the level of requests: half-closed connections, and requests that are not HTTP."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from aiohttp import HttpVersion11, StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http_exceptions import LineTooLong
from aiohttp.http_parser import RawRequestMessage

from citestream.providers.scheduler import scheduler

from ..observability.logs import SERVER
from .encoding import json_response

IDLE_SECONDS = 75.0  # without a request after which a connection is closed; aiohttp would wait an hour
# Until the first attempt to write to a client that has closed its sending side; doubled after each, up to the second
# number. Writing is the only way to notice that it has left altogether. Two attempts are needed: the answer to the
# first makes the second one fail.
FIRST_PROBE_SECONDS, PROBE_SECONDS = 0.05, 0.3
PROBE = b"HTTP/1.1 100 Continue\r\n\r\n"  # HTTP/1.1 clients ignore it before the response (RFC 9110, 15.2)

log = logging.getLogger("citestream")

RequestFactory = Callable[..., web.BaseRequest]


class Connection(web.RequestHandler):
    """The protocol of one connection.

    A client may close its sending side after its request, as `nc -N` and some HTTP libraries do. Asyncio would close
    the whole connection. Here it stays open until all complete requests have been answered.
    """

    __slots__ = ("_body", "_input_ended", "_writer", "half_closed")

    def __init__(self, server: web.Server, *, loop: asyncio.AbstractEventLoop) -> None:
        options: dict[str, Any] = {
            "access_log": None,  # aiohttp's would contain query strings, which may contain keys
            "keepalive_timeout": IDLE_SECONDS,
        }
        super().__init__(server, loop=loop, **options)
        self.half_closed = asyncio.Event()  # the client will send nothing more
        self._input_ended = False  # the same, before the request is notified
        self._body: StreamReader | None = None  # body of the request that is being answered
        self._writer: AbstractStreamWriter | None = None  # writes the response to it

    def eof_received(self) -> bool:  # type: ignore[override] # aiohttp never keeps the connection open
        """Return whether the connection stays open: the last request is complete, and TLS is not used.

        A body that is not encoded as its headers say has ended too, with an exception.
        """
        super().eof_received()
        secure = self.transport is None or self.transport.get_extra_info("ssl_object") is not None
        body = self._body
        if secure or (body is not None and not body.is_eof() and body.exception() is None):
            return False
        if not self._input_ended:  # uvloop reports an end that arrives with the request twice
            self._input_ended = True
            scheduler().end(self._half_close)
        return True

    def _half_close(self) -> None:
        self.half_closed.set()
        self._close_when_idle()
        self._probe_later(FIRST_PROBE_SECONDS)

    def connection_lost(self, exc: BaseException | None) -> None:
        """End the request that is being answered, one by one if many clients leave at once."""
        if self._body is None:
            self._end(exc)
        else:
            scheduler().end(partial(self._end, exc))

    def _end(self, exc: BaseException | None) -> None:
        """Forget the last request, and what the functions in the traceback of a failed write refer to."""
        super().connection_lost(exc)
        self._body = self._writer = None
        if exc is not None:
            exc.__traceback__ = None

    @property
    def is_open(self) -> bool:
        """Whether the client can be written to. A lost connection may wait for the end of its request."""
        return self.transport is not None and not self.transport.is_closing()

    def begin_request(self, message: RawRequestMessage, body: StreamReader, writer: AbstractStreamWriter) -> None:
        """Register the request that is answered next."""
        self._body = body
        self._writer = writer if message.version >= HttpVersion11 else None
        if self.half_closed.is_set():
            self._probe_later(FIRST_PROBE_SECONDS)

    def _probe_later(self, seconds: float) -> None:
        if self._body and self._writer:
            asyncio.get_running_loop().call_later(seconds, self._probe, self._body, self._writer, seconds)

    def _probe(self, body: StreamReader, writer: AbstractStreamWriter, waited: float) -> None:
        """Write to the client while its response has not begun. Requests of a client that has left are cancelled."""
        if body is self._body and self.transport and self.is_open and not writer.output_size:
            self.transport.write(PROBE)
            self._probe_later(min(2 * waited, PROBE_SECONDS))

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send the rest of a response."""
        if isinstance(resp, web.HTTPException):  # outside the middleware only 417, which repeats the header
            resp = _refusal(resp.status, "the header Expect has an unknown value", "unknown_expectation")
        elif request.version < HttpVersion11 and resp.content_length is None:
            resp.force_close()  # its end is that of the connection, which aiohttp would keep open
        try:
            return await super().finish_response(request, resp, start_time)
        finally:
            self._body = self._writer = None
            if self.half_closed.is_set():
                self._close_when_idle()

    def _close_when_idle(self) -> None:
        """Close the connection unless another request has already arrived (pipelining).

        aiohttp begins the next request in the iteration of the event loop after the end of the former one.
        """
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, self._close_if_idle)

    def _close_if_idle(self) -> None:
        if self._body is None:
            self.force_close()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Return the answer to a request that is not valid HTTP. It contains nothing of the request, nor does the log.

        Raise ConnectionError if a response has begun.
        """
        if request.writer.output_size > 0:
            raise ConnectionError("a response has been sent already")
        log.info("refusing a request that is not valid HTTP: %s", type(exc).__name__)
        text, code = "the request is not valid HTTP", "invalid_http"
        if isinstance(exc, LineTooLong):
            text, code = "the request line or a header is too long", "header_too_long"
        return _refusal(status, text, code)


def _refusal(status: int, text: str, code: str) -> web.Response:
    """Return an error of a request that no route sees."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    body = {"error": {"message": text, "type": kind, "param": None, "code": code}}
    response = json_response(body, status, {"Server": SERVER})
    response.force_close()
    return response


def with_body_tracking(make_request: RequestFactory) -> RequestFactory:
    """Return a request factory that tells each connection which request is being answered."""

    def make(message: Any, body: StreamReader, protocol: Any, writer: Any, *arguments: Any) -> web.BaseRequest:
        if isinstance(protocol, Connection):
            protocol.begin_request(message, body, writer)
        return make_request(message, body, protocol, writer, *arguments)

    return make
