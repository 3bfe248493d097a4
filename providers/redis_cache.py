"""Entries that several machines share, in Redis: bounded, expiring, and never worth waiting for.

One script writes: it keeps the entry, and drops what is too old, too many or too much, counted by Redis' own clock. Its
keys have one hash tag, so that a cluster has them in one place. What clients called their entries stays unknown to it.
A Redis that drops keys when it is full may drop any of those it counts in: they are made anew of what is left.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from time import monotonic
from typing import Any, TypeVar

from .errors import ProviderError, TimedOut, Unreachable

PREFIX = "{citestream}:"
QUIET_SECONDS = 1.0  # that a Redis which failed is left alone, so that nobody waits behind many that fail alike
CHECK_SECONDS = 30.0  # after which a connection that was idle is asked whether it still is one

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
    """What all entries together may be."""

    keep: int
    max_bytes: int
    keep_seconds: float


class RedisEntries:
    """Used by one thread at a time. Connects when it is used, and again when it has to."""

    def __init__(self, url: str, password: str, bounds: Bounds, *, ca_file: str = "", timeout: float = 1.0) -> None:
        """`url`: redis:// or rediss://. Raises ProviderError where the package is missing, ValueError for the url."""
        if find_spec("redis") is None:
            raise ProviderError("Redis' client is not installed: pip install 'citestream[redis]'.")
        self._redis: Any = import_module("redis")
        retry = import_module("redis.retry").Retry(import_module("redis.backoff").NoBackoff(), 1)
        self._client = self._redis.Redis.from_url(
            url,
            **({"password": password} if password else {}),
            **({"ssl_ca_certs": ca_file} if ca_file else {}),
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            health_check_interval=CHECK_SECONDS,
            retry=retry,  # once: a connection that was idle may be gone
            client_name="citestream",
        )
        self._put = self._client.register_script(_PUT)
        self._bounds = bounds
        self._quiet_until = 0.0

    def put_all(self, entries: Sequence[tuple[str, str, bytes]]) -> None:
        """Keep or replace entries: whose, by which name, what. Raises ProviderError where any is refused, after all."""
        refused: ProviderError | None = None
        for entry in entries:
            try:
                self.put(*entry)
            except ProviderError as error:
                refused = error
        if refused:
            raise refused

    def put(self, client: str, name: str, data: bytes) -> None:
        """Keep or replace an entry. Raises ProviderError."""
        bounds, entry = self._bounds, _name(client, name)
        keys = [PREFIX + key for key in (entry, "ages", "sizes", "total")]
        ttl = max(1, round(bounds.keep_seconds * 1000))
        self._asked(lambda: self._put(keys, [entry, data, ttl, bounds.keep, bounds.max_bytes, PREFIX]))

    def get(self, client: str, name: str) -> bytes | None:
        """An entry that is still kept. Raises ProviderError."""
        found: bytes | None = self._asked(lambda: self._client.get(PREFIX + _name(client, name)))
        return found

    def reach(self) -> None:
        """Raises ProviderError where Redis does not answer now."""
        self._quiet_until = 0.0
        self._asked(self._client.ping)

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()

    def _asked(self, ask: Callable[[], _Result]) -> _Result:
        if monotonic() < self._quiet_until:
            raise Unreachable("Redis did not answer a moment ago.")
        try:
            return ask()
        except self._redis.RedisError as error:
            if isinstance(error, self._redis.ResponseError):  # it answers: no memory, no right, read-only
                raise ProviderError(f"Redis refused: {type(error).__name__}.") from None
            self._quiet_until = monotonic() + QUIET_SECONDS
            kind = TimedOut if isinstance(error, self._redis.TimeoutError) else Unreachable
            raise kind(f"Redis cannot be reached: {type(error).__name__}.") from None


def _name(client: str, name: str) -> str:
    """What stands for both: of one length, without what clients wrote."""
    return sha256(f"{client}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()
