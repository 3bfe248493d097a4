"""Long work is divided into steps. Other work runs between the steps, and short work runs first.

The tests count steps, not seconds. With STEP_SECONDS = 0, the event loop runs other tasks after every step.
"""

import asyncio
import threading
from functools import partial
from itertools import pairwise

import pytest

from citestream.citation.text.steps import Steps, complete
from citestream.providers import scheduler as scheduling
from citestream.providers.scheduler import Work, scheduler


@pytest.fixture(autouse=True)
def one_step_per_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "STEP_SECONDS", 0.0)


def count_to(number: int, notes: list[str], name: str = "") -> Steps[int]:
    for at in range(number):
        notes.append(f"{name}{at}")
        yield None
    return number


def indivisible() -> Steps[tuple[str, int]]:
    ident = yield threading.get_ident
    return "thread", ident


async def ticks(notes: list[str], number: int) -> None:
    for _ in range(number):
        notes.append("tick")
        await asyncio.sleep(0)


async def test_other_tasks_run_between_all_steps() -> None:
    notes: list[str] = []
    _, counted = await asyncio.gather(ticks(notes, 50), Work("test").run(count_to(5, notes)))
    assert counted == 5
    at = [notes.index(str(step)) for step in range(5)]
    assert all("tick" in notes[one:other] for one, other in pairwise(at))


async def test_started_work_runs_without_being_awaited() -> None:
    notes: list[str] = []
    future = scheduler().start("test", count_to(3, notes))
    await ticks([], 20)
    assert future.done()
    assert future.result() == 3


@pytest.mark.parametrize(
    ("short_seconds", "order"),
    [(3600.0, ["a0", "a1", "a2", "b0", "b1", "b2"]), (0.0, ["a0", "b0", "a1", "b1", "a2", "b2"])],
    ids=["short", "long"],
)
async def test_short_work_is_finished_first_and_long_work_alternates(
    short_seconds: float, order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduling, "SHORT_SECONDS", short_seconds)
    notes: list[str] = []
    await asyncio.gather(*[scheduler().start("test", count_to(3, notes, name)) for name in "ab"])
    assert notes == order


async def test_short_work_runs_before_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "SHORT_SECONDS", 0.0)
    monkeypatch.setattr(scheduling, "LONG_SHARE", 1_000)
    notes: list[str] = []
    long = scheduler().start("test", count_to(9, notes, "long "))
    await ticks([], 12)
    begun = len(notes)
    await asyncio.gather(scheduler().start("test", count_to(1, notes, "short ")), long)
    assert "short 0" in notes[begun : begun + 2]


async def test_every_fourth_turn_is_for_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "SHORT_SECONDS", 0.0)
    notes: list[str] = []

    def short() -> Steps[None]:
        notes.append("short")
        yield from ()

    long = scheduler().start("test", count_to(50, notes, "long "))
    await ticks([], 12)
    begun = len(notes)
    await asyncio.gather(*[scheduler().start("test", short()) for _ in range(12)])
    assert notes[begun : begun + 12].count("short") == 9
    await long


async def test_a_pause_is_due_after_the_time_of_a_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = iter([0.0, 1.5, 10.0, 10.5])
    monkeypatch.setattr(scheduling, "STEP_SECONDS", 2.0)
    monkeypatch.setattr(scheduling, "perf_counter", lambda: next(times))
    work, due = Work("test"), []
    for _ in range(2):
        with work:
            pass
        due.append(work.due)
    await work.pause()
    assert (due, work.due) == ([False, True], False)


async def test_work_that_cannot_be_divided_runs_in_a_thread() -> None:
    assert complete(indivisible()) == ("thread", threading.get_ident())
    for result in (await Work("test").run(indivisible()), await scheduler().start("test", indivisible())):
        assert result[1] != threading.get_ident()
    scheduler().close()


async def test_a_closed_scheduler_can_be_used_again() -> None:
    for _ in range(2):
        assert await scheduler().in_thread(threading.get_ident) != threading.get_ident()
        scheduler().close()


async def test_an_error_is_raised_for_the_waiting_caller() -> None:
    def failing() -> Steps[None]:
        yield None
        raise ZeroDivisionError

    def failing_in_thread() -> Steps[None]:
        yield lambda: 1 / 0

    for steps in (failing, failing_in_thread):
        with pytest.raises(ZeroDivisionError):
            await Work("test").run(steps())
        with pytest.raises(ZeroDivisionError):
            await scheduler().start("test", steps())


async def test_cancelled_work_ends() -> None:
    notes: list[str] = []
    future = scheduler().start("test", count_to(1_000, notes))
    await ticks([], 10)
    future.cancel()
    await ticks([], 10)
    done = len(notes)
    await ticks([], 10)
    assert 0 < done == len(notes) < 1_000


async def begin(notes: list[str], name: str) -> None:
    await scheduler().begin()
    notes.append(name)


async def test_requests_that_arrive_together_begin_one_by_one_and_in_order() -> None:
    notes: list[str] = []
    await asyncio.gather(ticks(notes, 50), *[begin(notes, name) for name in "abc"])
    at = [notes.index(name) for name in "abc"]
    assert at == sorted(at)
    assert all("tick" in notes[one:other] for one, other in pairwise(at))


async def begin_as(client: str, notes: list[str]) -> None:
    await scheduler().begin(client)
    notes.append(client)


async def test_a_client_begins_before_the_waiting_requests_of_another_one() -> None:
    notes: list[str] = []
    await asyncio.gather(*[begin_as("busy", notes) for _ in range(100)], begin_as("quiet", notes))
    assert notes.index("quiet") <= 2
    assert notes.count("busy") == 100


async def test_requests_whose_clients_leave_together_end_one_by_one_and_in_order() -> None:
    notes: list[str] = []
    for name in "abcdefghijkl":
        scheduler().end(partial(notes.append, name))
    assert notes == ["a", "b", "c", "d"]
    assert not scheduler().idle
    await ticks(notes, 10)
    assert [name for name in notes if name != "tick"] == [*"abcdefghijkl"]
    assert "tick" in notes[notes.index("h") : notes.index("i")]
    assert scheduler().idle


async def test_short_work_begins_while_other_short_work_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "SHORT_SECONDS", 3600.0)
    notes: list[str] = []
    endless = scheduler().start("test", count_to(1_000, []))
    await scheduler().start("test", count_to(1, notes))
    assert notes == ["0"]
    assert not endless.done()
    endless.cancel()


async def test_waiting_short_work_begins_in_order_while_other_short_work_never_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduling, "SHORT_SECONDS", 3600.0)
    monkeypatch.setattr(scheduling, "STEP_SECONDS", 0.0)
    notes: list[str] = []
    endless = scheduler().start("test", count_to(1_000, []))
    await asyncio.gather(*(scheduler().start("test", count_to(1, notes, name)) for name in "abc"))
    assert notes == ["a0", "b0", "c0"]
    assert not endless.done()
    endless.cancel()


async def test_a_request_alone_begins_at_once() -> None:
    notes: list[str] = []
    await asyncio.gather(begin(notes, "a"), ticks(notes, 1))
    assert notes == ["a", "tick"]


async def test_new_requests_and_begun_work_take_turns() -> None:
    notes: list[str] = []
    work = [scheduler().start("test", count_to(1, notes, "work ")) for _ in range(3)]
    await asyncio.gather(*[begin(notes, name) for name in "abcd"], *work)
    assert notes[:1] == ["a"]
    assert sorted(notes[1:3]) == ["b", "work 0"]
    assert sorted(notes[3:5]) == ["c", "work 0"]


async def test_cancelled_work_delays_no_other_work() -> None:
    notes: list[str] = []
    for _ in range(1_000):
        scheduler().start("test", count_to(1, [])).cancel()
    scheduler().start("test", count_to(1, notes))
    await ticks([], 10)
    assert notes == ["0"]


async def test_long_steps_are_reported_with_their_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "REPORTED_SECONDS", 0.0)
    reported: list[str] = []
    scheduler().observers.append(lambda cause, _: reported.append(cause))
    with Work("parse"):
        pass
    await scheduler().start("prepare", count_to(2, []))
    await Work("score").run(count_to(2, []))
    assert set(reported) == {"parse", "prepare", "score"}
