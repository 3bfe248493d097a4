"""Decide the sentences of an answer: in order, or ahead of their release if a scorer waits for an external service."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from citestream.citation.support.scorers import MAX_BATCH

from ..segment_stream import PendingText, Step

MAX_PREFETCHED = 32  # steps that are read but not released: a few seconds of a fast model

Steps = AsyncGenerator[list[Step], None]
Decide = Callable[[Sequence[PendingText]], Awaitable[list[PendingText]]]
T = TypeVar("T")


async def decide_in_order(steps: Steps, decide: Decide) -> Steps:
    """Decide the sentences of each batch together. The next batch is read after that."""
    async with aclosing(steps):
        async for batch in steps:
            for start in range(0, len(batch), MAX_BATCH):
                part = batch[start : start + MAX_BATCH]
                pending = [step for step in part if isinstance(step, PendingText)]
                decided = iter(await decide(pending) if pending else ())
                yield [next(decided) if isinstance(step, PendingText) else step for step in part]


async def prefetch(steps: Steps, decide: Decide, prepare: Callable[[], Awaitable[None]]) -> Steps:
    """Decide each sentence as soon as it is read, while earlier sentences are still being decided.

    The steps keep their order. `prepare` runs meanwhile, and its errors are ignored. Raises what `steps` or `decide`
    raises.

    All tasks end with this generator. They return exceptions instead of raising them: a task group would wrap the
    exception, and it could not interrupt this generator, which another task than the one that began it may resume.
    """
    error: Exception | None = None
    batch: list[Step] = []
    async with asyncio.TaskGroup() as tasks:
        reader = _Reader(steps, decide, tasks)
        reader.start(prepare)
        reader.start(reader.read)
        try:
            while not isinstance(item := await reader.queue.get(), _End):
                if batch and item.is_undecided:
                    yield batch
                    batch = []
                batch += await item.decided()
                if reader.queue.empty():
                    yield batch
                    batch = []
            error = item.error
        except GeneratorExit:
            return  # the client left; the group would wrap this exception
        except Exception as failed:  # noqa: BLE001 - raised below, where the group does not wrap it
            error = failed
        finally:
            reader.stop()
    if batch:
        yield batch
    if error:
        raise error


@dataclass(frozen=True, slots=True)
class _Item:
    """A step, and the task that decides it if it is text."""

    step: Step
    decision: "asyncio.Task[list[PendingText] | Exception] | None"

    @property
    def is_undecided(self) -> bool:
        return self.decision is not None and not self.decision.done()

    async def decided(self) -> Sequence[Step]:
        if self.decision is None:
            return [self.step]
        outcome = await self.decision
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


@dataclass(frozen=True, slots=True)
class _End:
    """The end of the steps, and the exception that ended them, if any."""

    error: Exception | None = None


@dataclass(slots=True)
class _Reader:
    """Reads steps into a queue and starts their decisions."""

    steps: Steps
    decide: Decide
    tasks: asyncio.TaskGroup
    queue: "asyncio.Queue[_Item | _End]" = field(default_factory=lambda: asyncio.Queue(MAX_PREFETCHED))
    running: "set[asyncio.Task[object]]" = field(default_factory=set)

    def start(self, work: Callable[[], Awaitable[T]]) -> "asyncio.Task[T | Exception]":
        task = self.tasks.create_task(_outcome(work))
        self.running.add(task)
        task.add_done_callback(self.running.discard)
        return task

    async def read(self) -> None:
        end = _End()
        try:
            async with aclosing(self.steps):
                async for batch in self.steps:
                    for step in batch:
                        decision = self.start(partial(self.decide, [step])) if isinstance(step, PendingText) else None
                        await self.queue.put(_Item(step, decision))
        except Exception as error:  # noqa: BLE001 - raised where the steps are consumed
            end = _End(error)
        await self.queue.put(end)

    def stop(self) -> None:
        for task in list(self.running):
            task.cancel()


async def _outcome(work: Callable[[], Awaitable[T]]) -> T | Exception:
    """Return the result or the exception of `work`.

    `work` is a callable: a coroutine of a task that is cancelled before it runs would never be awaited.
    """
    try:
        return await work()
    except Exception as error:  # noqa: BLE001 - raised where the outcome is needed
        return error
