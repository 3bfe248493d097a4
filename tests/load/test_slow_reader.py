"""A client that reads slowly slows down its provider: the held text is bounded, and other clients are not affected."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.soak.measuring import sample
from tests.soak.serving import process
from tests.upstreams.wire import Request, Server, Step, chunk, head

# A kernel takes up to 4 MB to send and 6 MB received for one connection (Linux's tcp_wmem and tcp_rmem), and there are
# two. A provider that nobody holds back would send this much within a second or two.
MOST_TAKEN = 40e6
MOST_KEPT = 40.0  # megabytes that the server may grow by meanwhile
OTHERS = 20  # answers to others, within which the provider of the slow one sends nothing more
SECONDS = 10.0  # until a provider's stream is closed after its client has left; idle: 0.1 s at most
PATIENCE = 100.0
EVIDENCE = [{"text": "The bridge was opened in 1932."}]
FILLER = "and so on and on " * 60

Fields = dict[str, Any]
MESSAGES = [{"role": "user", "content": "What is there?"}]
PATH = "/v1/chat/completions"
ASKED: Fields = {"model": "endless/m", "stream": True, "messages": MESSAGES}
CASES: dict[str, Fields] = {"cited": ASKED | {"evidence": EVIDENCE}, "passed through": ASKED}


class Endless:
    """A provider that numbers its sentences and never stops; asked for the model `short`, it says one."""

    def __init__(self) -> None:
        self.sent = 0  # bytes that were taken

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        yield head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        if request.json["model"] == "short":
            yield chunk(_event("It is red.") + _event("", "stop") + b"data: [DONE]\n\n") + chunk(b"")
            return
        number = 0
        while True:
            number += 1
            event = _event(f"Sentence {number} goes on {FILLER}here. ")
            yield chunk(event)
            self.sent += len(event)
            await asyncio.sleep(0)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
async def test_a_slow_reader_holds_its_provider_back(tmp_path: Path) -> None:
    endless = Endless()
    async with Server(endless) as upstream, asyncio.timeout(PATIENCE * len(CASES)):
        file = tmp_path / "config.yaml"
        file.write_text(
            f"providers: {{endless: {{kind: openai, base_url: '{upstream.url}/v1'}}}}\nlog: {{access: false}}\n"
        )
        command = ["-m", "citestream", "serve", "--port", "0", "--config", str(file)]
        with process(command, tmp_path / "log") as (server, url):
            for case, body in CASES.items():
                endless.sent = 0
                upstream.left.clear()
                before = sample(server.pid, 0, 0).memory
                reader, writer = await send_request(url, body)
                await held_back(endless, url)
                taken = endless.sent
                assert taken < MOST_TAKEN, case
                assert sample(server.pid, 0, 0).memory - before < MOST_KEPT, case
                await reads_on(reader, endless, taken)
                writer.transport.abort()
                async with asyncio.timeout(SECONDS):
                    await upstream.left.wait()


async def send_request(url: str, body: Fields) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A client that has asked and reads nothing: its system takes as little as it may."""
    host, _, port = url.removeprefix("http://").partition(":")
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**16)
    connection.setblocking(False)
    await asyncio.get_running_loop().sock_connect(connection, (host, int(port)))
    reader, writer = await asyncio.open_connection(sock=connection)
    data = json.dumps(body).encode()
    writer.write(f"POST {PATH} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
    await writer.drain()
    return reader, writer


async def held_back(endless: Endless, url: str) -> None:
    """Wait until the provider sends nothing while others get their answers."""
    body = {"model": "endless/short", "messages": MESSAGES, "evidence": EVIDENCE}
    async with aiohttp.ClientSession() as session:
        sent = -1
        while sent != endless.sent or not sent:
            sent = endless.sent
            for _ in range(OTHERS):
                async with session.post(url + PATH, json=body) as answer:
                    assert (await answer.json())["choices"][0]["message"]["content"] == "It is red."


async def reads_on(reader: asyncio.StreamReader, endless: Endless, taken: int) -> None:
    """Nothing was dropped meanwhile: the sentences follow each other, and the provider goes on."""
    number, unread = 0, b""
    async with asyncio.timeout(PATIENCE):
        await reader.readuntil(b"\r\n\r\n")
        while endless.sent <= taken:
            size = int(await reader.readline(), 16)
            *lines, unread = (unread + await reader.readexactly(size)).split(b"\n")
            assert await reader.readexactly(2) == b"\r\n"
            for line in lines:
                if b"Sentence " in line:
                    number += 1
                    assert f"Sentence {number} goes".encode() in line


def _event(text: str, reason: str | None = None) -> bytes:
    one = {"index": 0, "delta": {"content": text}, "finish_reason": reason}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [one]}
    return b"data: " + json.dumps(body).encode() + b"\n\n"
