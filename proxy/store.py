"""RecentReferences: references of recent answers by completion id, for clients that drop unknown fields.

Conversations of the Responses API are kept beside them, for requests that refer to earlier ones.

In SQLite, on a thread of its own: handing an answer in takes the event loop a few microseconds, and one that is asked
for is looked up after everything that was handed in before. Losing an entry never fails an answer.
"""

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Semaphore
from time import time
from typing import Any

from providers.events import Chunk

from .completion import Chunks
from .config import ConfigError, ReferencesConfig
from .encoding import dumps, loads
from .outgoing import Ended, Failed, Outgoing

Fields = dict[str, Any]

KEPT = ("references", "grounding", "citations", "search_results")  # of an answer's last chunk
MAX_WAITING = 256  # entries not written yet; a disk that is slower than that loses entries, not memory
TRIM_AFTER = 100  # parts of a limit that may be written before the next look at what has to go
LARGEST = 4  # no entry may take more than this part of max_bytes: one conversation must not push out all others
LATE_SECONDS = 0.1  # that another worker may need to write what its client asks this one for
LOCKED_SECONDS = 1.0  # that another worker may hold the file

log = logging.getLogger("citestream")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    client TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL, size INTEGER NOT NULL, fields BLOB NOT NULL,
    PRIMARY KEY (client, id)
);
CREATE INDEX IF NOT EXISTS by_age ON answers (at, size);
"""
# Newest first, everything behind the first :keep entries or the first :bytes bytes goes, and everything too old.
_TRIM = """
DELETE FROM answers WHERE rowid IN (
    SELECT rowid FROM (
        SELECT rowid, at, row_number() OVER newest AS place, sum(size) OVER newest AS total FROM answers
        WINDOW newest AS (ORDER BY at DESC, rowid DESC ROWS UNBOUNDED PRECEDING)
    ) WHERE place > :keep OR total > :bytes OR at < :oldest
)
"""


class RecentReferences:
    """A bounded memory; a client finds the answers that it got itself."""

    def __init__(self, config: ReferencesConfig, clock: Callable[[], float] = time) -> None:
        """`clock`: seconds since 1970, as other workers and the next start count them. Raises ConfigError."""
        self._config = config
        self._clock = clock
        self._room = Semaphore(MAX_WAITING)
        self._written = (0, 0)  # entries and bytes since the last trim
        self._database = _opened(config.file) if config.keep else None
        self._thread = ThreadPoolExecutor(1, "references")

    def put(self, client: str, name: str, fields: Fields) -> None:
        """Keep what belongs to an answer. `fields` must not change any more. Returns at once and never fails."""
        if self._database is not None and self._room.acquire(blocking=False):
            with suppress(RuntimeError):  # the server is stopping
                self._thread.submit(self._put, self._database, client, name, fields)

    async def get(self, client: str, name: str) -> Fields | None:
        """What was kept for this client's answer, if it still is."""
        if self._database is None:
            return None
        look = partial(self._get, self._database, client, name)
        found = await asyncio.get_running_loop().run_in_executor(self._thread, look)
        if found is None and self._config.file:
            await asyncio.sleep(LATE_SECONDS)
            found = await asyncio.get_running_loop().run_in_executor(self._thread, look)
        return found

    async def reach(self) -> None:
        """Raises sqlite3.Error where the file cannot be read."""
        if self._database is not None:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._thread, self._database.execute, "SELECT 1 FROM answers LIMIT 1")

    async def aclose(self) -> None:
        """Write what is waiting and let go of the file."""
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def close(self) -> None:
        """As `aclose`, waiting."""
        self._thread.shutdown()
        if self._database is not None:
            self._database.close()

    def _put(self, database: sqlite3.Connection, client: str, name: str, fields: Fields) -> None:
        try:
            data = dumps(fields)
            if len(data) * LARGEST > self._config.max_bytes:
                log.warning("what belongs to an answer is not kept: %d bytes", len(data))
                return
            with database:
                row = (client, name, self._clock(), len(data), data)
                database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", row)
            self._trim(database, len(data))
        except (sqlite3.Error, ValueError) as error:  # a full disk, a lone surrogate in an id
            log.warning("the references of an answer could not be kept: %s", type(error).__name__)
        finally:
            self._room.release()

    def _trim(self, database: sqlite3.Connection, size: int) -> None:
        entries, written = self._written[0] + 1, self._written[1] + size
        self._written = (entries, written)
        if entries * TRIM_AFTER < self._config.keep and written * TRIM_AFTER < self._config.max_bytes:
            return
        self._written = (0, 0)
        oldest = self._clock() - self._config.keep_seconds
        with database:
            database.execute(_TRIM, {"keep": self._config.keep, "bytes": self._config.max_bytes, "oldest": oldest})

    def _get(self, database: sqlite3.Connection, client: str, name: str) -> Fields | None:
        oldest = self._clock() - self._config.keep_seconds
        question = "SELECT fields FROM answers WHERE client = ? AND id = ? AND at >= ?"
        try:
            row = database.execute(question, (client, name, oldest)).fetchone()
            found: Fields | None = loads(row[0]) if row else None
        except (sqlite3.Error, ValueError) as error:
            log.warning("the references of an answer could not be read: %s", type(error).__name__)
            return None
        return found


class Remembered:
    """The chunks of one answer; what its ends carry is kept too."""

    def __init__(self, chunks: Chunks, recent: RecentReferences, client: str, name: str = "") -> None:
        """`name`: what the client knows the answer by, where that is not the id of its chunks."""
        self._chunks = chunks
        self._recent = recent
        self._client = client
        self._name = name

    def of(self, event: Outgoing) -> list[Chunk]:
        """The chunks of one event, unchanged."""
        chunks = self._chunks.of(event)
        if isinstance(event, Ended | Failed) and chunks:
            fields = {key: chunks[-1][key] for key in KEPT if key in chunks[-1]}
            name = self._name or chunks[-1].get("id")
            if fields and isinstance(name, str):
                self._recent.put(self._client, name, fields)
        return chunks

    def annotations(self, choice: int) -> list[Fields]:
        """The annotations of a choice so far."""
        return self._chunks.annotations(choice)


def _opened(file: str) -> sqlite3.Connection:
    """The database, shared with nobody but the thread. Raises ConfigError for a file that is none."""
    try:
        if file:
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))  # excerpts stand in it: nobody else may read them
        database = sqlite3.connect(file or ":memory:", timeout=LOCKED_SECONDS, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")  # workers that read do not wait for the one that writes
        database.execute("PRAGMA synchronous = OFF")  # a power cut may lose entries; no answer waits for the disk
        database.executescript(_SCHEMA)
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(f"references.file: {file}: {error}") from None
    return database
