"""Run every fuzz target with its seeds, with mutations of them, and with bytes that Hypothesis generates."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import SEEDS, TARGETS


def mutated(seed: bytes, rng: Random) -> bytes:
    """Return the seed with up to six pieces deleted, repeated or overwritten."""
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
def test_target_accepts_its_seeds_and_their_mutations(name: str) -> None:
    rng = Random(name)
    for seed in SEEDS[name]:
        TARGETS[name](seed)
        for _ in range(100):
            TARGETS[name](mutated(seed, rng))


@pytest.mark.parametrize("name", TARGETS)
def test_target_accepts_any_bytes(name: str) -> None:
    @given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
    @settings(max_examples=60)
    def run(data: bytes) -> None:
        TARGETS[name](data)

    run()


def test_every_target_has_seeds() -> None:
    assert SEEDS.keys() == TARGETS.keys()
