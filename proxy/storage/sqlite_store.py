"""A store in a SQLite file, which several workers of one machine share."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from citestream.providers.errors import ProviderError
from citestream.providers.redis_cache import Bounds, Entry
from citestream.providers.retrieval.folder.store_file import open_private_database

from ..config import ConfigError
from .fair_shares import fair_share

TRIM_SHARE = 100  # check the limits after 1/100 of a limit was written
LOCK_SECONDS = 1.0  # maximum wait while another worker writes

# `owner` is the client that uses an entry: pages of passages are stored under a name of their own.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    client TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL, size INTEGER NOT NULL, fields BLOB NOT NULL,
    owner TEXT NOT NULL DEFAULT '', PRIMARY KEY (client, id)
);
CREATE INDEX IF NOT EXISTS by_age ON answers (at, size);
"""
_OWNER_INDEX = "CREATE INDEX IF NOT EXISTS by_owner ON answers (owner, at, size)"


class SqliteStore:
    """A bounded store in a SQLite file. It is created in the main thread and then used by one other thread.

    Above a limit, the clients with the most entries or bytes lose their oldest ones.
    """

    def __init__(self, file: str, bounds: Bounds, clock: Callable[[], float]) -> None:
        """Open the file. `clock` returns seconds since 1970. Raise ConfigError if the file cannot be used."""
        self._bounds = bounds
        self._clock = clock
        self._written = (0, 0)  # entries and bytes since the last trim
        self._has_removed = False  # since removed entries were overwritten in the log of the file
        self._database = _open(file)
        self._try_to_remove_expired()

    def put_all(self, entries: Sequence[Entry]) -> None:
        """Store or replace entries in one transaction. Raise ProviderError, for example if the disk is full."""
        now = self._clock()
        rows = [(client, name, now, len(data), data, owner) for client, name, data, owner in entries]
        insert = "INSERT OR REPLACE INTO answers (client, id, at, size, fields, owner) VALUES (?, ?, ?, ?, ?, ?)"
        with _hide_messages(), self._database as database:
            database.executemany(insert, rows)
            self._trim(len(rows), sum(row[3] for row in rows))

    def get(self, client: str, name: str) -> bytes | None:
        """Return the data of an entry, or None if it is unknown or expired. Raise ProviderError."""
        query = "SELECT fields FROM answers WHERE client = ? AND id = ? AND at >= ?"
        with _hide_messages():
            row = self._database.execute(query, (client, name, self._oldest)).fetchone()
        return row[0] if row else None

    def reach(self) -> None:
        """Raise ProviderError if the file cannot be read."""
        with _hide_messages():
            self._database.execute("SELECT 1 FROM answers LIMIT 1")

    def remove_expired(self) -> None:
        """Remove expired entries, also from the pages of the file and from its log. Raise ProviderError."""
        delete = "DELETE FROM answers WHERE at < ?"
        with _hide_messages(), self._database as database:
            self._has_removed |= database.execute(delete, (self._oldest,)).rowcount > 0
        if self._has_removed:
            with _hide_messages():
                is_busy, *_ = self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._has_removed = bool(is_busy)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @property
    def _oldest(self) -> float:
        """The time before which an entry has expired."""
        return self._clock() - self._bounds.keep_seconds

    def _try_to_remove_expired(self) -> None:
        """Remove what has expired while no server was running. Another worker may have locked the file."""
        try:
            self.remove_expired()
        except ProviderError:
            return

    def _trim(self, entries: int, size: int) -> None:
        entries, written = self._written[0] + entries, self._written[1] + size
        self._written = (entries, written)
        if entries * TRIM_SHARE < self._bounds.keep and written * TRIM_SHARE < self._bounds.max_bytes:
            return
        self._written = (0, 0)
        self._database.execute("DELETE FROM answers WHERE at < ?", (self._oldest,))
        usage = "SELECT owner, count(*), sum(size) FROM answers GROUP BY owner"  # 10,000 rows take 1 ms
        used = self._database.execute(usage).fetchall()
        most_entries = fair_share((count for _, count, _ in used), self._bounds.keep)
        most_bytes = fair_share((total for *_, total in used), self._bounds.max_bytes)
        for owner, count, total in used:
            if count > most_entries or total > most_bytes:
                rows = self._excess(owner, count - most_entries, total - most_bytes)
                self._database.executemany("DELETE FROM answers WHERE rowid = ?", rows)

    def _excess(self, owner: str, entries: int, size: int) -> list[tuple[int]]:
        """Return the oldest rows of a client that together are so many entries and bytes."""
        rows: list[tuple[int]] = []
        query = "SELECT rowid, size FROM answers WHERE owner = ? ORDER BY at, rowid"
        for row, its in self._database.execute(query, (owner,)):
            if entries <= 0 and size <= 0:
                break
            rows.append((row,))
            entries, size = entries - 1, size - its
        return rows


@contextmanager
def _hide_messages() -> Iterator[None]:
    """Replace messages of SQLite, which can contain data of clients, by the name of the error."""
    try:
        yield
    except sqlite3.Error as error:
        raise ProviderError(f"SQLite: {type(error).__name__}") from None


def _open(file: str) -> sqlite3.Connection:
    """Open the database. Raise ConfigError if the file cannot be opened or is not a database."""
    try:
        open_private_database(Path(file))  # it contains excerpts
        database = sqlite3.connect(file, timeout=LOCK_SECONDS, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")  # readers do not wait for a writer
        database.execute("PRAGMA synchronous = OFF")  # a power cut can lose entries, but no answer waits for the disk
        database.execute("PRAGMA secure_delete = ON")  # removed entries are overwritten
        database.executescript(_SCHEMA)
        _add_owners(database)
        database.execute(_OWNER_INDEX)
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"references.file: {file}: {reason}") from None
    return database


def _add_owners(database: sqlite3.Connection) -> None:
    """Add the column with the owner to a file of an earlier version."""
    if "owner" not in {column[1] for column in database.execute("PRAGMA table_info(answers)")}:
        with database:
            database.execute("ALTER TABLE answers ADD COLUMN owner TEXT NOT NULL DEFAULT ''")
            database.execute("UPDATE answers SET owner = client")
