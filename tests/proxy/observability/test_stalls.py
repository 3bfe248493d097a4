"""Stalls of the event loop are reported with their cause."""

import asyncio
import gc

import pytest

from citestream.providers import scheduler as scheduling
from citestream.providers.scheduler import Work
from citestream.proxy.observability import stalls
from citestream.proxy.observability.metrics import Metrics
from citestream.proxy.observability.stalls import StallWatch


@pytest.fixture(autouse=True)
def every_duration_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "REPORTED_SECONDS", 0.0)
    monkeypatch.setattr(stalls, "REPORTED_SECONDS", 0.0)
    monkeypatch.setattr(stalls, "INTERVAL_SECONDS", 0.0)


async def causes(late_seconds: float) -> set[str]:
    """Return the causes that are reported while some work is done."""
    seen: set[str] = set()
    with pytest.MonkeyPatch.context() as patch, StallWatch(lambda cause, _: seen.add(cause)).running():
        patch.setattr(stalls, "LATE_SECONDS", late_seconds)
        with Work("encode"):
            pass
        gc.collect()
        for _ in range(10):
            await asyncio.sleep(0)
    return seen


async def test_steps_and_collections_are_reported() -> None:
    assert await causes(late_seconds=3600.0) == {"encode", "garbage_collection"}


async def test_a_late_timer_is_reported() -> None:
    assert "other" in await causes(late_seconds=-3600.0)


async def test_nothing_is_reported_after_the_end() -> None:
    await causes(late_seconds=-3600.0)
    assert not [callback for callback in gc.callbacks if "StallWatch" in repr(callback)]


async def test_the_metric_counts_by_cause() -> None:
    metrics = Metrics()
    metrics.loop_stalled("encode", 0.03)
    body = (await metrics.exposition(None)).text  # type: ignore[arg-type]
    assert body is not None
    assert 'citestream_loop_stall_seconds_bucket{cause="encode",le="0.02"} 0.0' in body
    assert 'citestream_loop_stall_seconds_bucket{cause="encode",le="0.05"} 1.0' in body
