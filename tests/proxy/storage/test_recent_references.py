"""References of recent answers: only their client finds them, storage is limited, and answers do not wait for it."""

import asyncio
import json
import os
import sqlite3
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from citestream.providers.events import Finish
from citestream.proxy.config import ConfigError, ReferencesConfig, parse
from citestream.proxy.http.application import make_app
from citestream.proxy.pipeline.outgoing import TextOut
from citestream.proxy.storage import RecentReferences, ReferenceRecorder
from tests.clock import Clock as LoopClock
from tests.upstreams.servers import ollama_compatible
from tests.upstreams.wire import Break, Server, head, script

Fields = dict[str, Any]
Client = TestClient[web.Request, web.Application]

OLLAMA = ollama_compatible()


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def opened(clock: Callable[[], float] = Clock(), **settings: Any) -> AsyncIterator[RecentReferences]:  # noqa: B008
    recent = RecentReferences(ReferencesConfig(**settings), clock)
    try:
        yield recent
    finally:
        await recent.aclose()


@pytest.fixture(params=["in memory", "in a file"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Fields:
    """Return the options of a store."""
    return {"file": str(tmp_path / "recent.sqlite")} if request.param == "in a file" else {}


async def test_a_stored_answer_is_found_at_once(place: Fields) -> None:
    async with opened(**place) as recent:
        for number in range(50):
            recent.put("", f"chatcmpl-{number}", {"references": [number]})
            assert await recent.get("", f"chatcmpl-{number}") == {"references": [number]}
        assert await recent.get("", "chatcmpl-unknown") is None


async def test_references_are_stored_if_the_client_disconnects_between_the_ends_of_two_choices() -> None:
    async with opened() as recent:
        recorder = ReferenceRecorder(recent, "")
        for choice in (0, 1):
            recorder.observe(TextOut(choice, "It is lit. ", {}), [{"id": "c"}])
        recorder.observe(Finish(0, "stop", {}, last=False), [{"id": "c"}])
        recorder.end(lambda: {"references": [1]})
        assert await recent.get("", "c") == {"references": [1]}


async def test_the_last_choice_stores_the_references() -> None:
    async with opened() as recent:
        recorder = ReferenceRecorder(recent, "")
        recorder.observe(TextOut(0, "It is lit. ", {}), [{"id": "c"}])
        recorder.observe(Finish(0, "stop", {}), [{"id": "c", "references": [1]}])
        recorder.end(lambda: {"references": [2]})
        assert await recent.get("", "c") == {"references": [1]}


async def test_a_client_finds_its_own_answers_only(place: Fields) -> None:
    async with opened(**place) as recent:
        recent.put("search", "chatcmpl-1", {"references": ["search"]})
        recent.put("notebooks", "chatcmpl-1", {"references": ["notebooks"]})
        assert await recent.get("search", "chatcmpl-1") == {"references": ["search"]}
        assert await recent.get("notebooks", "chatcmpl-1") == {"references": ["notebooks"]}
        assert await recent.get("", "chatcmpl-1") is None


KEEPS: dict[str, tuple[dict[str, str], bool]] = {
    "in memory": ({}, True),
    "not in a permanent file by default": ({"file": "a.sqlite"}, False),
    "in a file if configured": ({"file": "a.sqlite", "conversations": "file"}, True),
    "not at all": ({"conversations": "none"}, False),
}


@pytest.mark.parametrize(("settings", "keeps"), KEEPS.values(), ids=KEEPS)
def test_conversations_are_stored_depending_on_the_options(settings: dict[str, Any], keeps: bool) -> None:
    assert ReferencesConfig(**settings).keeps_conversations is keeps


async def test_a_large_entry_does_not_displace_the_others(place: Fields) -> None:
    async with opened(max_bytes=2**16, **place) as recent:
        recent.put("", "small", {"references": [1]})
        recent.put("", "large", {"references": ["x" * 2**15]})
        assert await recent.get("", "small") == {"references": [1]}
        assert await recent.get("", "large") is None


async def test_the_latest_state_of_an_answer_is_found(place: Fields) -> None:
    async with opened(**place) as recent:
        for references in ([], [1], [1, 2]):
            recent.put("", "a", {"references": references})
        assert await recent.get("", "a") == {"references": [1, 2]}


async def test_the_oldest_entries_are_removed_first(place: Fields) -> None:
    clock = Clock()
    async with opened(clock, keep=3, **place) as recent:
        for number in range(6):
            clock.now += 1
            recent.put("", str(number), {"n": number})
        found = [number for number in range(6) if await recent.get("", str(number))]
        assert found == [3, 4, 5]


async def test_large_entries_stay_within_the_maximum_size(place: Fields) -> None:
    async with opened(max_bytes=2**16, **place) as recent:
        for number in range(20):
            recent.put("", str(number), {"text": "x" * 9_900})
        found = [number for number in range(20) if await recent.get("", str(number))]
        assert found == [14, 15, 16, 17, 18, 19]


async def test_expired_entries_are_not_found(place: Fields) -> None:
    clock = Clock()
    async with opened(clock, keep_seconds=60, **place) as recent:
        recent.put("", "a", {})
        clock.now += 59
        assert await recent.get("", "a") == {}
        clock.now += 2
        assert await recent.get("", "a") is None


async def test_expired_entries_do_not_stay_in_the_file(tmp_path: Path) -> None:
    clock, file = Clock(), tmp_path / "recent.sqlite"
    async with opened(clock, keep=100, keep_seconds=60, file=str(file)) as recent:
        recent.put("", "a", {})
        clock.now += 61
        recent.put("", "b", {})
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT id FROM answers").fetchall() == [("b",)]


async def test_a_client_displaces_only_its_own_entries(place: Fields) -> None:
    clock = Clock()
    for limits, size in ({"keep": 20}, 10), ({"max_bytes": 2**16}, 3_000):
        async with opened(clock, **limits, **place) as recent:
            for number in range(5):
                recent.put("quiet", str(number), {"text": "x" * size})
            for number in range(60):
                clock.now += 1
                recent.put("busy", str(number), {"text": "x" * size})
                recent.put_owned("passages", f"busy {number}", {"text": "x" * size}, "busy")
                assert await recent.get("busy", str(number))
            assert [await recent.get("quiet", str(number)) is not None for number in range(5)] == [True] * 5
            assert await recent.get("busy", "30") is None
            assert await recent.get("passages", "busy 30") is None


async def test_requests_of_one_client_do_not_remove_the_answers_of_another(tmp_path: Path) -> None:
    for references in ({"keep": 10}, {"keep": 10, "conversations": "file", "file": str(tmp_path / "s")}):
        keys = [{"key": "the client key of a"}, {"key": "the client key of b"}]
        server = {"keys": keys, "public_url": "https://cite.example"}
        config = parse({"server": server, "providers": {"extractive": None}, "references": references})
        async with TestClient(TestServer(make_app(config))) as client:
            a, b = ({"Authorization": f"Bearer the client key of {name}"} for name in "ab")
            whole = await (await client.post("/v1/chat/completions", json=REQUEST, headers=a)).json()
            question = {**RESPONSE_REQUEST, "model": "extractive"}
            conversation = await (await client.post("/v1/responses", json=question, headers=a)).json()
            for _ in range(30):
                await client.post("/v1/chat/completions", json=REQUEST, headers=b)
            assert (await client.get(f"/v1/references/{whole['id']}", headers=a)).status == 200
            link = whole["choices"][0]["message"]["annotations"][0]["url_citation"]["url"]
            assert (await client.get(link.removeprefix("https://cite.example"))).status == 200
            more = {**question, "previous_response_id": conversation["id"]}
            assert (await client.post("/v1/responses", json=more, headers=a)).status == 200


async def test_expired_entries_are_removed_from_the_memory_and_the_file_without_further_requests(
    place: Fields, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, loop_clock = Clock(), LoopClock(monkeypatch)
    async with opened(clock, keep_seconds=600, **place) as recent:
        recent.put("", "a", {"text": "a secret excerpt"})
        assert await recent.get("", "a")
        with recent.removing_expired():
            for passed, is_stored in ((61, True), (600, False)):
                clock.now += passed
                loop_clock.advance(passed)
                for _ in range(3):  # turns of the event loop, in which the timer fires
                    await asyncio.sleep(0)
                await recent.reach()
                assert stored_bytes(recent, place) == is_stored


def stored_bytes(recent: RecentReferences, place: Fields) -> bool:
    """Return whether the secret of the test is in memory, or in the file or its log, also in unused pages."""
    if not place:
        return bool(recent._memory)
    files = Path(place["file"]).parent.glob("recent.sqlite*")
    return any(b"secret" in file.read_bytes() for file in files if file.name[-4:] != "-shm")


async def test_entries_that_expired_while_the_server_was_stopped_are_removed_at_its_start(tmp_path: Path) -> None:
    clock, place = Clock(), {"file": str(tmp_path / "recent.sqlite")}
    async with opened(clock, keep_seconds=60, **place) as recent:
        recent.put("", "a", {"text": "a secret excerpt"})
    assert stored_bytes(recent, place)
    clock.now += 61
    async with opened(clock, keep_seconds=60, **place) as recent:
        assert not stored_bytes(recent, place)


async def test_a_file_of_an_earlier_version_is_continued(tmp_path: Path) -> None:
    file = tmp_path / "recent.sqlite"
    with closing(sqlite3.connect(file)) as database, database:
        database.execute(
            "CREATE TABLE answers (client TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL, size INTEGER NOT NULL, "
            "fields BLOB NOT NULL, PRIMARY KEY (client, id))"
        )
        database.execute("INSERT INTO answers VALUES ('a', 'x', 1000, 8, '{\"n\": 1}')")
    async with opened(Clock(), file=str(file)) as recent:
        recent.put("b", "y", {"n": 2})
        assert await recent.get("b", "y") == {"n": 2}
        assert await recent.get("a", "x") == {"n": 1}


async def test_the_conversations_that_a_request_refers_to_count_as_its_body() -> None:
    config = parse({"server": {"max_body_bytes": 20_000}, "providers": {"extractive": None}})
    question = {**RESPONSE_REQUEST, "model": "extractive", "instructions": "x"}
    async with TestClient(TestServer(make_app(config))) as client:
        answer = await (await client.post("/v1/responses", json=question | {"input": "a" * 15_000})).json()
        statuses = []
        for _ in range(2):
            more = question | {"input": "b" * 10_000, "previous_response_id": answer["id"]}
            response = await client.post("/v1/responses", json=more)
            statuses.append((response.status, answer := await response.json())[0])
        assert statuses == [200, 413]
        assert answer["error"]["code"] == "too_large"


async def test_an_entry_that_another_worker_writes_just_after_the_request_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "recent.sqlite")
    async with opened(file=file) as recent, opened(file=file) as of_another_worker:

        async def write(_: float) -> None:
            of_another_worker.put("", "a", {"references": [1]})
            await of_another_worker.reach()

        monkeypatch.setattr(asyncio, "sleep", write)
        assert await recent.get("", "a") == {"references": [1]}


async def test_nothing_is_stored_if_storing_is_disabled() -> None:
    async with opened(keep=0) as recent:
        recent.put("", "a", {})
        assert await recent.get("", "a") is None


async def test_a_file_survives_a_restart_and_is_only_readable_by_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "recent.sqlite"
    async with opened(file=str(file)) as recent:
        recent.put("", "a", {"references": ["ä"]})
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    async with opened(file=str(file)) as recent, opened(file=str(file)) as of_another_worker:
        assert await recent.get("", "a") == {"references": ["ä"]}
        recent.put("", "b", {})
        assert await recent.get("", "b") == {}
        assert await of_another_worker.get("", "b") == {}


async def test_losing_the_database_does_not_fail_answers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "recent.sqlite"
    async with opened(file=str(file)) as recent:
        with sqlite3.connect(file) as other:
            other.execute("DROP TABLE answers")
        other.close()
        recent.put("", "a", {"references": ["private"]})
        assert await recent.get("", "a") is None
    recent.put("", "after the end", {})
    assert "could not be stored" in caplog.text
    assert "private" not in caplog.text


async def test_entries_that_arrive_during_a_write_are_stored(tmp_path: Path) -> None:
    file = tmp_path / "recent.sqlite"
    async with opened(file=str(file)) as recent:
        with sqlite3.connect(file) as other:
            other.execute("BEGIN IMMEDIATE")  # another worker has locked the file, so the first write waits
            for number in range(100):
                recent.put("", str(number), {"n": number})
                recent.put("", f"\udcff{number}", {"n": number})  # cannot be written; the others are
            other.execute("COMMIT")
            assert [(await recent.get("", str(number)) or {})["n"] for number in range(100)] == list(range(100))
            recent.put("", "last", {"n": 100})
        other.close()
    async with opened(file=str(file)) as recent:
        assert await recent.get("", "last") == {"n": 100}


@pytest.mark.parametrize("name", ["\udcff", "a" * 10_000, "", "'; DROP TABLE answers; --"])
async def test_unusual_ids_are_treated_as_data(name: str, place: Fields) -> None:
    async with opened(**place) as recent:
        recent.put("", name, {})
        recent.put("", "a", {"references": ["\udcff"]})
        assert await recent.get("", name) in ({}, None)
        assert await recent.get("", "a") == {"references": ["\udcff"]}


def test_a_file_that_is_not_a_database_is_reported_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database " * 100)
    for file in (tmp_path / "text", tmp_path, tmp_path / "nowhere" / "x"):
        with pytest.raises(ConfigError, match=r"references\.file"):
            RecentReferences(ReferencesConfig(file=str(file)))


async def test_an_answer_is_stored_without_waiting_for_the_file(tmp_path: Path) -> None:
    file = tmp_path / "recent.sqlite"
    async with opened(file=str(file)) as recent:
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            recent.put("", "chatcmpl-1", {"references": [1]})
            assert other.execute("SELECT count(*) FROM answers").fetchone() == (0,)
            other.execute("ROLLBACK")
        assert await recent.get("", "chatcmpl-1") == {"references": [1]}


BRIDGE = {"text": "The Harlan bridge was opened on 4 May 1932 by the mayor of Harlan.", "id": "bridge"}
REQUEST: Fields = {
    "model": "extractive",
    "messages": [{"role": "user", "content": "When was the Harlan bridge opened?"}],
    "evidence": [BRIDGE],
}


RESPONSE_REQUEST: Fields = {"input": "When was the Harlan bridge opened?", "evidence": [BRIDGE]}


async def test_a_client_looks_up_the_last_fields_of_its_answer() -> None:
    config = parse({"providers": {"extractive": None}})
    async with TestClient(TestServer(make_app(config))) as client:
        whole = await (await client.post("/v1/chat/completions", json=REQUEST)).json()
        found = await (await client.get(f"/v1/references/{whole['id']}")).json()
        assert found["object"] == "references"
        for key in ("references", "grounding", "citations", "search_results"):
            assert found[key] == whole[key]
        assert [reference["id"] for reference in found["references"]] == ["bridge"]
        streamed = await (await client.post("/v1/chat/completions", json={**REQUEST, "stream": True})).text()
        name = streamed.split('"id":"')[1].split('"')[0]
        found = await (await client.get(f"/v1/references/{name}")).json()
        assert [reference["id"] for reference in found["references"]] == ["bridge"]


async def test_a_response_is_looked_up_by_its_own_id() -> None:
    config = parse({"providers": {"extractive": None}})
    request = {"model": "extractive", "input": "When was the Harlan bridge opened?", "evidence": [BRIDGE]}
    async with TestClient(TestServer(make_app(config))) as client:
        response = await (await client.post("/v1/responses", json=request)).json()
        assert response["id"].startswith("resp_")
        found = await (await client.get(f"/v1/references/{response['id']}")).json()
        assert [reference["id"] for reference in found["references"]] == ["bridge"]


async def test_answers_of_ollama_with_the_same_id_keep_separate_references() -> None:
    stream = script(head("200 OK", "Content-Type: text/event-stream", "Connection: close"), OLLAMA, Break.CLOSE)
    async with Server(stream) as ollama:
        provider = {"kind": "openai", "base_url": f"{ollama.url}/v1"}
        async with TestClient(TestServer(make_app(parse({"providers": {"ollama": provider}})))) as client:
            ids = []
            for name in ("boiling", "melting"):
                evidence = [{"text": "Water boils at 100 °C. Ice melts at 0 °C.", "id": name}]
                request = REQUEST | {"model": "ollama/qwen3", "evidence": evidence, "stream": True}
                streamed = [json.loads(data) for data in await events(client, request)]
                assert len({chunk["id"] for chunk in streamed}) == 1
                ids.append(streamed[0]["id"])
                whole = await (await client.post("/v1/chat/completions", json=request | {"stream": False})).json()
                ids.append(whole["id"])
            found = [await (await client.get(f"/v1/references/{name}")).json() for name in ids]
            cited = [[reference["id"] for reference in one["references"]] for one in found]
            assert cited == [["boiling"], ["boiling"], ["melting"], ["melting"]]
            assert all(name.startswith("chatcmpl-553-") for name in ids)


async def events(client: Client, request: Fields) -> list[str]:
    """Return the data of the events of an answer, without `[DONE]`."""
    body = await (await client.post("/v1/chat/completions", json=request)).text()
    return [line.removeprefix("data: ") for line in body.splitlines() if line.startswith("data: {")]


async def test_unknown_answers_and_answers_of_other_clients_are_not_found() -> None:
    keys = [{"name": "a", "key": "the client key of a"}, {"name": "b", "key": "the client key of b"}]
    config = parse({"server": {"keys": keys}, "providers": {"extractive": None}})
    async with TestClient(TestServer(make_app(config))) as client:
        a, b = ({"Authorization": f"Bearer the client key of {name}"} for name in "ab")
        whole = await (await client.post("/v1/chat/completions", json=REQUEST, headers=a)).json()
        path = f"/v1/references/{whole['id']}"
        assert (await client.get(path, headers=a)).status == 200
        answer = await client.get(path, headers=b)
        assert answer.status == 404
        assert (await answer.json())["error"]["code"] == "not_found"


def test_an_existing_file_is_left_to_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "recent.sqlite"
    files = [file, *(tmp_path / f"recent.sqlite-{kind}" for kind in ("wal", "shm"))]
    with closing(sqlite3.connect(file)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE t (x)")
        for path in files:
            path.chmod(0o666)
        with closing(RecentReferences(ReferencesConfig(file=str(file)))):
            assert [path.stat().st_mode & 0o777 for path in files] == [0o600] * 3


@pytest.mark.parametrize("create", [os.mkfifo, os.mkdir])
def test_a_file_of_another_kind_is_refused(create: Callable[[str], None], tmp_path: Path) -> None:
    file = tmp_path / "recent.sqlite"
    create(str(file))
    with pytest.raises(ConfigError, match=r"references\.file: .*(is not a file|directory)"):
        RecentReferences(ReferencesConfig(file=str(file)))


def test_a_link_in_place_of_a_file_of_sqlite_is_refused(tmp_path: Path) -> None:
    (tmp_path / "recent.sqlite-wal").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError, match=r"references\.file: .*symbolic links"):
        RecentReferences(ReferencesConfig(file=str(tmp_path / "recent.sqlite")))
