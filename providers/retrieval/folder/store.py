"""Store the excerpts of indexed folders in one SQLite file, with an index of their words and their vectors.

    folders    indexed folders, each with a label that starts the names of its files
    files      files with a hash of their content, so that unchanged files are not read again
    excerpts   excerpts in order; `fields` is the entry of a request's `evidence` as JSON
    words      FTS5 index of search terms (citation/text/queries/search_terms.py), without a copy of the text
    initials   FTS5 index of the initials of consecutive words, for acronyms
    vectors    float16 vectors of the excerpts, if an embedder is configured

Each file is written as a whole: if the program is stopped at any point, every file in the store is either complete or
as it was before. The store is one file, without a write-ahead log, so that it can be copied, moved and
replaced while it is being searched: a log that belongs to another file would damage it.
"""

import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .store_file import FileVersion, StoreError, create_private_file
from .word_index import INDEX_VERSION, WordIndex, coverage

VERSION = 1  # schema version; `--rebuild` replaces a store of another version
LOCKED_SECONDS = 10.0  # maximum wait for another writer: one large file is written in this time
REBUILD_SECONDS = 600  # maximum wait while another process rebuilds the word index: two million excerpts

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
_TRANSACTION = ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
_SAVEPOINT = ("SAVEPOINT nested", "RELEASE nested", "ROLLBACK TO nested")


@dataclass(frozen=True, slots=True)
class Folder:
    """An indexed folder. `label`: a unique name, which starts the `document_id` of its files."""

    number: int
    label: str


@dataclass(frozen=True, slots=True)
class StoredExcerpt:
    """An excerpt. `heads`: its file name and headings. `entry`: an entry of a request's `evidence`."""

    heads: str
    entry: Entry

    def coverage(self, weights: Mapping[str, float], known: Mapping[str, str]) -> float:
        """Return the weighted share of the terms that the excerpt contains, 0 to 1."""
        return coverage(f"{self.heads}\n{self.entry['text']}", weights, known)


class Store:
    """An open store. Not thread-safe: only one thread may use it at a time."""

    def __init__(self, path: Path, *, create: bool = False, rebuild: bool = False) -> None:
        """Open the store.

        Raise StoreError if the file does not exist (unless `create`) or has another version (unless `rebuild`).
        """
        self.path = path
        self.file_version = FileVersion.of(path)  # when it was opened
        if not create and not path.is_file():
            raise StoreError(f"{path} does not exist: fill it with `citestream index DIR`")
        with ExitStack() as opened:
            try:
                if create:
                    create_private_file(path)
                self._database = sqlite3.connect(
                    path, timeout=LOCKED_SECONDS, check_same_thread=False, isolation_level=None
                )
                opened.callback(self._database.close)
                self.words = WordIndex(self._database)
                self._database.execute("PRAGMA foreign_keys = ON")
                # Otherwise a large file would lock out the readers before it is committed
                self._database.execute("PRAGMA cache_spill = OFF")
                self._check(create, rebuild)
            except (OSError, sqlite3.Error) as error:
                raise StoreError(f"{path} cannot be used: {error}") from None
            opened.pop_all()  # it stays open

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def clear(self) -> None:
        """Replace the store, of any version, by an empty one. Concurrent readers see the old state or the new one."""
        self._database.execute("PRAGMA foreign_keys = OFF")
        with self.transaction():
            for table in ("words", "vectors", "excerpts", "files", "folders", "about"):
                self._database.execute(f"DROP TABLE IF EXISTS {table}")
            self._create_tables()
        self._database.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Make all reads inside see the same state of the store."""
        self._database.execute("BEGIN")
        try:
            yield
        finally:
            self._database.execute("COMMIT")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all changes inside, or none of them if an exception is raised.

        Inside another transaction, the changes are committed with that one. Raise StoreError if the changes cannot be
        written.
        """
        nested = self._database.in_transaction
        begin, commit, rollback = _SAVEPOINT if nested else _TRANSACTION
        try:
            self._database.execute(begin)
            yield
            if self._database.in_transaction:
                self._database.execute(commit)
        except BaseException as error:
            if self._database.in_transaction:  # otherwise SQLite has rolled it back
                self._database.execute(rollback)
            if isinstance(error, sqlite3.OperationalError):
                raise StoreError(f"{self.path} cannot be written: {_reason(error)}") from None
            raise

    def metadata(self, key: str) -> str:
        """Return a value that describes the whole store, "" if it is not set."""
        row = self._database.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()
        return row[0] if row else ""

    def set_metadata(self, key: str, value: str) -> None:
        """Set a value that describes the whole store."""
        self._database.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, value))

    def data_version(self) -> int:
        """Return a number that changes whenever another connection changes the store."""
        return int(self._database.execute("PRAGMA data_version").fetchone()[0])

    # Folders and files

    def folder(self, path: Path) -> Folder:
        """Return the folder with this path, after adding it if it is new."""
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
        """Return the paths of the indexed folders by label."""
        return {
            label: Path(path) for path, label in self._database.execute("SELECT path, label FROM folders ORDER BY id")
        }

    def files(self, folder: int) -> dict[str, bytes]:
        """Return the hashes of the files of a folder by name."""
        return dict(self._database.execute("SELECT name, hash FROM files WHERE folder = ?", (folder,)))

    def remove(self, folder: int, name: str) -> None:
        """Delete a file and its excerpts."""
        row = self._database.execute("SELECT id FROM files WHERE folder = ? AND name = ?", (folder, name)).fetchone()
        if not row:
            return
        for excerpt, heads, fields in self._database.execute(
            "SELECT id, heads, fields FROM excerpts WHERE file = ?", row
        ):
            self.words.remove(excerpt, heads, json.loads(fields)["text"])
        self._database.execute("DELETE FROM vectors WHERE excerpt IN (SELECT id FROM excerpts WHERE file = ?)", row)
        self._database.execute("DELETE FROM excerpts WHERE file = ?", row)
        self._database.execute("DELETE FROM files WHERE id = ?", row)

    def add_file(self, folder: int, name: str, digest: bytes) -> int:
        """Add a file without excerpts and return its id. An existing file with this name is replaced."""
        self.remove(folder, name)
        row = (folder, name, digest)
        return int(
            self._database.execute("INSERT INTO files (folder, name, hash) VALUES (?, ?, ?)", row).lastrowid or 0
        )

    def add_excerpt(self, file: int, position: int, heads: str, entry: Entry) -> int:
        """Add an excerpt and return its id. `heads`: file name and headings, which are searched like its text."""
        generated = bool(entry.get("is_generated_artifact"))
        row = (file, position, generated, heads, json.dumps(entry, ensure_ascii=False))
        excerpt = self._database.execute(
            "INSERT INTO excerpts (file, position, generated, heads, fields) VALUES (?, ?, ?, ?, ?)", row
        ).lastrowid
        self.words.add(excerpt or 0, heads, entry["text"])
        return excerpt or 0

    def set_embedder(self, option: str, model: str) -> None:
        """Set the embedding model. Vectors of another model are deleted, because they cannot be compared."""
        if self.metadata("model") != model:
            self._database.execute("DELETE FROM vectors")
        self.set_metadata("embedder", option)
        self.set_metadata("model", model)

    def add_vectors(self, excerpts: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Add the vectors of excerpts. `vectors`: shape (n, D), one row for each excerpt."""
        rows = zip(excerpts, (vector.tobytes() for vector in vectors.astype("<f2")), strict=True)
        self._database.executemany("INSERT INTO vectors VALUES (?, ?)", rows)

    # Searching

    def load_vectors(self) -> tuple[NDArray[np.int64], Matrix]:
        """Return the ids of the excerpts, shape (n,), and their vectors, shape (n, D): 2 KB each if D is 512.

        D is that of the newest vector. Others are left out: a server can offer another model under the same name.
        """
        rows = self._database.execute(
            "SELECT excerpt, vector FROM vectors WHERE length(vector) = "
            "(SELECT length(vector) FROM vectors ORDER BY excerpt DESC LIMIT 1) ORDER BY excerpt"
        ).fetchall()
        numbers = np.array([number for number, _ in rows], dtype=np.int64)
        data = np.frombuffer(b"".join(vector for _, vector in rows), dtype="<f2").astype(np.float32)
        return numbers, data.reshape(len(rows), -1) if rows else np.zeros((0, 0), dtype=np.float32)

    def excerpts(self, numbers: Iterable[int]) -> dict[int, StoredExcerpt]:
        """Return excerpts by id. Ids that no longer exist are left out."""
        found = {}
        for number in numbers:
            row = self._database.execute("SELECT heads, fields FROM excerpts WHERE id = ?", (number,)).fetchone()
            if row:
                found[number] = StoredExcerpt(row[0], json.loads(row[1]))
        return found

    def counts(self) -> dict[str, int]:
        """Return the number of `files`, `excerpts` and `vectors`."""
        counts = "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM excerpts), (SELECT count(*) FROM vectors)"
        return dict(zip(("files", "excerpts", "vectors"), self._database.execute(counts).fetchone(), strict=True))

    def dump(self) -> Iterator[tuple[Any, ...]]:
        """Yield all rows in an order that does not depend on the order of writing, to compare two stores."""
        yield from self._database.execute(
            "SELECT folders.path, files.name, files.hash, excerpts.position, excerpts.heads, excerpts.fields, vector "
            "FROM files JOIN folders ON folders.id = folder LEFT JOIN excerpts ON file = files.id "
            "LEFT JOIN vectors ON excerpt = excerpts.id ORDER BY 1, 2, 4"
        )

    def _check(self, create: bool, rebuild: bool) -> None:
        tables = self._tables()
        if tables and not {"files", "excerpts"} <= tables:
            raise StoreError(f"{self.path} is the database of another program: name another file")
        if create:
            self._leave_wal()
            with self.transaction():  # another process may create the tables at the same time
                if not self._tables():
                    self._create_tables()
        elif not tables:
            raise StoreError(f"{self.path} is empty: fill it with `citestream index DIR`")
        if rebuild:
            self.clear()
        version = self._database.execute("PRAGMA user_version").fetchone()[0]
        if version == VERSION and self.metadata("tokens") != INDEX_VERSION:
            self._rebuild_words()
        if version != VERSION:
            raise StoreError(f"{self.path} was written by another version: run `citestream index --rebuild`")

    def _tables(self) -> set[str]:
        return {name for (name,) in self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def _leave_wal(self) -> None:
        """Convert a store of an earlier version, unless it is in use: then the next run of `index` does it."""
        with suppress(sqlite3.OperationalError):
            self._database.execute("PRAGMA journal_mode = DELETE")

    def _rebuild_words(self) -> None:
        """Index the stored texts again, with the search terms of this version: 3,000 excerpts a second."""
        self._database.execute(f"PRAGMA busy_timeout = {1000 * REBUILD_SECONDS}")
        try:
            with self.transaction():
                if self.metadata("tokens") == INDEX_VERSION:
                    return  # another process has done it meanwhile
                logger.warning("%s was indexed by another version: its word index is being rebuilt", self.path)
                self.words.create()
                for excerpt, heads, fields in self._database.execute("SELECT id, heads, fields FROM excerpts"):
                    self.words.add(excerpt, heads, json.loads(fields)["text"])
                self.set_metadata("tokens", INDEX_VERSION)
        except StoreError as error:
            raise StoreError(
                f"{error}. Its word index is of another version and has to be rebuilt: "
                "run `citestream index` as a user who may write to it"
            ) from None
        finally:
            self._database.execute(f"PRAGMA busy_timeout = {int(1000 * LOCKED_SECONDS)}")

    def _create_tables(self) -> None:
        for statement in _SCHEMA.split(";\n"):
            if statement.strip():
                self._database.execute(statement)
        self.words.create()
        self.set_metadata("tokens", INDEX_VERSION)
        self._database.execute(f"PRAGMA user_version = {VERSION}")


def _reason(error: sqlite3.OperationalError) -> str:
    if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
        return "the disk is full. The files that were indexed stay in it; free some space and run the command again"
    if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
        return "another process is writing to it. Run the command again later"
    return str(error)
