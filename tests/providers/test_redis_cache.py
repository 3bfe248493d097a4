"""Entries in a real Redis are bounded, expire and are shared. Redis can be down, hang, be full or refuse access."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import combinations
from threading import Event, Thread
from time import monotonic
from typing import Any

import pytest

from citestream.providers.errors import ProviderError, TimedOut, Unreachable
from citestream.providers.redis_cache import BOOKKEEPING, PREFIX, Bounds, RedisEntries
from tests.upstreams.redis import Redis, running

LARGE = Bounds(keep=1000, max_bytes=2**20, keep_seconds=60)


@pytest.fixture(scope="module")
def server() -> Iterator[Redis]:
    with running() as started:
        yield started


@contextmanager
def open_entries(server: Redis, bounds: Bounds = LARGE, password: str = "", **settings: Any) -> Iterator[RedisEntries]:
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


def test_entries_are_shared_between_machines_but_not_between_clients(server: Redis) -> None:
    with open_entries(server) as first, open_entries(server) as second:
        first.put("search", "chatcmpl-1", b"\x00\xff")
        first.put("notebooks", "chatcmpl-1", b"other")
        assert second.get("search", "chatcmpl-1") == b"\x00\xff"
        assert second.get("notebooks", "chatcmpl-1") == b"other"
        assert second.get("", "chatcmpl-1") is None
        first.put("search", "chatcmpl-1", b"again")
        assert second.get("search", "chatcmpl-1") == b"again"
    assert entry_count(server) == 2
    with server.client() as client:
        assert not any(b"chatcmpl" in key or b"search" in key for key in client.scan_iter())


def test_the_number_of_entries_is_limited(server: Redis) -> None:
    with open_entries(server, Bounds(keep=3, max_bytes=2**20, keep_seconds=60)) as entries:
        for number in range(10):
            entries.put("", str(number), b"x")
        assert sum(entries.get("", str(number)) is not None for number in range(10)) == 3
        assert entries.get("", "9") is not None
    assert entry_count(server) == 3


def test_the_size_of_all_entries_is_limited(server: Redis) -> None:
    with open_entries(server, Bounds(keep=1000, max_bytes=1000, keep_seconds=60)) as entries:
        for number in range(10):
            entries.put("", str(number), b"x" * 300)
            entries.put("", str(number), b"x" * 290)  # replaced entries do not count
        assert entries.get("", "9") is not None
    assert entry_count(server) == 3


def test_expired_entries_are_removed_completely(server: Redis) -> None:
    with open_entries(server, Bounds(keep=1000, max_bytes=1000, keep_seconds=0.05)) as entries:
        entries.put("", "a", b"x")
        deadline = monotonic() + 100
        while entries.get("", "a") is not None or key_count(server):
            assert monotonic() < deadline
        entries.put("", "b", b"y")
        with server.client() as client:
            assert client.zcard(PREFIX + "ages") == 1


def key_count(server: Redis) -> int:
    with server.client() as client:
        return int(client.dbsize())


LIMITS = {
    "the number of entries": (Bounds(keep=20, max_bytes=2**20, keep_seconds=60), 40),
    "the size of all entries": (Bounds(keep=1000, max_bytes=1000, keep_seconds=60), 100),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_a_client_displaces_only_its_own_entries(limit: str, server: Redis) -> None:
    bounds, size = LIMITS[limit]
    with open_entries(server, bounds) as entries:
        for number in range(4):
            entries.put("quiet", str(number), b"q" * size)
            entries.put("passages", f"quiet {number}", b"p", "quiet")
        for number in range(50):
            entries.put("busy", str(number), b"b" * size)
            entries.put("passages", f"busy {number}", b"p", "busy")
        assert all(entries.get("quiet", str(number)) for number in range(4))
        assert entries.get("busy", "49")
        assert not entries.get("busy", "30")
    assert entry_count(server) <= 20


@pytest.mark.parametrize("dropped", ["owners", "counts", "weights", "of"])
def test_dropped_owners_do_no_harm(dropped: str, server: Redis) -> None:
    with open_entries(server, Bounds(keep=6, max_bytes=500, keep_seconds=60)) as entries, server.client() as client:
        for number in range(30):
            entries.put(f"client {number % 3}", str(number), b"x" * (number % 7 + 1) * 10)
            client.delete(*(key for key in client.scan_iter() if key.startswith(f"{PREFIX}{dropped}".encode())))
            assert entries.get(f"client {number % 3}", str(number))
        for number in range(10):
            entries.put("client 0", f"again {number}", b"y")
        assert entries.get("client 0", "again 9")
    assert entry_count(server) == 6


@pytest.mark.parametrize("name", ["", "\udcff", "a" * 10_000, "a\0b", "{x}"])
def test_unusual_names_are_accepted(name: str, server: Redis) -> None:
    with open_entries(server) as entries:
        entries.put(name, name, b"1")
        assert entries.get(name, name) == b"1"
        assert entries.get("", "b") is None


def test_a_redis_that_was_restarted_is_used_again_without_an_error() -> None:
    with running() as server, open_entries(server) as entries:
        entries.put("", "a", b"x")
        server.kill()
        server.start()
        assert entries.get("", "a") is None
        entries.put("", "a", b"y")  # the new server does not know the script
        assert entries.get("", "a") == b"y"


def test_after_a_timeout_later_calls_fail_at_once() -> None:
    with running() as server, open_entries(server) as stored, open_entries(server, timeout=0.2) as entries:
        stored.put("", "a", b"x")
        server.freeze(True)
        try:
            with pytest.raises(TimedOut, match=r"^Redis cannot be reached: TimeoutError\.$"):
                entries.get("", "a")
            for _ in range(20):
                with pytest.raises(Unreachable, match="a moment ago"):
                    entries.put("", "a", b"x")
        finally:
            server.freeze(False)
        entries.reach()  # connects even shortly after a failure
        assert entries.get("", "a") == b"x"


def test_a_wrong_password_is_an_error_without_the_password() -> None:
    with running("--requirepass", "sesame") as server:
        with open_entries(server) as entries, pytest.raises(ProviderError) as error:
            entries.put("", "a", b"x")
        assert "sesame" not in error.value.message
        with open_entries(server, password="sesame") as entries:
            entries.put("", "a", b"x")
            assert entries.get("", "a") == b"x"


def test_a_full_redis_refuses_entries_and_is_used_again() -> None:
    with running("--maxmemory", "1", "--maxmemory-policy", "noeviction") as server, open_entries(server) as entries:
        for _ in range(2):
            with pytest.raises(ProviderError, match="Redis refused: "):
                entries.put("", "a", b"x")
        assert entries.get("", "a") is None


def test_a_refused_entry_does_not_affect_the_others() -> None:
    with running() as server, open_entries(server) as entries, server.client() as client:
        entries.put_all([("", "a", b"x"), ("", "b", b"y")])
        allowed = [f"~{key.decode()}" for key in client.scan_iter()]
        client.execute_command("ACL", "SETUSER", "default", "resetkeys", *allowed)
        with pytest.raises(ProviderError, match="Redis refused: "):
            entries.put_all([("", "a", b"1"), ("", "not allowed", b"2"), ("", "b", b"3")])
        assert [entries.get("", name) for name in ("a", "b")] == [b"1", b"3"]


def test_dropped_bookkeeping_keys_do_no_harm() -> None:
    with running() as server, open_entries(server) as entries:
        entries.put("", "a", b"x")
        with server.client() as client:
            client.delete(PREFIX + "sizes")
        for number in range(5):
            entries.put("", str(number), b"x")
        assert entries.get("", "4") == b"x"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_dropped_counters_are_rebuilt(count: int, server: Redis) -> None:
    bounds = Bounds(keep=5, max_bytes=1000, keep_seconds=60)
    for dropped in combinations(("ages", "sizes", "total"), count):
        with open_entries(server, bounds) as entries, server.client() as client:
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


def test_an_entry_that_is_dropped_with_its_counter_is_not_counted(server: Redis) -> None:
    with open_entries(server) as entries, server.client() as client:
        entries.put("", "a", b"x")
        (entry,) = (key for key in client.scan_iter() if client.type(key) == b"string" and client.get(key) == b"x")
        client.delete(entry, PREFIX + "total")
        entries.put("", "b", b"yy")
        assert entry_count(server) == 1
        assert int(client.get(PREFIX + "total")) == 2


ANSWERS: dict[str, tuple[bytes, bool]] = {  # the answer to each command, and whether it never ends
    "one byte at a time": (b"$1000000\r\nx", True),
    "nested lists": (b"*1\r\n" * 100_000, False),
    "a length that is no number": (b"$abc\r\n", False),
    "an answer of another protocol": (b"HTTP/1.1 400 Bad Request\r\n\r\n", False),
    "it is loading": (b"-LOADING it is loading\r\n", False),
    "another node": (b"-MOVED 1 127.0.0.1:1\r\n", False),
}


@contextmanager
def answering(answer: bytes, *, endless: bool) -> Iterator[str]:
    """Run a server that follows the protocol until it receives a command for keys. Yield its address."""
    stopped = Event()

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while request := connection.recv(4096):
                if b"HELLO" in request:
                    connection.sendall(b"%1\r\n$5\r\nproto\r\n:3\r\n")
                    continue
                is_command = b"CLIENT" not in request and b"SELECT" not in request
                connection.sendall(answer if is_command else b"+OK\r\n" * request.count(b"*"))
                while is_command and endless and not stopped.wait(0.01):
                    connection.sendall(b"x")

    def accept() -> None:
        with suppress(OSError):
            while True:
                Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=accept, daemon=True).start()
        yield f"redis://127.0.0.1:{listening.getsockname()[1]}/0"
        stopped.set()


CALLS: dict[str, Callable[[RedisEntries], object]] = {
    "get": lambda entries: entries.get("", "a"),
    "put": lambda entries: entries.put("", "a", b"x"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize(("answer", "endless"), ANSWERS.values(), ids=ANSWERS)
def test_a_server_that_breaks_the_protocol_is_an_error(
    answer: bytes, call: Callable[[RedisEntries], object], *, endless: bool
) -> None:
    with answering(answer, endless=endless) as url:
        entries = RedisEntries(url, "", LARGE, timeout=0.05)
        with pytest.raises(ProviderError, match=r"Redis (cannot be reached|refused)"):
            call(entries)
        entries.close()


@pytest.mark.parametrize("key", BOOKKEEPING)
@pytest.mark.parametrize("value", ["a text", "a list", "words instead of numbers"])
def test_keys_that_another_program_has_changed_are_made_again(key: str, value: str, server: Redis) -> None:
    with open_entries(server) as entries, server.client() as client:
        entries.put("", "a", b"x")
        kind = client.type(PREFIX + key)
        name = next(iter(client.zrange(PREFIX + "ages", 0, -1)))
        if value == "words instead of numbers" and kind == b"hash":
            client.hset(PREFIX + key, name, "many")
        else:
            client.delete(PREFIX + key)
            client.rpush(PREFIX + key, "a") if value == "a list" else client.set(PREFIX + key, "many")
        for _ in range(2):
            entries.put("", "a", b"xy")
        assert entries.get("", "a") == b"xy"
        assert entry_count(server) == 1


def test_an_entry_that_another_program_has_replaced_is_missing_if_it_is_too_long_or_no_text(server: Redis) -> None:
    with open_entries(server) as entries, server.client() as client:
        entries.put("", "a", b"x")
        (name,) = client.zrange(PREFIX + "ages", 0, -1)
        client.set(PREFIX.encode() + name, b"x" * (LARGE.max_bytes + 1))
        assert entries.get("", "a") is None
        client.delete(PREFIX.encode() + name)
        client.rpush(PREFIX.encode() + name, "x")
        with pytest.raises(ProviderError, match="Redis refused: "):
            entries.get("", "a")
        entries.put("", "a", b"y")
        assert entries.get("", "a") == b"y"
