"""reach: whether a provider can be asked right now, at the price of one small request that no model sees."""

from typing import Protocol, runtime_checkable

from .errors import rejected
from .transport import Call, Timeouts, Transport

KEY_REFUSED = frozenset({401, 403})


@runtime_checkable
class Reachable(Protocol):
    """Something outside that may be gone: a provider, a retriever, a store."""

    async def reach(self) -> None:
        """Raises ProviderError where it cannot be used now. May be cancelled at any time."""
        ...


async def reach(transport: Transport, call: Call, *, keyed: bool) -> None:
    """Any answer will do but a failure of the server and, where we have a key (`keyed`), its refusal.

    A path that this server does not know shows that it is there. Raises ProviderError.
    """
    async with transport.open(call, Timeouts()) as response:
        if response.status >= 500 or (keyed and response.status in KEY_REFUSED):
            raise rejected(response.status, response.headers, b"")
