"""The load: so many streams at once, each read to its end; what their clients saw, and when."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from bench.proxy import wire
from bench.proxy.wire import Kind

SECONDS = 120.0  # that one run may take, all streams together
READ = 2**16


@dataclass(slots=True)
class Stream:
    """What one client saw; seconds of the machine's monotonic clock."""

    number: int
    sent: float
    first: float = 0.0  # text
    done: float = 0.0
    text: str = ""
    stops: list[float] = field(default_factory=list)  # when each full stop of the text arrived


@dataclass(frozen=True, slots=True)
class Request:
    """What each client sends."""

    kind: Kind
    path: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()

    def as_bytes(self, port: int) -> bytes:
        """On the wire."""
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
    """`total` streams, `streams` at a time, over as many connections. `timed`: look at the text as it comes.

    `spread`: seconds over which the clients begin, one after the other, since no two people press a key at once.
    Raises RuntimeError for an answer that is none, TimeoutError for a proxy that does not keep up.
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
    """To the end, at the least cost: the streams share the machine with what is measured."""
    tail = b""
    while not tail.endswith(b"\r\n0\r\n\r\n"):
        data = await reader.read(READ)
        if not data:
            raise RuntimeError("the connection ended before the answer")
        tail = (tail + data)[-7:]


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    """One chunk of the body; nothing at its end."""
    size = int(await reader.readuntil(b"\r\n"), 16)
    return (await reader.readexactly(size + 2))[:-2]


class _Events:
    """Bytes in, texts out."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._separator = wire.separator(kind)
        self._held = b""

    def feed(self, data: bytes) -> list[str]:
        *events, self._held = (self._held + data.replace(b"\r", b"")).split(self._separator)
        return [text for event in events if (text := wire.text(self._kind, event))]
