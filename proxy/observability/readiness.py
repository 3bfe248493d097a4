"""Readiness: what `/readyz` knows. What the server depends on is asked briefly, all at once, and not too often."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from time import monotonic, perf_counter
from typing import Any

from ..config import Readiness as Settings
from .telemetry import outcome_of

FRESH_SECONDS = 5.0  # that an answer holds: load balancers ask every second or two, each of them

OK, DEGRADED, FAILING = "ok", "degraded", "failing"
Check = Callable[[], Awaitable[None]]  # raises what is wrong
Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Health:
    """What a check found. `status`: "ok", or in a word what is wrong; never a name, an address or a message."""

    status: str
    ms: float


class Readiness:
    """The checks of one server, by the path of what they look at in the configuration."""

    def __init__(self, checks: Mapping[str, Check], settings: Settings) -> None:
        """Nothing is looked at yet."""
        self._checks = checks
        self._settings = settings
        self._asking = asyncio.Lock()
        self._found: dict[str, Health] = {}
        self._at = -FRESH_SECONDS

    async def report(self) -> tuple[str, Fields]:
        """ "ok"; "degraded", where something that is not required fails; or "failing". And each check."""
        async with self._asking:  # who comes meanwhile gets the same answer
            if monotonic() - self._at >= FRESH_SECONDS:
                self._found, self._at = await self._look(), monotonic()
        required = self._settings.required
        failing = [name for name, health in self._found.items() if health.status != OK]
        status = FAILING if set(failing) & set(required) else DEGRADED if failing else OK
        told = {
            name: {"status": health.status, "required": name in required, "ms": health.ms}
            for name, health in self._found.items()
        }
        return status, told

    async def _look(self) -> dict[str, Health]:
        async with asyncio.TaskGroup() as tasks:
            looking = {name: tasks.create_task(self._health(check)) for name, check in self._checks.items()}
        return {name: task.result() for name, task in looking.items()}

    async def _health(self, check: Check) -> Health:
        began, status = perf_counter(), OK
        try:
            async with asyncio.timeout(self._settings.seconds):
                await check()
        except TimeoutError:
            status = "timed_out"
        except Exception as error:  # noqa: BLE001 - whatever it is, it is not ready
            status = outcome_of(error)
        return Health(status, round((perf_counter() - began) * 1000, 1))
