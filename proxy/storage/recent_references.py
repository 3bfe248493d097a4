"""References of recent answers by completion id, for clients that drop unknown fields.

Conversations of the Responses API are stored too, for requests that refer to earlier ones.

A single process stores entries in memory. Several processes share a SQLite file, and several machines share Redis. Both
are used in one background thread, which writes in batches. Storing an answer takes a few microseconds of the event
loop, and a lookup sees everything that was stored before. A lost entry never fails an answer.
"""

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from time import time
from typing import Any, Protocol

from citestream.citation.text.steps import Steps
from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk
from citestream.providers.redis_cache import Bounds, RedisEntries
from citestream.providers.scheduler import scheduler
from citestream.providers.wire.json_steps import dumps_in_steps, is_large

from ..config import ConfigError, ReferencesConfig, StoreConfig
from ..http.encoding import dumps, loads
from ..pipeline.outgoing import Outgoing, TextOut, ends_answer

Fields = dict[str, Any]

STORED_FIELDS = ("references", "grounding", "citations", "search_results")  # fields of the last chunk of an answer
MAX_PENDING = 256  # entries that are not written yet; a slower disk loses entries instead of filling the memory
MAX_ENTRY_SHARE = 4  # an entry can use 1/4 of max_bytes, so that one conversation cannot push out all others
LARGE_ENTRY = 512 * 2**10  # bytes, which take 2 ms to encode
RETRY_SECONDS = 0.1  # time for another worker to write the entry that a client requests from this one

log = logging.getLogger("citestream")


class EntryStore(Protocol):
    """A bounded store that several processes share. It is used by one thread at a time."""

    def put_all(self, entries: Sequence[tuple[str, str, bytes]]) -> None:
        """Store or replace entries of (client, name, data)."""
        ...

    def get(self, client: str, name: str) -> bytes | None:
        """Return the data of an entry, or None if it is unknown or expired."""
        ...

    def reach(self) -> None:
        """Raise ProviderError if entries cannot be read now."""
        ...

    def close(self) -> None:
        """Close connections and files."""
        ...


class MemoryStore:
    """A bounded store in the memory of one process. It needs no thread: an entry takes 2 µs, a thread switch 50 µs."""

    def __init__(self, config: ReferencesConfig, clock: Callable[[], float]) -> None:
        """`clock` returns seconds."""
        self._config = config
        self._clock = clock
        self._entries: OrderedDict[tuple[str, str], tuple[float, bytes]] = OrderedDict()  # oldest first
        self._bytes = 0

    def put(self, client: str, name: str, data: bytes) -> None:
        """Store or replace an entry, and remove the oldest ones above the limits."""
        _, before = self._entries.pop((client, name), (0.0, b""))
        self._entries[client, name] = (self._clock(), data)
        self._bytes += len(data) - len(before)
        while len(self._entries) > self._config.keep or self._bytes > self._config.max_bytes:
            _, (_, oldest) = self._entries.popitem(last=False)
            self._bytes -= len(oldest)

    def get(self, client: str, name: str) -> bytes | None:
        """Return the data of an entry, or None if it is unknown or expired."""
        stored_at, data = self._entries.get((client, name), (0.0, None))
        return data if stored_at >= self._clock() - self._config.keep_seconds else None


class RecentReferences:
    """References of recent answers. A client can only look up its own answers."""

    def __init__(
        self, config: ReferencesConfig, clock: Callable[[], float] = time, store: StoreConfig | None = None
    ) -> None:
        """Open the store. `clock` returns seconds since 1970; Redis uses its own. Raise ConfigError if it cannot."""
        self._config = config
        self._shared = _open_shared_store(config, clock, store) if config.keep else None
        self._memory = MemoryStore(config, clock) if config.keep and self._shared is None else None
        self._thread = ThreadPoolExecutor(1, "references")
        self._storing: set[asyncio.Future[None]] = set()  # large entries that are being encoded for the memory
        self._pending: deque[tuple[str, str, Fields]] = deque()
        self._scheduled = False  # a write is scheduled in the thread

    def put(self, client: str, name: str, fields: Fields) -> None:
        """Store fields of an answer. Return at once and never fail. `fields` must not be changed afterwards."""
        if self._memory is not None:
            if is_large(fields, LARGE_ENTRY):
                storing = scheduler().start("encode", self._put_in_steps(self._memory, client, name, fields))
                self._storing.add(storing)
                storing.add_done_callback(self._storing.discard)
                return
            for entry in self._encode([(client, name, fields)]):
                self._memory.put(*entry)
        elif self._shared is not None and len(self._pending) < MAX_PENDING:
            self._pending.append((client, name, fields))
            if not self._scheduled:
                self._scheduled = True
                with suppress(RuntimeError):  # the server is stopping
                    self._thread.submit(self._write_pending, self._shared)

    async def get(self, client: str, name: str) -> Fields | None:
        """Return the stored fields of an answer of this client, or None."""
        if self._memory is not None:
            if self._storing:
                await asyncio.wait(self._storing)
            return _decode(self._memory.get(client, name))
        if self._shared is None:
            return None
        read = partial(self._read, self._shared, client, name)
        fields = await asyncio.get_running_loop().run_in_executor(self._thread, read)
        if fields is None:
            await asyncio.sleep(RETRY_SECONDS)
            fields = await asyncio.get_running_loop().run_in_executor(self._thread, read)
        return fields

    async def reach(self) -> None:
        """Raise ProviderError if entries cannot be read now."""
        if self._shared is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._shared.reach)

    async def aclose(self) -> None:
        """Write pending entries and close the store."""
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def close(self) -> None:
        """Write pending entries and close the store. Block until this is done."""
        self._thread.shutdown()
        if self._shared is not None:
            self._shared.close()

    def _put_in_steps(self, memory: MemoryStore, client: str, name: str, fields: Fields) -> Steps[None]:
        try:
            data = yield from dumps_in_steps(fields)
            for entry in self._checked(client, name, data):
                memory.put(*entry)
        except Exception:  # no one awaits the result
            log.exception("the references of an answer could not be stored")

    def _write_pending(self, store: EntryStore) -> None:
        self._scheduled = False  # entries from now on schedule the next write
        pending = [self._pending.popleft() for _ in range(len(self._pending))]
        try:
            if entries := self._encode(pending):
                store.put_all(entries)
        except ProviderError as error:  # for example, a full disk
            log.warning("the references of %d answers could not be stored: %s", len(pending), _describe(error))
        except Exception:  # the result of the executor job is not checked
            log.exception("the references of %d answers could not be stored", len(pending))

    def _encode(self, pending: Sequence[tuple[str, str, Fields]]) -> list[tuple[str, str, bytes]]:
        """Return entries as JSON, without entries that are too large or cannot be encoded."""
        entries = []
        for client, name, fields in pending:
            entries += self._checked(client, name, dumps(fields))
        return entries

    def _checked(self, client: str, name: str, data: bytes) -> list[tuple[str, str, bytes]]:
        """Return an entry, or nothing if it cannot be stored."""
        try:
            name.encode()
        except ValueError as error:  # a lone surrogate in an id
            log.warning("the references of an answer could not be stored: %s", _describe(error))
            return []
        if len(data) * MAX_ENTRY_SHARE > self._config.max_bytes:
            log.warning("the references of an answer are too large to be stored: %d bytes", len(data))
            return []
        return [(client, name, data)]

    def _read(self, store: EntryStore, client: str, name: str) -> Fields | None:
        try:
            return _decode(store.get(client, name))
        except (ProviderError, ValueError) as error:
            log.warning("the references of an answer could not be read: %s", _describe(error))
            return None


class ReferenceRecorder:
    """Stores the references of one answer when it ends, or when its client stops it."""

    def __init__(self, recent: RecentReferences, client: str, name: str = "") -> None:
        """`name` is the id that the client knows, if it differs from that of the chunks."""
        self._recent = recent
        self._client = client
        self._name = name
        self._unfinished_id: Any = None  # the id of the latest text chunk, until the answer ends

    def observe(self, event: Outgoing, chunks: Sequence[Chunk]) -> None:
        """Store the references on the last chunk of the answer."""
        if isinstance(event, TextOut) and chunks:
            self._unfinished_id = chunks[-1].get("id")
        elif ends_answer(event) and chunks:
            self._unfinished_id = None
            self._store(chunks[-1].get("id"), chunks[-1])

    def end(self, fields: Callable[[], Fields]) -> None:
        """Store the references so far, if the client has received text of an answer that did not end.

        `fields`: returns the fields that the last chunk would have had.
        """
        if self._unfinished_id is not None:
            self._store(self._unfinished_id, fields())

    def _store(self, chunk_id: Any, fields: Fields) -> None:
        stored = {key: fields[key] for key in STORED_FIELDS if key in fields}
        name = self._name or chunk_id
        if stored and isinstance(name, str):
            self._recent.put(self._client, name, stored)


def _open_shared_store(
    config: ReferencesConfig, clock: Callable[[], float], store: StoreConfig | None
) -> EntryStore | None:
    """Return the configured Redis or SQLite store, or None if entries are not shared. Raise ConfigError."""
    if store is None or not store.url:
        if not config.file:
            return None
        from .sqlite_store import SqliteStore  # imported only if it is used: SQLite takes 1 MB

        return SqliteStore(config, clock)
    bounds = Bounds(config.keep, config.max_bytes, config.keep_seconds)
    try:
        return RedisEntries(store.url, store.secret(), bounds, ca_file=store.ca_file, timeout=store.timeout)
    except (ProviderError, ValueError) as error:
        raise ConfigError(f"store.url: {error}") from None


def _decode(data: bytes | None) -> Fields | None:
    fields: Fields | None = loads(data) if data else None
    return fields


def _describe(error: Exception) -> str:
    return error.message if isinstance(error, ProviderError) else type(error).__name__
