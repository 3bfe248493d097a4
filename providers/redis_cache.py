"""Entries in Redis that several machines share: limited in number, size and age.

One Lua script writes an entry and removes entries above the limits, by the clock of Redis. All keys have one hash tag,
so that they are on one node of a cluster. Names that clients chose are hashed. If Redis evicts one of the keys with the
counts, the script counts the remaining entries again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from time import monotonic
from typing import Any, TypeVar

from .errors import ProviderError, TimedOut, Unreachable
from .install_hint import install_command

PREFIX = "{citestream}:"
QUIET_SECONDS = 1.0  # without requests after a failure, so that requests do not queue for a server that is down
CHECK_SECONDS = 30.0  # idle time after which a connection is checked

_PUT = """
local name, data, ttl, keep, bytes = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local prefix, ages, sizes, total = ARGV[6], KEYS[2], KEYS[3], KEYS[4]
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
if redis.call('EXISTS', ages, sizes, total) < 3 then
    for _, one in ipairs(redis.call('HKEYS', sizes)) do redis.call('ZADD', ages, 'NX', now - 1, one) end
    local held = 0
    for _, one in ipairs(redis.call('ZRANGE', ages, 0, -1)) do
        local size = redis.call('STRLEN', prefix .. one)
        held = held + size
        if size > 0 then
            redis.call('HSET', sizes, one, size)
        else
            redis.call('ZREM', ages, one)
            redis.call('HDEL', sizes, one)
        end
    end
    redis.call('SET', total, held)
end
local before = tonumber(redis.call('HGET', sizes, name) or 0)
redis.call('SET', KEYS[1], data, 'PX', ttl)
redis.call('ZADD', ages, now, name)
redis.call('HSET', sizes, name, #data)
local sum = redis.call('INCRBY', total, #data - before)
while true do
    local oldest = redis.call('ZRANGE', ages, 0, 0, 'WITHSCORES')
    if #oldest == 0 then break end
    if tonumber(oldest[2]) > now - ttl and redis.call('ZCARD', ages) <= keep and sum <= bytes then break end
    sum = redis.call('DECRBY', total, tonumber(redis.call('HGET', sizes, oldest[1]) or 0))
    redis.call('ZREM', ages, oldest[1])
    redis.call('HDEL', sizes, oldest[1])
    redis.call('DEL', prefix .. oldest[1])
end
for _, key in ipairs({ages, sizes, total}) do redis.call('PEXPIRE', key, ttl) end
return sum
"""

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of all entries together."""

    keep: int
    max_bytes: int
    keep_seconds: float


class RedisEntries:
    """For one thread at a time. Connects at the first use, and again after a failure."""

    def __init__(self, url: str, password: str, bounds: Bounds, *, ca_file: str = "", timeout: float = 1.0) -> None:
        """`url`: redis:// or rediss://. Raises ProviderError if the package is missing, ValueError for a wrong URL."""
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
        self._quiet_until = 0.0

    def put_all(self, entries: Sequence[tuple[str, str, bytes]]) -> None:
        """Store or replace entries of (client, name, data). Raises ProviderError at the end if any was refused."""
        refused: ProviderError | None = None
        for entry in entries:
            try:
                self.put(*entry)
            except ProviderError as error:
                refused = error
        if refused:
            raise refused

    def put(self, client: str, name: str, data: bytes) -> None:
        """Store or replace an entry. Raises ProviderError."""
        bounds, entry = self._bounds, _key(client, name)
        keys = [PREFIX + key for key in (entry, "ages", "sizes", "total")]
        ttl = max(1, round(bounds.keep_seconds * 1000))
        self._call(lambda: self._put(keys, [entry, data, ttl, bounds.keep, bounds.max_bytes, PREFIX]))

    def get(self, client: str, name: str) -> bytes | None:
        """Return an entry, None if it does not exist or has expired. Raises ProviderError."""
        found: bytes | None = self._call(lambda: self._client.get(PREFIX + _key(client, name)))
        return found

    def reach(self) -> None:
        """Check that Redis answers now. Raises ProviderError if not."""
        self._quiet_until = 0.0
        self._call(self._client.ping)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _call(self, command: Callable[[], _Result]) -> _Result:
        if monotonic() < self._quiet_until:
            raise Unreachable("Redis did not answer a moment ago.")
        try:
            return command()
        except self._redis.RedisError as error:
            if isinstance(error, self._redis.ResponseError):  # it answered: out of memory, no permission, read-only
                raise ProviderError(f"Redis refused: {type(error).__name__}.") from None
            self._quiet_until = monotonic() + QUIET_SECONDS
            kind = TimedOut if isinstance(error, self._redis.TimeoutError) else Unreachable
            raise kind(f"Redis cannot be reached: {type(error).__name__}.") from None


def _key(client: str, name: str) -> str:
    """Return a key for both, of fixed length and without text of clients."""
    return sha256(f"{client}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()
