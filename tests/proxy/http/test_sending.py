"""Writes to clients, keep-alives of a silent stream, and clients that do not read."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml
from aiohttp import web
from aiohttp.test_utils import TestServer

from citestream.providers.events import Finish
from citestream.proxy.apis.openai_chat import ChatEncoder
from citestream.proxy.config import Server as ServerConfig
from citestream.proxy.http.client_stream import Stream
from citestream.proxy.http.sending import send
from citestream.proxy.pipeline.completion_chunks import UncitedChunks
from citestream.proxy.pipeline.respond import Batches

ROOT = Path(__file__).parents[3]
TIMEOUT_SECONDS = 100.0  # for a machine under load
EVIDENCE = [{"text": "The bridge was opened in 1932. It is painted red. It carries two lanes."}]
SENTENCES = ["The bridge was opened in 1932. ", "It is painted red. ", "It carries two lanes."]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
MORE_THAN_SOCKETS_HOLD = 16_000_000  # bytes; Linux buffers at most 4 MB to send and 6 MB received per connection
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def delta(text: str) -> bytes:
    return b"data: %b\n\n" % json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode()


@asynccontextmanager
async def serving(
    reads: list[bytes], permits: asyncio.Semaphore, folder: Path, settings: dict[str, Any] | None = None
) -> AsyncIterator[int]:
    """Run Citestream with a provider that acquires a permit before it sends each of these reads. Yield the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().split(b"content-length:")[1].split()[0]))
        for data in reads:
            await permits.acquire()
            writer.write(data)
            await writer.drain()
        writer.close()

    provider = await asyncio.start_server(answer, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{provider.sockets[0].getsockname()[1]}/v1"
    config = folder / "config.yaml"
    providers = {"openai": {"base_url": address, "api_key": "none"}}
    config.write_text(yaml.safe_dump({"providers": providers, **(settings or {})}))
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
    server = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    assert server.stdout is not None
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            yield int((await server.stdout.readline()).decode().rpartition(":")[2])
    finally:
        server.kill()
        await server.wait()
        provider.close()


async def ask(port: int, **fields: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    question: dict[str, Any] = {"model": "openai/m", "messages": [{"role": "user", "content": "Which bridge?"}]}
    body = json.dumps(question | {"stream": True, "evidence": EVIDENCE} | fields).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    return reader, writer


async def next_write(reader: asyncio.StreamReader) -> bytes:
    """Return one write of the server, which is an HTTP chunk."""
    size = int(await reader.readuntil(b"\r\n"), 16)
    return (await reader.readexactly(size + 2))[:-2]


async def test_an_answer_that_arrives_at_once_is_sent_in_few_writes(tmp_path: Path) -> None:
    reads = [HEAD + b"".join(map(delta, SENTENCES * 20)) + END]
    async with serving(reads, asyncio.Semaphore(1), tmp_path) as port:
        reader, writer = await ask(port)
        await reader.readuntil(b"\r\n\r\n")
        pieces = [await next_write(reader)]
        while pieces[-1]:
            pieces.append(await next_write(reader))
        events = b"".join(pieces).decode().split("\n\n")
        texts = [json.loads(event[6:])["choices"][0]["delta"].get("content", "") for event in events[:-2]]
        assert len(texts) == 20 * len(SENTENCES) + 1
        assert "".join(texts).replace(" [1]", "") == "".join(SENTENCES * 20)
        assert events[-2] == "data: [DONE]"
        assert len(pieces) < len(events) / 2  # more than one on a slow machine
        writer.close()


async def test_a_sentence_is_sent_before_the_next_one_arrives(tmp_path: Path) -> None:
    permits = asyncio.Semaphore(1)
    async with serving([HEAD + delta(SENTENCES[0] + "It"), delta(" is"), END], permits, tmp_path) as port:
        reader, writer = await ask(port)
        await reader.readuntil(b"\r\n\r\n")
        assert b"opened in 1932. [1] " in await next_write(reader)  # the provider waits for a permit
        permits.release()
        permits.release()
        assert b"It is" in await next_write(reader)
        writer.close()


# How a request is answered -> its evidence and options
KEPT_ALIVE: dict[str, dict[str, Any]] = {
    "while a sentence is held": {"evidence": EVIDENCE},
    "while the first of two passes is read": {"evidence": EVIDENCE, "citations": {"enrich": True}},
    "while the provider's own stream is silent": {"evidence": []},
}


@pytest.mark.parametrize("fields", KEPT_ALIVE.values(), ids=KEPT_ALIVE)
async def test_a_silent_stream_is_kept_alive(fields: dict[str, Any], tmp_path: Path) -> None:
    permits = asyncio.Semaphore(1)
    settings = {"server": {"keepalive_seconds": 0.05}}
    async with serving([HEAD + delta("Half a"), delta(" sentence.") + END], permits, tmp_path, settings) as port:
        reader, writer = await ask(port, **fields)
        received = b""
        while received.count(b": keep-alive\n\n") < 2:
            received += await reader.readuntil(b"\n\n")
        permits.release()
        while not received.endswith(b"data: [DONE]\n\n"):
            received += await reader.readuntil(b"\n\n")
        assert b" sentence." in received
        writer.close()


async def test_a_stream_asks_reverse_proxies_not_to_buffer_it(tmp_path: Path) -> None:
    async with serving([HEAD + END], asyncio.Semaphore(1), tmp_path) as port:
        reader, writer = await ask(port)
        headers = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        assert "x-accel-buffering: no" in headers
        assert "cache-control: no-cache, no-transform" in headers
        writer.close()


class LargeKeepAlives(ChatEncoder):
    """Keep-alives that fill the buffers at once. Small ones fill them only after a long time."""

    keepalive = b"x" * MORE_THAN_SOCKETS_HOLD


async def write_much(stream: Stream) -> web.StreamResponse:
    await stream.begin({})
    await stream.write(b"x" * MORE_THAN_SOCKETS_HOLD)
    return await stream.end()


async def wait_for_provider(stream: Stream) -> web.StreamResponse:
    await asyncio.Event().wait()
    return await stream.end()


# Response that a client does not read -> function that answers it, and the encoder that writes keep-alives
UNREAD: dict[str, tuple[Callable[[Stream], Awaitable[web.StreamResponse]], ChatEncoder | None]] = {
    "an answer": (write_much, None),
    "keep-alives, while the provider is silent": (wait_for_provider, LargeKeepAlives()),
}


@pytest.mark.parametrize(("respond", "encoder"), UNREAD.values(), ids=UNREAD)
async def test_a_client_that_does_not_read_is_disconnected(
    respond: Callable[[Stream], Awaitable[web.StreamResponse]], encoder: ChatEncoder | None
) -> None:
    disconnected = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        stream = Stream(request, ServerConfig(stalled_seconds=0.05, keepalive_seconds=0.01), encoder)
        try:
            return await stream.watch(respond(stream))
        except (ConnectionError, asyncio.CancelledError):
            disconnected.set()
            raise

    app = web.Application()
    app.router.add_get("/", answer)
    async with TestServer(app) as server, asyncio.timeout(TIMEOUT_SECONDS):
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        await disconnected.wait()
        writer.close()


async def test_a_keep_alive_is_never_inside_data_that_is_written_in_pieces() -> None:
    waiting = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        encoder = ChatEncoder()
        stream = Stream(request, ServerConfig(), encoder)
        await stream.begin({})
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(stream.write(b"x" * MORE_THAN_SOCKETS_HOLD))
            await asyncio.sleep(0)  # the write waits, because the client does not read
            await stream._send_keepalive(encoder)
            waiting.set()
        return await stream.end()

    app = web.Application()
    app.router.add_get("/", answer)
    async with (
        TestServer(app) as server,
        asyncio.timeout(TIMEOUT_SECONDS),
        aiohttp.ClientSession() as session,
        session.get(server.make_url("/")) as response,
    ):
        await waiting.wait()
        assert set(await response.read()) == {ord("x")}


class FailingEnd(ChatEncoder):
    """An encoder that cannot write the end of an answer: not once, or never."""

    def __init__(self, failures: int) -> None:
        self._failures = failures

    def end(self) -> bytes:
        self._failures -= 1
        if self._failures >= 0:
            raise ValueError("the end cannot be encoded")
        return super().end()


async def sent_with(encoder: ChatEncoder) -> bytes:
    """Return what a client receives of an answer until the connection ends."""

    async def batches() -> Batches:
        yield [Finish(0, "stop", {"choices": []})]

    async def answer(request: web.Request) -> web.StreamResponse:
        stream = Stream(request, ServerConfig(), encoder)
        return await send(stream, batches(), UncitedChunks(usage=False).of, encoder, {})

    app = web.Application()
    app.router.add_get("/", answer)
    async with TestServer(app) as server, asyncio.timeout(TIMEOUT_SECONDS):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""
        finally:
            writer.close()


async def test_a_stream_whose_end_cannot_be_encoded_ends_with_an_error() -> None:
    received = await sent_with(FailingEnd(failures=1))
    assert b'"code":"internal_error"' in received
    assert b"data: [DONE]\n\n" in received


async def test_a_stream_whose_error_cannot_be_encoded_either_does_not_look_complete() -> None:
    received = await sent_with(FailingEnd(failures=2))
    assert not received.endswith(b"0\r\n\r\n")
    assert b"[DONE]" not in received
