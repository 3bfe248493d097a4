"""A client that does not read slows down its provider: the server holds little text, other clients are not affected."""

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

# Linux buffers up to 4 MB of sent and 6 MB of received data per connection (tcp_wmem and tcp_rmem), and there are
# two connections. A provider that is not slowed down sends this much in one or two seconds.
MAX_ACCEPTED = 40e6  # bytes
MAX_GROWTH = 40.0  # megabytes of memory of the server
OTHER_REQUESTS = 20  # the provider has paused if it sends nothing during these requests
CLOSE_TIMEOUT = 10.0  # seconds; the stream of the provider closes within 0.1 s on an idle machine
TIMEOUT = 100.0  # seconds
EVIDENCE = [{"text": "The bridge was opened in 1932."}]
FILLER = "and so on and on " * 60

Fields = dict[str, Any]
MESSAGES = [{"role": "user", "content": "What is there?"}]
PATH = "/v1/chat/completions"
REQUEST: Fields = {"model": "endless/m", "stream": True, "messages": MESSAGES}
CASES: dict[str, Fields] = {"cited": REQUEST | {"evidence": EVIDENCE}, "passed through": REQUEST}


class Endless:
    """A provider that sends numbered sentences without end. The model `short` sends one sentence."""

    def __init__(self) -> None:
        self.sent = 0  # bytes

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
async def test_a_client_that_does_not_read_slows_down_its_provider(tmp_path: Path) -> None:
    endless = Endless()
    async with Server(endless) as upstream, asyncio.timeout(TIMEOUT * len(CASES)):
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
                await wait_until_provider_pauses(endless, url)
                accepted = endless.sent
                assert accepted < MAX_ACCEPTED, case
                assert sample(server.pid, 0, 0).memory - before < MAX_GROWTH, case
                await read_until_provider_resumes(reader, endless, accepted)
                writer.transport.abort()
                async with asyncio.timeout(CLOSE_TIMEOUT):
                    await upstream.left.wait()


async def send_request(url: str, body: Fields) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send a request without reading the answer, with a small receive buffer."""
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


async def wait_until_provider_pauses(endless: Endless, url: str) -> None:
    """Wait until the provider sends nothing while other clients get their answers."""
    body = {"model": "endless/short", "messages": MESSAGES, "evidence": EVIDENCE}
    async with aiohttp.ClientSession() as session:
        sent = -1
        while sent != endless.sent or not sent:
            sent = endless.sent
            for _ in range(OTHER_REQUESTS):
                async with session.post(url + PATH, json=body) as answer:
                    assert (await answer.json())["choices"][0]["message"]["content"] == "It is red."


async def read_until_provider_resumes(reader: asyncio.StreamReader, endless: Endless, accepted: int) -> None:
    """Read until the provider sends again. No sentence is missing."""
    number, unread = 0, b""
    async with asyncio.timeout(TIMEOUT):
        await reader.readuntil(b"\r\n\r\n")
        while endless.sent <= accepted:
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
