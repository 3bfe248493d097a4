"""Kill one of two workers with SIGKILL: its streams end with an error, and no other stream or later request is lost."""

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
EACH = 3  # streams that each worker has at least when one of them is killed
MOST = 400  # streams, within which both workers got theirs
FILES = 2  # open files per stream: the connections to its client and its provider
PATIENCE = 100.0

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for workers in /proc")


class Halting:
    """A provider that says half of its answer and the rest once it may."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        first, *rest = chunked(OPENAI, [OPENAI.text(part) for part in PARTS] + [OPENAI.finish(), OPENAI.done])
        yield first
        for number, step in enumerate(rest):
            if number == len(PARTS) - 1:
                await self.go_on.wait()
            yield step


async def test_only_its_own_streams_are_lost(tmp_path: Path) -> None:
    halting = Halting()
    async with Server(halting) as upstream, asyncio.timeout(PATIENCE):
        file = tmp_path / "config.yaml"
        provider = {"kind": "openai", "base_url": f"{upstream.url}/v1"}
        file.write_text(json.dumps({"providers": {"halting": provider}, "log": {"access": False}}))
        command = ["-m", "citestream", "serve", "--port", "0", "--workers", "2", "--config", str(file)]
        with process(command, tmp_path / "log") as (server, url):
            victim, other = sorted(workers(server.pid))
            idle = {worker: files(worker) for worker in (victim, other)}
            async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
                streams: list[aiohttp.ClientResponse] = []
                while min(files(worker) - idle[worker] for worker in idle) < EACH * FILES:
                    assert len(streams) < MOST
                    streams.append(await begun(session, url))
                own = (files(victim) - idle[victim]) // FILES
                os.kill(victim, signal.SIGKILL)
                halting.go_on.set()
                ends = [await end(stream) for stream in streams]
                assert ends.count("broken") == own
                assert ends.count("whole") == len(streams) - own
            async with aiohttp.ClientSession() as session:
                while len(workers(server.pid) - {victim}) < 2:
                    assert await healthy(session, url)  # while its parent replaces it
                for _ in range(2 * EACH):  # whoever gets them
                    assert await end(await begun(session, url)) == "whole"
            assert other in workers(server.pid)


async def healthy(session: aiohttp.ClientSession, url: str) -> bool:
    async with session.get(f"{url}/healthz") as answer:
        return answer.status == 200


def workers(pid: int) -> set[int]:
    return set(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()))


def files(pid: int) -> int:
    return len([*Path(f"/proc/{pid}/fd").iterdir()])


async def begun(session: aiohttp.ClientSession, url: str) -> aiohttp.ClientResponse:
    """A stream whose first sentence has come."""
    body = CLIENT.body("halting/m", 1) | {"evidence": EVIDENCE}
    answer = await session.post(url + CLIENT.path, json=body)
    assert b"[1]" in await answer.content.readuntil(b"1932.") + await answer.content.readline()
    return answer


async def end(stream: aiohttp.ClientResponse) -> str:
    """How it ends: whole, or broken so that a client sees it."""
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
    return "whole"
