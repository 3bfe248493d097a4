"""A table as the source of evidence: configuration, and answers while PostgreSQL is killed and restarted."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import Config, ConfigError, parse
from citestream.proxy.http.application import make_app
from tests.proxy.load import CONVERSATIONS, WITH_SERVICE, WITHOUT_SERVICE, Load
from tests.upstreams.postgres import Postgres, postgres

STATIONS = """
CREATE TABLE stations (id int PRIMARY KEY, text text, file_name text);
INSERT INTO stations SELECT n, 'Station number ' || n || '00 of the line sells tickets.', 's' || n || '.txt'
FROM generate_series(0, 7) AS n;
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres() as running:
        running.run(STATIONS)
        assert CONVERSATIONS <= 8
        yield running


def configured(**settings: Any) -> Config:
    retrievers = {"table": {"kind": "postgres", "table": "stations", **settings}}
    return parse({"providers": {"extractive": {}}, "retrievers": retrievers, "default_retriever": "table"})


def request_body(conversation: int) -> dict[str, Any]:
    question = f"What does station {conversation}00 of the line sell?"
    return {"model": "extractive", "messages": [{"role": "user", "content": question}], "retrieval": {"top_k": 1}}


@pytest.mark.slow
async def test_killing_postgresql_under_load_fails_no_answer_and_answers_recover(server: Postgres) -> None:
    app = make_app(configured(url=server.url, on_failure="answer", timeout=100))  # the timeout is never reached
    async with TestClient(TestServer(app)) as client:

        async def ask(conversation: int) -> str:
            async with client.post("/v1/chat/completions", json=request_body(conversation)) as answer:
                body = await answer.json()
            assert answer.status == 200, body
            report = body["grounding"]["retrieval"]
            if report["error"]:
                assert body["references"] == []
                assert report["error"].startswith("PostgreSQL ")
                return WITHOUT_SERVICE
            assert [reference["id"] for reference in body["references"]] == [str(conversation)]
            assert f"Station number {conversation}00" in body["choices"][0]["message"]["content"]
            return WITH_SERVICE

        async def kill() -> None:
            await asyncio.to_thread(server.kill)

        async def start() -> None:
            await asyncio.to_thread(server.start)

        seen = await Load(ask).run(kill, start)
    assert set(seen) == {WITH_SERVICE, WITHOUT_SERVICE}
    connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'citestream'"
    while server.run(connections).split()[2] != "0":  # the server notices the closed connections a moment later
        pass


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no address": ({}, "url is missing or has another scheme: postgresql://"),
    "the address of another service": ({"url": "https://host"}, "url is missing or has another scheme: postgresql://"),
    "a password in the address": ({"url": "postgresql://a:b@host/d"}, "url must not hold a password: use api_key"),
    "no table": ({"url": "postgresql://a@host/d", "table": ""}, "table is missing: the table or view with the text"),
    "an unknown field of evidence": ({"url": "postgresql://h", "fields": {"txt": "a"}}, "fields.txt: evidence has no"),
}


@pytest.mark.parametrize(("settings", "message"), WRONG.values(), ids=WRONG)
def test_an_invalid_configuration_is_explained(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match="retrievers") as error:
        configured(**settings)
    assert message in str(error.value)
