"""500 concurrent streams through one worker: no answer is lost or mixed up with another, and memory is bounded."""

import asyncio
import sys
from pathlib import Path

import aiohttp
import pytest

from tests.load.streams import SENTENCES, BarrierProvider, StreamedAnswer, ask, sentences
from tests.soak.serving import process
from tests.upstreams.wire import Server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

STREAMS = 500
WORDS = 4000  # additional evidence of each request, in passages of 200 words
MAX_MEGABYTES = 300.0  # limit of the peak resident memory
TIMEOUT = 200.0  # seconds for all streams, on a machine under load


def peak(pid: int) -> float:
    """The peak resident memory of a process in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in status if line.startswith("VmHWM:"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
async def test_concurrent_streams_are_complete_and_not_mixed_up(tmp_path: Path) -> None:
    provider = BarrierProvider(STREAMS)
    async with Server(provider) as upstream:
        file = tmp_path / "config.yaml"
        file.write_text(
            f"providers: {{paced: {{kind: openai, base_url: '{upstream.url}/v1'}}}}\nlog: {{access: false}}\n"
        )
        command = ["-m", "citestream", "serve", "--port", "0", "--config", str(file)]
        with process(command, tmp_path / "log") as (server, url):
            answers = await request_all(url)
            memory = peak(server.pid)
    print(f"{memory:.0f} MB at most")
    assert provider.max_open == STREAMS
    assert len({one.nonce for one in answers}) == STREAMS
    for one in answers:
        assert one.foreign_nonces == set()
        assert one.text == "".join(sentences(one.nonce)).strip()
        assert one.markers >= SENTENCES
        assert one.ended
    assert memory < MAX_MEGABYTES


async def request_all(url: str) -> list[StreamedAnswer]:
    async with (
        asyncio.timeout(TIMEOUT),
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session,
        asyncio.TaskGroup() as tasks,
    ):
        requests = [tasks.create_task(ask(session, url, WORDS)) for _ in range(STREAMS)]
    return [one.result() for one in requests]
