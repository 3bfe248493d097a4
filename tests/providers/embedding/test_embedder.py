"""Shared behaviour of all embedders, with a model that answers on demand."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from citestream.providers.embedding import EMBEDDERS, Embedder, Limits, Vectors, embedder
from citestream.providers.embedding.cache import VectorCache, key_of
from citestream.providers.errors import BrokenStream, ProviderError, TimedOut


class Measured:
    """A real model, if a small one: (length, 1). It can be made to wait and to fail."""

    name = "measured"

    def __init__(self, **limits: float) -> None:
        given = {"texts": 4, "characters": 1000, "text_characters": 20, "requests": 1, **limits}
        self.limits = Limits(**given)  # type: ignore[arg-type]
        self.batches: list[list[str]] = []
        self.may_answer = asyncio.Event()
        self.asked = asyncio.Event()
        self.fails: Exception | None = None
        self.more: list[float] = []
        self.may_answer.set()

    async def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches.append(list(texts))
        self.asked.set()
        await self.may_answer.wait()
        if self.fails:
            raise self.fails
        return [[float(len(text)), 1.0, *self.more] for text in texts]

    async def aclose(self) -> None:
        """Nothing is open."""


async def test_a_text_is_embedded_once() -> None:
    model = Measured()
    asked = Embedder(model)
    first = await asked.embed(["a", "bb"])
    assert (await asked.embed(["bb", "a"])).tolist() == first[::-1].tolist()
    assert model.batches == [["a", "bb"]]


async def test_a_text_that_says_nothing_is_not_asked_for_and_gets_zeros() -> None:
    model = Measured()
    found = await Embedder(model).embed(["", " \n", "a", "…!"])
    assert model.batches == [["a"]]
    assert found[[0, 1, 3]].tolist() == [[0, 0]] * 3


async def test_no_texts_give_no_vectors() -> None:
    assert (await Embedder(Measured()).embed([])).shape[0] == 0


async def test_long_texts_are_cut_to_what_the_model_reads() -> None:
    model = Measured()
    await Embedder(model).embed(["x" * 100, "x" * 20])
    assert model.batches == [["x" * 20]]


BATCHES = {
    "by number": ({"texts": 2}, ["a", "b", "c"], [["a", "b"], ["c"]]),
    "by characters": ({"characters": 5}, ["aaa", "bb", "c"], [["aaa", "bb"], ["c"]]),
    "one longer than a request may be goes alone": ({"characters": 5}, ["aaaaaaaa", "b"], [["aaaaaaaa"], ["b"]]),
}


@pytest.mark.parametrize("case", BATCHES)
async def test_texts_are_sent_in_batches_within_the_limits(case: str) -> None:
    limits, texts, expected = BATCHES[case]
    model = Measured(**limits)
    assert (await Embedder(model).embed(texts)).shape == (len(texts), 2)
    assert model.batches == expected


async def test_sentences_of_several_callers_go_out_together_while_the_line_is_busy() -> None:
    model = Measured()
    model.may_answer.clear()
    asked = Embedder(model)
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(asked.embed(["a"]))
        await model.asked.wait()
        others = [tasks.create_task(asked.embed([text, "shared"])) for text in ("b", "c")]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        model.may_answer.set()
    assert model.batches == [["a"], ["b", "shared", "c"]]
    assert [len(task.result()) for task in (first, *others)] == [1, 2, 2]


async def test_a_caller_that_leaves_gives_its_batch_back() -> None:
    model = Measured()
    model.may_answer.clear()
    asked = Embedder(model)
    async with asyncio.TaskGroup() as tasks:
        leaving = tasks.create_task(asked.embed(["a", "only mine"]))
        await model.asked.wait()
        staying = tasks.create_task(asked.embed(["a"]))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.sleep(0)
        model.may_answer.set()
    assert staying.result().shape == (1, 2)
    assert model.batches == [["a", "only mine"], ["a"]]


async def test_what_nobody_waits_for_any_more_is_not_sent() -> None:
    model = Measured()
    model.may_answer.clear()
    asked = Embedder(model)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(asked.embed(["a"]))
        await model.asked.wait()
        leaving = tasks.create_task(asked.embed(["b"]))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.sleep(0)
        model.may_answer.set()
    await asked.embed(["c"])
    assert model.batches == [["a"], ["c"]]


async def test_a_failure_is_told_to_everybody_who_waits_and_not_kept() -> None:
    model = Measured()
    model.fails = ConnectionRefusedError()
    asked = Embedder(model)
    found = await asyncio.gather(asked.embed(["a"]), asked.embed(["a"]), return_exceptions=True)
    assert [isinstance(one, ProviderError) for one in found] == [True, True]
    model.fails = None
    assert (await asked.embed(["a"])).shape == (1, 2)


async def test_a_request_that_takes_too_long() -> None:
    model = Measured(seconds=0.01)
    model.may_answer.clear()
    with pytest.raises(TimedOut):
        await Embedder(model).embed(["a"])


def test_the_cache_is_bounded_by_bytes_and_forgets_what_was_not_used() -> None:
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


def test_an_unknown_kind_lists_what_exists() -> None:
    with pytest.raises(ValueError, match="there are: gemini, local, ollama, openai"):
        embedder("magic")
    assert list(EMBEDDERS) == sorted(EMBEDDERS)


async def test_a_model_that_changes_its_vectors_length_fails_once_and_is_believed_then() -> None:
    model = Measured()
    asked = Embedder(model)
    await asked.embed(["a"])
    model.more = [2.0]
    with pytest.raises(BrokenStream, match="changed their length"):
        await asked.embed(["a", "bb"])
    assert (await asked.embed(["a", "bb", ""])).shape == (3, 3)
    assert asked.embedded == 3, "and nothing twice but the first"
