"""Run every fault of a provider with every client API, through a real proxy on real sockets."""

import asyncio
import logging
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.faults.clients import CLIENTS, EVIDENCE, PASSED, Client, Seen, failed
from tests.faults.dialects import DIALECTS
from tests.faults.framing import Piece, as_written, chunked
from tests.faults.judging import CUT, NOTHING, WHOLE, applies, judged
from tests.faults.scenarios import EVENT_BYTES, SCENARIOS, Scenario, closed_at, full
from tests.upstreams.wire import Answer, Request, Server, Step

GOOD = Scenario(full)
HANG = 100.0  # seconds, far above every timeout: who takes this long hangs
MOMENT = {"connect": 20.0, "first_token": 4.0, "idle": 1.0}  # seconds that an impatient proxy waits
AT_ONCE = 8
PASSED_THROUGH = "passed through"
COLUMNS = (*CLIENTS, PASSED_THROUGH)
PLACES = {name: f"s{number}" for number, name in enumerate(SCENARIOS)}  # the model that a scenario is asked for as
NAMED = re.compile(r"\b([sc])(\d+)\b")

Cut = Callable[[Sequence[Piece]], Sequence[Piece]]


@dataclass
class Cell:
    """The result of one fault, and its errors."""

    shown: str
    wrong: list[str] = field(default_factory=list)


async def column(kind: str, name: str, cut: Cut = as_written) -> dict[str, Cell]:
    """By scenario: all faults of one provider for one client API."""
    return await _asked(kind, name, cut, {PLACES[one]: one for one in SCENARIOS})


async def closes(kind: str, name: str, places: Iterable[int]) -> dict[str, Cell]:
    """By place: a close after so many bytes of an answer."""
    return await _asked(kind, name, as_written, {f"c{at}": f"a close after {at} bytes" for at in places})


def scenario_of(kind: str, model: str) -> Scenario:
    """Return the behaviour of the provider for this model."""
    named = NAMED.search(model)
    if named is None:
        return GOOD
    number = int(named[2])
    return closed_at(kind, number) if named[1] == "c" else SCENARIOS[list(SCENARIOS)[number]]


def client_of(kind: str, column: str) -> Client:
    """The client API of a column; what passes through is the provider's own."""
    return PASSED[kind] if column == PASSED_THROUGH else CLIENTS[column]


async def _asked(kind: str, column: str, cut: Cut, models: dict[str, str]) -> dict[str, Cell]:
    turns = asyncio.Semaphore(AT_ONCE)
    async with _proxy(kind, cut) as proxy:

        async def cell(model: str) -> Cell:
            async with turns:
                return await proxy.cell(model, kind, client_of(kind, column))

        cells = await asyncio.gather(*map(cell, models))
    return dict(zip(models.values(), cells, strict=True))


class _Proxy:
    """A proxy in front of a provider that does what the scenario named as its model says."""

    def __init__(self, url: str, errors: list[str]) -> None:
        self._url = url
        self._errors = errors

    async def cell(self, model: str, kind: str, client: Client) -> Cell:
        """One fault, a good answer after it on the same connection, and what is wrong with either."""
        scenario = scenario_of(kind, model)
        if not applies(scenario, kind, client):
            return Cell(NOTHING)
        opened: list[object] = []
        trace = aiohttp.TraceConfig()
        trace.on_connection_create_end.append(_noting(opened))
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=1), trace_configs=[trace]) as session:
            provider = "refused" if scenario.refused else "quick" if scenario.impatient else "patient"
            seen, raw, headers = await self._ask(session, client, f"{provider}/{model}", scenario)
            wrong = judged(scenario, kind, client, seen, raw, headers)
            after, raw, _ = await self._ask(session, client, "patient/good", GOOD)
            wrong += [f"the next answer: {one}" for one in judged(GOOD, kind, client, after, raw, {})]
        if len(opened) > 1:
            wrong.append("the connection was lost")
        wrong += [f"in the log: {line}" for line in self._errors]
        self._errors.clear()
        return Cell(str(seen.status) if seen.status != 200 else CUT if seen.error else WHOLE, wrong)

    async def _ask(
        self, session: aiohttp.ClientSession, client: Client, model: str, scenario: Scenario
    ) -> tuple[Seen, bytes, dict[str, str]]:
        body = client.body(model, scenario.choices) | ({"evidence": EVIDENCE} if client.evidence else {})
        async with (
            asyncio.timeout(HANG),
            session.post(self._url + client.path.format(model=model), json=body) as answer,
        ):
            seen, raw = Seen(answer.status), await answer.read()
            if answer.status != 200:
                seen.error = failed(await answer.json())
            elif client.evidence or scenario.error or scenario.status:
                client.read(seen, raw)  # a complete answer that passes through must have the same bytes
        return seen, raw, {name.lower(): value for name, value in answer.headers.items()}


@asynccontextmanager
async def _proxy(kind: str, cut: Cut) -> AsyncIterator[_Proxy]:
    """Everything started, on sockets of this machine."""
    errors: list[str] = []
    handler = _Collecting(errors)
    logging.getLogger().addHandler(handler)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound, but nobody listens
        async with Server(_acting(kind, cut)) as provider:
            dead = f"http://127.0.0.1:{free.getsockname()[1]}"
            runner = web.AppRunner(
                make_app(parse(_config(kind, provider.url, dead))), handler_cancellation=True, access_log=None
            )
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            try:
                yield _Proxy(f"http://127.0.0.1:{runner.addresses[0][1]}", errors)
            finally:
                await runner.cleanup()
                logging.getLogger().removeHandler(handler)


def _acting(kind: str, cut: Cut) -> Answer:
    async def answer(request: Request) -> AsyncIterator[Step]:
        scenario = scenario_of(kind, request.target if kind == "gemini" else request.json["model"])
        dialect = DIALECTS[kind]
        pieces = scenario.body(dialect)
        for step in (scenario.http or chunked)(dialect, pieces if scenario.drips else cut(pieces)):
            yield step
            await asyncio.sleep(scenario.drips)

    return answer


def _config(kind: str, url: str, dead: str) -> dict[str, Any]:
    path = "/v1" if kind == "openai" else ""
    one = {"kind": kind, "base_url": url + path, "api_key": "sk-operators-0123456789", "retries": {"most": 0}}
    providers = {"patient": one, "quick": one | {"timeouts": MOMENT}, "refused": one | {"base_url": dead + path}}
    return {"providers": providers, "limits": {"event_bytes": EVENT_BYTES}}


def _noting(opened: list[object]) -> Any:
    async def note(*event: object) -> None:
        opened.append(event)

    return note


class _Collecting(logging.Handler):
    """Collects log lines that are written only if Citestream itself failed."""

    def __init__(self, errors: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._errors = errors

    def emit(self, record: logging.LogRecord) -> None:
        self._errors.append(f"{record.getMessage()} {record.exc_info[1]!r}" if record.exc_info else record.getMessage())
