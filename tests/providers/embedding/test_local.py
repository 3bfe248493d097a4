"""The real local model of the extra `semantic`."""

import threading
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from citestream.providers.embedding import backoff, embedder, local
from citestream.providers.errors import ProviderError

SAME = ("The bridge was opened to traffic in spring.", "Die Brücke wurde im Frühjahr für den Verkehr freigegeben.")
OTHER = "Penguins lay one egg in winter."


async def test_a_translation_is_more_similar_than_another_sentence() -> None:
    model = embedder("local")
    english, german, other = await model.embed([*SAME, OTHER])
    assert english @ german > 0.6 > english @ other + 0.2
    assert np.linalg.norm(english) == pytest.approx(1, abs=1e-3)
    await model.aclose()


async def test_the_model_runs_in_its_own_thread_and_truncates_long_texts() -> None:
    model = embedder("local")
    long = "word " * 20_000
    found = await model.embed([long, long + "more"])
    assert found[0].tolist() == found[1].tolist()
    assert any(thread.name.startswith("embedding") for thread in threading.enumerate())
    await model.aclose()


class Encoder:
    """Replaces the model."""

    def encode(self, texts: list[str]) -> Any:
        return np.ones((len(texts), 2), np.float32)


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of the attempts to load the model; the first one fails."""
    attempts: list[int] = []

    def load() -> Encoder:
        attempts.append(len(attempts))
        if len(attempts) == 1:
            raise MemoryError
        return Encoder()

    monkeypatch.setattr(local, "_load", load)
    return attempts


async def test_loading_of_the_model_is_retried_after_a_failure(
    loads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backoff, "FIRST_SECONDS", 0.0)
    model = embedder("local")
    found = None
    while found is None:
        with suppress(ProviderError):
            found = await model.embed(["a"])
    assert found.shape == (1, 2)
    assert loads == [0, 1]
    await model.aclose()


async def test_loading_of_the_model_is_not_retried_immediately(
    loads: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backoff, "FIRST_SECONDS", 3600.0)
    model = embedder("local")
    for _ in range(3):
        with pytest.raises(ProviderError):
            await model.embed(["a"])
    assert loads == [0]
    await model.aclose()
