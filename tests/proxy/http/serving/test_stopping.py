"""SIGTERM: running requests finish, new ones are refused, and the exit code is 0."""

import asyncio
import json
import signal
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import aiohttp
import pytest

from tests.faults.clients import CLIENTS, EVIDENCE
from tests.faults.dialects import OPENAI
from tests.faults.framing import chunked
from tests.faults.scenarios import PARTS
from tests.soak.serving import served
from tests.upstreams.wire import Break, Server, chunk, script

STREAMS = 6
TIMEOUT_SECONDS = 100.0  # for a machine under load
ROOT = Path(__file__).parents[4]


@pytest.mark.parametrize("workers", [1, 2])
async def test_running_streams_finish_and_new_requests_are_rejected(workers: int, tmp_path: Path) -> None:
    may_finish = asyncio.Event()

    async def provider_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        writer.write(event({"content": "The bridge was opened in 1932."}))
        await writer.drain()
        await may_finish.wait()
        writer.write(event({}, "stop") + b"data: [DONE]\n\n")
        writer.close()

    provider = await asyncio.start_server(provider_answer, "127.0.0.1", 0)
    address = provider.sockets[0].getsockname()[1]
    config = tmp_path / "config.json"
    settings = {"providers": {"slow": {"kind": "openai", "base_url": f"http://127.0.0.1:{address}/v1"}}}
    config.write_text(json.dumps(settings))
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
    command += ["--workers", str(workers)]
    server = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    assert server.stdout is not None
    url = (await server.stdout.readline()).decode().split(" listening on ")[1].strip()
    request_body = {"model": "slow/m", "stream": True, "messages": [{"role": "user", "content": "When?"}]}
    request_body["evidence"] = [{"text": "The bridge was opened in 1932."}]
    request_body["citations"] = {"release": "live"}
    headers = {"Connection": "close"}  # so that any worker can receive the next request
    async with aiohttp.ClientSession(headers=headers) as client, provider, AsyncExitStack() as stack:
        posts = [client.post(f"{url}/v1/chat/completions", json=request_body) for _ in range(STREAMS)]
        running = [await stack.enter_async_context(one) for one in posts]
        for one in running:
            await one.content.readuntil(b"The")
        server.send_signal(signal.SIGTERM)
        while 200 in {await status(client, url) for _ in range(STREAMS)}:
            pass  # the signal has not been handled yet
        async with client.post(f"{url}/v1/chat/completions", json=request_body) as refused:
            assert refused.status == 503
            assert refused.headers["Retry-After"]
        async with client.get(f"{url}/readyz") as ready:
            assert (ready.status, await ready.json()) == (503, {"status": "stopping"})
        may_finish.set()
        rests = [await one.content.read() for one in running]
    for rest in rests:
        assert rest.endswith(b"data: [DONE]\n\n")
        assert b'"references":[{' in rest
    assert await server.wait() == 0


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_server_that_is_started_without_sigint_ignores_it(workers: int) -> None:
    ignore = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", ignore, sys.executable, "-m", "citestream", "serve", "--port", "0"]
    server = await asyncio.create_subprocess_exec(
        *command, "--workers", str(workers), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    url = (await server.stdout.readline()).decode().split(" listening on ")[1].strip()
    server.send_signal(signal.SIGINT)
    async with aiohttp.ClientSession() as client:
        answers = [await status(client, url) for _ in range(STREAMS)]
    server.send_signal(signal.SIGTERM)
    assert (answers, await server.wait()) == ([200] * STREAMS, 0)


async def test_a_stream_that_does_not_finish_in_time_breaks_off_and_looks_incomplete(tmp_path: Path) -> None:
    opened, *_ = chunked(OPENAI, [])
    sentences = [chunk(OPENAI.text(part)) for part in PARTS]
    async with Server(script(opened, *sentences, Break.STALL)) as provider:
        providers = {"slow": {"kind": "openai", "base_url": f"{provider.url}/v1"}}
        request_body = CLIENTS["chat"].body("slow/m", 1) | {"evidence": EVIDENCE}
        with served(tmp_path, {"server": {"drain_seconds": 0.2}, "providers": providers}) as (server, url):
            async with (
                aiohttp.ClientSession() as client,
                client.post(url + CLIENTS["chat"].path, json=request_body) as running,
            ):
                await running.content.readuntil(b"[1]")
                server.terminate()
                with pytest.raises(aiohttp.ClientError):
                    await running.content.read()
            assert server.wait(TIMEOUT_SECONDS) == 0
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await provider.left.wait()


async def status(client: aiohttp.ClientSession, url: str) -> int:
    async with client.get(f"{url}/readyz") as answer:
        return answer.status


def event(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"
