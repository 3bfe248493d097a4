"""What is done just before something waits: only then, only once, and nothing is left behind where it fails."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from citestream.proxy.pipeline.wait_hooks import before_waiting


class Flushes:
    """Counts; fails where told."""

    def __init__(self, *, error: Exception | None = None) -> None:
        self.count = 0
        self._error = error

    def __call__(self) -> None:
        self.count += 1
        if self._error:
            raise self._error


async def numbers(gate: asyncio.Event, left: list[str]) -> AsyncGenerator[int, None]:
    """1 and 2 at once, 3 once the gate is open."""
    try:
        yield 1
        yield 2
        await gate.wait()
        yield 3
    finally:
        await asyncio.sleep(0)  # leaving may have to wait too
        left.append("left")


async def test_it_is_done_before_a_wait_and_only_there() -> None:
    gate, flush = asyncio.Event(), Flushes()
    asyncio.get_running_loop().call_later(0.01, gate.set)
    counts = []
    async with aclosing(numbers(gate, [])) as source:
        while (number := await before_waiting(anext(source, None), flush)) is not None:
            counts.append((number, flush.count))
    assert counts == [(1, 0), (2, 0), (3, 1)]


async def test_its_failure_is_raised_and_what_waited_has_been_left() -> None:
    left: list[str] = []
    flush = Flushes(error=ConnectionError("gone"))
    async with aclosing(numbers(asyncio.Event(), left)) as source:
        assert [await before_waiting(anext(source), flush) for _ in range(2)] == [1, 2]
        with pytest.raises(ConnectionError, match="gone"):
            await before_waiting(anext(source), flush)
        assert left == ["left"]
        assert await anext(source, None) is None


async def test_a_cancelled_wait_leaves_the_work() -> None:
    left: list[str] = []
    gate = asyncio.Event()
    async with aclosing(numbers(gate, left)) as source:
        await anext(source), await anext(source)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await before_waiting(anext(source), Flushes())
        assert left == ["left"]


async def test_what_the_work_raises_comes_through() -> None:
    async def fails(wait: float | None) -> None:
        if wait is not None:
            await asyncio.sleep(wait)
        raise ValueError("its own")

    for wait, count in ((None, 0), (0.0, 1), (0.001, 1)):
        flush = Flushes()
        with pytest.raises(ValueError, match="its own"):
            await before_waiting(fails(wait), flush)
        assert flush.count == count


async def test_a_limit_of_time_inside_the_work_still_works() -> None:
    async def impatient() -> str:
        try:
            async with asyncio.timeout(0.01):
                await asyncio.Event().wait()
        except TimeoutError:
            return "too long"
        return "never"

    assert await before_waiting(impatient(), Flushes()) == "too long"
