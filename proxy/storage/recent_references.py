"""References of recent answers by completion id, for clients that drop unknown fields.

Conversations of the Responses API are stored too, for requests that refer to earlier ones.

A single process stores entries in memory. Several processes share a SQLite file, and several machines share Redis. Both
are used in one background thread, which writes in batches. Storing an answer takes a few microseconds of the event
loop, and a lookup sees everything that was stored before. A lost entry never fails an answer. The limits are shared
fairly between clients.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic, time
from typing import Any, Protocol

from citestream.citation.text.steps import Steps
from citestream.providers.errors import ProviderError
from citestream.providers.redis_cache import PREFIX, Bounds, Entry, RedisEntries
from citestream.providers.scheduler import Work, scheduler
from citestream.providers.wire.json_steps import dumps_in_steps, is_large, loads_in_steps, release_in_steps

from ..config import ConfigError, ReferencesConfig, StoreConfig
from ..http.encoding import dumps, dumps_event
from .memory_store import MemoryStore

Fields = dict[str, Any]

MAX_PENDING = 1024  # entries that are not written yet; a slower disk loses entries instead of filling the memory
MAX_PENDING_SHARE = 4  # a client can use 1/4 of them, so that one client does not lose the entries of others
MAX_ENTRY_SHARE = 4  # an entry can use 1/4 of max_bytes, so that one conversation cannot push out all others
LARGE_ENTRY_BYTES = 512 * 2**10  # bytes, which take 2 ms to encode
RETRY_SECONDS = 0.1  # time for another worker to write the entry that a client requests from this one

MIN_SWEEP_SECONDS, MAX_SWEEP_SECONDS = 0.5, 60.0  # between two removals of expired entries
MORE_SECONDS = 0.05  # until the next removal if there are more of them
SWEEP_SHARE = 0.1  # share of the time for which entries are kept

log = logging.getLogger("citestream")


@dataclass(frozen=True, slots=True)
class _Pending:
    """An entry that is not encoded yet."""

    client: str
    name: str
    fields: Fields
    owner: str


class EntryStore(Protocol):
    """A bounded store that several processes share. It is used by one thread at a time."""

    def put_all(self, entries: Sequence[Entry]) -> None:
        """Store or replace entries of (client, name, data, owner)."""
        ...

    def get(self, client: str, name: str) -> bytes | None:
        """Return the data of an entry, or None if it is unknown or expired."""
        ...

    def remove_expired(self) -> None:
        """Remove expired entries."""
        ...

    def reach(self) -> None:
        """Raise ProviderError if entries cannot be read now."""
        ...

    def close(self) -> None:
        """Close connections and files."""
        ...


class RecentReferences:
    """References of recent answers. A client can only look up its own answers, and displaces only its own."""

    def __init__(
        self,
        config: ReferencesConfig,
        clock: Callable[[], float] | None = None,
        store: StoreConfig | None = None,
        space: str = "",
    ) -> None:
        """Open the store. Raise ConfigError if it cannot be used.

        `clock` returns seconds. None: since 1970 in a file, which survives a restart, and the monotonic clock in
        memory, so that a jump of the system's clock removes nothing; Redis uses its own. `space`: separates these
        entries in Redis from others.
        """
        self._bounds = Bounds(config.keep, config.max_bytes, config.keep_seconds)
        self._shared = _open_shared_store(config, self._bounds, clock or time, store, space) if config.keep else None
        self._memory = MemoryStore(self._bounds, clock or monotonic) if config.keep and self._shared is None else None
        self._thread = ThreadPoolExecutor(1, "references")
        self._storing: set[asyncio.Future[None]] = set()  # large entries that are being encoded for the memory
        self._pending: deque[_Pending] = deque()
        self._scheduled = False  # a write is scheduled in the thread

    def put(self, client: str, name: str, fields: Fields) -> None:
        """Store fields of an answer. Return at once and never fail. `fields` must not be changed afterwards."""
        self.put_owned(client, name, fields, client)

    def put_owned(self, client: str, name: str, fields: Fields, owner: str) -> None:
        """Store fields as `put` does. They count as those of another client, the owner."""
        pending = _Pending(client, name, fields, owner)
        if self._memory is not None:
            if is_large(fields, LARGE_ENTRY_BYTES):
                storing = scheduler().start("encode", self._put_in_steps(self._memory, pending))
                self._storing.add(storing)
                storing.add_done_callback(self._storing.discard)
                return
            for entry in self._checked(pending, dumps(fields)):
                self._memory.put(*entry)
        elif self._shared is not None and self._may_wait(owner):
            self._pending.append(pending)
            if not self._scheduled:
                self._scheduled = True
                with suppress(RuntimeError):  # the server is stopping
                    self._thread.submit(self._write_pending, self._shared)

    async def get(self, client: str, name: str) -> Fields | None:
        """Return the stored fields of an answer of this client, or None."""
        return await decoded(await self.get_data(client, name))

    async def get_data(self, client: str, name: str) -> bytes | None:
        """Return the fields as JSON, so that their size is known before they are decoded, or None."""
        if self._memory is not None:
            if self._storing:
                await asyncio.wait(self._storing)
            return self._memory.get(client, name)
        if self._shared is None:
            return None
        read = partial(self._read, self._shared, client, name)
        data = await asyncio.get_running_loop().run_in_executor(self._thread, read)
        if data is None:
            await asyncio.sleep(RETRY_SECONDS)
            data = await asyncio.get_running_loop().run_in_executor(self._thread, read)
        return data

    async def reach(self) -> None:
        """Raise ProviderError if entries cannot be read now."""
        if self._shared is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._shared.reach)

    @contextmanager
    def removing_expired(self) -> Iterator[None]:
        """Remove expired entries for the duration of the block, also if nothing is stored or looked up meanwhile."""
        loop = asyncio.get_running_loop()
        seconds = min(MAX_SWEEP_SECONDS, max(MIN_SWEEP_SECONDS, self._bounds.keep_seconds * SWEEP_SHARE))
        timer: list[asyncio.TimerHandle] = []

        def sweep() -> None:
            more = self._remove_expired()
            timer[:] = [loop.call_later(MORE_SECONDS if more else seconds, sweep)]

        timer.append(loop.call_later(seconds, sweep))
        try:
            yield
        finally:
            timer[0].cancel()

    async def aclose(self) -> None:
        """Write pending entries and close the store."""
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def close(self) -> None:
        """Write pending entries and close the store. Block until this is done."""
        self._thread.shutdown()
        if self._shared is not None:
            self._shared.close()

    def _may_wait(self, owner: str) -> bool:
        """Return whether an entry of this client may wait to be written."""
        share = MAX_PENDING // MAX_PENDING_SHARE
        if len(self._pending) < share:
            return True
        is_full = len(self._pending) >= MAX_PENDING
        return not is_full and sum(entry.owner == owner for entry in [*self._pending]) < share

    def _remove_expired(self) -> bool:
        """Remove expired entries. Return whether there are more of them."""
        if self._memory is not None:
            return self._memory.remove_expired()
        if self._shared is not None:
            with suppress(RuntimeError):  # the server is stopping
                self._thread.submit(self._remove_from, self._shared)
        return False

    @staticmethod
    def _remove_from(store: EntryStore) -> None:
        try:
            store.remove_expired()
        except Exception as error:  # noqa: BLE001 - the result of the executor job is not checked
            log.warning("expired answers could not be removed: %s", _describe(error))

    def _put_in_steps(self, memory: MemoryStore, pending: _Pending) -> Steps[None]:
        try:
            data = yield from dumps_in_steps(pending.fields)
            for entry in self._checked(pending, data):
                memory.put(*entry)
        except Exception:  # no one awaits the result
            log.exception("the references of an answer could not be stored")
        releasing = release_in_steps(pending.fields)
        del pending
        yield from releasing

    def _write_pending(self, store: EntryStore) -> None:
        self._scheduled = False  # entries from now on schedule the next write
        pending = [self._pending.popleft() for _ in range(len(self._pending))]
        try:
            # In this thread, a large entry is encoded in pieces, between which the event loop runs.
            entries = [entry for waiting in pending for entry in self._checked(waiting, dumps_event(waiting.fields))]
            if entries:
                store.put_all(entries)
        except ProviderError as error:  # for example, a full disk
            log.warning("the references of %d answers could not be stored: %s", len(pending), _describe(error))
        except Exception:  # the result of the executor job is not checked
            log.exception("the references of %d answers could not be stored", len(pending))

    def _checked(self, pending: _Pending, data: bytes) -> list[Entry]:
        """Return an entry, or nothing if it cannot be stored."""
        try:
            pending.name.encode()
        except ValueError as error:  # a lone surrogate in an id
            log.warning("the references of an answer could not be stored: %s", _describe(error))
            return []
        if len(data) * MAX_ENTRY_SHARE > self._bounds.max_bytes:
            log.warning("the references of an answer are too large to be stored: %d bytes", len(data))
            return []
        return [(pending.client, pending.name, data, pending.owner)]

    def _read(self, store: EntryStore, client: str, name: str) -> bytes | None:
        try:
            return store.get(client, name)
        except (ProviderError, ValueError) as error:
            log.warning("the references of an answer could not be read: %s", _describe(error))
            return None


@dataclass(frozen=True, slots=True)
class OwnedReferences:
    """Stores entries that count as those of their owner, whatever the client under which they are found."""

    recent: RecentReferences
    owner: str

    def put(self, client: str, name: str, fields: Fields) -> None:
        """Store fields; see `RecentReferences.put`."""
        self.recent.put_owned(client, name, fields, self.owner)


async def decoded(data: bytes | None) -> Fields | None:
    """Return stored fields, decoded in steps. Data that another program changed count as missing."""
    if data is None:
        return None
    try:
        fields, _ = await Work("parse_request").run(loads_in_steps(data))
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None


def _open_shared_store(
    config: ReferencesConfig, bounds: Bounds, clock: Callable[[], float], store: StoreConfig | None, space: str
) -> EntryStore | None:
    """Return the configured Redis or SQLite store, or None if entries are not shared. Raise ConfigError."""
    if store is None or not store.url:
        if not config.file:
            return None
        from .sqlite_store import SqliteStore  # imported only if it is used: SQLite takes 1 MB

        return SqliteStore(config.file, bounds, clock)
    try:
        return RedisEntries(
            store.url,
            store.secret(),
            bounds,
            ca_file=store.ca_file,
            timeout=store.timeout,
            prefix=f"{PREFIX}{space}",
        )
    except (ProviderError, ValueError) as error:
        raise ConfigError(f"store.url: {error}") from None


def _describe(error: Exception) -> str:
    return error.message if isinstance(error, ProviderError) else type(error).__name__
