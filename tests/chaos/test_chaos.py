"""Chaos: what the server needs is killed (SIGKILL) or frozen (SIGSTOP) under load, and started again.

Answers go on as the policy says, it is all as before once what was missing is back, and nobody ever reads another's
words (each answer carries the nonce of who asked; the upstream looks for strangers' nonces too).
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.soak.__main__ import in_flight
from tests.soak.client import APIS, BRIDGE, PROVIDERS, Case, Fate, Outcome, ask
from tests.soak.serving import config, indexed, process, served
from tests.upstreams.postgres import Postgres, postgres
from tests.upstreams.redis import Redis, running

pytestmark = pytest.mark.slow

CLIENTS = 10
UNTIL = 100.0  # seconds; until all is well again, on a machine under load
ENOUGH = 30  # answers in a row that have to be as expected
ANSWERS = 100  # while databases are missing
CASES = [Case(api, f"{provider}/good", scorer="hybrid") for api in APIS for provider in PROVIDERS]
LOCAL = [Case(api, "extractive", source, scorer="hybrid") for api in APIS for source in ("evidence", "retrieval")]
TOLD: tuple[Fate, ...] = ("whole", "broken", "refused")  # never left without an end, never half and called whole


class Part:
    """A process on a port of its own, which can be killed and started again."""

    def __init__(self, log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}"
        self._log = log
        self._running: ExitStack | None = None
        self.start()

    def start(self) -> None:
        """Or start again."""
        self._running = ExitStack()
        command = ["-m", "tests.soak.upstream", str(self._port)]
        self._process, _ = self._running.enter_context(process(command, self._log))

    def kill(self) -> None:
        """At once, without a word to anybody."""
        self._process.kill()
        self.end()

    def end(self) -> None:
        """Let go of it."""
        if self._running:
            self._running.close()
        self._running = None


@contextmanager
def part(log: Path) -> Iterator[Part]:
    started = Part(log)
    try:
        yield started
    finally:
        started.end()


class Load:
    """Clients that ask without a pause; what they got since the last look."""

    def __init__(self, url: str, cases: list[Case]) -> None:
        self.wrong: list[str] = []
        self.got: list[Outcome] = []
        self.all: list[Outcome] = []
        self._url = url
        self._cases = cases
        self._asked = 0
        self._over = False
        self._news = asyncio.Event()

    async def client(self) -> None:
        """One of them."""
        async with aiohttp.ClientSession() as session:
            while not self._over:
                self._asked += 1
                case = self._cases[self._asked % len(self._cases)]
                fault, outcome = await ask(session, self._url, case, *TOLD)
                if fault:
                    self.wrong.append(f"{case}: {fault}")
                self.got.append(outcome)
                self.all.append(outcome)
                self._news.set()

    async def until(self, number: int, *fates: Fate) -> list[Outcome]:
        """Wait for so many answers, from now on, that ended in one of these ways; what came meanwhile."""
        self.got.clear()
        async with asyncio.timeout(UNTIL):
            while sum(outcome.fate in fates for outcome in self.got) < number:
                self._news.clear()
                await self._news.wait()
        return self.got[:]

    async def again(self, well: str = "") -> None:
        """Wait until ENOUGH answers in a row are whole and say this."""
        self.got.clear()
        async with asyncio.timeout(UNTIL):
            while True:
                last = self.got[-ENOUGH:]
                if len(last) == ENOUGH and all(one.fate == "whole" and well in said(one) for one in last):
                    return
                self._news.clear()
                await self._news.wait()

    def stop(self) -> None:
        """No more questions."""
        self._over = True


@asynccontextmanager
async def loaded(url: str, cases: list[Case], clients: int = CLIENTS) -> AsyncIterator[Load]:
    load = Load(url, cases)
    async with asyncio.TaskGroup() as tasks:
        for _ in range(clients):
            tasks.create_task(load.client())
        try:
            yield load
        finally:
            load.stop()
    assert load.wrong == []


def said(outcome: Outcome) -> str:
    return outcome.raw.decode().replace(" ", "")


def fates(outcomes: list[Outcome]) -> set[Fate]:
    return {outcome.fate for outcome in outcomes}


async def quiet(url: str, folder: Path) -> None:
    """Nothing still runs, nothing failed that nobody expected."""
    assert await in_flight(url) == ""
    assert "Traceback" not in (folder / "server.log").read_text("utf-8")


async def test_a_provider_that_dies_takes_its_own_streams_and_is_used_again_when_it_is_back(tmp_path: Path) -> None:
    indexed(tmp_path)
    with (
        part(tmp_path / "upstream.log") as upstream,
        part(tmp_path / "embedder.log") as embedder,
        served(tmp_path, config(upstream.url, tmp_path, embedder.url)) as (_, url),
    ):
        async with loaded(url, CASES) as load, loaded(url, LOCAL, 2) as local:
            for _ in range(2):
                assert fates(await load.until(ENOUGH, "whole")) == {"whole"}
                upstream.kill()
                await load.until(ENOUGH, "refused")
                assert fates(await local.until(ENOUGH, "whole")) == {"whole"}  # no provider is needed
                upstream.start()
                await load.again()
        await quiet(url, tmp_path)


async def test_another_model_answers_while_a_provider_is_dead(tmp_path: Path) -> None:
    indexed(tmp_path)
    with (
        part(tmp_path / "upstream.log") as upstream,
        served(
            tmp_path,
            config(upstream.url, tmp_path, models={"steady": {"model": "openai/good", "fallback": "extractive"}}),
        ) as (_, url),
    ):
        async with loaded(url, [Case(api, "steady") for api in APIS]) as load:
            await load.until(ENOUGH, "whole")
            upstream.kill()
            answered = await load.until(ENOUGH, "whole")
            assert fates(answered) <= {"whole", "broken"}  # broken: had begun to speak when it died
            assert fates(await load.until(ENOUGH, "whole")) == {"whole"}
            upstream.start()
            await load.again("Themoonishollow")  # only the upstream says this
        await quiet(url, tmp_path)


async def test_without_its_embedder_it_cites_by_words_and_says_so_until_it_is_back(tmp_path: Path) -> None:
    indexed(tmp_path)
    with (
        part(tmp_path / "upstream.log") as upstream,
        part(tmp_path / "embedder.log") as embedder,
        served(tmp_path, config(upstream.url, tmp_path, embedder.url)) as (_, url),
    ):
        chat = [case for case in CASES if case.api in ("chat", "ollama", "responses")]
        async with loaded(url, chat) as load:
            await load.again('"degraded":false')
            embedder.kill()
            assert fates(await load.until(ENOUGH, "whole")) == {"whole"}
            await load.again('"degraded":true')
            embedder.start()
            await load.again('"degraded":false')
        await quiet(url, tmp_path)


OUTAGES: tuple[tuple[Callable[[Postgres | Redis], None], Callable[[Postgres | Redis], None]], ...] = (
    (lambda database: database.kill(), lambda database: database.start()),
    (lambda database: database.freeze(True), lambda database: database.freeze(False)),
)
BRIDGES = f"CREATE TABLE bridges AS SELECT 1 AS id, '{BRIDGE}.' AS text"


async def test_databases_killed_frozen_and_started_again_cost_no_answer(tmp_path: Path) -> None:
    with part(tmp_path / "upstream.log") as upstream, postgres() as table, running() as redis:
        table.run(BRIDGES)
        retriever = {"kind": "postgres", "url": table.url, "table": "bridges", "timeout": 1, "on_failure": "answer"}
        store = {"url": redis.url, "timeout": 0.2}
        configured = config(upstream.url, tmp_path, retrievers={"docs": retriever}, store=store)
        with served(tmp_path, configured) as (_, url):
            cases = [Case(api, "extractive", "retrieval") for api in APIS]
            cited = BRIDGE.replace(" ", "")
            async with loaded(url, cases) as load:
                await load.again(cited)
                for stop, start in OUTAGES:
                    for database in (table, redis):
                        await asyncio.to_thread(stop, database)
                    try:
                        during = await load.until(ANSWERS, "whole")
                    finally:
                        for database in (table, redis):
                            await asyncio.to_thread(start, database)
                    assert fates(during) == {"whole"}
                    assert not all(cited in said(one) for one in during)  # the table was missing
                    await load.again(cited)
                assert {outcome.fate for outcome in load.all} == {"whole"}
                print(f"{len(load.all)} of {len(load.all)} answers are complete")
            await quiet(url, tmp_path)
