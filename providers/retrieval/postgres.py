"""PostgreSQL as a retriever: full text search in a table, and vectors with pgvector, ranked separately, then fused.

Every search is one read-only transaction with a time limit in the server. The columns are looked up once: common names
of fields, the first column of type `vector` or `halfvec`, and the first of type `tsvector`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from ..embedding import Embedder
from ..errors import ProviderError, TimedOut, Unreachable
from ..install_hint import install_command
from ..wire.json_text import loads
from . import term_selection
from .entries import make_entry
from .hybrid_search import SEARCH_SECONDS, fuse, milliseconds_since, question_vector
from .postgres_queries import CANDIDATES, COLUMNS, TableQueries, quoted_path, table_queries, ts_query
from .ranking import MAX_QUESTION_CHARACTERS, relevance
from .retriever import Entry, Retrieved, Retriever
from .term_selection import MIN_FOUND, TermSelection, select_terms

if TYPE_CHECKING:
    import asyncpg

# Classes of errors whose messages contain names of users and tables and limits, but never values. They are logged.
_LOGGED_CLASSES = ("28", "3D", "42", "53", "57")
# Compiling a query takes longer than running it: 0.2 s and more.
_LIMITS = """
SELECT set_config('statement_timeout', $1, true), set_config('hnsw.ef_search', $2, true), set_config('jit', 'off', true)
"""

_Result = TypeVar("_Result")

log = logging.getLogger("citestream")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one table."""

    url: str  # postgresql://user@host:5432/database
    table: str  # or schema.table
    api_key: str = field(default="", repr=False)  # the password
    fields: Mapping[str, str] = field(default_factory=dict)  # columns by field of evidence
    language: str = "english"  # PostgreSQL's text search configuration
    connections: int = 4  # at most
    timeout: float = SEARCH_SECONDS  # seconds, in the server, too


class PostgresRetriever(Retriever):
    """Searches one table with a few connections, which are opened on demand."""

    def __init__(self, settings: Settings, embedder: Embedder | None = None) -> None:
        """Nothing is connected yet. Raises ProviderError if the package is not installed.

        `embedder`: the one that made the table's vectors, closed by the caller; None: search by words only.
        """
        if find_spec("asyncpg") is None:
            raise ProviderError(f"PostgreSQL's client is not installed: {install_command('postgres')}")
        self._settings = settings
        self._embedder = embedder
        self._pool: asyncpg.Pool[Any] | None = None
        self._opening = asyncio.Lock()
        self._table: TableQueries | None = None

    async def retrieve(self, query: str, top_k: int) -> Retrieved:
        """Search, by words only if the embedder fails. Raises ProviderError."""
        embedded, notes = await question_vector(self._embedder, query, self._settings.timeout)
        vector = None if embedded is None else _vector_literal(embedded.tolist())
        began = perf_counter()
        text = _clean_query(query)
        by_words, by_vectors = await self._run(partial(self._read, query=text, vector=vector))
        texts = [f"{row.get('title', '')}\n{row['text']}" for row in by_words]
        shares = await asyncio.to_thread(relevance, text, texts)  # a hundred long texts must not block the loop
        relevant = sorted(zip(shares, by_words, strict=True), key=lambda scored: -scored[0])
        rankings = [[row for _, row in relevant], *([by_vectors] if vector is not None else [])]
        scores = {row["key"]: score for score, row in relevant}
        for row in by_vectors:
            scores[row["key"]] = max(scores.get(row["key"], 0.0), row["score"])
        entries = [row | {"score": round(scores[row["key"]], 4)} for row in _fused(rankings)[:top_k]]
        notes |= {"by_words": len(by_words), "by_vectors": len(by_vectors), "search_ms": milliseconds_since(began)}
        return Retrieved([_without_key(row) for row in entries], len(scores), notes)

    async def reach(self) -> None:
        """Check that PostgreSQL answers this role now. Raises ProviderError if not."""
        await self._run(_ping)

    async def aclose(self) -> None:
        """Close connections."""
        if self._pool is not None:
            self._pool.terminate()

    async def _run(self, use: Callable[[Any], Awaitable[_Result]]) -> _Result:
        """Call a function with a connection. Raises ProviderError."""
        errors = import_module("asyncpg").exceptions
        try:
            pool = await self._open_pool()
            async with pool.acquire() as connection:
                try:
                    return await use(connection)
                except BaseException:
                    connection.terminate()  # after any failure, since a query may still be running
                    raise
        except errors.QueryCanceledError:
            raise TimedOut("PostgreSQL took too long.") from None
        except (errors.PostgresError, errors.InterfaceError, errors.InternalClientError) as error:
            self._table = None  # the table may have been replaced
            _log(error)
            raise ProviderError(f"PostgreSQL refused: {type(error).__name__}.") from None
        except (OSError, ValueError) as error:
            raise Unreachable(f"PostgreSQL cannot be reached: {type(error).__name__}.") from None

    async def _open_pool(self) -> "asyncpg.Pool[Any]":
        async with self._opening:
            if self._pool is None:
                settings = self._settings
                self._pool = await import_module("asyncpg").create_pool(
                    settings.url,
                    password=settings.api_key or None,
                    min_size=0,
                    max_size=settings.connections,
                    timeout=settings.timeout,
                    statement_cache_size=0,  # with PgBouncer every transaction may use another connection
                    server_settings={"application_name": "citestream"},
                )
        return self._pool

    async def _read(self, connection: Any, *, query: str, vector: str | None) -> tuple[list[Entry], list[Entry]]:
        async with connection.transaction(readonly=True):
            await connection.execute(_LIMITS, str(round(self._settings.timeout * 1000)), str(CANDIDATES))
            if self._table is None:
                self._table = await self._look_up_table(connection)
            table = self._table
            by_words = await _read_by_words(connection, table, query)
            if vector is None or not table.by_vectors:
                return by_words, []
            by_vectors = await connection.fetch(table.by_vectors, vector)
            entries = await _entries(by_vectors, table.fields)
            scored = zip(entries, by_vectors, strict=True)
            return by_words, [entry | {"score": float(row["score"])} for entry, row in scored]

    async def _look_up_table(self, connection: Any) -> TableQueries:
        settings = self._settings
        rows = await connection.fetch(COLUMNS, quoted_path(settings.table))
        columns = {row[0]: (row[1], row[2]) for row in rows}
        if not columns:
            raise ProviderError(f"There is no table {settings.table!r} that this role may see.")
        return table_queries(settings.table, columns, settings.fields, settings.language)


async def _read_by_words(connection: Any, table: TableQueries, query: str) -> list[Entry]:
    """Return the best rows. If few rows match the selected terms, some rows with any other term are added."""
    terms = {row["lexeme"]: (row["share"], row["rows"]) for row in await connection.fetch(table.terms, query)}
    if not terms:
        return []
    everything, limit = ts_query(TermSelection(tuple(terms))), None
    selection = TermSelection(tuple(terms))
    if all(share is not None for share, _ in terms.values()):
        total = max(rows for _, rows in terms.values())
        selection = select_terms({term: share * total for term, (share, _) in terms.items()}, total)
        limit = term_selection.MAX_ROWS
    rows = await connection.fetch(table.by_words, ts_query(selection), everything, limit)
    if not selection.is_complete and len(rows) < MIN_FOUND:
        rows += await connection.fetch(table.by_words, everything, everything, limit)
    return list({entry["key"]: entry for entry in await _entries(rows, table.fields)}.values())


async def _ping(connection: Any) -> None:
    await connection.execute("SELECT 1")


def _vector_literal(numbers: list[float]) -> str:
    """Return a vector as pgvector writes it."""
    return f"[{','.join(map(str, numbers))}]"


def _clean_query(query: str) -> str:
    """Return the query without NUL and lone surrogates, which PostgreSQL refuses, and truncated."""
    return query[:MAX_QUESTION_CHARACTERS].replace("\0", " ").encode("utf-8", "replace").decode()


def _log(error: Exception) -> None:
    is_logged = str(getattr(error, "sqlstate", ""))[:2] in _LOGGED_CLASSES
    log.warning("PostgreSQL: %s", error if is_logged else type(error).__name__)


async def _entries(rows: Sequence[Mapping[str, Any]], fields: Mapping[str, str]) -> list[Entry]:
    """Return the entries of rows, which are decoded in a thread: together they can have 20 MB."""
    return await asyncio.to_thread(lambda: [_entry(row, fields) for row in rows])


def _entry(row: Mapping[str, Any], fields: Mapping[str, str]) -> Entry:
    """Return an entry with a key that is the same in both rankings: its id, or the whole row."""
    entry = make_entry(loads(row["row"].encode())[0], fields)
    return {"text": "", **entry, "key": entry.get("id") or row["row"]}


def _fused(rankings: list[list[Entry]]) -> list[Entry]:
    """Return the rows of all rankings that have a text, without duplicates, best first."""
    rows = list({row["key"]: row for ranking in rankings for row in ranking if row["text"].strip()}.values())
    numbers = {row["key"]: number for number, row in enumerate(rows)}
    ranked = [[numbers[row["key"]] for row in ranking if row["key"] in numbers] for ranking in rankings if ranking]
    return [rows[number] for number, _ in fuse(ranked)]


def _without_key(row: Entry) -> Entry:
    return {name: value for name, value in row.items() if name != "key"}
