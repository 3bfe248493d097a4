"""Services of the server are killed (SIGKILL) or frozen (SIGSTOP) under load, and started again.

During an outage, requests end as configured. When the service is back, all answers are complete again. No client
receives text of another client: an answer contains the nonce of its request, and both sides look for other nonces.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.soak.__main__ import in_flight
from tests.soak.client import APIS, BRIDGE, PROVIDERS, Case, End, Outcome, ask
from tests.soak.serving import config, indexed, process, served
from tests.upstreams.postgres import Postgres, postgres
from tests.upstreams.redis import Redis, running

pytestmark = pytest.mark.slow

CLIENTS = 10
TIMEOUT = 100.0  # seconds of each wait, on a machine under load
CONSECUTIVE = 30  # answers in a row that must be as expected
ANSWERS = 100  # during an outage of the databases
CASES = [Case(api, f"{provider}/good", scorer="hybrid") for api in APIS for provider in PROVIDERS]
LOCAL = [Case(api, "extractive", source, scorer="hybrid") for api in APIS for source in ("evidence", "retrieval")]
VALID_ENDS: tuple[End, ...] = ("complete", "broken", "refused")  # an answer without an end is a fault


class UpstreamProcess:
    """A `tests.soak.upstream` that can be killed and started again on the same port."""

    def __init__(self, log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self._log = log
        self._running: ExitStack | None = None
        self.start()

    def start(self) -> None:
        """Start the process, for the first time or again."""
        self._running = ExitStack()
        command = ["-m", "tests.soak.upstream", str(self._port)]
        self._process, _ = self._running.enter_context(process(command, self._log))

    def kill(self) -> None:
        """Kill the process with SIGKILL."""
        self._process.kill()
        self.end()

    def end(self) -> None:
        """Stop the process and close its output."""
        if self._running:
            self._running.close()
        self._running = None


@contextmanager
def upstream_process(log: Path) -> Iterator[UpstreamProcess]:
    started = UpstreamProcess(log)
    try:
        yield started
    finally:
        started.end()


class Load:
    """Clients that send requests without a pause, and their answers."""

    def __init__(self, url: str, cases: list[Case]) -> None:
        self.faults: list[str] = []
        self.recent: list[Outcome] = []  # since the last call of a `wait_` method
        self.all: list[Outcome] = []
        self._url = url
        self._cases = cases
        self._sent = 0
        self._stopped = False
        self._answered = asyncio.Event()

    async def client(self) -> None:
        """Send requests until `stop` is called."""
        async with aiohttp.ClientSession() as session:
            while not self._stopped:
                self._sent += 1
                case = self._cases[self._sent % len(self._cases)]
                fault, outcome = await ask(session, self._url, case, *VALID_ENDS)
                if fault:
                    self.faults.append(f"{case}: {fault}")
                self.recent.append(outcome)
                self.all.append(outcome)
                self._answered.set()

    async def wait_for(self, number: int, *ends: End) -> list[Outcome]:
        """Wait for `number` new answers with one of these ends. Return all new answers."""
        self.recent.clear()
        async with asyncio.timeout(TIMEOUT):
            while sum(outcome.end in ends for outcome in self.recent) < number:
                self._answered.clear()
                await self._answered.wait()
        return self.recent[:]

    async def wait_until_complete(self, text: str = "") -> None:
        """Wait until CONSECUTIVE answers in a row are complete and contain `text`."""
        self.recent.clear()
        async with asyncio.timeout(TIMEOUT):
            while True:
                last = self.recent[-CONSECUTIVE:]
                if len(last) == CONSECUTIVE and all(one.end == "complete" and text in compact(one) for one in last):
                    return
                self._answered.clear()
                await self._answered.wait()

    def stop(self) -> None:
        """Let each client stop after its current request."""
        self._stopped = True


@asynccontextmanager
async def running_load(url: str, cases: list[Case], clients: int = CLIENTS) -> AsyncIterator[Load]:
    load = Load(url, cases)
    async with asyncio.TaskGroup() as tasks:
        for _ in range(clients):
            tasks.create_task(load.client())
        try:
            yield load
        finally:
            load.stop()
    assert load.faults == []


def compact(outcome: Outcome) -> str:
    return outcome.raw.decode().replace(" ", "")


def ends_of(outcomes: list[Outcome]) -> set[End]:
    return {outcome.end for outcome in outcomes}


async def assert_no_leftovers(url: str, folder: Path) -> None:
    """No request is in flight, and the log has no traceback."""
    assert await in_flight(url) == ""
    assert "Traceback" not in (folder / "server.log").read_text("utf-8")


async def test_a_killed_provider_fails_only_its_own_requests_and_is_used_after_its_restart(tmp_path: Path) -> None:
    indexed(tmp_path)
    with (
        upstream_process(tmp_path / "upstream.log") as upstream,
        upstream_process(tmp_path / "embedder.log") as embedder,
        served(tmp_path, config(upstream.url, tmp_path, embedder.url)) as (_, url),
    ):
        async with running_load(url, CASES) as load, running_load(url, LOCAL, 2) as local:
            for _ in range(2):
                assert ends_of(await load.wait_for(CONSECUTIVE, "complete")) == {"complete"}
                upstream.kill()
                await load.wait_for(CONSECUTIVE, "refused")
                assert ends_of(await local.wait_for(CONSECUTIVE, "complete")) == {
                    "complete"
                }  # these requests need no provider
                upstream.start()
                await load.wait_until_complete()
        await assert_no_leftovers(url, tmp_path)


async def test_the_fallback_model_answers_while_the_provider_is_down(tmp_path: Path) -> None:
    indexed(tmp_path)
    with (
        upstream_process(tmp_path / "upstream.log") as upstream,
        served(
            tmp_path,
            config(
                upstream.url, tmp_path, models={"with-fallback": {"model": "openai/good", "fallback": "extractive"}}
            ),
        ) as (_, url),
    ):
        async with running_load(url, [Case(api, "with-fallback") for api in APIS]) as load:
            await load.wait_for(CONSECUTIVE, "complete")
            upstream.kill()
            answered = await load.wait_for(CONSECUTIVE, "complete")
            assert ends_of(answered) <= {"complete", "broken"}  # broken: already streaming when the provider was killed
            assert ends_of(await load.wait_for(CONSECUTIVE, "complete")) == {"complete"}
            upstream.start()
            await load.wait_until_complete("Themoonishollow")  # only the upstream sends this text
        await assert_no_leftovers(url, tmp_path)


async def test_citations_are_degraded_while_the_embedder_is_down(tmp_path: Path) -> None:
    indexed(tmp_path)
    with (
        upstream_process(tmp_path / "upstream.log") as upstream,
        upstream_process(tmp_path / "embedder.log") as embedder,
        served(tmp_path, config(upstream.url, tmp_path, embedder.url)) as (_, url),
    ):
        chat = [case for case in CASES if case.api in ("chat", "ollama", "responses")]
        async with running_load(url, chat) as load:
            await load.wait_until_complete('"degraded":false')
            embedder.kill()
            assert ends_of(await load.wait_for(CONSECUTIVE, "complete")) == {"complete"}
            await load.wait_until_complete('"degraded":true')
            embedder.start()
            await load.wait_until_complete('"degraded":false')
        await assert_no_leftovers(url, tmp_path)


OUTAGES: tuple[tuple[Callable[[Postgres | Redis], None], Callable[[Postgres | Redis], None]], ...] = (
    (lambda database: database.kill(), lambda database: database.start()),
    (lambda database: database.freeze(True), lambda database: database.freeze(False)),
)
CREATE_BRIDGES = f"CREATE TABLE bridges AS SELECT 1 AS id, '{BRIDGE}.' AS text"


async def test_killed_and_frozen_databases_fail_no_request(tmp_path: Path) -> None:
    with upstream_process(tmp_path / "upstream.log") as upstream, postgres() as table, running() as redis:
        table.run(CREATE_BRIDGES)
        retriever = {"kind": "postgres", "url": table.url, "table": "bridges", "timeout": 1, "on_failure": "answer"}
        store = {"url": redis.url, "timeout": 0.2}
        configured = config(upstream.url, tmp_path, retrievers={"docs": retriever}, store=store)
        with served(tmp_path, configured) as (_, url):
            cases = [Case(api, "extractive", "retrieval") for api in APIS]
            cited = BRIDGE.replace(" ", "")
            async with running_load(url, cases) as load:
                await load.wait_until_complete(cited)
                for stop, start in OUTAGES:
                    for database in (table, redis):
                        await asyncio.to_thread(stop, database)
                    try:
                        answers = await load.wait_for(ANSWERS, "complete")
                    finally:
                        for database in (table, redis):
                            await asyncio.to_thread(start, database)
                    assert ends_of(answers) == {"complete"}
                    assert not all(cited in compact(one) for one in answers)  # the table was not available
                    await load.wait_until_complete(cited)
                assert {outcome.end for outcome in load.all} == {"complete"}
                print(f"{len(load.all)} answers, all complete")
            await assert_no_leftovers(url, tmp_path)
