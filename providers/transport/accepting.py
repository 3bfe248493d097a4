"""accepted: the answer to a call once its status is a success. The only place that sends a request twice."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp

from ..errors import ProviderError, Rejected
from .reading import Watch
from .session import Call, Timeouts, Transport, refuse

log = logging.getLogger(__name__)


@asynccontextmanager
async def accepted(
    transport: Transport, call: Call, timeouts: Timeouts
) -> AsyncIterator[tuple[aiohttp.ClientResponse, Watch]]:
    """The answer and the watch over it, once its headers are here with a success. Raises ProviderError.

    Leaving before its end closes the connection at once, so that the provider stops.
    """
    async with AsyncExitStack() as stack:
        yield await _accepted(stack, transport, call, timeouts)


async def _accepted(
    stack: AsyncExitStack, transport: Transport, call: Call, timeouts: Timeouts
) -> tuple[aiohttp.ClientResponse, Watch]:
    clock = asyncio.get_running_loop().time
    tried, waited = 0, 0.0
    while True:
        watch = Watch(timeouts, clock())
        try:
            async with AsyncExitStack() as attempt:
                response = await attempt.enter_async_context(transport.open(call, timeouts))
                await refuse(response)
                await stack.enter_async_context(attempt.pop_all())
                return response, watch
        except ProviderError as error:
            wait = call.retries.wait(error, tried, waited)
            if wait is None:
                raise
            said = error.answered if isinstance(error, Rejected) else error.code
        tried, waited = tried + 1, waited + wait
        log.warning("%s: %s; retry %d of %d in %.1f s", _host(call.url), said, tried, call.retries.most, wait)
        await asyncio.sleep(wait)


def _host(url: str) -> str:
    """What stands before the path, whose rest may name models and versions."""
    return url.partition("://")[2].partition("/")[0]
