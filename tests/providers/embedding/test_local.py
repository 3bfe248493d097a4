"""The real model on this machine, from the extra `semantic`."""

import threading

import numpy as np
import pytest

from citestream.providers.embedding import embedder

SAME = ("The bridge was opened to traffic in spring.", "Die Brücke wurde im Frühjahr für den Verkehr freigegeben.")
OTHER = "Penguins lay one egg in winter."


async def test_the_same_in_two_languages_is_nearer_than_something_else() -> None:
    local = embedder("local")
    english, german, other = await local.embed([*SAME, OTHER])
    assert english @ german > 0.6 > english @ other + 0.2
    assert np.linalg.norm(english) == pytest.approx(1, abs=1e-3)
    await local.aclose()


async def test_it_runs_in_a_thread_of_its_own_and_reads_only_so_far() -> None:
    local = embedder("local")
    long = "word " * 20_000
    found = await local.embed([long, long + "more"])
    assert found[0].tolist() == found[1].tolist()
    assert any(thread.name.startswith("embedding") for thread in threading.enumerate())
    await local.aclose()
