"""accept: send a call until its status is a success. The only place that sends a request twice."""

import asyncio
import logging
from types import TracebackType
from typing import Self

import aiohttp

from ..errors import ProviderError, Rejected, rejected
from .body_reader import Watch
from .session import Call, Timeouts, Transport, raise_for_status, release

KEY_REFUSED = frozenset({401, 403})

log = logging.getLogger(__name__)


class Accepted:
    """A successful answer and the watch over it, as a context manager.

    If the context is left before the end of the answer, the connection is closed at once, so that the provider stops.
    """

    def __init__(self, response: aiohttp.ClientResponse, watch: Watch) -> None:
        """`response`: its headers have arrived."""
        self.response = response
        self.watch = watch

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        release(self.response)


async def accept(transport: Transport, call: Call, timeouts: Timeouts) -> Accepted:
    """Send the call, again if its retries allow that. Raises ProviderError."""
    clock = asyncio.get_running_loop().time
    attempts, waited = 0, 0.0
    while True:
        watch = Watch(timeouts, clock())
        try:
            return Accepted(await _successful(transport, call, timeouts), watch)
        except ProviderError as error:
            wait = call.retries.wait(error, attempts, waited)
            if wait is None:
                raise
            reason = error.answered if isinstance(error, Rejected) else error.brief
        attempts, waited = attempts + 1, waited + wait
        log.warning("%s: %s; retry %d of %d in %.1f s", _host(call.url), reason, attempts, call.retries.most, wait)
        await asyncio.sleep(wait)


async def _successful(transport: Transport, call: Call, timeouts: Timeouts) -> aiohttp.ClientResponse:
    response = await transport.send(call, timeouts)
    try:
        await raise_for_status(response)
    except BaseException:
        release(response)
        raise
    return response


def _host(url: str) -> str:
    """Return the host and port. The path may contain names of models and versions."""
    return url.partition("://")[2].partition("/")[0]


async def check_reachable(transport: Transport, call: Call, *, has_key: bool) -> None:
    """Raise ProviderError if a server cannot be used now. The call must be a small request that no model sees.

    Any answer shows that the server is there, even one for an unknown path. An error of the server is a failure, and
    so is the refusal of a key, if there is one (`has_key`).
    """
    async with transport.open(call, Timeouts()) as response:
        if response.status >= 500 or (has_key and response.status in KEY_REFUSED):
            raise rejected(response.status, response.headers, b"", transport.service)
