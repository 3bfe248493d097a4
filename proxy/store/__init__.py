"""RecentReferences: references of recent answers by completion id, for clients that drop unknown fields.

Conversations of the Responses API are kept beside them, for requests that refer to earlier ones.

In SQLite, or in Redis where several machines share them; on a thread of its own: handing an answer in takes the event
loop a few microseconds, and one that is asked for is looked up after everything that was handed in before. Losing an
entry never fails an answer.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Semaphore
from time import time
from typing import Any, Protocol

from providers.errors import ProviderError
from providers.events import Chunk
from providers.shared import Bounds, RedisEntries

from ..completion import Chunks
from ..config import ConfigError, ReferencesConfig, StoreConfig
from ..encoding import dumps, loads
from ..outgoing import Ended, Failed, Outgoing
from .sqlite import SqliteEntries

Fields = dict[str, Any]

KEPT = ("references", "grounding", "citations", "search_results")  # of an answer's last chunk
MAX_WAITING = 256  # entries not written yet; a disk that is slower than that loses entries, not memory
LARGEST = 4  # no entry may take more than this part of max_bytes: one conversation must not push out all others
LATE_SECONDS = 0.1  # that another worker may need to write what its client asks this one for

log = logging.getLogger("citestream")


class Entries(Protocol):
    """Where they are kept: bounded, used by one thread at a time."""

    def put(self, client: str, name: str, data: bytes) -> None:
        """Keep or replace an entry."""
        ...

    def get(self, client: str, name: str) -> bytes | None:
        """An entry that is still kept."""
        ...

    def reach(self) -> None:
        """Raises where entries cannot be read now."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class RecentReferences:
    """A bounded memory; a client finds the answers that it got itself."""

    def __init__(
        self, config: ReferencesConfig, clock: Callable[[], float] = time, store: StoreConfig | None = None
    ) -> None:
        """`clock`: seconds since 1970; Redis has its own. Raises ConfigError."""
        self._config = config
        self._room = Semaphore(MAX_WAITING)
        self._shared = bool(config.file or (store and store.url))
        self._entries = _entries(config, clock, store) if config.keep else None
        self._thread = ThreadPoolExecutor(1, "references")

    def put(self, client: str, name: str, fields: Fields) -> None:
        """Keep what belongs to an answer. `fields` must not change any more. Returns at once and never fails."""
        if self._entries is not None and self._room.acquire(blocking=False):
            with suppress(RuntimeError):  # the server is stopping
                self._thread.submit(self._put, self._entries, client, name, fields)

    async def get(self, client: str, name: str) -> Fields | None:
        """What was kept for this client's answer, if it still is."""
        if self._entries is None:
            return None
        look = partial(self._get, self._entries, client, name)
        found = await asyncio.get_running_loop().run_in_executor(self._thread, look)
        if found is None and self._shared:
            await asyncio.sleep(LATE_SECONDS)
            found = await asyncio.get_running_loop().run_in_executor(self._thread, look)
        return found

    async def reach(self) -> None:
        """Raises sqlite3.Error or ProviderError where entries cannot be read now."""
        if self._entries is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._entries.reach)

    async def aclose(self) -> None:
        """Write what is waiting and let go of the file."""
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def close(self) -> None:
        """As `aclose`, waiting."""
        self._thread.shutdown()
        if self._entries is not None:
            self._entries.close()

    def _put(self, entries: Entries, client: str, name: str, fields: Fields) -> None:
        try:
            data = dumps(fields)
            if len(data) * LARGEST > self._config.max_bytes:
                log.warning("what belongs to an answer is not kept: %d bytes", len(data))
                return
            entries.put(client, name, data)
        except (sqlite3.Error, ProviderError, ValueError) as error:  # a full disk, a lone surrogate in an id
            log.warning("the references of an answer could not be kept: %s", _said(error))
        finally:
            self._room.release()

    def _get(self, entries: Entries, client: str, name: str) -> Fields | None:
        try:
            data = entries.get(client, name)
            found: Fields | None = loads(data) if data else None
        except (sqlite3.Error, ProviderError, ValueError) as error:
            log.warning("the references of an answer could not be read: %s", _said(error))
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


def _entries(config: ReferencesConfig, clock: Callable[[], float], store: StoreConfig | None) -> Entries:
    """Raises ConfigError."""
    if store is None or not store.url:
        return SqliteEntries(config, clock)
    bounds = Bounds(config.keep, config.max_bytes, config.keep_seconds)
    try:
        return RedisEntries(store.url, store.secret(), bounds, ca_file=store.ca_file, timeout=store.timeout)
    except (ProviderError, ValueError) as error:
        raise ConfigError(f"store.url: {error}") from None


def _said(error: Exception) -> str:
    return error.message if isinstance(error, ProviderError) else type(error).__name__
