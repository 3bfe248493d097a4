"""Load: many simultaneous conversations while a service that answers depend on is killed and restarted."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

CONVERSATIONS = 8
ENOUGH = 12  # answers of a kind before the next thing happens: every conversation has seen it, some twice


@dataclass
class Load:
    """Conversations that go on until told to stop; `ask(conversation)` says which kind of answer came."""

    ask: Callable[[int], Awaitable[str]]
    seen: Counter[str] = field(default_factory=Counter)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _stopped: bool = False

    async def reaches(self, kind: str) -> None:
        """Wait until ENOUGH more answers of this kind came."""
        wanted = self.seen[kind] + ENOUGH
        async with self._changed:
            await self._changed.wait_for(lambda: self.seen[kind] >= wanted)

    async def killed(self, kill: Callable[[], Awaitable[None]], revive: Callable[[], Awaitable[None]]) -> Counter[str]:
        """Well, killed, and back again; the kinds of all answers. Hangs, for the test's timeout, if one never comes."""
        async with asyncio.TaskGroup() as group:
            for number in range(CONVERSATIONS):
                group.create_task(self._goes_on(number))
            await self.reaches("well")
            await kill()
            await self.reaches("without")
            await revive()
            await self.reaches("well")
            self._stopped = True
        return self.seen

    async def _goes_on(self, number: int) -> None:
        while not self._stopped:
            kind = await self.ask(number)
            async with self._changed:
                self.seen[kind] += 1
                self._changed.notify_all()
