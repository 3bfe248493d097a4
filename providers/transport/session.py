"""Transport: the one aiohttp session of an app, configured for streams of many tenants.

aiohttp's defaults suit short requests of one user. The comment of each setting names the problem of its default.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import BytesIO
from urllib.parse import quote
from weakref import WeakSet

import aiohttp
from aiohttp.connector import Connection
from aiohttp.tracing import Trace
from yarl import URL

from ..errors import CERTIFICATE, BrokenStream, Rejected, Unreachable, rejected, translate
from .retry import Retries

CONNECT_SECONDS = 10.0  # three TCP retransmissions
FIRST_TOKEN_SECONDS = 300.0  # a local server may have to load a model from disk
IDLE_SECONDS = 120.0  # longer than the pauses of reasoning models
TOTAL_SECONDS = 3600.0  # longer than any useful answer
KEEPALIVE_SECONDS = 4.0  # below the 5 s of uvicorn (vLLM) and Node.js, which may close the connection under a request
MAX_ERROR_BYTES = 64 * 1024  # limit of an error body; error objects are smaller
ERROR_BODY_SECONDS = 5.0  # for an error body; the status is enough without it
# Bytes of a read after which others have their turn. aiohttp decompresses a body of some KB to megabytes while it is
# read, so that the reader never waits.
LARGE_READ_BYTES = 128 * 2**10
DRAIN_SECONDS = 0.05  # for the end of the body after the end of the answer, so that the connection can be reused
MAX_HEADER_BYTES = 32 * 1024  # limit of one header; content security policies exceed aiohttp's 8 KiB

USER_AGENT = "citestream"

_URL_CHARACTERS = "%:/?#[]@!$&'()*+,;=~"  # reserved characters of RFC 3986, and those of what is encoded already

# Exceptions of reading an answer whose connection breaks. aiohttp raises RuntimeError ("Connection closed.") to a
# reader of a connection that it closed itself after an error in the framing.
CONNECTION_ERRORS = (aiohttp.ClientError, OSError, RuntimeError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds to wait for a provider."""

    connect: float = CONNECT_SECONDS
    first_token: float = FIRST_TOKEN_SECONDS  # from the request to the first event of its answer
    idle: float = IDLE_SECONDS  # without a single byte
    total: float = TOTAL_SECONDS  # from the request to the end of its answer


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
    """Sends calls. The session is created at the first one, because it belongs to the running event loop."""

    def __init__(self, service: str = "provider") -> None:
        """Nothing is connected yet. `service`: a word for the service in error messages, such as "retriever"."""
        self.service = service
        self._session: aiohttp.ClientSession | None = None
        self._trusted: dict[str, ssl.SSLContext] = {}

    @property
    def session(self) -> aiohttp.ClientSession:
        """The session, for SDKs that accept one."""
        if self._session is None or self._session.closed:
            self._session = _session()
        return self._session

    @asynccontextmanager
    async def open(self, call: Call, timeouts: Timeouts) -> AsyncIterator[aiohttp.ClientResponse]:
        """Return the answer with any status when its headers have arrived. Raises Unreachable and TimedOut.

        If the context is left before the end of the answer, the connection is closed at once, so that the provider
        stops.
        """
        response = await self.send(call, timeouts)
        try:
            yield response
        finally:
            release(response)

    async def send(self, call: Call, timeouts: Timeouts) -> aiohttp.ClientResponse:
        """Return an answer as `open` does. The caller has to pass it to `release`."""
        try:
            async with asyncio.timeout(min(timeouts.first_token, timeouts.total)):
                return await self.session.request(
                    call.method,
                    exact_url(call.url),
                    data=_data(call.body),
                    headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **call.headers},
                    allow_redirects=False,  # a redirect would take keys to an address that the operator did not choose
                    timeout=aiohttp.ClientTimeout(total=None, sock_connect=timeouts.connect),
                    ssl=self.trust(call.ca_file) or True,
                )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise translate(error, self.service) from None

    async def aclose(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()

    def trust(self, ca_file: str) -> ssl.SSLContext | None:
        """Return the certificate authorities of a PEM file and the machine's own, None without a file."""
        if not ca_file:
            return None
        if ca_file not in self._trusted:
            context = ssl.create_default_context()
            try:
                context.load_verify_locations(ca_file)
            except OSError:
                raise Unreachable(
                    f"The {self.service}'s certificate authority (ca_file) cannot be read.", code=CERTIFICATE
                ) from None
            self._trusted[ca_file] = context
        return self._trusted[ca_file]


def _data(body: bytes | None) -> bytes | BytesIO | None:
    """Return a body as aiohttp writes it: a large one in pieces, so that it is not copied at once."""
    return BytesIO(body) if body and len(body) > LARGE_READ_BYTES else body


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
            limit=0,  # requests are admitted elsewhere; with a pool of 100 the 101st request would wait
            keepalive_timeout=KEEPALIVE_SECONDS,
        ),
        cookie_jar=aiohttp.DummyCookieJar(),  # a cookie of one tenant must not be sent with the request of another
        timeout=aiohttp.ClientTimeout(total=None),  # answers may take long; Watch limits silence
        trust_env=False,  # a proxy variable of the machine must not redirect prompts
        max_line_size=MAX_HEADER_BYTES,
        max_field_size=MAX_HEADER_BYTES,
    )


def release(response: aiohttp.ClientResponse) -> None:
    """Return the connection to the pool if the answer was read completely; close it otherwise."""
    if response.content.is_eof() and response.content.exception() is None:
        response.release()
    else:
        response.close()


def content_type(response: aiohttp.ClientResponse) -> str:
    """Return the content type without parameters. Raises BrokenStream for a web page."""
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind in {"text/html", "application/xhtml+xml"}:
        raise BrokenStream("The provider answered with a web page instead of a stream; its address may be wrong.")
    return kind


async def raise_for_status(response: aiohttp.ClientResponse) -> None:
    """Raise Rejected with the provider's explanation unless the status is a success."""
    if 200 <= response.status < 300:
        return
    raise rejected(response.status, response.headers, await _error_body(response))


async def _error_body(response: aiohttp.ClientResponse) -> bytes:
    body = b""
    try:
        async with asyncio.timeout(ERROR_BODY_SECONDS):
            while len(body) < MAX_ERROR_BYTES and (data := await response.content.readany()):
                body += data
    except CONNECTION_ERRORS:
        pass  # the status is enough
    return body[:MAX_ERROR_BYTES]


async def read_all(response: aiohttp.ClientResponse, limit: int, seconds: float, service: str = "provider") -> bytes:
    """Return the body of a short answer of at most `limit` bytes. Raises ProviderError.

    `service`: a word for the service in the message.
    """
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            while data := await response.content.readany():
                parts.append(data)
                size += len(data)
                if size > limit:
                    raise BrokenStream(f"The {service}'s answer is larger than {limit} bytes.")
                if len(data) >= LARGE_READ_BYTES:
                    await asyncio.sleep(0)
    except CONNECTION_ERRORS as error:
        raise translate(error, service) from None
    return b"".join(parts)


async def drain(response: aiohttp.ClientResponse) -> None:
    """Read the end of a body after the end of the answer, if it is there, so that the connection can be reused.

    Nothing else may follow the answer, so a large read ends this, too.
    """
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            while len(await response.content.readany()) in range(1, LARGE_READ_BYTES):
                pass
    except CONNECTION_ERRORS:
        pass  # the answer is complete; only the connection cannot be reused


def path_segment(name: str) -> str:
    """Return a name that a client chose, such as that of a model, as one segment of a path.

    Raises Rejected for a name that cannot be one: an empty one, one of dots only, or one with half a character.
    """
    if not name.strip("."):
        raise _unknown_model()
    try:
        return quote(name, safe="")
    except UnicodeEncodeError:  # a lone surrogate
        raise _unknown_model() from None


def model_path(name: str) -> str:
    """Return the name of a model as one segment of a path, slashes included.

    Raises Rejected for a name with an empty part or a part of dots, for servers that decode slashes.
    """
    for part in name.split("/"):
        path_segment(part)
    return path_segment(name)


def _unknown_model() -> Rejected:
    return Rejected("There is no model of this name.", status=404, param="model", code="model_not_found")


def exact_url(url: str) -> URL:
    """Return an address whose path reaches the server as it is written here.

    yarl would decode `%3A` and `%40`, so that the name of a model could contain the method of a path. Characters that
    an address cannot contain are encoded, and the host may have any characters.
    """
    scheme, separator, address = url.partition("://")
    end = min((position for mark in "/?#" if (position := address.find(mark)) >= 0), default=len(address))
    origin = str(URL(f"{scheme}{separator}{address[:end]}")).rstrip("/")
    return URL(origin + quote(address[end:], safe=_URL_CHARACTERS), encoded=True)
