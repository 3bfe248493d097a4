"""Measure the memory of a server before, during and after requests that clients abandon, and after many streams.

python -m bench.isolation.memory [--requests 1000] [--streams 500] [--python PYTHON --folder CHECKOUT]

The abandoned requests are of all kinds in turn: 30 kB of gzip that become 30 MB, texts to cite, chats while the
provider is silent, references to a stored conversation, documents, and requests that are refused. A few clients send
them at the same time, and leave after a moment. The streams have 20 excerpts of 1,000 characters each, which no request
had before, and read their answers to the end. The memory is the resident set of the process, also some seconds after
the last request, when the server has returned what is free. Takes some minutes.
"""

import argparse
import asyncio
import gzip
import itertools
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import ClientSession, ClientTimeout, web

from bench.isolation.cases import SENTENCE, Fields
from bench.isolation.services import ROOT, server
from bench.isolation.varied import events

LEAVE_SECONDS = (0.02, 0.1, 0.5)  # from the request of a client until it leaves, in turn
CLIENTS = 4  # clients that send abandoned requests at the same time
SETTLED_SECONDS = 5.0  # after the last request
SILENT_SECONDS = 600.0  # time for which the provider is silent
WATCH_SECONDS = 0.02  # between two readings of the memory
EVENT_SECONDS = 0.02  # between two events of the provider
CHAT = "/v1/chat/completions"
STORED_ITEMS = 20_000

_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Abandoned:
    """A request that a client abandons."""

    path: str
    data: bytes
    headers: dict[str, str] = field(default_factory=dict)


def _evidence() -> list[Fields]:
    number = next(_numbers)
    return [{"text": f"Station {number} sells {number + n} tickets. {SENTENCE * 12}"[:1_000]} for n in range(20)]


def _chat(model: str = "silent/m", **fields: Any) -> Fields:
    messages = [{"role": "user", "content": "How many tickets does the station sell?"}]
    return {"model": model, "stream": True, "messages": messages, "evidence": _evidence(), **fields}


def _json(path: str, body: Fields) -> Abandoned:
    return Abandoned(path, json.dumps(body).encode())


_PACKED = gzip.compress(
    json.dumps({"model": "silent/m", "messages": [{"role": "user", "content": "x" * 30_000_000}]}).encode()
)


def kinds(response_id: str) -> list[Callable[[], Abandoned]]:
    """Return functions that make the requests of each kind. `response_id`: of a stored conversation."""
    again = {"model": "silent/m", "input": "Hi", "previous_response_id": response_id}
    return [
        lambda: Abandoned(CHAT, _PACKED, {"Content-Encoding": "gzip"}),
        lambda: _json(CHAT, _chat()),
        lambda: _json("/v1/cite", {"text": SENTENCE * 200, "evidence": _evidence()}),
        lambda: _json("/v1/responses", again),
        lambda: _json(CHAT, _chat("unknown/m")),
        lambda: _json(CHAT, _chat(evidence=[{"text": 1}])),
        lambda: _json(CHAT, _chat("extractive", messages=[{"role": "user", "content": SENTENCE * 10_000}])),
        lambda: Abandoned("/v1/evidence/read?file_name=a.txt", SENTENCE.encode() * 20_000),
        lambda: _json("/v1/messages", _chat(max_tokens=9)),
        lambda: _json(CHAT, _chat(metadata={"a": [0] * 200_000})),
    ]


async def _leave(url: str, request: Abandoned, seconds: float) -> None:
    """Send a request and close the connection after some seconds."""
    host = urlsplit(url)
    _, writer = await asyncio.open_connection(host.hostname, host.port)
    headers = {"Host": host.netloc, "Content-Type": "application/json", **request.headers}
    lines = [f"POST {request.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    head = "\r\n".join([*lines, f"Content-Length: {len(request.data)}", "", ""])
    writer.write(head.encode() + request.data)
    await asyncio.sleep(seconds)
    writer.transport.abort()


async def _abandon(url: str, requests: Iterator[Abandoned]) -> None:
    seconds = itertools.cycle(LEAVE_SECONDS)

    async def client() -> None:
        for request in requests:
            await _leave(url, request, next(seconds))

    async with asyncio.TaskGroup() as tasks:
        for _ in range(CLIENTS):
            tasks.create_task(client())


async def _stream(session: ClientSession, url: str, statuses: Counter[str]) -> None:
    async with session.post(url + CHAT, json=_chat("fake/m")) as response:
        body = await response.read()
        statuses["complete" if body.rstrip().endswith(b"[DONE]") else str(response.status)] += 1


class _Peak:
    """The largest resident set of a process while the context is entered."""

    def __init__(self, pid: int) -> None:
        self.megabytes = 0
        self._pid = pid

    async def watch(self) -> None:
        """Look at the process until the task is cancelled."""
        while True:
            self.megabytes = max(self.megabytes, resident(self._pid))
            await asyncio.sleep(WATCH_SECONDS)


def resident(pid: int) -> int:
    """Return the resident set of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


@asynccontextmanager
async def _peak(pid: int) -> AsyncIterator[_Peak]:
    peak = _Peak(pid)
    async with asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(peak.watch())
        yield peak
        watching.cancel()


@asynccontextmanager
async def _provider() -> AsyncIterator[str]:
    """Run a provider that answers slowly, or never under /silent."""
    answer = events(SENTENCE * 10)

    async def respond(request: web.Request) -> web.StreamResponse:
        await request.read()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        with suppress(ConnectionError):  # the server closes the connection of a client that has left
            await response.prepare(request)
            if request.path.startswith("/silent"):
                await asyncio.sleep(SILENT_SECONDS)
            for event in answer.split(b"\n\n"):
                await response.write(event + b"\n\n")
                await asyncio.sleep(EVENT_SECONDS)
        return response

    application = web.Application(client_max_size=2**28)
    application.add_routes([web.route("*", "/{path:.*}", respond)])
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def _measure(arguments: argparse.Namespace) -> None:
    async with _provider() as provider, ClientSession(timeout=ClientTimeout(total=600)) as session:
        openai = {"kind": "openai", "api_key": "none", "responses": False}
        providers = {
            "fake": {**openai, "base_url": f"{provider}/v1"},
            "silent": {**openai, "base_url": f"{provider}/silent/v1"},
            "extractive": None,
        }
        with server({"providers": providers}, arguments.python, arguments.folder) as (url, process):
            items = [{"role": "user", "content": f"{n}"} for n in range(STORED_ITEMS)]
            async with session.post(f"{url}/v1/responses", json={"model": "extractive", "input": items}) as response:
                response_id = (await response.json())["id"]
            await asyncio.sleep(SETTLED_SECONDS)
            before = resident(process.pid)
            makers = itertools.cycle(kinds(response_id))
            async with _peak(process.pid) as peak:
                await _abandon(url, (make() for make in itertools.islice(makers, arguments.requests)))
            await asyncio.sleep(SETTLED_SECONDS)
            _report(f"{arguments.requests} abandoned", before, peak.megabytes, resident(process.pid))
            before, statuses = resident(process.pid), Counter[str]()
            async with _peak(process.pid) as peak, asyncio.TaskGroup() as tasks:
                for _ in range(arguments.streams):
                    tasks.create_task(_stream(session, url, statuses))
            await asyncio.sleep(SETTLED_SECONDS)
            _report(f"{arguments.streams} streams", before, peak.megabytes, resident(process.pid), dict(statuses))


def _report(name: str, before: int, peak: int, after: int, outcomes: object = "") -> None:
    print(f"{name:20} before {before:5} MB, peak {peak:5} MB, after {after:5} MB  {outcomes}", flush=True)


def main() -> None:
    """Print the memory of each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1_000)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", type=Path, default=ROOT)
    asyncio.run(_measure(parser.parse_args()))


if __name__ == "__main__":
    main()
