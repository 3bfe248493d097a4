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
from tests.faults.checks import CUT, NOTHING, WHOLE, applies, check
from tests.faults.clients import CLIENTS, EVIDENCE, PASSED, Client, Received, error_message
from tests.faults.dialects import DIALECTS
from tests.faults.framing import Piece, as_written, chunked
from tests.faults.scenarios import EVENT_BYTES, SCENARIOS, Scenario, closed_at, full
from tests.upstreams.wire import Answer, Request, Server, Step

GOOD = Scenario(full)
TIMEOUT = 100.0  # seconds, far above the timeouts of the proxy
SHORT_TIMEOUTS = {"connect": 20.0, "first_token": 4.0, "idle": 1.0}  # seconds
CONCURRENT = 8
PASSED_THROUGH = "passed through"
COLUMNS = (*CLIENTS, PASSED_THROUGH)
MODELS = {name: f"s{number}" for number, name in enumerate(SCENARIOS)}  # the model name that selects each scenario
MODEL_NAME = re.compile(r"\b([sc])(\d+)\b")

Split = Callable[[Sequence[Piece]], Sequence[Piece]]


@dataclass
class Cell:
    """The result of one fault, and its errors."""

    shown: str
    errors: list[str] = field(default_factory=list)


async def column(kind: str, name: str, split: Split = as_written) -> dict[str, Cell]:
    """Run all faults of one provider for one client API. Return the results by scenario."""
    return await _results(kind, name, split, {model: name for name, model in MODELS.items()})


async def closes(kind: str, name: str, places: Iterable[int]) -> dict[str, Cell]:
    """Close an answer after each of these numbers of bytes. Return the results by number."""
    return await _results(kind, name, as_written, {f"c{at}": f"a close after {at} bytes" for at in places})


def scenario_of(kind: str, model: str) -> Scenario:
    """Return the behaviour of the provider for this model."""
    match = MODEL_NAME.search(model)
    if match is None:
        return GOOD
    number = int(match[2])
    return closed_at(kind, number) if match[1] == "c" else SCENARIOS[list(SCENARIOS)[number]]


def client_of(kind: str, column: str) -> Client:
    """Return the client API of a column. For pass-through it is the API of the provider."""
    return PASSED[kind] if column == PASSED_THROUGH else CLIENTS[column]


async def _results(kind: str, column: str, split: Split, models: dict[str, str]) -> dict[str, Cell]:
    turns = asyncio.Semaphore(CONCURRENT)
    async with _proxy(kind, split) as proxy:

        async def cell(model: str) -> Cell:
            async with turns:
                return await proxy.cell(model, kind, client_of(kind, column))

        cells = await asyncio.gather(*map(cell, models))
    return dict(zip(models.values(), cells, strict=True))


class _Proxy:
    """A proxy in front of a provider whose behaviour depends on the name of the model."""

    def __init__(self, url: str, errors: list[str]) -> None:
        self._url = url
        self._errors = errors

    async def cell(self, model: str, kind: str, client: Client) -> Cell:
        """Request a fault, then a good answer on the same connection. Return the errors of both."""
        scenario = scenario_of(kind, model)
        if not applies(scenario, kind, client):
            return Cell(NOTHING)
        try:
            return await self._compared(scenario, model, kind, client)
        except aiohttp.ClientPayloadError as error:
            return Cell("broken", [f"the body of the answer is incomplete: {error}"])

    async def _compared(self, scenario: Scenario, model: str, kind: str, client: Client) -> Cell:
        connections: list[object] = []
        trace = aiohttp.TraceConfig()
        trace.on_connection_create_end.append(_appending(connections))
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=1), trace_configs=[trace]) as session:
            provider = "refused" if scenario.refused else "quick" if scenario.short_timeouts else "normal"
            received, raw, headers = await self._ask(session, client, f"{provider}/{model}", scenario)
            errors = check(scenario, kind, client, received, raw, headers)
            after, raw, _ = await self._ask(session, client, "normal/good", GOOD)
            errors += [f"the next answer: {one}" for one in check(GOOD, kind, client, after, raw, {})]
        if len(connections) > 1:
            errors.append("the connection was lost")
        errors += [f"in the log: {line}" for line in self._errors]
        self._errors.clear()
        return Cell(str(received.status) if received.status != 200 else CUT if received.error else WHOLE, errors)

    async def _ask(
        self, session: aiohttp.ClientSession, client: Client, model: str, scenario: Scenario
    ) -> tuple[Received, bytes, dict[str, str]]:
        body = client.body(model, scenario.choices) | ({"evidence": EVIDENCE} if client.evidence else {})
        async with (
            asyncio.timeout(TIMEOUT),
            session.post(self._url + client.path.format(model=model), json=body) as answer,
        ):
            received, raw = Received(answer.status), await answer.read()
            if answer.status != 200:
                received.error = error_message(await answer.json())
            elif client.evidence or scenario.error or scenario.status:
                client.read(received, raw)  # the bytes of other passed-through answers are compared
        return received, raw, {name.lower(): value for name, value in answer.headers.items()}


@asynccontextmanager
async def _proxy(kind: str, split: Split) -> AsyncIterator[_Proxy]:
    """Start a provider and a proxy on loopback sockets."""
    errors: list[str] = []
    handler = _Collecting(errors)
    logging.getLogger().addHandler(handler)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound, but not listening
        async with Server(_answering(kind, split)) as provider:
            refused = f"http://127.0.0.1:{unused.getsockname()[1]}"
            runner = web.AppRunner(
                make_app(parse(_config(kind, provider.url, refused))), handler_cancellation=True, access_log=None
            )
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            try:
                yield _Proxy(f"http://127.0.0.1:{runner.addresses[0][1]}", errors)
            finally:
                await runner.cleanup()
                logging.getLogger().removeHandler(handler)


def _answering(kind: str, split: Split) -> Answer:
    async def answer(request: Request) -> AsyncIterator[Step]:
        scenario = scenario_of(kind, request.target if kind == "gemini" else request.json["model"])
        dialect = DIALECTS[kind]
        pieces = scenario.body(dialect)
        for step in (scenario.http or chunked)(dialect, pieces if scenario.pause else split(pieces)):
            yield step
            await asyncio.sleep(scenario.pause)

    return answer


def _config(kind: str, url: str, refused: str) -> dict[str, Any]:
    path = "/v1" if kind == "openai" else ""
    settings = {"kind": kind, "base_url": url + path, "api_key": "sk-operators-0123456789", "retries": {"most": 0}}
    providers = {
        "normal": settings,
        "quick": settings | {"timeouts": SHORT_TIMEOUTS},
        "refused": settings | {"base_url": refused + path},
    }
    return {"providers": providers, "limits": {"event_bytes": EVENT_BYTES}}


def _appending(connections: list[object]) -> Any:
    async def note(*event: object) -> None:
        connections.append(event)

    return note


class _Collecting(logging.Handler):
    """Collects log lines that are written only if Citestream itself failed."""

    def __init__(self, errors: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._errors = errors

    def emit(self, record: logging.LogRecord) -> None:
        self._errors.append(f"{record.getMessage()} {record.exc_info[1]!r}" if record.exc_info else record.getMessage())
