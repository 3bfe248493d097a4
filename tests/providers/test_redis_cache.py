"""Entries in a real Redis: bounded, expiring and shared; and a Redis that is down, hangs, is full or refuses access."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from time import monotonic
from typing import Any

import pytest

from citestream.providers.errors import ProviderError, TimedOut, Unreachable
from citestream.providers.redis_cache import PREFIX, Bounds, RedisEntries
from tests.upstreams.redis import Redis, running

PLENTY = Bounds(keep=1000, max_bytes=2**20, keep_seconds=60)


@pytest.fixture(scope="module")
def server() -> Iterator[Redis]:
    with running() as started:
        yield started


@contextmanager
def opened(server: Redis, bounds: Bounds = PLENTY, password: str = "", **settings: Any) -> Iterator[RedisEntries]:
    entries = RedisEntries(server.url, password, bounds, **settings)
    yield entries
    entries.close()


@pytest.fixture(autouse=True)
def empty(server: Redis) -> None:
    with server.client() as client:
        client.flushall()


def entry_count(server: Redis) -> int:
    """Return the number of entries, after checking that no key of another entry remains."""
    with server.client() as client:
        names = client.zrange(PREFIX + "ages", 0, -1)
        sizes = {name: int(size) for name, size in client.hgetall(PREFIX + "sizes").items()}
        assert set(names) == set(sizes)
        assert sum(sizes.values()) == int(client.get(PREFIX + "total") or 0)
        assert all(client.strlen(PREFIX.encode() + name) in (size, 0) for name, size in sizes.items())
        assert all(client.ttl(key) > 0 for key in client.scan_iter())
        return len(names)


def test_what_one_machine_puts_another_finds_for_the_same_client(server: Redis) -> None:
    with opened(server) as here, opened(server) as there:
        here.put("search", "chatcmpl-1", b"\x00\xff")
        here.put("notebooks", "chatcmpl-1", b"other")
        assert there.get("search", "chatcmpl-1") == b"\x00\xff"
        assert there.get("notebooks", "chatcmpl-1") == b"other"
        assert there.get("", "chatcmpl-1") is None
        here.put("search", "chatcmpl-1", b"again")
        assert there.get("search", "chatcmpl-1") == b"again"
    assert entry_count(server) == 2
    with server.client() as client:
        assert not any(b"chatcmpl" in key or b"search" in key for key in client.scan_iter())


def test_there_are_never_more_than_wanted(server: Redis) -> None:
    with opened(server, Bounds(keep=3, max_bytes=2**20, keep_seconds=60)) as entries:
        for number in range(10):
            entries.put("", str(number), b"x")
        assert sum(entries.get("", str(number)) is not None for number in range(10)) == 3
        assert entries.get("", "9") is not None
    assert entry_count(server) == 3


def test_they_never_take_more_than_wanted(server: Redis) -> None:
    with opened(server, Bounds(keep=1000, max_bytes=1000, keep_seconds=60)) as entries:
        for number in range(10):
            entries.put("", str(number), b"x" * 300)
            entries.put("", str(number), b"x" * 290)  # replaced entries do not count
        assert entries.get("", "9") is not None
    assert entry_count(server) == 3


def test_what_is_too_old_is_gone_and_leaves_nothing(server: Redis) -> None:
    with opened(server, Bounds(keep=1000, max_bytes=1000, keep_seconds=0.05)) as entries:
        entries.put("", "a", b"x")
        ended = monotonic() + 5
        while entries.get("", "a") is not None or kept_keys(server):
            assert monotonic() < ended
        entries.put("", "b", b"y")
        with server.client() as client:
            assert client.zcard(PREFIX + "ages") == 1


def kept_keys(server: Redis) -> int:
    with server.client() as client:
        return int(client.dbsize())


@pytest.mark.parametrize("name", ["", "\udcff", "a" * 10_000, "a\0b", "{x}"])
def test_odd_names_are_only_names(name: str, server: Redis) -> None:
    with opened(server) as entries:
        entries.put(name, name, b"1")
        assert entries.get(name, name) == b"1"
        assert entries.get("", "b") is None


def test_a_redis_that_was_restarted_is_used_again_without_an_error() -> None:
    with running() as server, opened(server) as entries:
        entries.put("", "a", b"x")
        server.kill()
        server.start()
        assert entries.get("", "a") is None
        entries.put("", "a", b"y")  # the script is unknown to the new one
        assert entries.get("", "a") == b"y"


def test_while_it_is_gone_nobody_waits_for_it_again_and_again() -> None:
    with running() as server, opened(server, timeout=0.2) as entries:
        entries.put("", "a", b"x")
        server.freeze(True)
        try:
            with pytest.raises(TimedOut, match=r"^Redis cannot be reached: TimeoutError\.$"):
                entries.get("", "a")
            for _ in range(20):
                with pytest.raises(Unreachable, match="a moment ago"):
                    entries.put("", "a", b"x")
        finally:
            server.freeze(False)
        entries.reach()  # it looks, however short ago it failed
        assert entries.get("", "a") == b"x"


def test_who_it_does_not_know_it_refuses() -> None:
    with running("--requirepass", "sesame") as server:
        with opened(server) as entries, pytest.raises(ProviderError) as error:
            entries.put("", "a", b"x")
        assert "sesame" not in error.value.message
        with opened(server, password="sesame") as entries:
            entries.put("", "a", b"x")
            assert entries.get("", "a") == b"x"


def test_one_that_is_full_refuses_and_is_asked_again() -> None:
    with running("--maxmemory", "1", "--maxmemory-policy", "noeviction") as server, opened(server) as entries:
        for _ in range(2):
            with pytest.raises(ProviderError, match="Redis refused: "):
                entries.put("", "a", b"x")
        assert entries.get("", "a") is None


def test_what_is_refused_of_several_leaves_the_others() -> None:
    with running() as server, opened(server) as entries, server.client() as client:
        entries.put_all([("", "a", b"x"), ("", "b", b"y")])
        allowed = [f"~{key.decode()}" for key in client.scan_iter()]
        client.execute_command("ACL", "SETUSER", "default", "resetkeys", *allowed)
        with pytest.raises(ProviderError, match="Redis refused: "):
            entries.put_all([("", "a", b"1"), ("", "not allowed", b"2"), ("", "b", b"3")])
        assert [entries.get("", name) for name in ("a", "b")] == [b"1", b"3"]


def test_one_that_drops_keys_when_full_confuses_nothing() -> None:
    with running() as server, opened(server) as entries:
        entries.put("", "a", b"x")
        with server.client() as client:
            client.delete(PREFIX + "sizes")
        for number in range(5):
            entries.put("", str(number), b"x")
        assert entries.get("", "4") == b"x"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_whatever_of_its_counting_is_dropped_is_counted_again(count: int, server: Redis) -> None:
    bounds = Bounds(keep=5, max_bytes=1000, keep_seconds=60)
    for dropped in combinations(("ages", "sizes", "total"), count):
        with opened(server, bounds) as entries, server.client() as client:
            client.flushall()
            for number in range(10):
                entries.put("", str(number), b"x" * 90 * (number % 3 + 1))
                client.delete(*(PREFIX + key for key in dropped))
                entries.put("", "again", b"y" * (number + 1))
                assert entries.get("", "again") == b"y" * (number + 1)
                assert entry_count(server) >= 1
            for number in range(20, 30):
                entries.put("", str(number), b"x" * 190)
            assert entry_count(server) == 5
            assert all(entries.get("", str(number)) for number in range(25, 30))


def test_an_entry_that_is_dropped_with_the_counting_is_not_counted_again(server: Redis) -> None:
    with opened(server) as entries, server.client() as client:
        entries.put("", "a", b"x")
        (entry,) = (key for key in client.scan_iter() if client.type(key) == b"string" and client.get(key) == b"x")
        client.delete(entry, PREFIX + "total")
        entries.put("", "b", b"yy")
        assert entry_count(server) == 1
        assert int(client.get(PREFIX + "total")) == 2
