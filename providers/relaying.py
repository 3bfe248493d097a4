"""relay: a request and its answer passed through, bytes unchanged, for clients that speak the provider's own API."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

from .errors import passed_headers
from .events import Relayed
from .transport import Call, Timeouts, Transport, Watch, reads, refuse


async def relay(transport: Transport, call: Call, timeouts: Timeouts) -> Relayed:
    """The answer to this call, once its headers are here. Raises ProviderError, also for an error status.

    Its body has to be closed (`aclosing`): that ends the provider's stream. It raises ProviderError when the connection
    breaks, so that a cut answer is never made to look like a whole one.
    """
    watch = Watch(timeouts, asyncio.get_running_loop().time())
    async with AsyncExitStack() as stack:
        response = await stack.enter_async_context(transport.open(call, timeouts))
        await refuse(response)
        headers = {"content-type": response.headers.get("Content-Type", "application/octet-stream")}
        headers |= passed_headers(response.headers)
        opened = stack.pop_all()

    async def body() -> AsyncGenerator[bytes, None]:
        async with opened:
            yield b""
            async for data in reads(response, watch):
                if data:
                    watch.begin()
                yield data

    started = body()
    await anext(started)  # from here on, closing it closes the connection, even if nobody ever reads
    return Relayed(response.status, headers, started)
