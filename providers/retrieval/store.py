"""Store: the excerpts of indexed folders in one SQLite file, with an index of their words and their vectors.

    folders    what was indexed, and the label its files are known by
    files      each with a hash of its content, so that what did not change is not read again
    excerpts   in order; `fields` is the entry of a request's `evidence` as JSON
    words      FTS5 over search terms (citation/text/search_terms.py), without a copy of the text
    vectors    float16, by excerpt, where an embedder is configured

One file changes in one transaction: whoever stops the program at any point finds a store in which every file is whole,
or as it was before. Readers never wait for the writer (WAL).
"""

import json
import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citestream.citation.text.search_terms import TERMS_VERSION, query_terms, search_terms

VERSION = 1  # of the tables; a store with another one is made anew by --rebuild
LOCKED_SECONDS = 10.0  # that another run may hold the file: as long as one large file takes to be written
REBUILD_SECONDS = 600  # that another process may rebuild the word index: two million excerpts
TITLE_WEIGHT = 1.0  # of a word in file name and headings, to one in the text
MOST_TERMS = 64  # words of one query; a longer question says nothing new

logger = logging.getLogger("citestream")

Entry = dict[str, Any]
Matrix = NDArray[np.float32]

_SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE folders (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, label TEXT NOT NULL UNIQUE);
CREATE TABLE files (
    id INTEGER PRIMARY KEY, folder INTEGER NOT NULL REFERENCES folders, name TEXT NOT NULL, hash BLOB NOT NULL,
    UNIQUE (folder, name)
);
CREATE TABLE excerpts (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES files, position INTEGER NOT NULL,
    generated INTEGER NOT NULL, heads TEXT NOT NULL, fields TEXT NOT NULL, UNIQUE (file, position)
);
CREATE TABLE vectors (excerpt INTEGER PRIMARY KEY, vector BLOB NOT NULL);
"""
_WORDS_TABLE = """
CREATE VIRTUAL TABLE words USING fts5(
    heads, body, content='', tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'"
)
"""


class StoreError(Exception):
    """The store cannot be used; the message says which, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An excerpt that a half of the index found; `score` as that half measures, higher is closer."""

    excerpt: int
    score: float


@dataclass(frozen=True, slots=True)
class Folder:
    """What was indexed: its number here, and what its files' names are told apart by."""

    number: int
    label: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What the store keeps of an excerpt: the words beside its text, and the entry of a request's `evidence`."""

    heads: str
    entry: Entry

    def covers(self, weights: dict[str, float]) -> float:
        """The share of these words that it has, 0 to 1."""
        held = {*search_terms(self.heads), *search_terms(self.entry["text"])}
        begun = {token[0] for token in held}
        had = sum(weights[term] for term in weights if term in held or (_begins(term) and term in begun))
        return had / (sum(weights.values()) or 1.0)


class Store:
    """One open store; to be used by one thread at a time."""

    def __init__(self, path: Path, *, create: bool = False, anew: bool = False) -> None:
        """Raises StoreError where there is none (unless `create`), or one of another version (unless `anew`)."""
        self.path = path
        if not create and not path.is_file():
            raise StoreError(f"{path} does not exist: fill it with `citestream index DIR`")
        try:
            if create:
                _made_private(path)
            self._database = sqlite3.connect(
                path, timeout=LOCKED_SECONDS, check_same_thread=False, isolation_level=None
            )
            self._database.execute("PRAGMA foreign_keys = ON")
            # A power cut may cost the last files, never the store.
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._check(create, anew)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{path} cannot be used: {error}") from None

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def clear(self) -> None:
        """Begin anew, whatever version it was; who reads it meanwhile finds either everything or nothing."""
        self._database.execute("PRAGMA foreign_keys = OFF")
        with self.changing():
            for table in ("words", "vectors", "excerpts", "files", "folders", "about"):
                self._database.execute(f"DROP TABLE IF EXISTS {table}")
            self._make()
        self._database.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Everything inside sees one state of the store."""
        self._database.execute("BEGIN")
        try:
            yield
        finally:
            self._database.execute("COMMIT")

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Everything inside happens, or nothing."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            self._database.execute("ROLLBACK")
            raise

    def about(self, key: str) -> str:
        """What is known of the store as a whole; "" for what is not."""
        row = self._database.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def note(self, key: str, value: str) -> None:
        """Say something of the store as a whole."""
        self._database.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, value))

    def version(self) -> int:
        """A number that changes whenever somebody else changes the store."""
        return int(self._database.execute("PRAGMA data_version").fetchone()[0])

    # Folders and files

    def folder(self, path: Path) -> Folder:
        """A folder, which is added where it is new."""
        row = self._database.execute("SELECT id, label FROM folders WHERE path = ?", (str(path),)).fetchone()
        if row:
            return Folder(*row)
        taken = {label for (label,) in self._database.execute("SELECT label FROM folders")}
        name = path.name or "root"
        labels = [name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))]
        label = next(label for label in labels if label not in taken)
        inserted = self._database.execute("INSERT INTO folders (path, label) VALUES (?, ?)", (str(path), label))
        return Folder(inserted.lastrowid or 0, label)

    def folders(self) -> dict[str, Path]:
        """What was indexed, by label."""
        return {
            label: Path(path) for path, label in self._database.execute("SELECT path, label FROM folders ORDER BY id")
        }

    def files(self, folder: int) -> dict[str, bytes]:
        """The hash of each file, by name."""
        return dict(self._database.execute("SELECT name, hash FROM files WHERE folder = ?", (folder,)))

    def remove(self, folder: int, name: str) -> None:
        """Forget a file and its excerpts."""
        row = self._database.execute("SELECT id FROM files WHERE folder = ? AND name = ?", (folder, name)).fetchone()
        if not row:
            return
        for excerpt, heads, fields in self._database.execute(
            "SELECT id, heads, fields FROM excerpts WHERE file = ?", row
        ):
            unindexed = ("delete", excerpt, *_words(heads, json.loads(fields)["text"]))
            self._database.execute("INSERT INTO words (words, rowid, heads, body) VALUES (?, ?, ?, ?)", unindexed)
        self._database.execute("DELETE FROM vectors WHERE excerpt IN (SELECT id FROM excerpts WHERE file = ?)", row)
        self._database.execute("DELETE FROM excerpts WHERE file = ?", row)
        self._database.execute("DELETE FROM files WHERE id = ?", row)

    def add_file(self, folder: int, name: str, digest: bytes) -> int:
        """A file without excerpts, in place of what was known of it."""
        self.remove(folder, name)
        row = (folder, name, digest)
        return int(
            self._database.execute("INSERT INTO files (folder, name, hash) VALUES (?, ?, ?)", row).lastrowid or 0
        )

    def add_excerpt(self, file: int, position: int, heads: str, entry: Entry) -> int:
        """An excerpt. `heads`: the words beside its text that it can be found by."""
        generated = bool(entry.get("is_generated_artifact"))
        row = (file, position, generated, heads, json.dumps(entry, ensure_ascii=False))
        excerpt = self._database.execute(
            "INSERT INTO excerpts (file, position, generated, heads, fields) VALUES (?, ?, ?, ?, ?)", row
        ).lastrowid
        self._database.execute(
            "INSERT INTO words (rowid, heads, body) VALUES (?, ?, ?)", (excerpt, *_words(heads, entry["text"]))
        )
        return int(excerpt or 0)

    def set_embedder(self, option: str, model: str) -> None:
        """Who makes the vectors from now on; those of another model leave, since they cannot be compared."""
        if self.about("model") != model:
            self._database.execute("DELETE FROM vectors")
        self.note("embedder", option)
        self.note("model", model)

    def add_vectors(self, excerpts: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """(n, D), a row for each."""
        rows = zip(excerpts, (vector.tobytes() for vector in vectors.astype("<f2")), strict=True)
        self._database.executemany("INSERT INTO vectors VALUES (?, ?)", rows)

    # Searching

    def weights(self, question: str) -> dict[str, float]:
        """The words a question is about, each with how much it tells: more, the fewer excerpts have it."""
        self._database.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab(main, words, row)")
        many = self._database.execute("SELECT ifnull(max(id), 0) FROM excerpts").fetchone()[0]
        count = "SELECT ifnull(sum(doc), 0) FROM temp.terms WHERE term >= ? AND term <= ?"
        found = {}
        for term in (query_terms(question) or search_terms(question))[:MOST_TERMS]:
            (held,) = self._database.execute(count, (term, f"{term}\U0010ffff" if _begins(term) else term)).fetchone()
            found[term] = log(1 + many / (held + 0.5))
        return found

    def by_words(self, terms: Iterable[str], most: int) -> list[Hit]:
        """The excerpts that have some of these words, best first, by BM25."""
        query = " OR ".join(_quoted(term) for term in terms)
        if not query:
            return []
        found = self._database.execute(
            "SELECT rowid, -bm25(words, ?, 1.0) AS score FROM words WHERE words MATCH ? "
            "ORDER BY score DESC, rowid LIMIT ?",
            (TITLE_WEIGHT, query, most),
        )
        return [Hit(*row) for row in found]

    def matrix(self) -> tuple[NDArray[np.int64], Matrix]:
        """(n,) numbers of excerpts and (n, D) their vectors: 2 KB each, if D is 512."""
        rows = self._database.execute("SELECT excerpt, vector FROM vectors ORDER BY excerpt").fetchall()
        numbers = np.array([number for number, _ in rows], dtype=np.int64)
        data = np.frombuffer(b"".join(vector for _, vector in rows), dtype="<f2").astype(np.float32)
        return numbers, data.reshape(len(rows), -1) if rows else np.zeros((0, 0), dtype=np.float32)

    def excerpts(self, numbers: Iterable[int]) -> dict[int, Excerpt]:
        """What stands under these numbers; those that are gone meanwhile are left out."""
        found = {}
        for number in numbers:
            row = self._database.execute("SELECT heads, fields FROM excerpts WHERE id = ?", (number,)).fetchone()
            if row:
                found[number] = Excerpt(row[0], json.loads(row[1]))
        return found

    def counts(self) -> dict[str, int]:
        """How much there is."""
        counts = "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM excerpts), (SELECT count(*) FROM vectors)"
        return dict(zip(("files", "excerpts", "vectors"), self._database.execute(counts).fetchone(), strict=True))

    def content(self) -> Iterator[tuple[Any, ...]]:
        """Everything, in an order that does not depend on how it came in; what two stores are compared by."""
        yield from self._database.execute(
            "SELECT folders.path, files.name, files.hash, excerpts.position, excerpts.heads, excerpts.fields, vector "
            "FROM files JOIN folders ON folders.id = folder LEFT JOIN excerpts ON file = files.id "
            "LEFT JOIN vectors ON excerpt = excerpts.id ORDER BY 1, 2, 4"
        )

    def _check(self, create: bool, anew: bool) -> None:
        if create and not self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._database.execute("PRAGMA journal_mode = WAL")
            with self.changing():
                self._make()
        elif anew:
            self.clear()
        known = self._database.execute("PRAGMA user_version").fetchone()[0]
        if known == VERSION and self.about("tokens") != str(TERMS_VERSION):
            self._rebuild_words()
        if known != VERSION:
            raise StoreError(f"{self.path} is of another version: make it anew with `citestream index --rebuild`")

    def _rebuild_words(self) -> None:
        """Index the stored texts again, with the search terms of this version: 3,000 excerpts a second."""
        self._database.execute(f"PRAGMA busy_timeout = {1000 * REBUILD_SECONDS}")
        try:
            with self.changing():
                if self.about("tokens") == str(TERMS_VERSION):
                    return  # another process has done it meanwhile
                logger.warning("%s was indexed by another version: its word index is being rebuilt", self.path)
                self._database.execute("DROP TABLE words")
                self._database.execute(_WORDS_TABLE)
                for excerpt, heads, fields in self._database.execute("SELECT id, heads, fields FROM excerpts"):
                    row = (excerpt, *_words(heads, json.loads(fields)["text"]))
                    self._database.execute("INSERT INTO words (rowid, heads, body) VALUES (?, ?, ?)", row)
                self.note("tokens", str(TERMS_VERSION))
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"{self.path} was indexed by another version, and its word index cannot be rebuilt ({error}): "
                "run `citestream index` as a user who may write to it"
            ) from None
        finally:
            self._database.execute(f"PRAGMA busy_timeout = {int(1000 * LOCKED_SECONDS)}")

    def _make(self) -> None:
        for statement in _SCHEMA.split(";\n"):
            if statement.strip():
                self._database.execute(statement)
        self._database.execute(_WORDS_TABLE)
        self.note("tokens", str(TERMS_VERSION))
        self._database.execute(f"PRAGMA user_version = {VERSION}")


def _made_private(path: Path) -> None:
    """A new file in a folder that nobody else may read, and that version control leaves alone."""
    if not path.parent.exists():
        path.parent.mkdir(mode=0o700, parents=True)
        (path.parent / ".gitignore").write_text("*\n", "utf-8")
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def _words(heads: str, text: str) -> tuple[str, str]:
    return " ".join(search_terms(heads)), " ".join(search_terms(text))


def _begins(term: str) -> bool:
    """A single character of a script without spaces stands in the index as the beginning of pairs."""
    return len(term) == 1 and not term.isascii()


def _quoted(term: str) -> str:
    """As FTS5 takes it."""
    plain = '"' + term.replace('"', '""') + '"'
    return f"{plain}*" if _begins(term) else plain
