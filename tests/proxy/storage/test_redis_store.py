"""Several machines with one Redis: all find the answers of the others, and answers continue while Redis is down."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import Config, ConfigError, StoreConfig, load, parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.serving.workers import _shared
from tests.proxy.load import WITH_SERVICE, WITHOUT_SERVICE, Load
from tests.upstreams.redis import running

EVIDENCE = [{"text": "The Harlan bridge was opened on 4 May 1932 by the mayor.", "id": "e1"}]
QUESTION = "When was the Harlan bridge opened?"
REQUEST = {"model": "extractive", "messages": [{"role": "user", "content": QUESTION}], "evidence": EVIDENCE}


@asynccontextmanager
async def machine(url: str, **settings: Any) -> AsyncIterator[Any]:
    """Yield a function (method, path, body) that returns the status and the body of the answer."""
    config = parse({"providers": {"extractive": {}}, "store": {"url": url}, **settings})
    async with TestClient(TestServer(make_app(config))) as client:

        async def ask(method: str, path: str, body: Any = None) -> tuple[int, Any]:
            async with client.request(method, path, json=body) as answer:
                return answer.status, await answer.json()

        yield ask


async def test_every_machine_finds_the_references_of_the_others() -> None:
    with running() as redis:
        async with machine(redis.url) as here, machine(redis.url) as there:
            _, body = await here("POST", "/v1/chat/completions", REQUEST)
            assert len(body["references"]) == 1
            for ask in (here, there):
                status, found = await ask("GET", f"/v1/references/{body['id']}")
                assert (status, found["references"]) == (200, body["references"])
                assert found["grounding"] == body["grounding"]
            assert (await there("GET", "/v1/references/chatcmpl-unknown"))[0] == 404
        async with machine(redis.url) as later:
            assert (await later("GET", f"/v1/references/{body['id']}"))[0] == 200


async def test_clients_with_keys_find_their_own_answers_only() -> None:
    keys = {"server": {"keys": [{"name": "a", "key": "client-key-0123-a"}, {"name": "b", "key": "client-key-0123-b"}]}}
    with running() as redis:
        config = parse({"providers": {"extractive": {}}, "store": {"url": redis.url}, **keys})
        async with TestClient(TestServer(make_app(config))) as client:
            a, b = ({"Authorization": f"Bearer client-key-0123-{name}"} for name in "ab")
            async with client.post("/v1/chat/completions", json=REQUEST, headers=a) as answer:
                name = (await answer.json())["id"]
            statuses = []
            for headers in (a, b):
                async with client.get(f"/v1/references/{name}", headers=headers) as answer:
                    statuses.append(answer.status)
            assert statuses == [200, 404]


async def test_every_machine_continues_conversations_of_the_others() -> None:
    with running() as redis:
        async with machine(redis.url) as here, machine(redis.url) as there:
            first = {"model": "extractive", "input": QUESTION, "evidence": EVIDENCE}
            _, body = await here("POST", "/v1/responses", first)
            more = {"model": "extractive", "input": "Who opened it?", "previous_response_id": body["id"]}
            status, body = await there("POST", "/v1/responses", more | {"evidence": EVIDENCE})
            assert status == 200, body


@pytest.mark.slow
async def test_killing_redis_under_load_fails_no_answer_and_references_are_found_afterwards() -> None:
    with running() as redis:
        async with machine(redis.url) as here, machine(redis.url) as there:

            async def ask(conversation: int) -> str:
                question = f"When was bridge {conversation}00 opened?"
                evidence = [
                    {"text": f"Bridge {conversation}00 was opened in 19{conversation}0.", "id": str(conversation)}
                ]
                request = {**REQUEST, "messages": [{"role": "user", "content": question}], "evidence": evidence}
                status, body = await here("POST", "/v1/chat/completions", request)
                assert (status, [item["id"] for item in body["references"]]) == (200, [str(conversation)])
                status, found = await there("GET", f"/v1/references/{body['id']}")
                assert status in (200, 404)
                if status == 200:
                    assert found["references"] == body["references"]
                return WITH_SERVICE if status == 200 else WITHOUT_SERVICE

            async def kill() -> None:
                await asyncio.to_thread(redis.kill)

            async def start() -> None:
                await asyncio.to_thread(redis.start)

            seen = await Load(ask).run(kill, start)
    assert set(seen) == {WITH_SERVICE, WITHOUT_SERVICE}


async def test_a_hanging_redis_delays_no_answer() -> None:
    with running() as redis:
        async with machine(redis.url, store={"url": redis.url, "timeout": 0.2}) as ask:
            redis.freeze(True)
            try:
                for _ in range(3):
                    status, body = await ask("POST", "/v1/chat/completions", REQUEST)
                    assert (status, len(body["references"])) == (200, 1)
                assert (await ask("GET", f"/v1/references/{body['id']}"))[0] == 404
            finally:
                redis.freeze(False)


async def test_readiness_checks_redis() -> None:
    with running() as redis:
        async with machine(redis.url, readiness={"required": ["references"]}) as ask:
            status, body = await ask("GET", "/readyz")
            assert (status, body["checks"]["references"]["status"]) == (200, "ok")
    async with machine(redis.url, readiness={"required": ["references"]}) as ask:
        assert (await ask("GET", "/readyz"))[0] == 503


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "another kind": ({"store": {"url": "memcached://host"}}, "url must begin with redis:// or rediss://"),
    "a password in the address": ({"store": {"url": "redis://:sesame@host"}}, "url must not hold a password"),
    "file and address": (
        {"store": {"url": "redis://h"}, "references": {"file": "a.sqlite"}},
        "give only one of store.url",
    ),
}


@pytest.mark.parametrize(("raw", "message"), WRONG.values(), ids=WRONG)
def test_an_invalid_configuration_is_explained(raw: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse(raw)
    assert message in str(error.value)
    assert "sesame" not in str(error.value)


def test_a_missing_key_is_reported_at_the_start(tmp_path: Any) -> None:
    (tmp_path / "c.yaml").write_text("store: {url: redis://h, api_key_env: NONE}")
    with pytest.raises(ConfigError, match=r"^store: the variable NONE is not set"):
        load(str(tmp_path / "c.yaml"), {})


def test_workers_of_one_machine_use_it_too(tmp_path: Any) -> None:
    config = Config(store=StoreConfig(url="redis://h"))
    assert _shared(config, tmp_path).references == config.references


def test_without_the_redis_package_the_error_names_the_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ConfigError, match=r"^store\.url: Redis' client is not installed: pip install"):
        make_app(Config(store=StoreConfig(url="redis://h")))
