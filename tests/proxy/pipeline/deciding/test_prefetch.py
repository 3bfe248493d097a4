"""Prefetching changes neither the order nor the errors nor the end of decisions. Only the waits overlap."""

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
    """A stream of steps that records whether it was closed."""

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


class Decider:
    """Decides when `gate` is set. Until then, all sentences wait."""

    def __init__(self, *, open_: bool = False) -> None:
        self.gate = asyncio.Event()
        self.waiting: list[str] = []
        self.calls: list[int] = []  # number of sentences of each call
        self.all_wait = asyncio.Event()  # set when three sentences wait
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


async def do_nothing() -> None:
    """Do nothing in the background."""


async def all_of(decided: Steps) -> list[Step]:
    async with aclosing(decided):
        return [step async for batch in decided for step in batch]


def decisions_of(steps: Sequence[Step]) -> list[Decision | None]:
    return [step.decision if isinstance(step, PendingText) else None for step in steps]


async def test_prefetched_decisions_equal_decisions_in_order() -> None:
    decider = Decider(open_=True)
    in_order = await all_of(decide_in_order(Source().stream(), decider.decide))
    prefetched = await all_of(prefetch(Source().stream(), decider.decide, do_nothing))
    assert in_order == prefetched
    assert in_order == list(STEPS)
    expected = [decider.decisions[step.draft.text] if isinstance(step, PendingText) else None for step in STEPS]
    assert all(found is wanted for found, wanted in zip(decisions_of(in_order), expected, strict=True))


@pytest.mark.parametrize("count", [1, 3, MAX_BATCH, 2 * MAX_BATCH + 1])
async def test_sentences_that_arrive_together_are_decided_together_with_the_same_result(count: int) -> None:
    steps = [pending(f"Number {number}. ") for number in range(count)]

    async def at_once() -> AsyncGenerator[list[Step], None]:
        yield [*steps, OtherDelta({})]

    decider = Decider(open_=True)
    found = await all_of(decide_in_order(at_once(), decider.decide))
    assert found == [*steps, OtherDelta({})]
    expected = [*(decider.decisions[step.draft.text] for step in steps), None]
    assert all(found is wanted for found, wanted in zip(decisions_of(found), expected, strict=True))
    assert len(decider.calls) == -(-count // MAX_BATCH)
    assert found == await all_of(prefetch(at_once(), decider.decide, do_nothing))


async def test_reading_continues_while_sentences_wait_and_their_order_is_kept() -> None:
    source, decider = Source(), Decider()
    async with asyncio.TaskGroup() as tasks:
        result = tasks.create_task(all_of(prefetch(source.stream(), decider.decide, do_nothing)))
        await source.closed.wait()
        assert decider.waiting == ["One. ", "Two. ", "Three. "]
        assert not result.done()
        decider.gate.set()
    assert result.result() == list(STEPS)


async def test_the_number_of_prefetched_steps_is_limited() -> None:
    source, decider = Source([pending(f"Sentence {n}. ") for n in range(3 * MAX_PREFETCHED)]), Decider()
    async with aclosing(prefetch(source.stream(), decider.decide, do_nothing)) as decided, asyncio.TaskGroup() as tasks:
        first = tasks.create_task(anext(decided))
        for _ in range(10 * MAX_PREFETCHED):
            await asyncio.sleep(0)
        assert MAX_PREFETCHED <= source.read <= MAX_PREFETCHED + 2
        decider.gate.set()
        await first


async def test_an_error_of_the_source_is_raised_after_the_steps_before_it() -> None:
    decider, seen = Decider(open_=True), []
    with pytest.raises(ConnectionResetError):
        async with aclosing(
            prefetch(Source(fails=ConnectionResetError()).stream(), decider.decide, do_nothing)
        ) as decided:
            async for batch in decided:
                seen += batch
    assert seen == list(STEPS)


async def test_a_failing_decision_is_raised_and_closes_the_source() -> None:
    async def fail(_: Sequence[PendingText]) -> list[PendingText]:
        raise ZeroDivisionError

    source = Source(endless=True)
    with pytest.raises(ZeroDivisionError):
        await all_of(prefetch(source.stream(), fail, do_nothing))
    assert source.closed.is_set()


async def test_a_failing_background_task_does_not_change_the_result() -> None:
    async def fail() -> None:
        raise ZeroDivisionError

    assert len(await all_of(prefetch(Source().stream(), Decider(open_=True).decide, fail))) == len(STEPS)


async def test_closing_the_result_between_sentences_closes_the_source() -> None:
    source, decider = Source(endless=True), Decider(open_=True)
    decided = prefetch(source.stream(), decider.decide, asyncio.Event().wait)  # type: ignore[arg-type]
    assert (await anext(decided))[0] == STEPS[0]
    await decided.aclose()
    assert source.closed.is_set()


async def test_cancelling_while_a_sentence_waits_closes_the_source() -> None:
    source, decider = Source(endless=True), Decider()
    async with asyncio.TaskGroup() as tasks:
        result = tasks.create_task(all_of(prefetch(source.stream(), decider.decide, do_nothing)))
        await decider.all_wait.wait()
        result.cancel()
    assert source.closed.is_set()


async def test_another_task_can_continue_the_iteration() -> None:
    source, decider = Source(), Decider(open_=True)
    decided = prefetch(source.stream(), decider.decide, do_nothing)
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(anext(decided))
    rest = await all_of(decided)
    assert [*first.result(), *rest] == list(STEPS)
