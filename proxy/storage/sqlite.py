"""Entries in a SQLite file of one machine, which several workers of it may share.

Imported where there is such a file: SQLite takes 1 MB.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from citestream.providers.errors import ProviderError

from ..config import ConfigError, ReferencesConfig

TRIM_AFTER = 100  # parts of a limit that may be written before the next look at what has to go
LOCKED_SECONDS = 1.0  # that another worker may hold the file

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    client TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL, size INTEGER NOT NULL, fields BLOB NOT NULL,
    PRIMARY KEY (client, id)
);
CREATE INDEX IF NOT EXISTS by_age ON answers (at, size);
"""


class SqliteEntries:
    """Opened here, then used by one thread."""

    def __init__(self, config: ReferencesConfig, clock: Callable[[], float]) -> None:
        """`clock`: seconds since 1970, as other workers and the next start count them. Raises ConfigError."""
        self._config = config
        self._clock = clock
        self._written = (0, 0)  # entries and bytes since the last trim
        self._database = _opened(config.file)

    def put_all(self, entries: Sequence[tuple[str, str, bytes]]) -> None:
        """Keep or replace entries, all in one transaction. Raises ProviderError: a full disk."""
        now = self._clock()
        rows = [(client, name, now, len(data), data) for client, name, data in entries]
        with _told(), self._database as database:
            database.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", rows)
            self._trim(len(rows), sum(len(data) for *_, data in rows))

    def get(self, client: str, name: str) -> bytes | None:
        """What was put and is not too old. Raises ProviderError."""
        oldest = self._clock() - self._config.keep_seconds
        question = "SELECT fields FROM answers WHERE client = ? AND id = ? AND at >= ?"
        with _told():
            row = self._database.execute(question, (client, name, oldest)).fetchone()
        return row[0] if row else None

    def reach(self) -> None:
        """Raises ProviderError where the file cannot be read."""
        with _told():
            self._database.execute("SELECT 1 FROM answers LIMIT 1")

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _trim(self, entries: int, size: int) -> None:
        entries, written = self._written[0] + entries, self._written[1] + size
        self._written = (entries, written)
        if entries * TRIM_AFTER < self._config.keep and written * TRIM_AFTER < self._config.max_bytes:
            return
        self._written = (0, 0)
        self._database.executemany("DELETE FROM answers WHERE rowid = ?", self._superfluous())

    def _superfluous(self) -> list[tuple[int]]:
        """The rows that are too old, too many or too much: the oldest. 10,000 entries are counted in 0.5 ms."""
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
def _told() -> Iterator[None]:
    """What goes wrong in SQLite's own words, which may hold what clients sent, is told by its kind."""
    try:
        yield
    except sqlite3.Error as error:
        raise ProviderError(f"SQLite: {type(error).__name__}") from None


def _opened(file: str) -> sqlite3.Connection:
    """The database, shared with nobody but the thread. Raises ConfigError for a file that is none."""
    try:
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))  # excerpts stand in it: nobody else may read them
        database = sqlite3.connect(file, timeout=LOCKED_SECONDS, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")  # workers that read do not wait for the one that writes
        database.execute("PRAGMA synchronous = OFF")  # a power cut may lose entries; no answer waits for the disk
        database.executescript(_SCHEMA)
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(f"references.file: {file}: {error}") from None
    return database
