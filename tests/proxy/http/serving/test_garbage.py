"""The garbage collector examines all objects only while no request runs."""

import asyncio
import gc
from collections.abc import Iterator

import pytest

from citestream.proxy.http.serving import garbage
from citestream.proxy.http.serving.garbage import DUE_BYTES, collecting_when_idle


@pytest.fixture(autouse=True)
def objects_to_collect(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(garbage, "CHECK_SECONDS", 0.0)
    monkeypatch.setattr(garbage, "DUE_PASSES", 2)
    enabled, thresholds = gc.isenabled(), gc.get_threshold()
    gc.collect()
    gc.set_threshold(10**9, 10**6, 10**6)
    for _ in range(2):
        gc.collect(1)
    assert gc.get_count()[2] == 2
    yield
    gc.set_threshold(*thresholds)
    if enabled:
        gc.enable()


async def let_checks_run() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


async def test_the_collector_runs_while_no_request_runs() -> None:
    with collecting_when_idle(lambda: True):
        await let_checks_run()
    assert gc.get_count()[2] == 0


async def test_the_collector_waits_while_a_request_runs() -> None:
    checked = asyncio.Event()

    def is_idle() -> bool:
        checked.set()
        return False

    with collecting_when_idle(is_idle):
        await checked.wait()
    assert gc.get_count()[2] == 2


async def test_the_collector_waits_for_enough_passes_of_younger_generations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "DUE_PASSES", 3)
    with collecting_when_idle(lambda: True):
        await let_checks_run()
    assert gc.get_count()[2] == 2


async def test_the_collector_runs_when_large_bodies_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "DUE_PASSES", 3)
    trimmed: list[int] = []
    monkeypatch.setattr(garbage, "_return_memory", lambda: trimmed.append(1))
    released = DUE_BYTES - 1
    with collecting_when_idle(lambda: True, lambda: released):
        await let_checks_run()
        assert (gc.get_count()[2], trimmed) == (2, [])
        released = DUE_BYTES
        await let_checks_run()
        assert (gc.get_count()[2], trimmed) == (0, [1])
