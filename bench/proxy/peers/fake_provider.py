"""A fake provider in its own process: serves three APIs at full speed or at a constant rate.

The model's name says how: `burst.200` are 200 tokens, each a write of its own; `paced.200.10.NAME` are 200 tokens, one
every 10 ms, and when each was written is kept under NAME for `GET /times/NAME` to take.
"""

import asyncio
import re
from collections import OrderedDict
from functools import cache
from time import monotonic

import orjson
import uvloop

from bench.proxy.api_formats import BEFORE_TOKENS, CONTENT_TYPES, Kind, frames
from bench.proxy.sample_text import answer

MOST_NAMES = 1000  # number of streams whose times are stored
_MODEL = re.compile(rb"(burst|paced)\.(\d+)(?:\.(\d+)\.([\w-]+))?")
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)

Times = OrderedDict[bytes, list[float]]


async def serve() -> None:
    """Serve until killed. Print the port first."""
    times: Times = OrderedDict()
    server = await asyncio.start_server(lambda r, w: connected(r, w, times), "127.0.0.1", 0, limit=2**24, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, times: Times) -> None:
    """Serve the requests of one connection."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = _LENGTH.search(head)
            sent = await reader.readexactly(int(length[1])) if length else b""
            target = head.split(b" ", 2)[1]
            if target.startswith(b"/times/"):
                write_times(writer, times.pop(target.removeprefix(b"/times/"), []))
            else:
                await stream(writer, target, sent, times)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def write_times(writer: asyncio.StreamWriter, due: list[float]) -> None:
    """Send the time of each written token in seconds of the monotonic clock."""
    body = orjson.dumps(due)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


async def stream(writer: asyncio.StreamWriter, target: bytes, sent: bytes, times: Times) -> None:
    """Write one answer."""
    kind: Kind = "gemini" if b"GenerateContent" in target else "ollama" if target.startswith(b"/api/") else "openai"
    named = _MODEL.search(target) or _MODEL.search(sent)
    assert named, "the model says nothing about pace"
    count, pace = int(named[2]), int(named[3] or 0) / 1000
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {CONTENT_TYPES[kind]}\r\nTransfer-Encoding: chunked\r\n\r\n"
    writer.write(head.encode())
    if named[1] == b"paced":
        await paced(writer, kind, count, pace, times_of(times, named[4]))
    else:
        for frame in framed(kind, count):
            writer.write(frame)
            await writer.drain()
            await asyncio.sleep(0)  # write each token separately, like model servers
    writer.write(b"0\r\n\r\n")


def times_of(times: Times, name: bytes) -> list[float]:
    """Return the list for the times of a stream."""
    if len(times) >= MOST_NAMES:
        times.popitem(last=False)
    return times.setdefault(name, [])


async def paced(writer: asyncio.StreamWriter, kind: Kind, count: int, pace: float, noted: list[float]) -> None:
    """Yield a token every `pace` seconds, each at its scheduled time."""
    all_frames = framed(kind, count)
    opening = BEFORE_TOKENS[kind]
    began = monotonic()
    for at, frame in enumerate(all_frames):
        wait = began + at * pace - monotonic()
        if wait > 0:
            await asyncio.sleep(wait)
        if opening <= at < opening + count:
            noted.append(monotonic())
        writer.write(frame)
        await writer.drain()


@cache
def framed(kind: Kind, count: int) -> list[bytes]:
    """Return each frame as an HTTP chunk."""
    return [b"%x\r\n%s\r\n" % (len(frame), frame) for frame in frames(kind, answer(count).tokens)]


if __name__ == "__main__":
    uvloop.run(serve())
