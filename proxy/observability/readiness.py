"""Readiness checks for `/readyz`: external services are checked concurrently, with a time limit and a cache."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from time import monotonic, perf_counter
from typing import Any

from ..config import Readiness as Settings
from .telemetry import outcome_of

CACHE_SECONDS = 5.0  # several load balancers ask every second or two

OK, DEGRADED, FAILING = "ok", "degraded", "failing"
Check = Callable[[], Awaitable[None]]  # raises an exception if the service does not work
Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check. `status` is "ok" or the kind of error. It never contains a name, address or message."""

    status: str
    ms: float


class Readiness:
    """The checks of one server. Their names are paths in the configuration, such as `providers.openai`."""

    def __init__(self, checks: Mapping[str, Check], settings: Settings) -> None:
        """Run no check yet."""
        self._checks = checks
        self._settings = settings
        self._lock = asyncio.Lock()
        self._results: dict[str, CheckResult] = {}
        self._time = -CACHE_SECONDS

    async def report(self) -> tuple[str, Fields]:
        """Return the status and the result of each check.

        The status is "ok", "failing" if a required service fails, or "degraded" if another service fails.
        """
        async with self._lock:  # concurrent requests share one result
            if monotonic() - self._time >= CACHE_SECONDS:
                self._results, self._time = await self._run_checks(), monotonic()
        required = self._settings.required
        failing = [name for name, result in self._results.items() if result.status != OK]
        status = FAILING if set(failing) & set(required) else DEGRADED if failing else OK
        fields = {
            name: {"status": result.status, "required": name in required, "ms": result.ms}
            for name, result in self._results.items()
        }
        return status, fields

    async def _run_checks(self) -> dict[str, CheckResult]:
        async with asyncio.TaskGroup() as group:
            tasks = {name: group.create_task(self._run(check)) for name, check in self._checks.items()}
        return {name: task.result() for name, task in tasks.items()}

    async def _run(self, check: Check) -> CheckResult:
        began, status = perf_counter(), OK
        try:
            async with asyncio.timeout(self._settings.seconds):
                await check()
        except TimeoutError:
            status = "timed_out"
        except Exception as error:  # noqa: BLE001 - any error means that the service is not ready
            status = outcome_of(error)
        return CheckResult(status, round((perf_counter() - began) * 1000, 1))
