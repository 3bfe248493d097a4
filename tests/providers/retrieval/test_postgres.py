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
from citestream.providers.retrieval.postgres_queries import MAX_CHARACTERS, MAX_OTHER_BYTES
from citestream.providers.retrieval.ranking import MAX_QUESTION_CHARACTERS, relevance
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
CREATE TABLE hostile AS SELECT 'a'::text AS id, 'The bridge is red.'::text AS text, 'Bridge'::text AS title,
    'https://wiki.example'::text AS url, '{"page": 7}'::jsonb AS metadata;
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
    """An embedder with the same vector for all texts, or that fails without a vector."""

    def __init__(self, vector: list[float] | None) -> None:
        self._vector = vector

    async def embed(self, texts: Sequence[str]) -> Any:
        if self._vector is None:
            raise ProviderError("no vector")
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
    created: Retriever = retriever(
        "postgres", settings=Settings(url, table, **settings), embedder=cast("Embedder | None", embedder)
    )
    try:
        yield created.retrieve
    finally:
        await created.aclose()


async def test_a_search_by_words_returns_the_fields_of_the_row(server: Postgres) -> None:
    async with searching(server.url) as search:
        found = await search("When was the Harlan bridge opened?", 5)
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
    assert (found.matched, found.notes["by_words"], found.notes["by_vectors"]) == (1, 1, 0)
    assert found.notes["search_ms"] > 0


async def test_hybrid_search_returns_rows_of_both_searches_and_ranks_common_rows_first(server: Postgres) -> None:
    async with searching(server.url, embedder=Vectors(NEAR_BRIDGES)) as search:
        found = await search("the bridge", 5)
        assert [entry["id"] for entry in found.entries] == ["1", "3", "2"]  # rows without text are left out
        assert [entry["score"] for entry in found.entries] == [1.0, 0.9939, 0.0]
        assert found.entries[1]["page_number"] == 7
        assert [entry["id"] for entry in (await search("the bridge", 1)).entries] == ["1"]
        found = await search("Bananas", 5)
        assert found.entries[0]["id"] in ("1", "2")  # each is the first result of one search
        assert {entry["id"] for entry in found.entries} == {"1", "2", "3"}


async def test_words_alone_are_used_if_the_embedder_fails(server: Postgres) -> None:
    async with searching(server.url, embedder=Vectors(None)) as search:
        found = await search("bananas", 5)
    assert [entry["id"] for entry in found.entries] == ["2"]
    assert found.notes["degraded"] == "by words only: no vector"


async def test_words_alone_are_used_while_the_embedder_hangs(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hybrid_search, "EMBEDDING_SHARE", 0.0)
    async with searching(server.url, embedder=Hanging()) as search:
        found = await search("bananas", 5)
    assert [entry["id"] for entry in found.entries] == ["2"]
    assert found.notes["degraded"] == "by words only: The embedder did not answer in time."


async def test_a_table_with_integer_ids_in_a_database_without_pgvector(server: Postgres) -> None:
    async with searching(server.url_of("plain"), embedder=Vectors(NEAR_BRIDGES)) as search:
        found = await search("Which tickets does station 77 sell?", 3)
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
    "a rare term among common ones": ("zebra station ticket", "rare"),
    "a combination of common terms": ("station ticket", "both"),
    "single common terms, if there are few results": ("station money", "station 1"),
}


async def test_common_terms_in_a_large_table(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    server.run(COMMON)
    for limit in (10, MAX_ROWS):
        monkeypatch.setattr(term_selection, "MAX_ROWS", limit)
        for analyze in ("", "ANALYZE large"):
            server.run(analyze)
            for question, expected in LARGE_SEARCHES.values():
                async with searching(server.url, "large") as search:
                    found = await search(question, 50)
                ids = [entry["id"] for entry in found.entries]
                assert expected in ids
                assert len(ids) == len(set(ids)) >= 2
    monkeypatch.setattr(term_selection, "MAX_ROWS", 10)
    async with searching(server.url, "large") as search:
        assert (await search("zebra station ticket", 5)).notes["by_words"] < 20  # 42 rows have any of the terms


async def test_tables_of_other_programs(server: Postgres) -> None:
    settings = {"fields": {"text": "Some Text", "id": "key"}, "language": "german"}
    async with searching(server.url, 'app.Odd "Table', embedder=Vectors([1, 1]), **settings) as search:
        found = await search("Wie alt ist die Brücke?", 5)
        assert [entry["text"] for entry in found.entries] == ["Die Brücken der Stadt sind alt."]
        assert (found.notes["by_words"], found.notes["by_vectors"], len(found.entries[0]["id"])) == (1, 1, 36)
    async with searching(server.url, "langchain_pg_embedding") as search:
        (entry,) = (await search("ferries", 5)).entries
        assert (entry["file_name"], entry["page_number"], entry["text"]) == ("f.pdf", 4, "Ferries cross the bay.")


UNUSUAL_QUESTIONS = [
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


@pytest.mark.parametrize("question", UNUSUAL_QUESTIONS)
async def test_no_question_breaks_the_query(question: str, server: Postgres) -> None:
    async with searching(server.url) as search:
        found = await search(question, 5)
        assert [entry["id"] for entry in found.entries] == (["4"] if "O'Brien" in question else [])
        assert len((await search("bridge", 5)).entries) == 1


async def test_a_long_question_is_truncated(server: Postgres) -> None:
    async with searching(server.url) as search:
        assert len((await search("bridge " * 300_000, 5)).entries) == 1
        (entry,) = (await search("bridge" + " " * MAX_QUESTION_CHARACTERS + "tunnel", 5)).entries
        assert entry["score"] == 1.0


class RecordingExecutor(ThreadPoolExecutor):
    """Records the arguments of submitted functions."""

    def __init__(self) -> None:
        super().__init__(1)
        self.submitted: list[Any] = []

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.submitted += getattr(work, "args", ())
        return super().submit(work, *args, **kwargs)


async def test_texts_are_compared_in_a_thread(server: Postgres) -> None:
    executor = RecordingExecutor()
    asyncio.get_running_loop().set_default_executor(executor)
    async with searching(server.url, "long") as search:
        assert len((await search("bridge", 5)).entries) == 1
    assert relevance in executor.submitted


async def test_a_long_text_is_truncated(server: Postgres) -> None:
    async with searching(server.url, "long") as search:
        (entry,) = (await search("bridge", 5)).entries
    assert len(entry["text"]) == MAX_CHARACTERS


@pytest.mark.parametrize("hostile", ["id", "title", "url", "metadata"])
async def test_other_long_values_are_left_out(hostile: str, server: Postgres) -> None:
    value = '{{"page": 7, "a": "{}"}}' if hostile == "metadata" else "{}"

    def update(length: int) -> str:
        return "UPDATE hostile SET COLUMN = 'VALUE'".replace("COLUMN", hostile).replace(
            "VALUE", value.format("x" * length)
        )

    server.run(update(MAX_OTHER_BYTES + 1))
    async with searching(server.url, "hostile") as search:
        (entry,) = (await search("bridge", 5)).entries
    server.run(update(1))
    async with searching(server.url, "hostile") as search:
        (short,) = (await search("bridge", 5)).entries
    left_out = "page_number" if hostile == "metadata" else hostile
    assert short.keys() - entry.keys() == {left_out}
    assert entry["text"] == short["text"] == "The bridge is red."


async def test_a_view_cannot_change_the_database(server: Postgres) -> None:
    server.run("CREATE FUNCTION breaks() RETURNS text LANGUAGE sql AS $$ DELETE FROM docs RETURNING text $$;"
               "CREATE VIEW breaking AS SELECT 1 AS id, breaks() AS text")  # fmt: skip
    async with searching(server.url, "breaking") as search:
        with pytest.raises(ProviderError, match="ReadOnlySQLTransactionError"):
            await search("bridge", 5)
    assert server.run("SELECT count(*) FROM docs").split()[2] == "6"


UNSEARCHABLE = {
    "an unknown table": ("nothing", {}, "There is no table 'nothing' that this role may see"),
    "a table without text": ("blank", {}, "The table 'blank' has no column of text: name it as `fields.text`"),
    "an unknown language": ("docs", {"language": "klingon'"}, "PostgreSQL refused: UndefinedObjectError"),
    "vectors of another model": ("docs", {"embedder": Vectors([1, 2, 3])}, "PostgreSQL refused: DataError"),
}


@pytest.mark.parametrize(("table", "settings", "message"), UNSEARCHABLE.values(), ids=UNSEARCHABLE)
async def test_the_error_for_a_table_that_cannot_be_searched_has_the_reason(
    table: str, settings: dict[str, Any], message: str, server: Postgres
) -> None:
    async with searching(server.url, table, **settings) as search:
        with pytest.raises(ProviderError, match=message):
            await search("bridge", 5)


async def test_names_of_roles_are_in_the_log_but_not_in_the_error(
    server: Postgres, caplog: pytest.LogCaptureFixture
) -> None:
    async with searching(server.url_of("postgres", "nobody")) as search:
        with pytest.raises(ProviderError) as error:
            await search("bridge", 5)
    assert error.value.message == "PostgreSQL refused: InvalidAuthorizationSpecificationError."
    assert 'role "nobody" does not exist' in caplog.text


async def test_a_read_only_role_is_sufficient(server: Postgres) -> None:
    async with searching(server.url_of("postgres", "reader"), embedder=Vectors(NEAR_BRIDGES)) as search:
        assert len((await search("bridge", 5)).entries) == 3


async def test_a_slow_query_times_out_and_connections_are_limited(server: Postgres) -> None:
    running = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'citestream'"
    async with searching(server.url, "slow", timeout=0.2) as search:
        with pytest.raises(TimedOut):
            await search("bridge", 5)
    async with searching(server.url, connections=2) as search:
        found = await asyncio.gather(*[search("Harlan bridge", 5) for _ in range(20)])
        assert [len(one.entries) for one in found] == [1] * 20
        assert int(server.run(running).split()[2]) <= 2


async def test_a_cancelled_search_ends_while_the_server_is_frozen(server: Postgres) -> None:
    async with searching(server.url, connections=1) as search:
        assert len((await search("bridge", 5)).entries) == 1
        server.freeze(True)
        try:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await search("bridge", 5)
        finally:
            server.freeze(False)
        assert len((await search("bridge", 5)).entries) == 1


async def test_reach_fails_if_the_role_does_not_exist(server: Postgres) -> None:
    for url, reachable in ((server.url, True), (server.url_of("postgres", "nobody"), False)):
        created = PostgresRetriever(Settings(url, "docs"))
        if reachable:
            await created.reach()
        else:
            with pytest.raises(ProviderError):
                await created.reach()
        await created.aclose()


async def test_a_server_that_cannot_be_reached_is_an_error() -> None:
    async with searching("postgresql://127.0.0.1:1/postgres") as search:
        with pytest.raises(Unreachable, match=r"^PostgreSQL cannot be reached: \w+\.$"):
            await search("bridge", 5)


def test_the_representation_of_settings_contains_no_password(tmp_path: Path) -> None:
    assert "sesame" not in repr(Settings(str(tmp_path), "docs", api_key="sesame"))


def test_the_error_without_the_client_library_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(ProviderError, match=r"pip install .*\[postgres\]"):
        PostgresRetriever(Settings("postgresql://h/d", "docs"))
