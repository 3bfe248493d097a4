"""The SQL of the PostgreSQL retriever: the queries for one table, made once from its columns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..errors import ProviderError
from .entries import COMMON_PATHS
from .term_selection import TermSelection

CANDIDATES = 100  # results of each ranking; lower ones in both are never among the first ten after fusion
WORD_CANDIDATES = 50  # results by words, each compared with the question in up to 0.9 ms; recall@5 is the same with 100
MAX_CHARACTERS = 80_000  # characters of an excerpt; a row can have a gigabyte
MAX_OTHER_BYTES = 16 * 2**10  # bytes of any other column; a longer value is no title, address or page number

_NESTED = ("cmetadata", "metadata_", "langchain_metadata")  # columns of LangChain and LlamaIndex for further fields
COLUMNS = """
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


@dataclass(frozen=True, slots=True)
class TableQueries:
    """The queries for one table, and the column of each field of evidence."""

    fields: Mapping[str, str]
    terms: str
    by_words: str
    by_vectors: str  # empty without vectors


def table_queries(
    table: str, columns: Mapping[str, tuple[str, str]], own_fields: Mapping[str, str], text_configuration: str
) -> TableQueries:
    """Return the queries. Raises ProviderError without a column of text.

    `columns`: (type, its schema) by name. `own_fields`: the operator's columns by field of evidence.
    `text_configuration`: of PostgreSQL's text search, such as "english".
    """
    name = quoted_path(table)
    fields = {"id": "id", **_common_fields(), **own_fields}
    text = next((path for path in fields["text"].split("|") if path in columns), "")
    if not text:
        raise ProviderError(f"The table {table!r} has no column of text: name it as `fields.text`.")
    language = f"{_literal(text_configuration)}::regconfig"
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
    return TableQueries(fields, _TERMS.format(**parts), _BY_WORDS.format(**parts), by_vectors)


def ts_query(selection: TermSelection) -> str:
    """Return the terms as a `tsquery`."""
    together = " & ".join(map(_quoted_term, selection.together))
    return " | ".join([*map(_quoted_term, selection.rare), *([f"({together})"] if together else [])])


def _quoted_term(term: str) -> str:
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"


def _row(text: str, columns: Iterable[str]) -> str:
    """Return the expression for a row as JSON, so that columns of all types are read in the same way.

    The text is truncated, and other values are left out if they are long.
    """

    def value(column: str) -> str:
        name = f"t.{_quoted(column)}"
        if column == text:
            return f"left({name}, {MAX_CHARACTERS})"
        return f"CASE WHEN octet_length({name}::text) <= {MAX_OTHER_BYTES} THEN {name} END"

    pairs = [f"{_literal(column)}, {value(column)}" for column in sorted(columns)]
    return f"json_build_object({', '.join(pairs)})::text"


def _common_fields() -> dict[str, str]:
    """Return the common paths, and the same paths inside of JSON columns."""
    nested = {
        name: "|".join([paths, *(paths.replace("metadata.", f"{column}.") for column in _NESTED)])
        for name, paths in COMMON_PATHS.items()
    }
    return nested | {"text": f"{COMMON_PATHS['text']}|document"}


def quoted_path(table: str) -> str:
    """Return the quoted name of a table, with its schema if it is given."""
    return ".".join(map(_quoted, table.split(".")))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
