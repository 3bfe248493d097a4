"""Entries in Redis that several machines share: limited in number, size and age.

One Lua script writes an entry and removes entries above the limits, by the clock of Redis. The client with the most
entries or bytes loses its oldest entry. All keys have one hash tag, so that they are on one node of a cluster. Names
that clients chose are hashed. If Redis evicts one of the keys with the counts, the script counts the remaining entries
again. Redis itself deletes expired entries.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from threading import Event, Thread
from time import monotonic
from typing import Any, TypeVar

from .errors import ProviderError, TimedOut, Unreachable
from .install_hint import install_command

PREFIX = "{citestream}:"
QUIET_SECONDS = 1.0  # without requests after a failure, so that requests do not queue for a server that is down
CHECK_SECONDS = 30.0  # idle time after which a connection is checked
# Timeouts that a command may take in all. The timeout itself is that of one read, and an answer can consist of many.
MAX_TIMEOUTS = 5
BOOKKEEPING = ("ages", "sizes", "total", "owners", "counts", "weights")
# In messages of Redis and Lua about a key with a value that the script did not write.
_WRONG_VALUES = ("WRONGTYPE", "not an integer", "not a valid float", "must be strings or integers", "attempt to ")

# Each entry belongs to an owner, a client. `ages` has the time of every entry, `of:OWNER` that of the owner's. `counts`
# and `weights` have the number and the bytes of the entries of each owner, so that the largest is found at once.
_PUT = """
local name, data, ttl, keep, bytes = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local prefix, owner = ARGV[6], ARGV[7]
local ages, sizes, total, owners, counts, weights = KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local function add(one, whose, size, at)
    redis.call('HSET', sizes, one, size)
    redis.call('HSET', owners, one, whose)
    redis.call('INCRBY', total, size)
    redis.call('ZINCRBY', counts, 1, whose)
    redis.call('ZINCRBY', weights, size, whose)
    redis.call('ZADD', ages, at, one)
    redis.call('ZADD', prefix .. 'of:' .. whose, at, one)
    redis.call('PEXPIRE', prefix .. 'of:' .. whose, ttl)
end
local function forget(one)
    local size, whose = tonumber(redis.call('HGET', sizes, one) or 0), redis.call('HGET', owners, one)
    redis.call('ZREM', ages, one)
    redis.call('HDEL', sizes, one)
    redis.call('HDEL', owners, one)
    redis.call('DECRBY', total, size)
    if whose then
        redis.call('ZREM', prefix .. 'of:' .. whose, one)
        if tonumber(redis.call('ZINCRBY', counts, -1, whose)) <= 0 then
            redis.call('ZREM', counts, whose)
            redis.call('ZREM', weights, whose)
        else
            redis.call('ZINCRBY', weights, -size, whose)
        end
    end
end
local function count_again()
    for _, key in ipairs({sizes, owners}) do
        for _, one in ipairs(redis.call('HKEYS', key)) do redis.call('ZADD', ages, 'NX', now - 1, one) end
    end
    local entries = redis.call('ZRANGE', ages, 0, -1, 'WITHSCORES')
    local known = {}
    for index = 1, #entries, 2 do known[entries[index]] = redis.call('HGET', owners, entries[index]) or '' end
    for _, whose in pairs(known) do redis.call('DEL', prefix .. 'of:' .. whose) end
    for _, whose in ipairs(redis.call('ZRANGE', counts, 0, -1)) do redis.call('DEL', prefix .. 'of:' .. whose) end
    redis.call('DEL', ages, sizes, owners, counts, weights)
    redis.call('SET', total, 0)
    for index = 1, #entries, 2 do
        local size = redis.call('STRLEN', prefix .. entries[index])
        if size > 0 then add(entries[index], known[entries[index]], size, entries[index + 1]) end
    end
end
redis.call('SET', KEYS[1], data, 'PX', ttl)  -- the first command, which a full Redis refuses
if redis.call('EXISTS', ages, sizes, total, owners, counts, weights) < 6 then count_again() end
if redis.call('HEXISTS', sizes, name) == 1 then forget(name) end
add(name, owner, #data, now)
local counted = false
while true do
    local oldest = redis.call('ZRANGE', ages, 0, 0, 'WITHSCORES')
    if #oldest == 0 then break end
    local one = oldest[1]
    if tonumber(oldest[2]) > now - ttl then
        local most = nil
        if redis.call('ZCARD', ages) > keep then
            most = redis.call('ZREVRANGE', counts, 0, 0)[1]
        elseif tonumber(redis.call('GET', total)) > bytes then
            most = redis.call('ZREVRANGE', weights, 0, 0)[1]
        else
            break
        end
        local of_most = prefix .. 'of:' .. (most or '')
        if redis.call('ZCARD', of_most) ~= tonumber(most and redis.call('ZSCORE', counts, most) or -1) then
            if not counted then count_again() end  -- Redis evicted a key
            counted = true
        end
        one = redis.call('ZRANGE', of_most, 0, 0)[1] or one
        redis.call('ZREM', of_most, one)
    end
    forget(one)
    redis.call('DEL', prefix .. one)
end
for _, key in ipairs({ages, sizes, total, owners, counts, weights}) do redis.call('PEXPIRE', key, ttl) end
return 1
"""

_Result = TypeVar("_Result")
Entry = tuple[str, str, bytes, str]  # client, name, data and owner


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of all entries together."""

    keep: int
    max_bytes: int
    keep_seconds: float


class RedisEntries:
    """For one thread at a time. Connects at the first use, and again after a failure."""

    def __init__(
        self, url: str, password: str, bounds: Bounds, *, ca_file: str = "", timeout: float = 1.0, prefix: str = PREFIX
    ) -> None:
        """`url`: redis:// or rediss://. Raises ProviderError if the package is missing, ValueError for a wrong URL.

        `prefix`: that of all keys, with the hash tag.
        """
        if find_spec("redis") is None:
            raise ProviderError(f"Redis' client is not installed: {install_command('redis')}")
        self._redis: Any = import_module("redis")
        retry = import_module("redis.retry").Retry(import_module("redis.backoff").NoBackoff(), 1)
        self._client = self._redis.Redis.from_url(
            url,
            **({"password": password} if password else {}),
            **({"ssl_ca_certs": ca_file} if ca_file else {}),
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            health_check_interval=CHECK_SECONDS,
            retry=retry,  # once, because an idle connection may be closed
            client_name="citestream",
        )
        self._put = self._client.register_script(_PUT)
        self._bounds = bounds
        self._prefix = prefix
        self._quiet_until = 0.0
        self._watchdog = _Watchdog(timeout, self._client.connection_pool.disconnect)

    def put_all(self, entries: Sequence[Entry | tuple[str, str, bytes]]) -> None:
        """Store or replace entries; see `put`. Raises ProviderError at the end if any was refused."""
        refused: ProviderError | None = None
        for entry in entries:
            try:
                self.put(*entry)
            except ProviderError as error:
                refused = error
        if refused:
            raise refused

    def put(self, client: str, name: str, data: bytes, owner: str | None = None) -> None:
        """Store or replace an entry. `owner`: the client that uses it; None: `client`. Raises ProviderError."""
        bounds, entry = self._bounds, _key(client, name)
        bookkeeping = [self._prefix + key for key in BOOKKEEPING]
        ttl = max(1, round(bounds.keep_seconds * 1000))
        whose = _key(client if owner is None else owner, "")
        keys = [self._prefix + entry, *bookkeeping]
        arguments = [entry, data, ttl, bounds.keep, bounds.max_bytes, self._prefix, whose]

        def put() -> None:
            try:
                self._put(keys, arguments)
            except self._redis.ResponseError as error:
                if not any(part in str(error) for part in _WRONG_VALUES):
                    raise
                self._client.delete(*bookkeeping)  # another program changed it; the entries themselves expire
                self._put(keys, arguments)

        self._call(put)

    def get(self, client: str, name: str) -> bytes | None:
        """Return an entry, None if it does not exist, has expired or is too long. Raises ProviderError."""
        limit = self._bounds.max_bytes  # no entry is longer, and another program may have written this one
        data = self._call(lambda: self._client.getrange(self._prefix + _key(client, name), 0, limit))
        return data if isinstance(data, bytes) and 0 < len(data) <= limit else None

    def remove_expired(self) -> None:
        """Do nothing: Redis deletes expired entries itself."""

    def reach(self) -> None:
        """Check that Redis answers now. Raises ProviderError if not."""
        self._quiet_until = 0.0
        self._call(self._client.ping)

    def close(self) -> None:
        """Close the connections."""
        self._watchdog.close()
        self._client.close()

    def _call(self, command: Callable[[], _Result]) -> _Result:
        if monotonic() < self._quiet_until:
            raise Unreachable("Redis did not answer a moment ago.")
        began = monotonic()
        try:
            with self._watchdog.watching():
                return command()
        except Exception as error:  # noqa: BLE001 - see below
            if isinstance(error, self._redis.ResponseError):  # it answered: out of memory, no permission, read-only
                raise ProviderError(f"Redis refused: {type(error).__name__}.") from None
            # An answer that does not follow the protocol causes errors of any type.
            self._quiet_until = monotonic() + max(QUIET_SECONDS, monotonic() - began)
            kind = TimedOut if isinstance(error, self._redis.TimeoutError) else Unreachable
            raise kind(f"Redis cannot be reached: {type(error).__name__}.") from None


class _Watchdog:
    """Closes the connections if a command takes too long, in a thread that starts with the first command."""

    def __init__(self, timeout: float, disconnect: Callable[[], None]) -> None:
        self._seconds = timeout * MAX_TIMEOUTS
        self._disconnect = disconnect
        self._closed = Event()
        self._deadline: float | None = None  # None while no command runs
        self._thread: Thread | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch the command that the block executes."""
        if self._thread is None:
            self._thread = Thread(target=self._watch, name="redis watchdog", daemon=True)
            self._thread.start()
        self._deadline = monotonic() + self._seconds
        try:
            yield
        finally:
            self._deadline = None

    def close(self) -> None:
        """End the thread."""
        self._closed.set()

    def _watch(self) -> None:
        while not self._closed.wait(self._seconds / MAX_TIMEOUTS):
            deadline = self._deadline
            if deadline is not None and monotonic() > deadline:
                with suppress(Exception):  # a connection is closed by two threads
                    self._disconnect()


def _key(client: str, name: str) -> str:
    """Return a key for both, of fixed length and without text of clients."""
    return sha256(f"{client}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()
