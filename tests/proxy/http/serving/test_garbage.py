"""The cycle collector looks at all objects while no request runs."""

import asyncio
import gc
from collections.abc import Iterator

import pytest

from citestream.proxy.http.serving import garbage
from citestream.proxy.http.serving.garbage import collecting_when_idle


@pytest.fixture(autouse=True)
def due(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
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


async def test_it_collects_when_no_request_runs() -> None:
    with collecting_when_idle(lambda: True):
        for _ in range(3):
            await asyncio.sleep(0)
        await asyncio.sleep(0.001)
    assert gc.get_count()[2] == 0


async def test_it_waits_while_a_request_runs() -> None:
    checked = asyncio.Event()

    def is_idle() -> bool:
        checked.set()
        return False

    with collecting_when_idle(is_idle):
        await checked.wait()
    assert gc.get_count()[2] == 2


async def test_it_does_not_collect_if_little_has_happened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "DUE_PASSES", 3)
    with collecting_when_idle(lambda: True):
        await asyncio.sleep(0.001)
    assert gc.get_count()[2] == 2
