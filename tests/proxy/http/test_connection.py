"""Connections below the level of requests: clients that close their sending side, and bytes that are not HTTP."""

import asyncio
import gzip
import json
import resource
import signal
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from citestream.providers.scheduler import ENDED_TOGETHER
from citestream.proxy.http.connection import Connection, with_body_tracking
from tests.faults.clients import CLIENTS, EVIDENCE, Client
from tests.faults.dialects import DIALECTS
from tests.faults.framing import chunked
from tests.soak.serving import process
from tests.upstreams.wire import Break, Request, Server, Step

Start = Callable[..., str]

TIMEOUT_SECONDS = 100.0  # for a machine under load
CLIENTS_THAT_LEAVE = 40
CONNECTIONS = 400  # the default backlog of asyncio and aiohttp is 128
# 0.7 s on an idle machine. A keep-alive is sent after 15 s, and its write would fail too.
DISCONNECT_SECONDS = 10.0
OPENAI = DIALECTS["openai"]
ANSWER = chunked(OPENAI, [OPENAI.text("The sky is blue. "), OPENAI.text("Grass is green."), OPENAI.finish()])


class PausedProvider:
    """A provider that sends the first steps at once, and the others when `resume` is set."""

    def __init__(self, first: Sequence[Step], others: Sequence[Step] = (Break.STALL,)) -> None:
        self.reached, self.resume = asyncio.Event(), asyncio.Event()
        self._first, self._others = first, others

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        for step in self._first:
            yield step
        self.reached.set()
        if self._others != (Break.STALL,):
            await self.resume.wait()
        for step in self._others:
            yield step


def settings(provider: Server) -> dict[str, Any]:
    options = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "sk-none-0123456789"}
    return {"providers": {"slow": options | {"retries": {"most": 0}}}}


async def half_closed(url: str, client: Client, times: int = 1) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send the same request several times without waiting for the answers, and close the sending side."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    body = json.dumps(client.body("slow/m", 1) | ({"evidence": EVIDENCE} if client.evidence else {})).encode()
    path = client.path.format(model="slow/m")
    head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
    writer.write((f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body) * times)
    writer.write_eof()
    return reader, writer


async def test_a_client_that_closes_its_sending_side_gets_its_answer(citestream_server: Start) -> None:
    paused = PausedProvider([], ANSWER)
    async with Server(paused) as provider, asyncio.timeout(2 * TIMEOUT_SECONDS):
        url = citestream_server(settings(provider))
        for name, client in CLIENTS.items():
            paused.reached.clear()
            paused.resume.clear()
            reader, writer = await half_closed(url, client)
            await paused.reached.wait()
            paused.resume.set()
            answer = (await reader.read()).decode()
            writer.close()
            assert "HTTP/1.1 200 OK" in answer, name
            assert "Grass is green." in answer, name
            assert answer.endswith(("0\r\n\r\n", "}")), name


async def test_all_requests_that_arrived_before_the_sending_side_was_closed_are_answered(
    citestream_server: Start,
) -> None:
    paused = PausedProvider([], ANSWER)
    paused.resume.set()
    async with Server(paused) as provider, asyncio.timeout(TIMEOUT_SECONDS):
        reader, writer = await half_closed(citestream_server(settings(provider)), next(iter(CLIENTS.values())), times=3)
        answers = (await reader.read()).decode()
        assert answers.count("HTTP/1.1 200 OK") == answers.count("Grass is green.") == 3
        writer.close()


async def test_an_interim_response_precedes_the_answer(citestream_server: Start) -> None:
    paused = PausedProvider([], ANSWER)
    async with Server(paused) as provider, asyncio.timeout(TIMEOUT_SECONDS):
        reader, writer = await half_closed(citestream_server(settings(provider)), next(iter(CLIENTS.values())))
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        paused.resume.set()
        assert (await reader.read()).count(b"Grass is green.") == 1
        writer.close()


@pytest.mark.parametrize("moment", ["before the provider answers", "while a sentence is held"])
async def test_a_disconnect_after_the_request_was_sent_ends_the_stream_of_the_provider(
    moment: str, citestream_server: Start
) -> None:
    held = chunked(OPENAI, [OPENAI.text("The sky is blue. "), OPENAI.text("Grass")])[:-1]
    paused = PausedProvider(held if "held" in moment else [])
    async with Server(paused) as provider, asyncio.timeout(TIMEOUT_SECONDS):
        url = citestream_server(settings(provider))
        for client in CLIENTS.values():
            paused.reached.clear()
            provider.left.clear()
            _, writer = await half_closed(url, client)
            await paused.reached.wait()
            writer.close()
            async with asyncio.timeout(DISCONNECT_SECONDS):
                await provider.left.wait()


async def test_a_text_is_not_cited_for_a_client_that_has_left(citestream_server: Start) -> None:
    """The response to it is not a stream, and nothing is written to it before its end."""
    body = {"text": "The bridge was opened in 1932.", "citations": {"scorer": "hybrid"}}
    client = replace(next(iter(CLIENTS.values())), path="/v1/cite", body=lambda *_: body)
    paused = PausedProvider([])
    async with Server(paused) as embedder, asyncio.timeout(TIMEOUT_SECONDS):
        url = citestream_server(settings(embedder) | {"scoring": {"embedder": "slow/m", "deadline_seconds": 10}})
        _, writer = await half_closed(url, client)
        await paused.reached.wait()
        writer.close()
        async with asyncio.timeout(DISCONNECT_SECONDS):
            await embedder.left.wait()


async def test_a_stream_to_an_http_1_0_client_ends_with_its_connection(citestream_server: Start) -> None:
    """Its end cannot be seen otherwise, even if the client asks for a connection that stays open."""
    host, port = citestream_server().removeprefix("http://").split(":")
    body = json.dumps({"model": "extractive", "stream": True, "messages": [{"role": "user", "content": "Who?"}]})
    head = f"Host: {host}:{port}\r\nConnection: keep-alive\r\nContent-Type: application/json"
    async with asyncio.timeout(DISCONNECT_SECONDS):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            f"POST /v1/chat/completions HTTP/1.0\r\n{head}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )
        assert (await reader.read()).endswith(b"data: [DONE]\n\n")
        writer.close()


async def test_an_end_that_is_reported_twice_is_noticed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise each of two timers would write to the client. uvloop reports an end that comes with the request so."""
    begun: list[float] = []
    monkeypatch.setattr(Connection, "_probe_later", lambda _, seconds: begun.append(seconds))

    async def answer(_: web.BaseRequest) -> web.Response:
        return web.Response()

    loop = asyncio.get_running_loop()
    ours, client = socket.socketpair()
    with client:
        connect = loop.connect_accepted_socket(lambda: Connection(web.Server(answer), loop=loop), ours)
        transport, connection = await connect
        assert [connection.eof_received(), connection.eof_received()] == [True, True]
        assert len(begun) == 1
        transport.abort()


async def test_requests_of_clients_that_leave_together_end_one_by_one() -> None:
    notes: list[str] = []
    ended = asyncio.Event()

    async def answer(_: web.BaseRequest) -> web.StreamResponse:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            notes.append("end")
            if notes.count("end") == CLIENTS_THAT_LEAVE:
                ended.set()
        raise AssertionError

    loop = asyncio.get_running_loop()
    factory = with_body_tracking(web.Server(answer).request_factory)
    manager = web.Server(answer, request_factory=factory, handler_cancellation=True)
    with ExitStack() as sockets:
        transports = []
        for _ in range(CLIENTS_THAT_LEAVE):
            begun = asyncio.Event()
            ours, client = socket.socketpair()
            sockets.enter_context(client)
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            transports.append((await loop.connect_accepted_socket(lambda: Connection(manager, loop=loop), ours))[0])
            await begun.wait()
        for transport in transports:
            transport.abort()
        while not ended.is_set():
            notes.append("turn")
            await asyncio.sleep(0)
    together = max(len(list(group)) for note, group in groupby(notes) if note == "end")
    assert together <= ENDED_TOGETHER


async def test_an_incomplete_request_ends_with_its_connection(citestream_server: Start) -> None:
    host, port = citestream_server().removeprefix("http://").split(":")
    async with asyncio.timeout(TIMEOUT_SECONDS):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"POST /v1/cite HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        writer.write_eof()
        await reader.read()
        writer.close()


NOT_HTTP: dict[str, tuple[bytes, str]] = {
    "no method": (b"\x16\x03\x01 secret-text\r\n\r\n", "invalid_http"),
    "an unknown version": (b"GET / HTTP/9.9\r\nX: secret-text\r\n\r\n", "invalid_http"),
    "a header without a name": (b"GET / HTTP/1.1\r\n: secret-text\r\n\r\n", "invalid_http"),
    "a header with a control character": (b"GET / HTTP/1.1\r\nAuthorization: secret-text\x00\r\n\r\n", "invalid_http"),
    "a length that is not a number": (b"POST / HTTP/1.1\r\nContent-Length: secret-text\r\n\r\n", "invalid_http"),
    "two lengths": (b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nsecret-text", "invalid_http"),
    "a long header": (b"GET / HTTP/1.1\r\nX: secret-text" + b"x" * 20_000 + b"\r\n\r\n", "header_too_long"),
    "a long path": (b"GET /secret-text" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n", "header_too_long"),
}


async def test_bytes_that_are_not_http_get_a_json_error_that_does_not_repeat_them(
    citestream_server: Start, tmp_path: Path
) -> None:
    host, port = citestream_server().removeprefix("http://").split(":")
    for case, (sent, code) in NOT_HTTP.items():
        async with asyncio.timeout(TIMEOUT_SECONDS):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(sent)
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            writer.close()
        assert b" 400 " in head, case
        assert b"application/json" in head, case
        assert b"secret-text" not in head + body, case
        assert json.loads(body)["error"]["code"] == code, case
    logged = await asyncio.to_thread(lambda: "".join(file.read_text() for file in tmp_path.glob("*.log")))
    assert "secret-text" not in logged


UNREADABLE: dict[str, tuple[str, bytes, int]] = {  # headers, the body, and the status of the answer
    "a body that is not gzip": ("Content-Encoding: gzip", b"secret-text", 400),
    "truncated gzip": ("Content-Encoding: gzip", gzip.compress(b"{}")[:-8] + b"secret-text", 400),
    "an unknown expectation": ("Expect: secret-text", b"{}", 417),
}


@pytest.mark.parametrize("half_closed", [False, True])
async def test_an_unreadable_request_gets_a_json_error_that_does_not_repeat_it(
    citestream_server: Start, half_closed: bool
) -> None:
    host, port = citestream_server().removeprefix("http://").split(":")
    for case, (header, body, status) in UNREADABLE.items():
        async with asyncio.timeout(TIMEOUT_SECONDS):
            reader, writer = await asyncio.open_connection(host, int(port))
            head = f"POST /v1/cite HTTP/1.1\r\nHost: localhost\r\n{header}\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            if half_closed:
                writer.write_eof()
            head, answer = (await reader.readuntil(b"\r\n\r\n")).decode(), await reader.read()
            writer.close()
        assert head.startswith(f"HTTP/1.1 {status} "), case
        assert b"secret-text" not in answer, case
        assert json.loads(answer)["error"]["type"] == "invalid_request_error", case


def test_a_busy_server_accepts_many_connections_later(tmp_path: Path) -> None:
    command = ["-m", "citestream", "serve", "--port", "0"]
    with process(command, tmp_path / "log") as (server, url), ExitStack() as clients:
        host, port = url.removeprefix("http://").split(":")
        server.send_signal(signal.SIGSTOP)  # accepts nothing
        try:
            for _ in range(CONNECTIONS):  # the system refuses connections above the backlog
                clients.enter_context(socket.create_connection((host, int(port)), timeout=DISCONNECT_SECONDS))
        finally:
            server.send_signal(signal.SIGCONT)


def test_open_files_are_limited_by_the_system_only(tmp_path: Path) -> None:
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (CONNECTIONS // 2, most))  # inherited by the server
    try:
        with process(["-m", "citestream", "serve", "--port", "0"], tmp_path / "log") as (server, _):
            assert resource.prlimit(server.pid, resource.RLIMIT_NOFILE) == (most, most)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most))
