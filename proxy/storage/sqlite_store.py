"""A store in a SQLite file, which several workers of one machine share."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from citestream.providers.errors import ProviderError
from citestream.providers.retrieval.folder.store_file import open_private_database

from ..config import ConfigError, ReferencesConfig

TRIM_SHARE = 100  # check the limits after 1/100 of a limit was written
LOCK_SECONDS = 1.0  # maximum wait while another worker writes

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    client TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL, size INTEGER NOT NULL, fields BLOB NOT NULL,
    PRIMARY KEY (client, id)
);
CREATE INDEX IF NOT EXISTS by_age ON answers (at, size);
"""


class SqliteStore:
    """A bounded store in a SQLite file. It is created in the main thread and then used by one other thread."""

    def __init__(self, config: ReferencesConfig, clock: Callable[[], float]) -> None:
        """Open the file. `clock` returns seconds since 1970. Raise ConfigError if the file cannot be used."""
        self._config = config
        self._clock = clock
        self._written = (0, 0)  # entries and bytes since the last trim
        self._database = _open(config.file)

    def put_all(self, entries: Sequence[tuple[str, str, bytes]]) -> None:
        """Store or replace entries in one transaction. Raise ProviderError, for example if the disk is full."""
        now = self._clock()
        rows = [(client, name, now, len(data), data) for client, name, data in entries]
        with _hide_messages(), self._database as database:
            database.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", rows)
            self._trim(len(rows), sum(len(data) for *_, data in rows))

    def get(self, client: str, name: str) -> bytes | None:
        """Return the data of an entry, or None if it is unknown or expired. Raise ProviderError."""
        oldest = self._clock() - self._config.keep_seconds
        query = "SELECT fields FROM answers WHERE client = ? AND id = ? AND at >= ?"
        with _hide_messages():
            row = self._database.execute(query, (client, name, oldest)).fetchone()
        return row[0] if row else None

    def reach(self) -> None:
        """Raise ProviderError if the file cannot be read."""
        with _hide_messages():
            self._database.execute("SELECT 1 FROM answers LIMIT 1")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _trim(self, entries: int, size: int) -> None:
        entries, written = self._written[0] + entries, self._written[1] + size
        self._written = (entries, written)
        if entries * TRIM_SHARE < self._config.keep and written * TRIM_SHARE < self._config.max_bytes:
            return
        self._written = (0, 0)
        self._database.executemany("DELETE FROM answers WHERE rowid = ?", self._expired())

    def _expired(self) -> list[tuple[int]]:
        """Return the oldest rows that exceed the age, number or size. Counting 10,000 rows takes 0.5 ms."""
        found: list[tuple[int]] = []
        oldest = self._clock() - self._config.keep_seconds
        count, size = self._database.execute("SELECT count(*), coalesce(sum(size), 0) FROM answers").fetchone()
        for row, at, its in self._database.execute("SELECT rowid, at, size FROM answers ORDER BY at, rowid"):
            if at >= oldest and count <= self._config.keep and size <= self._config.max_bytes:
                break
            found.append((row,))
            count, size = count - 1, size - its
        return found


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
        database.executescript(_SCHEMA)
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ConfigError(f"references.file: {file}: {reason}") from None
    return database
