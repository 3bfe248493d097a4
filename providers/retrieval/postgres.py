"""PostgreSQL as a retriever: full text search in a table, and vectors with pgvector, ranked separately, then fused.

Every search is one read-only transaction with a time limit in the server. The columns are looked up once: common names
of fields, the first column of type `vector` or `halfvec`, and the first of type `tsvector`.
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
from ..install_hint import install_command
from ..wire.json_text import loads
from . import term_selection
from .entries import COMMON_PATHS, make_entry
from .hybrid_search import SEARCH_SECONDS, fuse, milliseconds_since, question_vector
from .ranking import MAX_QUESTION, relevance
from .retriever import Entry, Retrieved, Retriever
from .term_selection import MIN_FOUND, TermSelection, select_terms

if TYPE_CHECKING:
    import asyncpg

CANDIDATES = 100  # results of each ranking; lower ones in both are never among the first ten after fusion
WORD_CANDIDATES = 50  # results by words, each compared with the question in up to 0.9 ms; recall@5 is the same with 100
MAX_CHARACTERS = 80_000  # characters of an excerpt; a row can have a gigabyte

_NESTED = ("cmetadata", "metadata_", "langchain_metadata")  # columns of LangChain and LlamaIndex for further fields
# Classes of errors whose messages contain names of users and tables and limits, but never values. They are logged.
_LOGGED_CLASSES = ("28", "3D", "42", "53", "57")
_COLUMNS = """
SELECT a.attname, t.typname, n.nspname FROM pg_catalog.pg_attribute AS a
JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
WHERE a.attrelid = pg_catalog.to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
# The terms of the question, and the share of the rows that contain each. `ANALYZE` counts the most common terms of a
# column (1,000 by default) and the lowest of their shares; half of it is the estimate for any other term, as in the
# planner. The share is NULL if there are no statistics.
_TERMS = """
WITH statistics AS (
    SELECT most_common_elems::text::text[] AS terms, most_common_elem_freqs AS shares, greatest(c.reltuples, 1) AS rows
    FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_stats AS s ON (s.schemaname, s.tablename) = (n.nspname, c.relname)
    WHERE c.oid = {relation} AND s.attname = {indexed} AND NOT s.inherited AND most_common_elems IS NOT NULL
), common AS (SELECT unnest(terms) AS term, unnest(shares) AS share FROM statistics)
SELECT lexeme, rows, coalesce(share, shares[cardinality(terms) + 1] / 2) AS share
FROM unnest(to_tsvector({language}, $1)) LEFT JOIN common ON term = lexeme LEFT JOIN statistics ON true
"""
# The rows that match $1 are ranked by all terms of the question, $2: rows with more of them rank higher. The rank is
# not divided by the length of a text: recall@5 of fact checks would fall from .55 to .40 (bench/retrieval/recall.py).
_BY_WORDS = """
SELECT {row} AS row FROM (
    SELECT t.* FROM (SELECT t.* FROM {table} AS t WHERE {words} @@ $1::text::tsquery LIMIT $3) AS t
    ORDER BY ts_rank({words}, $2::text::tsquery) DESC LIMIT {word_candidates}
) AS t
"""
# The JSON is made of the best rows only. Without the inner query the planner makes it of every row before it sorts.
_BY_VECTORS = """
SELECT {row} AS row, t.citestream_score AS score FROM (
    SELECT t.*, 1 - (t.{vector} <=> $1::text::{type}) AS citestream_score FROM {table} AS t WHERE t.{vector} IS NOT NULL
    ORDER BY t.{vector} <=> $1::text::{type} LIMIT {candidates}
) AS t
"""
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


@dataclass(frozen=True, slots=True)
class _Table:
    """The queries for one table."""

    fields: Mapping[str, str]
    terms: str
    by_words: str
    by_vectors: str  # empty without vectors


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
        self._table: _Table | None = None

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
            return by_words, [_entry(row, table.fields) | {"score": float(row["score"])} for row in by_vectors]

    async def _look_up_table(self, connection: Any) -> _Table:
        settings = self._settings
        name = ".".join(map(_quoted, settings.table.split(".")))
        columns = {row[0]: (row[1], row[2]) for row in await connection.fetch(_COLUMNS, name)}
        if not columns:
            raise ProviderError(f"There is no table {settings.table!r} that this role may see.")
        return _table(settings, name, columns)


def _table(settings: Settings, name: str, columns: Mapping[str, tuple[str, str]]) -> _Table:
    """Return the queries. `columns`: (type, its schema) by name. Raises ProviderError without a column of text."""
    fields = {"id": "id", **_common_fields(), **settings.fields}
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
        "word_candidates": WORD_CANDIDATES,
        "indexed": _literal(indexed),
        "relation": f"pg_catalog.to_regclass({_literal(name)})",
    }
    by_vectors = _BY_VECTORS.format(**parts) if vectors else ""
    return _Table(fields, _TERMS.format(**parts), _BY_WORDS.format(**parts), by_vectors)


async def _read_by_words(connection: Any, table: _Table, query: str) -> list[Entry]:
    """Return the best rows. If few rows match the selected terms, some rows with any other term are added."""
    terms = {row["lexeme"]: (row["share"], row["rows"]) for row in await connection.fetch(table.terms, query)}
    if not terms:
        return []
    everything, limit = _query(TermSelection(tuple(terms))), None
    selection = TermSelection(tuple(terms))
    if all(share is not None for share, _ in terms.values()):
        total = max(rows for _, rows in terms.values())
        selection = select_terms({term: share * total for term, (share, _) in terms.items()}, total)
        limit = term_selection.MAX_ROWS
    rows = await connection.fetch(table.by_words, _query(selection), everything, limit)
    if not selection.is_complete and len(rows) < MIN_FOUND:
        rows += await connection.fetch(table.by_words, everything, everything, limit)
    return list({entry["key"]: entry for entry in (_entry(row, table.fields) for row in rows)}.values())


def _query(selection: TermSelection) -> str:
    """Return the terms as a `tsquery`."""
    together = " & ".join(map(_quoted_term, selection.together))
    return " | ".join([*map(_quoted_term, selection.rare), *([f"({together})"] if together else [])])


def _quoted_term(term: str) -> str:
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"


def _row(text: str, columns: Iterable[str]) -> str:
    """Return the expression for a row as JSON, so that columns of all types are read in the same way."""
    truncated = {text: f"left(t.{_quoted(text)}, {MAX_CHARACTERS})"}
    pairs = [f"{_literal(column)}, {truncated.get(column) or f't.{_quoted(column)}'}" for column in sorted(columns)]
    return f"json_build_object({', '.join(pairs)})::text"


async def _ping(connection: Any) -> None:
    await connection.execute("SELECT 1")


def _vector_literal(numbers: list[float]) -> str:
    """Return a vector as pgvector writes it."""
    return f"[{','.join(map(str, numbers))}]"


def _clean_query(query: str) -> str:
    """Return the query without NUL and lone surrogates, which PostgreSQL refuses, and truncated."""
    return query[:MAX_QUESTION].replace("\0", " ").encode("utf-8", "replace").decode()


def _log(error: Exception) -> None:
    is_logged = str(getattr(error, "sqlstate", ""))[:2] in _LOGGED_CLASSES
    log.warning("PostgreSQL: %s", error if is_logged else type(error).__name__)


def _common_fields() -> dict[str, str]:
    """Return the common paths, and the same paths inside of JSON columns."""
    nested = {
        name: "|".join([paths, *(paths.replace("metadata.", f"{column}.") for column in _NESTED)])
        for name, paths in COMMON_PATHS.items()
    }
    return nested | {"text": f"{COMMON_PATHS['text']}|document"}


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


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
