"""Ahead: the steps of an answer with the decision about each sentence, in order.

Where a scorer waits for something outside, sentences are decided while the answer is still being read: reading goes on
meanwhile, and several sentences wait at once.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from citestream.citation.support.decision import Decision
from citestream.citation.support.scorers import MAX_BATCH

from .drafts import Drafted, Step

MOST_AHEAD = 32  # steps read and not yet sent: a few seconds of a fast model; then reading waits

Steps = AsyncGenerator[list[Step], None]
Decide = Callable[[Sequence[Drafted]], Awaitable[list[Decision]]]
Decided = AsyncGenerator[tuple[Step, Decision | None], None]
T = TypeVar("T")


async def in_turn(steps: Steps, decide: Decide) -> Decided:
    """Each step, once it is decided, together with others that are there; the next are read after that."""
    async with aclosing(steps):
        async for found in steps:
            for at in range(0, len(found), MAX_BATCH):
                part = found[at : at + MAX_BATCH]
                drafted = [step for step in part if isinstance(step, Drafted)]
                decisions = iter(await decide(drafted) if drafted else ())
                for step in part:
                    yield step, next(decisions) if isinstance(step, Drafted) else None


async def ahead(steps: Steps, decide: Decide, beside: Callable[[], Awaitable[None]]) -> Decided:
    """As `in_turn`, each by itself and while it reads; `beside` runs meanwhile. Raises what `steps` or `decide` raises.

    All tasks end with this generator, however it ends. None of them raises: their group would wrap the error, and could
    not interrupt us for it, since a generator may be resumed by another task than the one that began it.
    """
    error: Exception | None = None
    async with asyncio.TaskGroup() as tasks:
        reader = _Reader(steps, decide, tasks)
        reader.own(beside)
        reader.own(reader.read)
        try:
            while not isinstance(item := await reader.queue.get(), _End):
                outcome = await item.deciding if item.deciding else None
                if isinstance(outcome, Exception):
                    error = outcome
                    break
                yield item.step, outcome[0] if outcome else None
            else:
                error = item.error
        except GeneratorExit:
            pass  # the client left. The group would wrap this as well; to return is as good
        finally:
            reader.stop()
    if error:
        raise error


@dataclass(frozen=True, slots=True)
class _Read:
    step: Step
    deciding: "asyncio.Task[list[Decision] | Exception] | None"


@dataclass(frozen=True, slots=True)
class _End:
    """Nothing more comes, or what went wrong."""

    error: Exception | None = None


class _Reader:
    """Reads on and starts decisions."""

    def __init__(self, steps: Steps, decide: Decide, tasks: asyncio.TaskGroup) -> None:
        self.queue: asyncio.Queue[_Read | _End] = asyncio.Queue(MOST_AHEAD)
        self._steps = steps
        self._decide = decide
        self._tasks = tasks
        self._running: set[asyncio.Task[object]] = set()

    def own(self, work: Callable[[], Awaitable[T]]) -> "asyncio.Task[T | Exception]":
        task = self._tasks.create_task(_outcome(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def read(self) -> None:
        end = _End()
        try:
            async with aclosing(self._steps):
                async for found in self._steps:
                    for step in found:
                        deciding = self.own(partial(self._decide, [step])) if isinstance(step, Drafted) else None
                        await self.queue.put(_Read(step, deciding))
        except Exception as error:  # noqa: BLE001 - it is raised where the steps are taken out
            end = _End(error)
        await self.queue.put(end)

    def stop(self) -> None:
        for task in list(self._running):
            task.cancel()


async def _outcome(work: Callable[[], Awaitable[T]]) -> T | Exception:
    """As a value. A callable, since a task that is cancelled before it runs would leave a coroutine nobody awaits."""
    try:
        return await work()
    except Exception as error:  # noqa: BLE001 - it is raised where the outcome is wanted
        return error
