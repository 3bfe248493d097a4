"""Prefetched decisions have the order, errors and endings of decisions in order. Only the waits overlap."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

import pytest

from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.decision import Decision
from citestream.citation.support.scorers import MAX_BATCH
from citestream.citation.text.steps import complete
from citestream.providers.events import OtherDelta
from citestream.proxy.pipeline.deciding.prefetch import MAX_PREFETCHED, Steps, decide_in_order, prefetch
from citestream.proxy.pipeline.segment_stream import PendingText, Step

RESPONSE = Response([Evidence(1, "The bridge is red.", "e1")], Options())


def pending(text: str) -> PendingText:
    (draft,) = complete(RESPONSE.answer(0).take_in_steps(text))
    return PendingText(0, draft, {}, None)


STEPS: tuple[Step, ...] = (pending("One. "), OtherDelta({}), pending("Two. "), pending("Three. "), OtherDelta({}))


class Source:
    """Steps, and whether somebody closed them."""

    def __init__(self, steps: Sequence[Step] = STEPS, fails: Exception | None = None, endless: bool = False) -> None:
        self.steps, self.fails, self.endless = steps, fails, endless
        self.read = 0
        self.closed = asyncio.Event()

    async def stream(self) -> AsyncGenerator[list[Step], None]:
        try:
            for step in self.steps:
                self.read += 1
                yield [step]
            if self.fails:
                raise self.fails
            if self.endless:
                await asyncio.Event().wait()
        finally:
            self.closed.set()


class Judge:
    """Decides on demand; until then all sentences wait."""

    def __init__(self, *, open_: bool = False) -> None:
        self.gate = asyncio.Event()
        self.waiting: list[str] = []
        self.calls: list[int] = []  # how many sentences each was about
        self.all_wait = asyncio.Event()  # three sentences do
        self.decisions: dict[str, Decision] = {}
        if open_:
            self.gate.set()

    async def decide(self, steps: Sequence[PendingText]) -> list[PendingText]:
        texts = [step.draft.text for step in steps]
        self.calls.append(len(texts))
        self.waiting += texts
        if len(self.waiting) == 3:
            self.all_wait.set()
        await self.gate.wait()
        return [replace(step, decision=self.decisions.setdefault(step.draft.text, Decision())) for step in steps]


async def beside() -> None:
    """Nothing to do."""


async def all_of(decided: Steps) -> list[Step]:
    async with aclosing(decided):
        return [step async for batch in decided for step in batch]


def decisions_of(steps: Sequence[Step]) -> list[Decision | None]:
    return [step.decision if isinstance(step, PendingText) else None for step in steps]


async def test_in_turn_and_ahead_give_the_same() -> None:
    judge = Judge(open_=True)
    one = await all_of(decide_in_order(Source().stream(), judge.decide))
    other = await all_of(prefetch(Source().stream(), judge.decide, beside))
    assert one == other
    assert one == list(STEPS)
    expected = [judge.decisions[step.draft.text] if isinstance(step, PendingText) else None for step in STEPS]
    assert all(found is wanted for found, wanted in zip(decisions_of(one), expected, strict=True))


@pytest.mark.parametrize("count", [1, 3, MAX_BATCH, 2 * MAX_BATCH + 1])
async def test_what_comes_together_is_decided_together_and_gives_the_same(count: int) -> None:
    steps = [pending(f"Number {number}. ") for number in range(count)]

    async def at_once() -> AsyncGenerator[list[Step], None]:
        yield [*steps, OtherDelta({})]

    judge = Judge(open_=True)
    found = await all_of(decide_in_order(at_once(), judge.decide))
    assert found == [*steps, OtherDelta({})]
    expected = [*(judge.decisions[step.draft.text] for step in steps), None]
    assert all(found is wanted for found, wanted in zip(decisions_of(found), expected, strict=True))
    assert len(judge.calls) == -(-count // MAX_BATCH)
    assert found == await all_of(prefetch(at_once(), judge.decide, beside))


async def test_reading_goes_on_while_sentences_wait_and_they_leave_in_order() -> None:
    source, judge = Source(), Judge()
    async with asyncio.TaskGroup() as tasks:
        result = tasks.create_task(all_of(prefetch(source.stream(), judge.decide, beside)))
        await source.closed.wait()
        assert judge.waiting == ["One. ", "Two. ", "Three. "]
        assert not result.done()
        judge.gate.set()
    assert result.result() == list(STEPS)


async def test_reading_stops_some_way_ahead() -> None:
    source, judge = Source([pending(f"Sentence {n}. ") for n in range(3 * MAX_PREFETCHED)]), Judge()
    async with aclosing(prefetch(source.stream(), judge.decide, beside)) as decided, asyncio.TaskGroup() as tasks:
        first = tasks.create_task(anext(decided))
        for _ in range(10 * MAX_PREFETCHED):
            await asyncio.sleep(0)
        assert MAX_PREFETCHED <= source.read <= MAX_PREFETCHED + 2
        judge.gate.set()
        await first


async def test_what_fails_upstream_is_raised_after_what_came_before_it() -> None:
    judge, seen = Judge(open_=True), []
    with pytest.raises(ConnectionResetError):
        async with aclosing(prefetch(Source(fails=ConnectionResetError()).stream(), judge.decide, beside)) as decided:
            async for batch in decided:
                seen += batch
    assert seen == list(STEPS)


async def test_a_decision_that_fails_is_raised_and_everything_ends() -> None:
    async def fail(_: Sequence[PendingText]) -> list[PendingText]:
        raise ZeroDivisionError

    source = Source(endless=True)
    with pytest.raises(ZeroDivisionError):
        await all_of(prefetch(source.stream(), fail, beside))
    assert source.closed.is_set()


async def test_what_runs_beside_may_fail_without_harm() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    assert len(await all_of(prefetch(Source().stream(), Judge(open_=True).decide, fail))) == len(STEPS)


async def test_a_client_that_leaves_between_sentences_ends_everything() -> None:
    source, judge = Source(endless=True), Judge(open_=True)
    decided = prefetch(source.stream(), judge.decide, asyncio.Event().wait)  # type: ignore[arg-type]
    assert (await anext(decided))[0] == STEPS[0]
    await decided.aclose()
    assert source.closed.is_set()


async def test_a_client_that_leaves_while_a_sentence_waits_ends_everything() -> None:
    source, judge = Source(endless=True), Judge()
    async with asyncio.TaskGroup() as tasks:
        result = tasks.create_task(all_of(prefetch(source.stream(), judge.decide, beside)))
        await judge.all_wait.wait()
        result.cancel()
    assert source.closed.is_set()


async def test_it_may_be_resumed_by_another_task_than_began_it() -> None:
    source, judge = Source(), Judge(open_=True)
    decided = prefetch(source.stream(), judge.decide, beside)
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(anext(decided))
    rest = await all_of(decided)
    assert [*first.result(), *rest] == list(STEPS)
