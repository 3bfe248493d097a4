"""PostgreSQL as a retriever: a table's full text, and its vectors where pgvector is there; each ranked, then fused.

Only reads: every search is one read-only transaction with a time limit of its own in the server. What the columns are
is looked up once: names that are usual, the first column of type `vector` or `halfvec`, the first of type `tsvector`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from ..embedding import Embedder
from ..errors import ProviderError, TimedOut, Unreachable
from ..wire.json_text import loads
from .entries import USUAL, entry
from .questions import question_vector
from .rank_fusion import fused
from .ranking import MAX_QUESTION, relevance
from .retriever import Entry, Retrieved, Retriever

if TYPE_CHECKING:
    import asyncpg

CANDIDATES = 100  # of each half: what stands below in both is never among the first ten of the fused
MAX_CHARACTERS = 80_000  # of an excerpt that are read; a row can be a gigabyte

_NESTED = ("cmetadata", "metadata_", "langchain_metadata")  # where LangChain and LlamaIndex put what is no column
# Classes of errors whose messages name users, tables and limits, which are for operators, and never quote a value.
_EXPLAINED = ("28", "3D", "42", "53", "57")
_COLUMNS = """
SELECT a.attname, t.typname, n.nspname FROM pg_catalog.pg_attribute AS a
JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
WHERE a.attrelid = pg_catalog.to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
# Any word of the question is enough, or most questions would find nothing; the rank says how many there are. It is not
# divided by the length of a text: that finds less (recall@5 of fact checks .40 instead of .55; bench/retrieval.py).
_BY_WORDS = r"""
WITH question AS MATERIALIZED (
    SELECT string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery AS query
    FROM unnest(to_tsvector({language}, $1))
)
SELECT {row} AS row FROM (
    SELECT t.* FROM {table} AS t, question WHERE {words} @@ question.query
    ORDER BY ts_rank({words}, question.query) DESC LIMIT {candidates}
) AS t
"""
# What goes on is made of the best alone: the planner would make it of every row, then sort.
_BY_VECTORS = """
SELECT {row} AS row, t.citestream_score AS score FROM (
    SELECT t.*, 1 - (t.{vector} <=> $1::text::{type}) AS citestream_score FROM {table} AS t WHERE t.{vector} IS NOT NULL
    ORDER BY t.{vector} <=> $1::text::{type} LIMIT {candidates}
) AS t
"""
_LIMITS = "SELECT set_config('statement_timeout', $1, true), set_config('hnsw.ef_search', $2, true)"

_Result = TypeVar("_Result")

log = logging.getLogger("citestream")


@dataclass(frozen=True, slots=True)
class Settings:
    """One table's."""

    url: str  # postgresql://user@host:5432/database
    table: str  # or schema.table
    api_key: str = field(default="", repr=False)  # the password
    fields: Mapping[str, str] = field(default_factory=dict)  # by field of evidence, its column; over the usual names
    language: str = "english"  # PostgreSQL's text search configuration
    connections: int = 4  # at most
    timeout: float = 5.0  # seconds, in the server too


@dataclass(frozen=True, slots=True)
class _Table:
    """What is asked of one table."""

    fields: Mapping[str, str]
    by_words: str
    by_vectors: str  # empty: there are none


class PostgresRetriever(Retriever):
    """Searches one table, over a few connections that are made when they are needed."""

    def __init__(self, settings: Settings, embedder: Embedder | None = None) -> None:
        """Nothing is connected yet. `embedder`: who made the table's vectors, closed by the caller; None: words only.

        Raises ProviderError where the package is not installed.
        """
        if find_spec("asyncpg") is None:
            raise ProviderError("PostgreSQL's client is not installed: pip install 'citestream[postgres]'.")
        self._settings = settings
        self._embedder = embedder
        self._pool: asyncpg.Pool[Any] | None = None
        self._opening = asyncio.Lock()
        self._table: _Table | None = None

    async def retrieve(self, query: str, top_k: int) -> Retrieved:
        """Raises ProviderError. Without vectors, where their maker fails, by words."""
        meant, notes = await question_vector(self._embedder, query)
        vector = None if meant is None else _as_vector(meant.tolist())
        began = perf_counter()
        asked = _sendable(query)
        by_words, by_vectors = await self._used(partial(self._read, query=asked, vector=vector))
        texts = [f"{row.get('title', '')}\n{row['text']}" for row in by_words]
        shares = await asyncio.to_thread(relevance, asked, texts)  # a hundred long texts: others must not wait
        relevant = sorted(zip(shares, by_words, strict=True), key=lambda scored: -scored[0])
        halves = [[row for _, row in relevant], by_vectors] if vector is not None else [[row for _, row in relevant]]
        scores = {row["key"]: score for score, row in relevant}
        for row in by_vectors:
            scores[row["key"]] = max(scores.get(row["key"], 0.0), row["score"])
        entries = [row | {"score": round(scores[row["key"]], 4)} for row in _ranked(halves)[:top_k]]
        notes |= {"by_words": len(by_words), "by_vectors": len(by_vectors), "search_ms": _milliseconds(began)}
        return Retrieved([_without_key(row) for row in entries], len(scores), notes)

    async def reach(self) -> None:
        """Raises ProviderError where PostgreSQL does not answer now, or not this role."""
        await self._used(_answered)

    async def aclose(self) -> None:
        """Let go of connections."""
        if self._pool is not None:
            self._pool.terminate()

    async def _used(self, use: Callable[[Any], Awaitable[_Result]]) -> _Result:
        """What comes of a connection. Raises ProviderError."""
        errors = import_module("asyncpg").exceptions
        try:
            pool = await self._opened()
            async with pool.acquire() as connection:
                try:
                    return await use(connection)
                except BaseException:
                    connection.terminate()  # whatever it was: cancelled in the middle, or a server that hangs
                    raise
        except errors.QueryCanceledError:
            raise TimedOut("PostgreSQL took too long.") from None
        except (errors.PostgresError, errors.InterfaceError, errors.InternalClientError) as error:
            self._table = None  # another table may stand there by now
            _log(error)
            raise ProviderError(f"PostgreSQL refused: {type(error).__name__}.") from None
        except (OSError, ValueError) as error:
            raise Unreachable(f"PostgreSQL cannot be reached: {type(error).__name__}.") from None

    async def _opened(self) -> "asyncpg.Pool[Any]":
        async with self._opening:
            if self._pool is None:
                settings = self._settings
                self._pool = await import_module("asyncpg").create_pool(
                    settings.url,
                    password=settings.api_key or None,
                    min_size=0,
                    max_size=settings.connections,
                    timeout=settings.timeout,
                    statement_cache_size=0,  # PgBouncer hands every transaction another connection
                    server_settings={"application_name": "citestream"},
                )
        return self._pool

    async def _read(self, connection: Any, *, query: str, vector: str | None) -> tuple[list[Entry], list[Entry]]:
        async with connection.transaction(readonly=True):
            await connection.execute(_LIMITS, str(round(self._settings.timeout * 1000)), str(CANDIDATES))
            if self._table is None:
                self._table = await self._looked_up(connection)
            table = self._table
            by_words = [_entry(row, table.fields) for row in await connection.fetch(table.by_words, query)]
            if vector is None or not table.by_vectors:
                return by_words, []
            by_vectors = await connection.fetch(table.by_vectors, vector)
            return by_words, [_entry(row, table.fields) | {"score": float(row["score"])} for row in by_vectors]

    async def _looked_up(self, connection: Any) -> _Table:
        settings = self._settings
        name = ".".join(map(_quoted, settings.table.split(".")))
        columns = {row[0]: (row[1], row[2]) for row in await connection.fetch(_COLUMNS, name)}
        if not columns:
            raise ProviderError(f"There is no table {settings.table!r} that this role may see.")
        return _table(settings, name, columns)


def _table(settings: Settings, name: str, columns: Mapping[str, tuple[str, str]]) -> _Table:
    """`columns`: type and its schema by name. Raises ProviderError where none has the text."""
    fields = {"id": "id", **_usual(), **settings.fields}
    text = next((path for path in fields["text"].split("|") if path in columns), "")
    if not text:
        raise ProviderError(f"The table {settings.table!r} has no column of text: name it as `fields.text`.")
    language = f"{_literal(settings.language)}::regconfig"
    indexed = next((column for column, (kind, _) in columns.items() if kind == "tsvector"), "")
    vectors = next((column for column, (kind, _) in columns.items() if kind in ("vector", "halfvec")), "")
    parts = {
        "row": _row(
            text, {path.split(".")[0] for paths in fields.values() for path in paths.split("|")} & columns.keys()
        ),
        "table": name,
        "language": language,
        "words": f"t.{_quoted(indexed)}" if indexed else f"to_tsvector({language}, t.{_quoted(text)})",
        "vector": _quoted(vectors),
        "type": ".".join(map(_quoted, reversed(columns[vectors]))) if vectors else "",
        "candidates": CANDIDATES,
    }
    return _Table(fields, _BY_WORDS.format(**parts), _BY_VECTORS.format(**parts) if vectors else "")


def _row(text: str, columns: Iterable[str]) -> str:
    """A row as JSON, so that every type of column is read alike."""
    cut = {text: f"left(t.{_quoted(text)}, {MAX_CHARACTERS})"}
    pairs = [f"{_literal(column)}, {cut.get(column) or f't.{_quoted(column)}'}" for column in sorted(columns)]
    return f"json_build_object({', '.join(pairs)})::text"


async def _answered(connection: Any) -> None:
    await connection.execute("SELECT 1")


def _as_vector(numbers: list[float]) -> str:
    """As pgvector writes it."""
    return f"[{','.join(map(str, numbers))}]"


def _sendable(query: str) -> str:
    """Text that PostgreSQL takes: no NUL, no half characters, no megabyte."""
    return query[:MAX_QUESTION].replace("\0", " ").encode("utf-8", "replace").decode()


def _log(error: Exception) -> None:
    explained = str(getattr(error, "sqlstate", ""))[:2] in _EXPLAINED
    log.warning("PostgreSQL: %s", error if explained else type(error).__name__)


def _usual() -> dict[str, str]:
    """Usual names, and the same inside of columns of JSON."""
    nested = {
        name: "|".join([paths, *(paths.replace("metadata.", f"{column}.") for column in _NESTED)])
        for name, paths in USUAL.items()
    }
    return nested | {"text": f"{USUAL['text']}|document"}


def _entry(row: Mapping[str, Any], fields: Mapping[str, str]) -> Entry:
    """With what the row is known by in both halves: its id, or all of it."""
    made = entry(loads(row["row"].encode())[0], fields)
    return {"text": "", **made, "key": made.get("id") or row["row"]}


def _ranked(halves: list[list[Entry]]) -> list[Entry]:
    """The rows of all halves with a text, each once, best first."""
    rows = list({row["key"]: row for half in halves for row in half if row["text"].strip()}.values())
    numbers = {row["key"]: number for number, row in enumerate(rows)}
    rankings = [[numbers[row["key"]] for row in half if row["key"] in numbers] for half in halves if half]
    return [rows[number] for number, _ in fused(rankings)]


def _without_key(row: Entry) -> Entry:
    return {name: value for name, value in row.items() if name != "key"}


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _milliseconds(since: float) -> float:
    return round((perf_counter() - since) * 1000, 3)
