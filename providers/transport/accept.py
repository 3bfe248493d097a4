"""accept: the answer to a call once its status is a success. The only place that sends a request twice."""

import asyncio
import logging
from types import TracebackType
from typing import Self

import aiohttp

from ..errors import ProviderError, Rejected
from .body_reader import Watch
from .session import Call, Timeouts, Transport, leave, refuse

log = logging.getLogger(__name__)


class Accepted:
    """An answer and the watch over it, as a context.

    Leaving before its end closes the connection at once, so that the provider stops.
    """

    def __init__(self, response: aiohttp.ClientResponse, watch: Watch) -> None:
        """`response`: its headers are here, with a success."""
        self.response = response
        self.watch = watch

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        leave(self.response)


async def accept(transport: Transport, call: Call, timeouts: Timeouts) -> Accepted:
    """Send the call, again where its retries allow that. Raises ProviderError."""
    clock = asyncio.get_running_loop().time
    tried, waited = 0, 0.0
    while True:
        watch = Watch(timeouts, clock())
        try:
            return Accepted(await _successful(transport, call, timeouts), watch)
        except ProviderError as error:
            wait = call.retries.wait(error, tried, waited)
            if wait is None:
                raise
            said = error.answered if isinstance(error, Rejected) else error.code
        tried, waited = tried + 1, waited + wait
        log.warning("%s: %s; retry %d of %d in %.1f s", _host(call.url), said, tried, call.retries.most, wait)
        await asyncio.sleep(wait)


async def _successful(transport: Transport, call: Call, timeouts: Timeouts) -> aiohttp.ClientResponse:
    response = await transport.send(call, timeouts)
    try:
        await refuse(response)
    except BaseException:
        leave(response)
        raise
    return response


def _host(url: str) -> str:
    """What stands before the path, whose rest may name models and versions."""
    return url.partition("://")[2].partition("/")[0]
