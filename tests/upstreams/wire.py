"""A raw HTTP/1.1 server that writes exactly the given bytes, and breaks off exactly at the given position.

Independent of the code under test: nothing but sockets and the standard library.
"""

import asyncio
import json
import ssl
import struct
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from socket import SO_LINGER, SOL_SOCKET
from typing import Any, Self


class Break(Enum):
    """Actions of a server besides writing."""

    CLOSE = auto()  # the connection ends
    RESET = auto()  # the connection breaks (RST)
    STALL = auto()  # nothing is sent until the client disconnects


Step = bytes | Break


@dataclass(frozen=True)
class Request:
    """The request of a client."""

    method: str
    target: str
    headers: dict[str, str]  # names in lower case
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


Answer = Callable[[Request], AsyncIterator[Step]]


class Server:
    """`async with Server(answer) as server:` listens on a free port of 127.0.0.1."""

    def __init__(self, answer: Answer, tls: ssl.SSLContext | None = None, port: int = 0) -> None:
        """`port`: 0 selects a free port."""
        self.requests: list[Request] = []
        self.connections = 0  # total number
        self.open = 0  # number of open connections
        self.left = asyncio.Event()  # set when a client disconnects during an answer
        self.url = ""
        self._answer = answer
        self._tls = tls
        self._port = port
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self._port, ssl=self._tls)
        host, port = self._server.sockets[0].getsockname()
        self.url = f"{'https' if self._tls else 'http'}://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        try:
            while request := await read_request(reader):
                self.requests.append(request)
                if not await self._write_answer(request, reader, writer):
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        except asyncio.CancelledError:
            pass  # the loop ends; asyncio's streams would report that as an error
        finally:
            self.open -= 1
            writer.close()

    async def _write_answer(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Write the answer. Return whether the connection stays open."""
        async for step in self._answer(request):
            match step:
                case bytes():
                    writer.write(step)
                    await writer.drain()
                case Break.CLOSE:
                    return False
                case Break.RESET:
                    # With a linger time of 0 the kernel sends RST instead of FIN.
                    writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                    writer.transport.abort()
                    return False
                case Break.STALL:
                    while await reader.read(65536):
                        pass
                    self.left.set()
                    return False
        return True


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Read one request. Return None if the client closes the connection."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise
        return None
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        return Request(method, target, headers, await _read_chunked(reader))
    return Request(method, target, headers, await reader.readexactly(int(headers.get("content-length", 0))))


async def _read_chunked(reader: asyncio.StreamReader) -> bytes:
    body = b""
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return body


def head(status: str, *lines: str) -> bytes:
    """Return the status line and headers: `head("200 OK", "Content-Type: text/event-stream")`."""
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1")


def chunk(data: bytes) -> bytes:
    """Return a chunk of a body with `Transfer-Encoding: chunked`. The empty chunk ends the body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def whole(status: str, body: bytes, *lines: str) -> bytes:
    """Return a complete answer with Content-Length."""
    return head(status, *lines, f"Content-Length: {len(body)}") + body


def script(*steps: Step) -> Answer:
    """Answer every request with the same steps."""

    async def answer(_: Request) -> AsyncIterator[Step]:
        for step in steps:
            yield step
            await asyncio.sleep(0)

    return answer


def sse(*steps: Step, lines: tuple[str, ...] = ("Content-Type: text/event-stream",)) -> Answer:
    """Answer every request with an event stream: each byte string is one chunk; the last chunk follows."""
    pieces = [chunk(step) if isinstance(step, bytes) else step for step in steps]
    return script(head("200 OK", *lines, "Transfer-Encoding: chunked"), *pieces, chunk(b""))


@contextmanager
def serving(answer: Answer) -> Iterator[Server]:
    """Run the server in a thread, for tests that are not asynchronous."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = Server(answer)
    asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(_stop(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _stop(server: Server) -> None:
    await server.__aexit__()
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
