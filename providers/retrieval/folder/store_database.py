"""The SQLite database of a store: its tables and versions, transactions, and values that describe it."""

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from .store_file import FileVersion, StoreError, create_private_file
from .word_index import INDEX_VERSION, WordIndex

VERSION = 1  # schema version; `--rebuild` replaces a store of another version
LOCKED_SECONDS = 10.0  # maximum wait for another writer: one large file is written in this time
REBUILD_SECONDS = 600  # maximum wait while another process rebuilds the word index: two million excerpts

logger = logging.getLogger("citestream")

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


class StoreDatabase:
    """The database of an open store. Not thread-safe: only one thread may use it at a time."""

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
                reason = error.strerror if isinstance(error, OSError) else error
                damaged = getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
                advice = "; name another file, or delete this one and run `citestream index DIR`" if damaged else ""
                raise StoreError(f"{path} cannot be used: {reason}{advice}") from None
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
