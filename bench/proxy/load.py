"""Load generator: opens concurrent streams, reads them and records when text arrived."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from bench.proxy import api_formats
from bench.proxy.api_formats import Kind

SECONDS = 120.0  # maximum seconds of one run with all streams
READ = 2**16


@dataclass(slots=True)
class Stream:
    """The record of one client. Times are seconds of the monotonic clock."""

    number: int
    sent: float
    first: float = 0.0  # text
    done: float = 0.0
    text: str = ""
    stops: list[float] = field(default_factory=list)  # arrival time of each full stop of the text


@dataclass(frozen=True, slots=True)
class Request:
    """Builds the request of a client."""

    kind: Kind
    path: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()

    def as_bytes(self, port: int) -> bytes:
        """Return the request as bytes."""
        fixed = (
            ("Host", f"127.0.0.1:{port}"),
            ("Content-Type", "application/json"),
            ("Content-Length", len(self.body)),
        )
        headers = "".join(f"{name}: {value}\r\n" for name, value in (*fixed, *self.headers))
        return f"POST {self.path} HTTP/1.1\r\n{headers}\r\n".encode() + self.body


async def run(
    port: int, requests: Callable[[int], Request], streams: int, total: int, *, timed: bool, spread: float = 0.0
) -> list[Stream]:
    """Run `total` streams, `streams` at a time, each client with its own connection.

    `timed` records the arrival of text. `spread` is the number of seconds over which the clients start. Raise
    RuntimeError for an invalid answer, and TimeoutError for a proxy that is too slow.
    """
    found: list[Stream] = []
    numbers = iter(range(total))

    async def client(wait: float) -> None:
        await asyncio.sleep(wait)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in numbers:
            request = requests(number)
            stream = Stream(number, monotonic())
            writer.write(request.as_bytes(port))
            await _read(reader, request.kind, stream, timed=timed or number == 0)
            found.append(stream)
        writer.close()

    async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as clients:
        for number in range(min(streams, total)):
            clients.create_task(client(number * spread / streams))
    return found


async def ask(port: int, request: Request, number: int, *, timed: bool) -> Stream:
    """Run one stream with its own connection. Raise OSError, IncompleteReadError or RuntimeError if it fails."""
    stream = Stream(number, monotonic())
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request.as_bytes(port))
        await _read(reader, request.kind, stream, timed=timed)
    finally:
        writer.close()
    return stream


async def _read(reader: asyncio.StreamReader, kind: Kind, stream: Stream, *, timed: bool) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    if b" 200 " not in head[:16]:
        raise RuntimeError(f"{head!r} {await reader.read(1000)!r}")
    if not timed:
        await _skip(reader)
        stream.done = monotonic()
        return
    events = _Events(kind)
    while data := await _chunk(reader):
        now = monotonic()
        for text in events.feed(data):
            stream.first = stream.first or now
            stream.text += text
            stream.stops += [now] * text.count(".")
    stream.done = monotonic()


async def _skip(reader: asyncio.StreamReader) -> None:
    """Read to the end with little CPU time, because the clients run on the measured machine."""
    tail = b""
    while not tail.endswith(b"\r\n0\r\n\r\n"):
        data = await reader.read(READ)
        if not data:
            raise RuntimeError("the connection ended before the answer")
        tail = (tail + data)[-7:]


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    """Return one chunk of the body, or b"" at its end."""
    size = int(await reader.readuntil(b"\r\n"), 16)
    return (await reader.readexactly(size + 2))[:-2]


class _Events:
    """Parser that converts bytes to the texts of events."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._separator = api_formats.separator(kind)
        self._held = b""

    def feed(self, data: bytes) -> list[str]:
        *events, self._held = (self._held + data.replace(b"\r", b"")).split(self._separator)
        return [text for event in events if (text := api_formats.text(self._kind, event))]
