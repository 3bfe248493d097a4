"""The WebSocket at `/v1/responses`: one message of the client for each response, whose events are messages, too.

Responses follow each other on a connection. The latest one can be continued there even if it is not stored.
https://www.openresponses.org/specification
"""

import asyncio
import logging
from functools import partial
from typing import Any

from aiohttp import WSCloseCode, WSMessage, WSMsgType, web

from citestream.citation.evidence import FieldError
from citestream.providers.errors import ProviderError
from citestream.providers.scheduler import Work, scheduler

from ...app import App
from ...http.encoding import dumps
from ...http.error_responses import RequestError, error_body, status_of
from ...http.exchange import UNCITED, answer_body
from ...http.middleware.admission import ADMISSION, Admission
from ...http.middleware.body_budget import Reservation
from ...http.request_body import BODIES, LARGE_BODY_BYTES, decode_json, release_held, reserve
from ...http.socket_stream import SocketStream
from ...observability.logs import REQUEST_ID, TENANT
from ...pipeline.request.long_input import parse_body
from ...storage import decoded
from ..extensions import Body
from .responses_request import ResponsesApi
from .stored_responses import Find, continued, items_of

Fields = dict[str, Any]

MAX_CONNECTIONS = 256  # in one process: a message of `server.max_body_bytes` may be arriving on each of them
MAX_SECONDS = 3600.0  # duration of a connection, the limit of the specification
HEARTBEAT_SECONDS = 30.0  # between pings; a client that answers none for half as long has left
CLOSE_SECONDS = 1.0  # for the client to answer the end of a connection
CREATE = "response.create"
TRANSPORT_FIELDS = frozenset({"type", "stream", "stream_options", "background", "generate"})
CLOSING = (WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED, WSMsgType.ERROR)

log = logging.getLogger("citestream")


class Sockets:
    """The open WebSockets of a process."""

    def __init__(self, app: App) -> None:
        """`app`: answers the requests."""
        self._app = app
        self._open = 0

    async def connect(self, request: web.Request) -> web.StreamResponse:
        """`GET /v1/responses`. Raise RequestError if there are too many connections.

        The connection is not a running request; each of its responses is.
        """
        socket = web.WebSocketResponse(
            timeout=CLOSE_SECONDS,
            heartbeat=HEARTBEAT_SECONDS,
            max_msg_size=self._app.config.server.max_body_bytes,
            autoclose=False,
            compress=False,  # compression would keep up to 300 KB for each connection
        )
        if not socket.can_prepare(request):
            raise web.HTTPMethodNotAllowed("GET", ["POST"])
        if self._open >= MAX_CONNECTIONS:
            raise RequestError(503, "too many WebSockets at once", code="over_capacity", retry_after=1)
        self._open += 1
        try:
            with request.app[ADMISSION].suspend(request.get(TENANT, "")):
                await socket.prepare(request)
                await _Connection(request, self._app, socket).run()
        finally:
            self._open -= 1
        return socket


class _Connection:
    """One open WebSocket."""

    def __init__(self, request: web.Request, app: App, socket: web.WebSocketResponse) -> None:
        self._request = request
        self._app = app
        self._socket = socket
        self._latest = _LatestResponse(request, app)
        self._ends = asyncio.get_running_loop().time() + MAX_SECONDS

    async def run(self) -> None:
        """Answer one message after the other until the client leaves, the server stops or the time is over."""
        code = WSCloseCode.OK
        try:
            async with asyncio.TaskGroup() as tasks:
                stopping = tasks.create_task(self._admission.stopping.wait())
                receiving = tasks.create_task(self._socket.receive())
                while await self._has_message(receiving, stopping):
                    data = _data(receiving.result())
                    receiving = tasks.create_task(self._socket.receive())
                    await self._answer_while(receiving, tasks.create_task(self._turn(data)))
                code = WSCloseCode.GOING_AWAY if stopping.done() else code
                stopping.cancel()
                receiving.cancel()
        finally:
            self._latest.forget()
        await self._socket.close(code=code)

    async def _has_message(self, receiving: "asyncio.Task[WSMessage]", stopping: "asyncio.Task[bool | None]") -> bool:
        """Return whether the client has sent a message, and not the end of the connection. Wait for either."""
        left = self._ends - asyncio.get_running_loop().time()
        if left > 0 and not stopping.done():
            await asyncio.wait({receiving, stopping}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        if stopping.done():
            return False
        if self._ends <= asyncio.get_running_loop().time():
            message = f"a connection is open for at most {MAX_SECONDS / 60:.0f} minutes; open another one"
            await self._send_error(RequestError(400, message, code="websocket_connection_limit_reached"))
            return False
        return receiving.result().type in (WSMsgType.TEXT, WSMsgType.BINARY)

    @staticmethod
    async def _answer_while(receiving: "asyncio.Task[WSMessage]", turn: "asyncio.Task[None]") -> None:
        """Wait for a response. Stop it if the client closes the connection; another message has to wait."""
        await asyncio.wait({receiving, turn}, return_when=asyncio.FIRST_COMPLETED)
        if not turn.done() and receiving.result().type in CLOSING:
            turn.cancel()
        await asyncio.wait({turn})

    async def _turn(self, data: bytes) -> None:
        """Answer a message. Errors are messages to the client."""
        turn = self._request.clone()
        try:
            with self._admission.admit(turn.get(TENANT, "")):
                await release_held(turn, partial(self._respond, data=data))
        except ConnectionError:
            return  # the client has left, which the next `receive` notices
        except Exception as error:  # the connection stays open
            self._latest.evict()
            if not isinstance(error, (FieldError, ProviderError, RequestError, web.HTTPException)):
                log.exception("%s failed", turn[REQUEST_ID])
            await self._send_error(error)

    async def _respond(self, turn: web.Request, data: bytes) -> web.StreamResponse:
        """Send the events of a response. Raise FieldError, ProviderError or RequestError before the first of them."""
        await reserve(turn, data)
        message = await decode_json(turn, data)
        if message.get("type") != CREATE:
            raise FieldError("type", f'must be "{CREATE}"')
        if message.get("background"):
            raise FieldError("background", "is possible only over HTTP")
        body = {key: value for key, value in message.items() if key not in TRANSPORT_FIELDS} | {"stream": True}
        api = _Turn(turn, self._latest)
        stream = SocketStream(turn, self._app.config.server, self._socket)
        size = len(data) + self._latest.size_of(body.get("previous_response_id"))
        if message.get("generate") is False:
            await self._prepare(api, body, stream, size)
        else:
            await answer_body(turn, api, self._app, body, size, stream)
        if not stream.final:
            raise RequestError(502, "the response ended without its last event", code="incomplete_answer")
        response = stream.final.get("response") or {}
        if stream.final["type"] in ("response.completed", "response.incomplete") and response.get("id"):
            await self._latest.remember(str(response["id"]), api.input, response.get("output"))
        else:
            self._latest.evict()
        return self._socket

    async def _prepare(self, api: "_Turn", body: Body, stream: SocketStream, size: int) -> None:
        """Send a response without output, which the client can continue."""

        async def find(_: str) -> Fields | None:
            return None

        body = await api.recall(body, find)
        options = self._app.routes.find(self._app.routes.chain(api.model(body), api.native)[0]).options
        job = await parse_body(partial(api.parse, body, options, self._app.config.evidence.limits), body, size)
        encoder = api.encoder(job, UNCITED)
        await stream.write(encoder.chunks([]) + encoder.end())

    async def _send_error(self, error: Exception) -> None:
        """Send an error as a message of its own."""
        fields = error_body(error, self._request[REQUEST_ID])["error"]
        if isinstance(error, FieldError) and error.path == "previous_response_id":
            fields["code"] = "previous_response_not_found"
        fields["code"] = fields["code"] or fields["type"]
        try:
            await self._socket.send_str(dumps({"type": "error", "status": status_of(error), "error": fields}).decode())
        except ConnectionError:
            return  # the client has left

    @property
    def _admission(self) -> Admission:
        return self._request.app[ADMISSION]


class _LatestResponse:
    """The conversation up to the latest response of a connection, if there is room for it."""

    def __init__(self, request: web.Request, app: App) -> None:
        """`request`: opened the connection."""
        self._request = request
        self._app = app
        self._id = ""
        self._data = b""
        self._reservation: Reservation | None = None
        self._is_continued = False  # whether the current response continues it

    def size_of(self, response_id: object) -> int:
        """Return the bytes of the conversation if this is its last response, 0 otherwise."""
        self._is_continued = bool(self._id) and response_id == self._id
        return len(self._data) if self._is_continued else 0

    async def find(self, response_id: object, turn: web.Request) -> Fields | None:
        """Return the conversation if this is its last response. Raise RequestError if there is no room for it."""
        if not self._id or response_id != self._id:
            return None
        await reserve(turn, self._data)
        return await decoded(self._data)

    async def remember(self, response_id: str, given: object, output: object) -> None:
        """Replace the conversation, unless the new one has more bytes than a body may have."""
        self.forget()
        fields = {"input": items_of(given), "output": output if isinstance(output, list) else []}
        data = await scheduler().in_thread(partial(dumps, fields))
        budget = self._request.app.get(BODIES)
        if len(data) > self._app.config.server.max_body_bytes:
            return
        reservation = budget.reservation() if budget else None
        work = Work("parse_request")
        try:
            for start in range(0, len(data) if reservation else 0, LARGE_BODY_BYTES):
                with work:
                    reservation.add(data[start : start + LARGE_BODY_BYTES])  # type: ignore[union-attr] # checked above
                if work.due:
                    await work.pause()
        except RequestError:
            reservation.release()  # type: ignore[union-attr]
            return
        self._id, self._data, self._reservation = response_id, data, reservation

    def evict(self) -> None:
        """Forget the conversation if the current response, which has failed, continues it."""
        if self._is_continued:
            self.forget()

    def forget(self) -> None:
        """Forget the conversation."""
        self._is_continued = False
        self._id, self._data = "", b""
        if self._reservation:
            self._reservation.release()
            self._reservation = None


class _Turn(ResponsesApi):
    """Parses one message of a connection."""

    def __init__(self, request: web.Request, latest: _LatestResponse) -> None:
        super().__init__()
        self.input: object = None  # the whole conversation
        self._request = request
        self._latest = latest

    async def recall(self, body: Body, find: Find) -> Body:
        """Return the request with the conversation that it continues, of this connection or stored."""
        previous = body.get("previous_response_id")
        if stored := await self._latest.find(previous, self._request):
            body = await continued(body, stored)
        body = await super().recall(body, find)
        self._previous = previous
        self.input = body.get("input")
        return body


def _data(message: WSMessage) -> bytes:
    data: Any = message.data
    return data.encode() if isinstance(data, str) else bytes(data)
