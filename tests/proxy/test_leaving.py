"""A client that goes away takes its provider's stream with it, at whatever moment."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

ROOT = Path(__file__).parents[2]
SECONDS = 1.0  # within which the provider's connection has to be closed
HEADERS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
ROLE = b'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n'
HALF = b'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"Half a sentence that"}}]}\n\n'
WHOLE = b'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"It is red. And then"}}]}\n\n'

MOMENTS = {
    "before the provider answers": b"",
    "after its headers": HEADERS,
    "after the role": HEADERS + ROLE,
    "while a sentence is held": HEADERS + ROLE + HALF,
    "after a sentence": HEADERS + ROLE + WHOLE,
}


@asynccontextmanager
async def running(config: dict[str, Any], folder: Path) -> AsyncIterator[str]:
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump(config))
    command = [sys.executable, "-m", "proxy", "serve", "--port", "0", "--config", str(file)]
    server = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    assert server.stdout is not None
    yield (await server.stdout.readline()).decode().split(" listening on ")[1].strip()
    server.terminate()
    await server.wait()


async def test_the_providers_connection_is_closed(tmp_path: Path) -> None:
    asked: asyncio.Queue[asyncio.Event] = asyncio.Queue()
    sent = b""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
        )
        await reader.readexactly(length)
        writer.write(sent)
        await writer.drain()
        gone = asyncio.Event()
        asked.put_nowait(gone)
        await reader.read()  # until the proxy closes
        gone.set()
        writer.close()

    provider = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = provider.sockets[0].getsockname()[1]
    config = {"providers": {"silent": {"kind": "openai", "base_url": f"http://127.0.0.1:{port}/v1"}}}
    async with running(config, tmp_path) as url, provider:
        for moment, answer in MOMENTS.items():
            sent = answer
            for more in ({"stream": True}, {"stream": False}, {"stream": True, "evidence": []}):
                body = {"model": "silent/m", "messages": [{"role": "user", "content": "Hello?"}]}
                body["evidence"] = [{"text": "It is red."}]
                async with aiohttp.ClientSession() as client:
                    request = asyncio.get_running_loop().create_task(
                        client.post(f"{url}/v1/chat/completions", json={**body, **more})
                    )
                    gone = await asked.get()
                    if request.done():
                        request.result().close()
                    request.cancel()
                try:
                    async with asyncio.timeout(SECONDS):
                        await gone.wait()
                except TimeoutError:
                    pytest.fail(f"the provider's connection stayed open: the client left {moment}, {more}")
