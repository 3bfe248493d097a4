"""Five hundred paced streams at once through one worker: none lost, none mixed up, memory within its bounds."""

import asyncio
import sys
from pathlib import Path

import aiohttp
import pytest

from tests.load.streams import SENTENCES, Together, Told, ask, sentences
from tests.soak.serving import process
from tests.upstreams.wire import Server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

STREAMS = 500
WORDS = 4000  # words of additional evidence with each question: twenty passages of 200
MEGABYTES = 300.0  # resident at most, ever
PATIENCE = 200.0  # seconds for all of them, on a machine under load


def peak(pid: int) -> float:
    """Megabytes that were resident at most, ever."""
    status = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in status if line.startswith("VmHWM:"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
async def test_none_is_lost_and_none_mixed_up(tmp_path: Path) -> None:
    together = Together(STREAMS)
    async with Server(together) as upstream:
        file = tmp_path / "config.yaml"
        file.write_text(
            f"providers: {{paced: {{kind: openai, base_url: '{upstream.url}/v1'}}}}\nlog: {{access: false}}\n"
        )
        command = ["-m", "citestream", "serve", "--port", "0", "--config", str(file)]
        with process(command, tmp_path / "log") as (server, url):
            told = await all_of(url)
            most = peak(server.pid)
    print(f"{most:.0f} MB at most")
    assert together.most == STREAMS
    assert len({one.nonce for one in told}) == STREAMS
    for one in told:
        assert one.strangers == set()
        assert one.text == "".join(sentences(one.nonce)).strip()
        assert one.cited >= SENTENCES
        assert one.ended
    assert most < MEGABYTES


async def all_of(url: str) -> list[Told]:
    async with (
        asyncio.timeout(PATIENCE),
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session,
        asyncio.TaskGroup() as tasks,
    ):
        asked = [tasks.create_task(ask(session, url, WORDS)) for _ in range(STREAMS)]
    return [one.result() for one in asked]
