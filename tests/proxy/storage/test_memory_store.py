"""The store in memory: fair to many clients, and as fast with many of them as with few."""

from time import thread_time

from hypothesis import given
from hypothesis import strategies as st

from citestream.providers.redis_cache import Bounds
from citestream.proxy.storage.memory_store import MAX_REMOVED, MemoryStore

MANY = 50_000


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Model:
    """The promises of the store, in the simplest form."""

    def __init__(self, keep: int, max_bytes: int) -> None:
        self.keep, self.max_bytes = keep, max_bytes
        self.entries: dict[str, dict[str, int]] = {}

    def put(self, owner: str, name: str, size: int) -> None:
        owned = self.entries.get(owner, {})
        if owned.pop(name, None) is not None and not owned:
            del self.entries[owner]
        self.entries.setdefault(owner, {})[name] = size
        while sum(map(len, self.entries.values())) > self.keep:
            self.drop(max(self.entries, key=lambda one: len(self.entries[one])))
        while sum(sum(owned.values()) for owned in self.entries.values()) > self.max_bytes:
            self.drop(max(self.entries, key=lambda one: sum(self.entries[one].values())))

    def drop(self, owner: str) -> None:
        del self.entries[owner][next(iter(self.entries[owner]))]
        if not self.entries[owner]:
            del self.entries[owner]


PUTS = st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("uvwxyz"), st.integers(1, 30)), max_size=60)


@given(PUTS, st.integers(1, 12), st.integers(30, 200))
def test_the_client_with_the_most_entries_or_bytes_loses_its_oldest_entry(
    puts: list[tuple[str, str, int]], keep: int, max_bytes: int
) -> None:
    store, model = MemoryStore(Bounds(keep, max_bytes, 9.0), Clock()), Model(keep, max_bytes)
    for owner, name, size in puts:
        store.put(owner, name, b"x" * size, owner)
        model.put(owner, name, size)
        stored = {
            (owner, name): len(data) for owner in "abcde" for name in "uvwxyz" if (data := store.get(owner, name))
        }
        assert stored == {(owner, name): size for owner, owned in model.entries.items() for name, size in owned.items()}


def test_the_time_for_an_entry_does_not_grow_with_the_number_of_clients() -> None:
    store = MemoryStore(Bounds(MANY, 2**30, 9.0), Clock())
    for number in range(MANY):
        store.put(f"{number}", "a", b"{}", f"{number}")
    began = thread_time()
    for number in range(2_000):  # a search of all clients for each takes 12 s
        store.put("new", f"{number}", b"{}", "new")
    assert thread_time() - began < 3
    assert len(store) == MANY


def test_expired_entries_are_removed_a_part_at_a_time() -> None:
    clock = Clock()
    store = MemoryStore(Bounds(4 * MAX_REMOVED, 2**20, 9.0), clock)
    for number in range(2 * MAX_REMOVED + 1):
        store.put(f"{number % 3_000}", f"{number}", b"{}", f"{number % 3_000}")
    clock.now = 10.0
    assert store.get("1", "1") is None
    assert [store.remove_expired() for _ in range(3)] == [True, True, False]
    assert len(store) == 0
