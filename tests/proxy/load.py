"""Load: many simultaneous conversations while a service that answers depend on is killed and restarted."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

CONVERSATIONS = 8
ANSWERS_PER_PHASE = 12  # more than one for most conversations

# Kinds of answers.
WITH_SERVICE = "with the service"
WITHOUT_SERVICE = "without the service"


@dataclass
class Load:
    """Conversations that run until they are stopped. `ask(conversation)` returns the kind of its answer."""

    ask: Callable[[int], Awaitable[str]]
    seen: Counter[str] = field(default_factory=Counter)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _stopped: bool = False

    async def run(self, kill: Callable[[], Awaitable[None]], restart: Callable[[], Awaitable[None]]) -> Counter[str]:
        """Kill the service and restart it during the conversations. Return the number of answers of each kind.

        If the expected answers do not arrive, the timeout of the test ends the wait.
        """
        async with asyncio.TaskGroup() as group:
            for number in range(CONVERSATIONS):
                group.create_task(self._converse(number))
            await self._wait_for_more(WITH_SERVICE)
            await kill()
            await self._wait_for_more(WITHOUT_SERVICE)
            await restart()
            await self._wait_for_more(WITH_SERVICE)
            self._stopped = True
        return self.seen

    async def _wait_for_more(self, kind: str) -> None:
        """Wait until ANSWERS_PER_PHASE more answers of this kind have arrived."""
        expected = self.seen[kind] + ANSWERS_PER_PHASE
        async with self._changed:
            await self._changed.wait_for(lambda: self.seen[kind] >= expected)

    async def _converse(self, number: int) -> None:
        while not self._stopped:
            kind = await self.ask(number)
            async with self._changed:
                self.seen[kind] += 1
                self._changed.notify_all()
