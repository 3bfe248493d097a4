"""The fake provider, a process of its own: answers any of the three APIs, as fast as it can or at a steady pace.

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

from bench.proxy.text import answer
from bench.proxy.wire import BEFORE_TOKENS, CONTENT_TYPES, Kind, frames

MOST_NAMES = 1000  # of times kept
_MODEL = re.compile(rb"(burst|paced)\.(\d+)(?:\.(\d+)\.([\w-]+))?")
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)

Times = OrderedDict[bytes, list[float]]


async def serve() -> None:
    """Until killed. Prints its port."""
    times: Times = OrderedDict()
    server = await asyncio.start_server(lambda r, w: connected(r, w, times), "127.0.0.1", 0, limit=2**24, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, times: Times) -> None:
    """One connection, request after request."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = _LENGTH.search(head)
            sent = await reader.readexactly(int(length[1])) if length else b""
            target = head.split(b" ", 2)[1]
            if target.startswith(b"/times/"):
                told(writer, times.pop(target.removeprefix(b"/times/"), []))
            else:
                await stream(writer, target, sent, times)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def told(writer: asyncio.StreamWriter, due: list[float]) -> None:
    """When each token was written, seconds of this machine's monotonic clock."""
    said = orjson.dumps(due)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(said), said))


async def stream(writer: asyncio.StreamWriter, target: bytes, sent: bytes, times: Times) -> None:
    """One answer."""
    kind: Kind = "gemini" if b"GenerateContent" in target else "ollama" if target.startswith(b"/api/") else "openai"
    named = _MODEL.search(target) or _MODEL.search(sent)
    assert named, "the model says nothing about pace"
    count, pace = int(named[2]), int(named[3] or 0) / 1000
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {CONTENT_TYPES[kind]}\r\nTransfer-Encoding: chunked\r\n\r\n"
    writer.write(head.encode())
    if named[1] == b"paced":
        await paced(writer, kind, count, pace, kept(times, named[4]))
    else:
        for frame in framed(kind, count):
            writer.write(frame)
            await writer.drain()
            await asyncio.sleep(0)  # so that each token is a write to the socket, as servers of models do it
    writer.write(b"0\r\n\r\n")


def kept(times: Times, name: bytes) -> list[float]:
    """Where to note the times of this stream."""
    if len(times) >= MOST_NAMES:
        times.popitem(last=False)
    return times.setdefault(name, [])


async def paced(writer: asyncio.StreamWriter, kind: Kind, count: int, pace: float, noted: list[float]) -> None:
    """A token every `pace` seconds. Late ones are not made up for by waiting less: they go out when they are due."""
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
    """Each frame as a chunk of HTTP."""
    return [b"%x\r\n%s\r\n" % (len(frame), frame) for frame in frames(kind, answer(count).tokens)]


if __name__ == "__main__":
    uvloop.run(serve())
