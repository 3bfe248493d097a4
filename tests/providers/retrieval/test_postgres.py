"""A real PostgreSQL: search by words, by vectors and by both, in tables of other programs, and failures."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from citestream.providers.embedding import Embedder
from citestream.providers.errors import ProviderError, TimedOut, Unreachable
from citestream.providers.retrieval import Retriever, hybrid_search, retriever, term_selection
from citestream.providers.retrieval.postgres import PostgresRetriever, Settings
from citestream.providers.retrieval.postgres_queries import MAX_CHARACTERS
from citestream.providers.retrieval.ranking import MAX_QUESTION, relevance
from citestream.providers.retrieval.term_selection import MAX_ROWS
from tests.upstreams.postgres import Postgres, postgres

TABLES = r"""
CREATE DATABASE plain;
CREATE EXTENSION vector;
CREATE ROLE reader LOGIN;
CREATE TABLE docs (
    id bigint PRIMARY KEY, text text, title text, file_name text, page_number int, metadata jsonb, embedding vector(2),
    is_generated_artifact boolean
);
INSERT INTO docs VALUES
    (1, 'The Harlan bridge was opened on 4 May 1932 by the mayor.', 'Bridge', 'bridge.pdf', 12,
     '{"url": "https://wiki.example/bridge"}', '[1,0]', false),
    (2, 'Bananas grow in the tropics.', NULL, 'fruit.txt', NULL, NULL, '[0,1]', true),
    (3, 'A crossing for trains and cars over the river.', NULL, NULL, NULL, '{"page": "7"}', '[0.9,0.1]', NULL),
    (4, 'It''s O''Brien''s \ back\\slash & (odd | !text:*).', NULL, NULL, NULL, NULL, NULL, NULL),
    (5, '   ', NULL, NULL, NULL, NULL, '[1,0]', NULL),
    (6, NULL, NULL, NULL, NULL, NULL, '[1,0]', NULL);
GRANT SELECT ON docs TO reader;
CREATE SCHEMA app;
CREATE TABLE app."Odd ""Table" (key uuid DEFAULT gen_random_uuid(), "Some Text" text, search tsvector
    GENERATED ALWAYS AS (to_tsvector('german', "Some Text")) STORED, e halfvec(2));
CREATE INDEX ON app."Odd ""Table" USING gin (search);
INSERT INTO app."Odd ""Table" ("Some Text", e) VALUES ('Die Brücken der Stadt sind alt.', '[1,1]');
CREATE TABLE langchain_pg_embedding (id varchar PRIMARY KEY, collection_id uuid, embedding vector(2), document text,
    cmetadata json);
INSERT INTO langchain_pg_embedding VALUES
    ('a', NULL, '[1,0]', 'Ferries cross the bay.', '{"source": "f.pdf", "page": 3}');
CREATE VIEW slow AS SELECT 1 AS id, 'bridge' || pg_sleep(30)::text AS text;
CREATE TABLE blank (id int, number int);
CREATE TABLE long AS SELECT 1 AS id, repeat('bridge ', 100000) AS text;
"""
PLAIN = """
CREATE TABLE docs (id int, content text);
INSERT INTO docs SELECT n, 'Station ' || n || ' sells tickets.' FROM generate_series(1, 300) AS n;
"""
NEAR_BRIDGES = [1.0, 0.0]


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with postgres() as running:
        running.run(TABLES)
        running.run("\\c plain\n" + PLAIN)
        yield running


class Vectors:
    """An embedder that has one vector for everything, or fails."""

    def __init__(self, vector: list[float] | None) -> None:
        self._vector = vector

    async def embed(self, texts: Sequence[str]) -> Any:
        if self._vector is None:
            raise ProviderError("it is asleep")
        return np.array([self._vector] * len(texts), dtype=np.float32)


class Hanging(Vectors):
    """An embedder that never answers."""

    def __init__(self) -> None:
        super().__init__(None)

    async def embed(self, texts: Sequence[str]) -> Any:
        await asyncio.Event().wait()


@asynccontextmanager
async def searching(
    url: str, table: str = "docs", embedder: Vectors | None = None, **settings: Any
) -> AsyncIterator[Any]:
    made: Retriever = retriever(
        "postgres", settings=Settings(url, table, **settings), embedder=cast("Embedder | None", embedder)
    )
    try:
        yield made.retrieve
    finally:
        await made.aclose()


async def test_a_search_by_words_returns_the_fields_of_the_row(server: Postgres) -> None:
    async with searching(server.url) as ask:
        found = await ask("When was the Harlan bridge opened?", 5)
    (entry,) = found.entries
    assert entry.pop("score") == 1.0
    assert entry == {
        "id": "1",
        "text": "The Harlan bridge was opened on 4 May 1932 by the mayor.",
        "title": "Bridge",
        "file_name": "bridge.pdf",
        "page_number": 12,
        "url": "https://wiki.example/bridge",
        "is_generated_artifact": False,
    }
    assert (found.found, found.notes["by_words"], found.notes["by_vectors"]) == (1, 1, 0)
    assert found.notes["search_ms"] > 0


async def test_by_both_what_either_half_finds_and_what_both_do_first(server: Postgres) -> None:
    async with searching(server.url, embedder=Vectors(NEAR_BRIDGES)) as ask:
        found = await ask("the bridge", 5)
        assert [entry["id"] for entry in found.entries] == ["1", "3", "2"]  # rows without text are none
        assert [entry["score"] for entry in found.entries] == [1.0, 0.9939, 0.0]
        assert found.entries[1]["page_number"] == 7
        assert [entry["id"] for entry in (await ask("the bridge", 1)).entries] == ["1"]
        found = await ask("Bananas", 5)
        assert found.entries[0]["id"] in ("1", "2")  # each is the first of one half
        assert {entry["id"] for entry in found.entries} == {"1", "2", "3"}


async def test_where_the_vector_s_maker_fails_words_are_enough(server: Postgres) -> None:
    async with searching(server.url, embedder=Vectors(None)) as ask:
        found = await ask("bananas", 5)
    assert [entry["id"] for entry in found.entries] == ["2"]
    assert found.notes["degraded"] == "by words only: it is asleep"


async def test_words_are_enough_while_the_embedder_hangs(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hybrid_search, "EMBEDDING_SHARE", 0.0)
    async with searching(server.url, embedder=Hanging()) as ask:
        found = await ask("bananas", 5)
    assert [entry["id"] for entry in found.entries] == ["2"]
    assert found.notes["degraded"] == "by words only: The embedder did not answer in time."


async def test_without_pgvector_and_without_an_id_of_text_the_best_of_many(server: Postgres) -> None:
    async with searching(server.url_of("plain"), embedder=Vectors(NEAR_BRIDGES)) as ask:
        found = await ask("Which tickets does station 77 sell?", 3)
    assert found.entries[0] == {"id": "77", "text": "Station 77 sells tickets.", "score": found.entries[0]["score"]}
    assert (len(found.entries), found.notes["by_words"], found.notes["by_vectors"]) == (3, 50, 0)


COMMON = """
CREATE TABLE large (id text, text text, words tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED);
INSERT INTO large SELECT 'station ' || n, 'The station sells rooms ' || n FROM generate_series(1, 20) AS n;
INSERT INTO large SELECT 'ticket ' || n, 'The ticket costs money ' || n FROM generate_series(1, 20) AS n;
INSERT INTO large VALUES ('both', 'The station prints a ticket'), ('rare', 'O''Brien''s zebra'), ('c', 'rooms money');
CREATE INDEX ON large USING gin (words);
"""
LARGE_SEARCHES = {
    "a rare term is found beside common ones": ("zebra station ticket", "rare"),
    "common terms together": ("station ticket", "both"),
    "with few results, single common terms are searched for, too": ("station money", "station 1"),
}


async def test_common_terms_of_a_large_table(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    server.run(COMMON)
    for limit in (10, MAX_ROWS):
        monkeypatch.setattr(term_selection, "MAX_ROWS", limit)
        for analyze in ("", "ANALYZE large"):
            server.run(analyze)
            for question, expected in LARGE_SEARCHES.values():
                async with searching(server.url, "large") as ask:
                    found = await ask(question, 50)
                ids = [entry["id"] for entry in found.entries]
                assert expected in ids
                assert len(ids) == len(set(ids)) >= 2
    monkeypatch.setattr(term_selection, "MAX_ROWS", 10)
    async with searching(server.url, "large") as ask:
        assert (await ask("zebra station ticket", 5)).notes["by_words"] < 20  # 42 rows have any of the terms


async def test_tables_as_others_make_them(server: Postgres) -> None:
    settings = {"fields": {"text": "Some Text", "id": "key"}, "language": "german"}
    async with searching(server.url, 'app.Odd "Table', embedder=Vectors([1, 1]), **settings) as ask:
        found = await ask("Wie alt ist die Brücke?", 5)
        assert [entry["text"] for entry in found.entries] == ["Die Brücken der Stadt sind alt."]
        assert (found.notes["by_words"], found.notes["by_vectors"], len(found.entries[0]["id"])) == (1, 1, 36)
    async with searching(server.url, "langchain_pg_embedding") as ask:
        (entry,) = (await ask("ferries", 5)).entries
        assert (entry["file_name"], entry["page_number"], entry["text"]) == ("f.pdf", 4, "Ferries cross the bay.")


ODD = [
    "",
    "   ",
    "'",
    "\\",
    "a\\'b",
    "it''s | & ! ( ) :* <->",
    "O'Brien's \\ back\\slash",
    "\0",
    "$1 %s {row} \ud83d",
    "😀" * 999,
]


@pytest.mark.parametrize("question", ODD)
async def test_no_question_breaks_the_query(question: str, server: Postgres) -> None:
    async with searching(server.url) as ask:
        found = await ask(question, 5)
        assert [entry["id"] for entry in found.entries] == (["4"] if "O'Brien" in question else [])
        assert len((await ask("bridge", 5)).entries) == 1


async def test_a_question_without_end_is_cut(server: Postgres) -> None:
    async with searching(server.url) as ask:
        assert len((await ask("bridge " * 300_000, 5)).entries) == 1
        (entry,) = (await ask("bridge" + " " * MAX_QUESTION + "tunnel", 5)).entries
        assert entry["score"] == 1.0


class Threads(ThreadPoolExecutor):
    """Notes what an event loop leaves to them."""

    def __init__(self) -> None:
        super().__init__(1)
        self.left: list[Any] = []

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.left += getattr(work, "args", ())
        return super().submit(work, *args, **kwargs)


async def test_nobody_else_waits_while_texts_are_compared(server: Postgres) -> None:
    threads = Threads()
    asyncio.get_running_loop().set_default_executor(threads)
    async with searching(server.url, "long") as ask:
        assert len((await ask("bridge", 5)).entries) == 1
    assert relevance in threads.left


async def test_a_text_without_end_is_cut(server: Postgres) -> None:
    async with searching(server.url, "long") as ask:
        (entry,) = (await ask("bridge", 5)).entries
    assert len(entry["text"]) == MAX_CHARACTERS


async def test_a_view_cannot_change_the_database(server: Postgres) -> None:
    server.run("CREATE FUNCTION breaks() RETURNS text LANGUAGE sql AS $$ DELETE FROM docs RETURNING text $$;"
               "CREATE VIEW breaking AS SELECT 1 AS id, breaks() AS text")  # fmt: skip
    async with searching(server.url, "breaking") as ask:
        with pytest.raises(ProviderError, match="ReadOnlySQLTransactionError"):
            await ask("bridge", 5)
    assert server.run("SELECT count(*) FROM docs").split()[2] == "6"


WRONG = {
    "no table": ("nothing", {}, "There is no table 'nothing' that this role may see"),
    "no column of text": ("blank", {}, "The table 'blank' has no column of text: name it as `fields.text`"),
    "no such language": ("docs", {"language": "klingon'"}, "PostgreSQL refused: UndefinedObjectError"),
    "vectors of another model": ("docs", {"embedder": Vectors([1, 2, 3])}, "PostgreSQL refused: DataError"),
}


@pytest.mark.parametrize(("table", "settings", "said"), WRONG.values(), ids=WRONG)
async def test_a_table_that_cannot_be_searched_says_why(
    table: str, settings: dict[str, Any], said: str, server: Postgres
) -> None:
    async with searching(server.url, table, **settings) as ask:
        with pytest.raises(ProviderError, match=said):
            await ask("bridge", 5)


async def test_operators_learn_names_and_clients_do_not(server: Postgres, caplog: pytest.LogCaptureFixture) -> None:
    async with searching(server.url_of("postgres", "nobody")) as ask:
        with pytest.raises(ProviderError) as error:
            await ask("bridge", 5)
    assert error.value.message == "PostgreSQL refused: InvalidAuthorizationSpecificationError."
    assert 'role "nobody" does not exist' in caplog.text


async def test_a_role_that_may_only_read_is_enough(server: Postgres) -> None:
    async with searching(server.url_of("postgres", "reader"), embedder=Vectors(NEAR_BRIDGES)) as ask:
        assert len((await ask("bridge", 5)).entries) == 3


async def test_what_takes_too_long_is_ended_in_the_server_and_few_connections_are_enough(server: Postgres) -> None:
    running = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'citestream'"
    async with searching(server.url, "slow", timeout=0.2) as ask:
        with pytest.raises(TimedOut):
            await ask("bridge", 5)
    async with searching(server.url, connections=2) as ask:
        found = await asyncio.gather(*[ask("Harlan bridge", 5) for _ in range(20)])
        assert [len(one.entries) for one in found] == [1] * 20
        assert int(server.run(running).split()[2]) <= 2


async def test_a_search_that_is_given_up_while_the_server_hangs_ends_at_once(server: Postgres) -> None:
    async with searching(server.url, connections=1) as ask:
        assert len((await ask("bridge", 5)).entries) == 1
        server.freeze(True)
        try:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await ask("bridge", 5)
        finally:
            server.freeze(False)
        assert len((await ask("bridge", 5)).entries) == 1


async def test_whether_it_can_be_reached(server: Postgres) -> None:
    for url, reachable in ((server.url, True), (server.url_of("postgres", "nobody"), False)):
        made = PostgresRetriever(Settings(url, "docs"))
        if reachable:
            await made.reach()
        else:
            with pytest.raises(ProviderError):
                await made.reach()
        await made.aclose()


async def test_a_server_that_is_not_there() -> None:
    async with searching("postgresql://127.0.0.1:1/postgres") as ask:
        with pytest.raises(Unreachable, match=r"^PostgreSQL cannot be reached: \w+\.$"):
            await ask("bridge", 5)


def test_the_password_is_not_shown(tmp_path: Path) -> None:
    assert "sesame" not in repr(Settings(str(tmp_path), "docs", api_key="sesame"))


def test_without_its_client_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(ProviderError, match=r"pip install .*\[postgres\]"):
        PostgresRetriever(Settings("postgresql://h/d", "docs"))
