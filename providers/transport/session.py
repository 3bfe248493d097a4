"""Transport: the one aiohttp session of an app, set for streams of many tenants.

aiohttp's defaults are made for short requests of one user; each setting below names what would go wrong.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakSet

import aiohttp
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

from ..errors import CERTIFICATE, BrokenStream, Unreachable, rejected, translate
from .retry import Retries

CONNECT_SECONDS = 10.0  # three TCP retransmissions; a provider farther away than that is down
FIRST_TOKEN_SECONDS = 300.0  # a local server may have to load the model from disk first
IDLE_SECONDS = 120.0  # longer than any reasoning pause of a provider that streams
TOTAL_SECONDS = 3600.0  # longer than any answer that somebody waits for
KEEPALIVE_SECONDS = 4.0  # below the 5 s of uvicorn (vLLM) and node, so that no request meets a closing connection
MAX_ERROR_BYTES = 64 * 1024  # of an error body that are read: error objects are smaller, HTML pages do not matter
ERROR_BODY_SECONDS = 5.0  # that an error body may take; its status is told without it
DRAIN_SECONDS = 0.05  # that the end of the body may come after the end of the answer, to use the connection again
MAX_HEADER_BYTES = 32 * 1024  # of one header; content security policies outgrow aiohttp's 8 KiB

USER_AGENT = "citestream"

# What reading an answer raises when its connection breaks. The RuntimeError ("Connection closed.") is what aiohttp
# raises to whoever waits for bytes of a connection that it closed itself, after an error in the framing.
BROKEN = (aiohttp.ClientError, OSError, RuntimeError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds to wait for a provider."""

    connect: float = CONNECT_SECONDS
    first_token: float = FIRST_TOKEN_SECONDS  # from the request to the first event of its answer
    idle: float = IDLE_SECONDS  # without a single byte
    total: float = TOTAL_SECONDS  # from the request to the end of its answer
    tick: float = 1.0  # after which a stream without a byte says so, for those who hold sentences


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a provider."""

    method: str
    url: str
    body: bytes | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    ca_file: str = ""  # PEM; empty: the machine's own authorities
    retries: Retries = field(default_factory=Retries)


class Transport:
    """Sends calls. The session is made at the first one, since it belongs to the running loop."""

    def __init__(self) -> None:
        """Nothing is connected yet."""
        self._session: aiohttp.ClientSession | None = None
        self._trusted: dict[str, ssl.SSLContext] = {}

    @property
    def session(self) -> aiohttp.ClientSession:
        """The session, for SDKs that take one."""
        if self._session is None or self._session.closed:
            self._session = _session()
        return self._session

    @asynccontextmanager
    async def open(self, call: Call, timeouts: Timeouts) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer, whatever its status, once its headers are here. Raises Unreachable and TimedOut.

        Leaving before its end closes the connection at once, so that the provider stops.
        """
        response = await self.send(call, timeouts)
        try:
            yield response
        finally:
            leave(response)

    async def send(self, call: Call, timeouts: Timeouts) -> aiohttp.ClientResponse:
        """As `open`, but to be given to `leave` in the end."""
        try:
            async with asyncio.timeout(min(timeouts.first_token, timeouts.total)):
                return await self.session.request(
                    call.method,
                    call.url,
                    data=call.body,
                    headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **call.headers},
                    allow_redirects=False,  # keys would travel along, and the address is the operator's choice
                    timeout=aiohttp.ClientTimeout(total=None, sock_connect=timeouts.connect),
                    ssl=self.trust(call.ca_file) or True,
                )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise translate(error) from None

    async def aclose(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    def trust(self, ca_file: str) -> ssl.SSLContext | None:
        """The certificate authorities of a PEM file, besides the machine's own; None where there is no file."""
        if not ca_file:
            return None
        if ca_file not in self._trusted:
            context = ssl.create_default_context()
            try:
                context.load_verify_locations(ca_file)
            except OSError:
                raise Unreachable(
                    "The provider's certificate authority (ca_file) cannot be read.", code=CERTIFICATE
                ) from None
            self._trusted[ca_file] = context
        return self._trusted[ca_file]


class _Connector(aiohttp.TCPConnector):
    """Does not reuse a connection on which unsolicited bytes arrived.

    aiohttp would take them for the answer to the next request: for example the 408 of a server that closes an idle
    connection, or bytes that a server sent beyond the end of an answer.
    """

    def __init__(self, *, limit: int, keepalive_timeout: float) -> None:
        """`limit` and `keepalive_timeout` are those of aiohttp."""
        super().__init__(limit=limit, keepalive_timeout=keepalive_timeout)
        self._used: WeakSet[object] = WeakSet()  # protocols of connections that have carried a request

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        """Return a pooled connection that is clean, or a new one."""
        while True:
            connection = await super().connect(req, traces, timeout)
            protocol = connection.protocol
            if protocol is None or protocol not in self._used or not protocol.should_close:
                break
            connection.close()
        if protocol is not None:
            self._used.add(protocol)
        return connection


def _session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=_Connector(
            limit=0,  # the proxy admits requests; a pool of 100 would let the 101st wait in silence
            keepalive_timeout=KEEPALIVE_SECONDS,
        ),
        cookie_jar=aiohttp.DummyCookieJar(),  # one tenant's cookie must never travel with another's request
        timeout=aiohttp.ClientTimeout(total=None),  # answers may take long; what counts is silence
        trust_env=False,  # a proxy variable of the machine must not reroute prompts unseen
        max_line_size=MAX_HEADER_BYTES,
        max_field_size=MAX_HEADER_BYTES,
    )


def leave(response: aiohttp.ClientResponse) -> None:
    """Use its connection again where all of it was read; else close it, so that the provider stops."""
    if response.content.is_eof() and response.content.exception() is None:
        response.release()
    else:
        response.close()


def kind_of(response: aiohttp.ClientResponse) -> str:
    """Its content type, without parameters. Raises BrokenStream for a web page, which no API answers with."""
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind in {"text/html", "application/xhtml+xml"}:
        raise BrokenStream("The provider answered with a web page instead of a stream; its address may be wrong.")
    return kind


async def refuse(response: aiohttp.ClientResponse) -> None:
    """Raise Rejected, with what the provider explains, unless the status is a success."""
    if 200 <= response.status < 300:
        return
    raise rejected(response.status, response.headers, await _error_body(response))


async def _error_body(response: aiohttp.ClientResponse) -> bytes:
    body = b""
    try:
        async with asyncio.timeout(ERROR_BODY_SECONDS):
            while len(body) < MAX_ERROR_BYTES and (data := await response.content.readany()):
                body += data
    except BROKEN:
        pass  # the status tells enough
    return body[:MAX_ERROR_BYTES]


async def body(response: aiohttp.ClientResponse, limit: int, seconds: float) -> bytes:
    """The whole of a short answer. Raises ProviderError."""
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            while data := await response.content.readany():
                parts.append(data)
                size += len(data)
                if size > limit:
                    raise BrokenStream(f"The provider's answer is larger than {limit} bytes.")
    except BROKEN as error:
        raise translate(error) from None
    return b"".join(parts)


async def drain(response: aiohttp.ClientResponse) -> None:
    """Read the end of a body whose answer is complete, if it is already there, so that the connection can stay."""
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            while await response.content.readany():
                pass
    except BROKEN:
        pass  # the answer is complete; only the connection is lost
