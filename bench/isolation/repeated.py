"""Measure how long clients that repeat a cheap or abandoned request delay another client.

python -m bench.isolation.repeated [KIND ...] [--seconds 10] [--clients 10] [--python PYTHON --folder CHECKOUT]

One client asks the embedded provider for an answer, again and again. Its baseline is the time of an answer while it is
alone. Then `--clients` other clients send one kind of request without a pause, and then it is alone again. If no queue
grows in the server, the last answers take as long as the first ones, and the baseline is reached at once afterwards.
Each kind is sent to a server of its own and takes half a minute, all of them some minutes. `--python` and `--folder`
measure another checkout.
"""

import argparse
import asyncio
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from aiohttp import ClientSession, ClientTimeout

from bench.isolation.cases import SENTENCE, Fields, flood
from bench.isolation.services import ROOT, Services, server

ALONE_SECONDS = 3.0
LEAVE_SECONDS = 0.02  # from the request of a client until it leaves
TIMEOUT = ClientTimeout(total=60)  # requests of the measured client
CHAT = "/v1/chat/completions"

Send = Callable[[ClientSession, str], Awaitable[object]]

_numbers = itertools.count()


def _chat(model: str = "fake/m", excerpts: int = 20, **fields: Any) -> Fields:
    """Return a request with evidence that no request had before."""
    number = next(_numbers)
    evidence = [{"text": f"Station {number} sells {number + n} tickets. {SENTENCE * 8}"} for n in range(excerpts)]
    messages = [{"role": "user", "content": f"How many tickets does station {number} sell?"}]
    return {"model": model, "stream": True, "messages": messages, "evidence": evidence, **fields}


def _cite() -> Fields:
    return {"text": SENTENCE * 20, "evidence": _chat()["evidence"]}


def _complete(path: str, make: Callable[[], Fields] | None = None) -> Send:
    """Return a client that reads its answer."""

    async def send(session: ClientSession, url: str) -> int:
        sent = session.post(url + path, json=make()) if make else session.get(url + path)
        async with sent as response:
            await response.read()
            return response.status

    return send


def _leaving(path: str, make: Callable[[], Fields]) -> Send:
    """Return a client that leaves soon after its request."""

    async def send(_: ClientSession, url: str) -> str:
        host, body = urlsplit(url), json.dumps(make()).encode()
        _reader, writer = await asyncio.open_connection(host.hostname, host.port)
        head = f"POST {path} HTTP/1.1\r\nHost: {host.netloc}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await asyncio.sleep(LEAVE_SECONDS)
        writer.transport.abort()
        return "left"

    return send


KINDS: dict[str, Send] = {
    "complete answers": _complete(CHAT, _chat),
    "provider is dead": _complete(CHAT, lambda: _chat("dead/m")),
    "model is unknown": _complete(CHAT, lambda: _chat("unknown/m")),
    "evidence is invalid": _complete(CHAT, lambda: _chat(evidence=[{"text": 1}])),
    "client leaves, chat": _leaving(CHAT, _chat),
    "client leaves, text to cite": _leaving("/v1/cite", _cite),
    "list of models": _complete("/v1/models"),
    "metrics": _complete("/metrics"),
}


async def _answer_times(session: ClientSession, url: str, seconds: float) -> list[float]:
    """Return how many seconds each answer of the measured client takes. Ask for `seconds`, and at least once."""
    ask = _complete(CHAT, partial(_chat, "extractive", excerpts=3))
    end = time.perf_counter() + seconds
    times: list[float] = []
    while not times or time.perf_counter() < end:
        began = time.perf_counter()
        with suppress(TimeoutError):
            await ask(session, url)
        times.append(time.perf_counter() - began)
    return times


async def _repeat(send: Send, url: str, stop: asyncio.Event, outcomes: Counter[object]) -> None:
    async with ClientSession() as session:
        while not stop.is_set():
            outcomes[await send(session, url)] += 1


async def _measure(kind: str, arguments: argparse.Namespace) -> None:
    outcomes: Counter[object] = Counter()
    async with Services(flood(0.001, stream=True)) as services, ClientSession(timeout=TIMEOUT) as session:
        addresses = {"fake": f"{services.url}/v1", "dead": "http://127.0.0.1:9/v1"}
        providers = {name: _provider(address) for name, address in addresses.items()}
        config = {"providers": providers | {"extractive": None}}
        with server(config, arguments.python, arguments.folder) as (url, _):
            alone = await _answer_times(session, url, ALONE_SECONDS)
            stop = asyncio.Event()
            async with asyncio.TaskGroup() as tasks:
                for _ in range(arguments.clients):
                    tasks.create_task(_repeat(KINDS[kind], url, stop, outcomes))
                delayed = await _answer_times(session, url, arguments.seconds)
                stop.set()
            afterwards = await _answer_times(session, url, ALONE_SECONDS)
    third = max(1, len(delayed) // 3)
    times = [median(alone), median(delayed[:third]), median(delayed[-third:]), max(delayed), afterwards[0]]
    print(f"{kind:30}", *[f"{1000 * one:10.0f}" for one in times], f"  {dict(outcomes)}", flush=True)


def _provider(address: str) -> Fields:
    return {"kind": "openai", "base_url": address, "api_key": "none", "retries": {"most": 0}}


def main() -> None:
    """Print the times of the measured client for each kind of request."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # argparse checks the empty list, too, if no kind is given.
    parser.add_argument("kinds", nargs="*", choices=[[], *KINDS], metavar="KIND")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", type=Path, default=ROOT)
    arguments = parser.parse_args()
    print(f"{'ms of an answer':30}{'alone':>11}{'first':>11}{'last':>11}{'slowest':>11}{'afterwards':>11}")
    for kind in arguments.kinds or KINDS:
        asyncio.run(_measure(kind, arguments))


if __name__ == "__main__":
    main()
