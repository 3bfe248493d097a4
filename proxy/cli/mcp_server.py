"""`citestream mcp`: the Model Context Protocol on standard input and output, one JSON message a line."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from threading import Thread

from ..apis.mcp import McpProtocol
from ..app import App
from ..config import Config
from ..http.encoding import dumps, loads

PARSE_ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "the line is not JSON"}}


async def serve_mcp(config: Config) -> None:
    """Answer the messages on standard input until it ends. Requests are answered as they are done."""
    app = App(config)
    protocol = McpProtocol(app)
    try:
        async with asyncio.TaskGroup() as requests, aclosing(_lines()) as lines:
            async for line in lines:
                requests.create_task(_answer(protocol, line))
    finally:
        await app.aclose()


async def _answer(protocol: McpProtocol, line: bytes) -> None:
    try:
        message = loads(line)
    except ValueError:
        _write(PARSE_ERROR)
        return
    reply = await protocol.reply(message)
    if reply is not None:
        _write(reply)


def _write(reply: object) -> None:
    sys.stdout.buffer.write(dumps(reply) + b"\n")
    sys.stdout.buffer.flush()


async def _lines() -> AsyncGenerator[bytes, None]:
    """Yield the lines of standard input. A thread reads them, since a file or a terminal cannot be awaited."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        for line in iter(sys.stdin.buffer.readline, b""):
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")

    Thread(target=read, name="stdin", daemon=True).start()  # it does not delay the exit after Ctrl-C
    while line := await lines.get():
        if line.strip():
            yield line
