"""Behaviour that all embedders share, with a model whose answers the test controls."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from citestream.providers.embedding import EMBEDDERS, Embedder, Limits, Vectors, embedder
from citestream.providers.embedding.cache import VectorCache, key_of
from citestream.providers.errors import BrokenStream, ProviderError, TimedOut


class LengthModel:
    """A model whose vectors are (length of the text, 1). Tests can make it wait and fail."""

    name = "length"

    def __init__(self, **limits: float) -> None:
        given = {"texts": 4, "characters": 1000, "text_characters": 20, "requests": 1, **limits}
        self.limits = Limits(**given)  # type: ignore[arg-type]
        self.batches: list[list[str]] = []
        self.released = asyncio.Event()
        self.requested = asyncio.Event()
        self.error: Exception | None = None
        self.additional: list[float] = []
        self.released.set()

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches.append(list(texts))
        self.requested.set()
        await self.released.wait()
        if self.error:
            raise self.error
        return [[float(len(text)), 1.0, *self.additional] for text in texts]

    async def aclose(self) -> None:
        """Nothing is open."""


async def test_a_text_is_embedded_once() -> None:
    model = LengthModel()
    instance = Embedder(model)
    first = await instance.embed(["a", "bb"])
    assert (await instance.embed(["bb", "a"])).tolist() == first[::-1].tolist()
    assert model.batches == [["a", "bb"]]


async def test_texts_without_words_are_not_sent_and_get_zero_vectors() -> None:
    model = LengthModel()
    found = await Embedder(model).embed(["", " \n", "a", "…!"])
    assert model.batches == [["a"]]
    assert found[[0, 1, 3]].tolist() == [[0, 0]] * 3


async def test_no_texts_give_no_vectors() -> None:
    assert (await Embedder(LengthModel()).embed([])).shape[0] == 0


async def test_long_texts_are_truncated_to_the_limit_of_the_model() -> None:
    model = LengthModel()
    await Embedder(model).embed(["x" * 100, "x" * 20])
    assert model.batches == [["x" * 20]]


BATCHES = {
    "by number": ({"texts": 2}, ["a", "b", "c"], [["a", "b"], ["c"]]),
    "by characters": ({"characters": 5}, ["aaa", "bb", "c"], [["aaa", "bb"], ["c"]]),
    "a text above the limit is sent alone": ({"characters": 5}, ["aaaaaaaa", "b"], [["aaaaaaaa"], ["b"]]),
}


@pytest.mark.parametrize("case", BATCHES)
async def test_texts_are_sent_in_batches_within_the_limits(case: str) -> None:
    limits, texts, expected = BATCHES[case]
    model = LengthModel(**limits)
    assert (await Embedder(model).embed(texts)).shape == (len(texts), 2)
    assert model.batches == expected


async def test_texts_of_several_callers_share_a_batch_while_a_request_is_running() -> None:
    model = LengthModel()
    model.released.clear()
    instance = Embedder(model)
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(instance.embed(["a"]))
        await model.requested.wait()
        others = [tasks.create_task(instance.embed([text, "shared"])) for text in ("b", "c")]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        model.released.set()
    assert model.batches == [["a"], ["b", "shared", "c"]]
    assert [len(task.result()) for task in (first, *others)] == [1, 2, 2]


async def test_a_cancelled_batch_is_sent_again_for_the_other_callers() -> None:
    model = LengthModel()
    model.released.clear()
    instance = Embedder(model)
    async with asyncio.TaskGroup() as tasks:
        cancelled = tasks.create_task(instance.embed(["a", "private"]))
        await model.requested.wait()
        remaining = tasks.create_task(instance.embed(["a"]))
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.sleep(0)
        model.released.set()
    assert remaining.result().shape == (1, 2)
    assert model.batches == [["a", "private"], ["a"]]


async def test_texts_of_a_cancelled_caller_are_not_sent() -> None:
    model = LengthModel()
    model.released.clear()
    instance = Embedder(model)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(instance.embed(["a"]))
        await model.requested.wait()
        cancelled = tasks.create_task(instance.embed(["b"]))
        await asyncio.sleep(0)
        cancelled.cancel()
        await asyncio.sleep(0)
        model.released.set()
    await instance.embed(["c"])
    assert model.batches == [["a"], ["c"]]


async def test_a_failure_is_raised_for_all_waiting_callers_and_not_cached() -> None:
    model = LengthModel()
    model.error = ConnectionRefusedError()
    instance = Embedder(model)
    found = await asyncio.gather(instance.embed(["a"]), instance.embed(["a"]), return_exceptions=True)
    assert [isinstance(one, ProviderError) for one in found] == [True, True]
    model.error = None
    assert (await instance.embed(["a"])).shape == (1, 2)


async def test_a_request_above_the_time_limit_is_an_error() -> None:
    model = LengthModel(seconds=0.01)
    model.released.clear()
    with pytest.raises(TimedOut):
        await Embedder(model).embed(["a"])


def test_the_cache_is_limited_in_bytes_and_evicts_the_least_recently_used() -> None:
    cache = VectorCache(3 * (8 + 250))
    row: Vectors = np.ones(2, dtype=np.float32)
    keys = [key_of("model", text) for text in "abcd"]
    for key in keys[:3]:
        cache.put(key, row)
    assert cache.get(keys[0]) is not None
    cache.put(keys[3], row)
    assert [cache.get(key) is not None for key in keys] == [True, False, True, True]
    assert len(cache) == 3


def test_models_do_not_share_vectors() -> None:
    assert key_of("one", "text") != key_of("other", "text")


def test_the_error_for_an_unknown_kind_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="there are: gemini, local, ollama, openai"):
        embedder("magic")
    assert list(EMBEDDERS) == sorted(EMBEDDERS)


async def test_a_changed_vector_length_fails_once_and_is_then_accepted() -> None:
    model = LengthModel()
    instance = Embedder(model)
    await instance.embed(["a"])
    model.additional = [2.0]
    with pytest.raises(BrokenStream, match="changed their length"):
        await instance.embed(["a", "bb"])
    assert (await instance.embed(["a", "bb", ""])).shape == (3, 3)
    assert instance.embedded == 3, "only the first text was embedded twice"
