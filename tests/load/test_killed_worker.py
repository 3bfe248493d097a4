"""A worker is killed with SIGKILL: its streams end with an error, and other streams and later requests succeed."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.faults.clients import CLIENTS, EVIDENCE, Received
from tests.faults.dialects import OPENAI
from tests.faults.framing import chunked
from tests.faults.scenarios import PARTS, WHOLE
from tests.soak.serving import process
from tests.upstreams.wire import Request, Server, Step

CLIENT = CLIENTS["chat"]
STREAMS_PER_WORKER = 3  # minimum when one worker is killed
MAX_STREAMS = 400  # until both workers have STREAMS_PER_WORKER
FILES_PER_STREAM = 2  # the connections to the client and to the provider
TIMEOUT = 100.0  # seconds

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


class PausedProvider:
    """A provider that sends a part of its answer, and the rest after `resume` is set."""

    def __init__(self) -> None:
        self.resume = asyncio.Event()

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        first, *rest = chunked(OPENAI, [OPENAI.text(part) for part in PARTS] + [OPENAI.finish(), OPENAI.done])
        yield first
        for number, step in enumerate(rest):
            if number == len(PARTS) - 1:
                await self.resume.wait()
            yield step


async def test_a_killed_worker_loses_only_its_own_streams(tmp_path: Path) -> None:
    paused = PausedProvider()
    async with Server(paused) as upstream, asyncio.timeout(TIMEOUT):
        file = tmp_path / "config.yaml"
        provider = {"kind": "openai", "base_url": f"{upstream.url}/v1"}
        file.write_text(json.dumps({"providers": {"paused": provider}, "log": {"access": False}}))
        command = ["-m", "citestream", "serve", "--port", "0", "--workers", "2", "--config", str(file)]
        with process(command, tmp_path / "log") as (server, url):
            killed, other = sorted(workers(server.pid))
            idle = {worker: open_files(worker) for worker in (killed, other)}
            async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
                streams: list[aiohttp.ClientResponse] = []
                while min(open_files(worker) - idle[worker] for worker in idle) < STREAMS_PER_WORKER * FILES_PER_STREAM:
                    assert len(streams) < MAX_STREAMS
                    streams.append(await open_stream(session, url))
                own = (open_files(killed) - idle[killed]) // FILES_PER_STREAM
                os.kill(killed, signal.SIGKILL)
                paused.resume.set()
                ends = [await end(stream) for stream in streams]
                assert ends.count("broken") == own
                assert ends.count("complete") == len(streams) - own
            async with aiohttp.ClientSession() as session:
                while len(workers(server.pid) - {killed}) < 2:
                    assert await healthy(session, url)  # the other worker answers until the killed one is replaced
                for _ in range(2 * STREAMS_PER_WORKER):  # either worker may answer
                    assert await end(await open_stream(session, url)) == "complete"
            assert other in workers(server.pid)


async def healthy(session: aiohttp.ClientSession, url: str) -> bool:
    async with session.get(f"{url}/healthz") as answer:
        return answer.status == 200


def workers(pid: int) -> set[int]:
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()))


def open_files(pid: int) -> int:
    try:
        return len([*Path(f"/proc/{pid}/fd").iterdir()])
    except PermissionError:
        pytest.skip("only root may look into a server")


async def open_stream(session: aiohttp.ClientSession, url: str) -> aiohttp.ClientResponse:
    """Start a stream and read its first sentence."""
    body = CLIENT.body("paused/m", 1) | {"evidence": EVIDENCE}
    answer = await session.post(url + CLIENT.path, json=body)
    assert b"[1]" in await answer.content.readuntil(b"1932.") + await answer.content.readline()
    return answer


async def end(stream: aiohttp.ClientResponse) -> str:
    """Read the rest of a stream. Return `complete`, or `broken` if the client sees an error."""
    async with stream:
        try:
            rest = await stream.content.read()
        except aiohttp.ClientError:
            return "broken"
    received = Received(200)
    CLIENT.read(received, rest)
    assert WHOLE.endswith(received.text().strip())
    assert received.ended
    assert received.reasons == {"stop"}
    return "complete"
