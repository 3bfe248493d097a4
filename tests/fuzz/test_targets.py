"""Every fuzz target, every day: its seeds, mutations of them, and bytes that Hypothesis draws."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import SEEDS, TARGETS

# Inputs that the fuzzers found, fixed since
FOUND: dict[str, list[bytes]] = {}


def mutated(seed: bytes, rng: Random) -> bytes:
    """A few pieces of it dropped, repeated, moved or overwritten."""
    data = bytearray(seed)
    for _ in range(rng.randint(1, 6)):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((1, 1, 2, 4, 16)))
        match rng.randrange(4):
            case 0:
                del data[start:end]
            case 1:
                data[start:start] = data[start:end] * rng.choice((1, 2, 20))
            case 2:
                data[start:end] = rng.randbytes(end - start)
            case _:
                data[start:end] = rng.choice(
                    (b"[", b"]", b"{", b"}", b'"', b"null", b"1e999", b"\\ud800", b"\n", b"\r")
                )
    return bytes(data)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_their_mutations(name: str) -> None:
    rng = Random(name)
    for seed in SEEDS[name]:
        TARGETS[name](seed)
        for _ in range(100):
            TARGETS[name](mutated(seed, rng))
    for data in FOUND.get(name, []):
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_no_bytes_break_a_target(name: str) -> None:
    @given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
    @settings(max_examples=60)
    def run(data: bytes) -> None:
        TARGETS[name](data)

    run()


def test_every_target_has_seeds() -> None:
    assert SEEDS.keys() == TARGETS.keys() >= FOUND.keys()
