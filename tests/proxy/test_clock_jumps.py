"""A jump of the system's clock ends no stream and removes no stored answer: durations use the monotonic clock."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.storage import recent_references
from tests.faults.clients import EVIDENCE
from tests.faults.dialects import OPENAI
from tests.faults.framing import chunked
from tests.faults.scenarios import full
from tests.upstreams.wire import Request, Server, Step

DAY = 86_400.0  # seconds; longer than every timeout, and than `references.keep_seconds`
JUMPS = {"forward": DAY, "backward": -DAY}


class PausedProvider:
    """A provider that sends the rest of its answer when `resume` is set."""

    def __init__(self) -> None:
        self.resume, self.reached = asyncio.Event(), asyncio.Event()

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        first, *others = chunked(OPENAI, full(OPENAI))
        yield first
        if not self.resume.is_set():
            self.reached.set()
        await self.resume.wait()
        for step in others:
            yield step


class SystemClock:
    """The clock of the system, which a test lets jump. The monotonic clock, which the event loop uses, does not."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.jumped_seconds = 0.0
        now = time.time
        for module in (time, recent_references):
            monkeypatch.setattr(module, "time", lambda: now() + self.jumped_seconds)


async def ask(client: Any, **fields: Any) -> dict[str, Any]:
    body = {"model": "paused/m", "messages": [{"role": "user", "content": "Why?"}], "evidence": EVIDENCE, **fields}
    async with client.post("/v1/chat/completions", json=body) as answer:
        data = await answer.text()
        assert answer.status == 200
        if not fields.get("stream"):
            return dict(json.loads(data))
        assert data.endswith("data: [DONE]\n\n")
        assert "error" not in data
        return dict(json.loads(data.partition("data: ")[2].partition("\n")[0]))


@pytest.mark.parametrize("direction", JUMPS)
async def test_a_jump_of_the_clock_ends_no_stream_and_removes_no_answer(
    direction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, paused = SystemClock(monkeypatch), PausedProvider()
    paused.resume.set()
    async with Server(paused) as provider:
        providers = {"paused": {"kind": "openai", "base_url": f"{provider.url}/v1"}}
        async with TestClient(TestServer(make_app(parse({"providers": providers})))) as client:
            before = await ask(client)
            paused.resume.clear()
            async with asyncio.TaskGroup() as tasks:
                streaming = tasks.create_task(ask(client, stream=True))
                await paused.reached.wait()
                clock.jumped_seconds = JUMPS[direction]
                async with client.get(f"/v1/references/{before['id']}") as references:
                    assert references.status == 200, "a stored answer was removed"
                paused.resume.set()
            assert streaming.result()["id"]
            assert await ask(client)
