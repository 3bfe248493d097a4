"""RecentReferences: references of recent answers by completion id, for clients that drop unknown fields.

Conversations of the Responses API are kept beside them, for requests that refer to earlier ones.

In memory, where one process serves: an entry is kept at once. In a SQLite file where several do, or in Redis where
several machines do: on a thread of its own, which writes together what came while it was writing. Handing an answer in
takes the event loop a few microseconds, and one that is asked for is looked up after everything that was handed in
before. Losing an entry never fails an answer.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from time import time
from typing import Any, Protocol

from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk
from citestream.providers.redis_cache import Bounds, RedisEntries

from ..config import ConfigError, ReferencesConfig, StoreConfig
from ..http.encoding import dumps, loads
from ..pipeline.completion_chunks import Chunks
from ..pipeline.outgoing import Ended, Failed, Outgoing
from .memory import MemoryEntries

Fields = dict[str, Any]

KEPT = ("references", "grounding", "citations", "search_results")  # of an answer's last chunk
MAX_WAITING = 256  # entries not written yet; a disk that is slower than that loses entries, not memory
LARGEST = 4  # no entry may take more than this part of max_bytes: one conversation must not push out all others
LATE_SECONDS = 0.1  # that another worker may need to write what its client asks this one for

log = logging.getLogger("citestream")


class Entries(Protocol):
    """Where they are kept outside of this process: bounded, used by one thread at a time."""

    def put_all(self, entries: Sequence[tuple[str, str, bytes]]) -> None:
        """Keep or replace entries: whose, by which name, what."""
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
        self._here: MemoryEntries | None = None
        self._outside = _outside(config, clock, store) if config.keep else None
        if config.keep and self._outside is None:
            self._here = MemoryEntries(config, clock)
        self._thread = ThreadPoolExecutor(1, "references")
        self._waiting: deque[tuple[str, str, Fields]] = deque()
        self._asked_to_write = False

    def put(self, client: str, name: str, fields: Fields) -> None:
        """Keep what belongs to an answer. `fields` must not change any more. Returns at once and never fails."""
        if self._here is not None:
            for entry in self._written([(client, name, fields)]):
                self._here.put(*entry)
        elif self._outside is not None and len(self._waiting) < MAX_WAITING:
            self._waiting.append((client, name, fields))
            if not self._asked_to_write:
                self._asked_to_write = True
                with suppress(RuntimeError):  # the server is stopping
                    self._thread.submit(self._write, self._outside)

    async def get(self, client: str, name: str) -> Fields | None:
        """What was kept for this client's answer, if it still is."""
        if self._here is not None:
            return _read(self._here.get(client, name))
        if self._outside is None:
            return None
        look = partial(self._get, self._outside, client, name)
        found = await asyncio.get_running_loop().run_in_executor(self._thread, look)
        if found is None:
            await asyncio.sleep(LATE_SECONDS)
            found = await asyncio.get_running_loop().run_in_executor(self._thread, look)
        return found

    async def reach(self) -> None:
        """Raises ProviderError where entries cannot be read now."""
        if self._outside is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._outside.reach)

    async def aclose(self) -> None:
        """Write what is waiting and let go of the file."""
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def close(self) -> None:
        """As `aclose`, waiting."""
        self._thread.shutdown()
        if self._outside is not None:
            self._outside.close()

    def _write(self, entries: Entries) -> None:
        """What waits now; what comes from here on asks anew."""
        self._asked_to_write = False
        waiting = [self._waiting.popleft() for _ in range(len(self._waiting))]
        try:
            if written := self._written(waiting):
                entries.put_all(written)
        except ProviderError as error:  # a full disk
            log.warning("the references of %d answers could not be kept: %s", len(waiting), _said(error))
        except Exception:  # nobody looks at what becomes of a job of this thread
            log.exception("the references of %d answers could not be kept", len(waiting))

    def _written(self, waiting: Sequence[tuple[str, str, Fields]]) -> list[tuple[str, str, bytes]]:
        """As bytes; without what is too large or cannot be written."""
        found = []
        for client, name, fields in waiting:
            try:
                data = dumps(fields)
                name.encode()
            except ValueError as error:  # a lone surrogate in an id
                log.warning("the references of an answer could not be kept: %s", _said(error))
                continue
            if len(data) * LARGEST > self._config.max_bytes:
                log.warning("what belongs to an answer is not kept: %d bytes", len(data))
                continue
            found.append((client, name, data))
        return found

    def _get(self, entries: Entries, client: str, name: str) -> Fields | None:
        try:
            return _read(entries.get(client, name))
        except (ProviderError, ValueError) as error:
            log.warning("the references of an answer could not be read: %s", _said(error))
            return None


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


def _outside(config: ReferencesConfig, clock: Callable[[], float], store: StoreConfig | None) -> Entries | None:
    """Where others find them too; None where nobody else looks for them. Raises ConfigError."""
    if store is None or not store.url:
        if not config.file:
            return None
        from .sqlite import SqliteEntries

        return SqliteEntries(config, clock)
    bounds = Bounds(config.keep, config.max_bytes, config.keep_seconds)
    try:
        return RedisEntries(store.url, store.secret(), bounds, ca_file=store.ca_file, timeout=store.timeout)
    except (ProviderError, ValueError) as error:
        raise ConfigError(f"store.url: {error}") from None


def _read(data: bytes | None) -> Fields | None:
    found: Fields | None = loads(data) if data else None
    return found


def _said(error: Exception) -> str:
    return error.message if isinstance(error, ProviderError) else type(error).__name__
