"""Forward requests of a provider's own API, and its answers, byte for byte."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from aiohttp import web

from citestream.providers.errors import BrokenStream, ProviderError
from citestream.providers.events import Relayed
from citestream.providers.streaming.http_provider import requested_choices

from ..config import Server
from ..model_routes import Route
from ..pipeline.request.job import Job
from .client_api import Encoder
from .client_stream import STREAM_HEADERS, Stream
from .encoding import encode
from .sending import send_failure

HELD_BYTES = 2**20  # maximum size of an answer that is sent at once; most have 2 KB, and 1,000 embeddings have 10 MB


async def forward(request: web.Request, route: Route, body: dict[str, Any], path: str) -> web.StreamResponse:
    """Return the provider's answer. `path`: below its base address. Raise ProviderError."""
    upstream = await route.relay(await encode(body), path)
    stream = Stream(request, Server())
    return await stream.watch(relay(stream, upstream, None))


async def relay(stream: Stream, upstream: Relayed, encoder: Encoder | None) -> web.StreamResponse:
    """Send the provider's own answer. Raise ProviderError if it breaks off and nothing has been sent.

    An answer that breaks off later never looks complete: a stream gets an error frame from `encoder`, and the
    connection of any other answer is aborted.
    """
    headers = {**(STREAM_HEADERS if encoder else {}), **upstream.headers}
    is_streamed = encoder is not None and upstream.events
    if not is_streamed:
        stream.disable_keepalive()  # it would end up inside the provider's data
    try:
        async with aclosing(upstream.body) as body, aclosing(body if is_streamed else _held(body)) as parts:
            if is_streamed:
                await stream.begin(headers, upstream.status)
            async for data in parts:
                await stream.begin(headers, upstream.status)
                await stream.write(data)
    except ProviderError as error:
        if not stream.begun:
            raise
        return await send_failure(stream, error, encoder) if encoder else stream.abort()
    return await stream.end()


async def _held(body: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Yield an answer that is not streamed when it is complete; a large one in parts, as it arrives.

    While nothing is sent, an error has a status, and a client that leaves is noticed (see `Stream`). Raise
    BrokenStream for an empty answer.
    """
    held: list[bytes] = []
    size = 0
    async for data in body:
        held.append(data)
        size += len(data)
        if size > HELD_BYTES:
            yield b"".join(held)
            held.clear()
    if not size:
        raise BrokenStream("The provider sent an empty answer.")
    yield b"".join(held)


async def relayed_body(job: Job, route: Route) -> tuple[bytes, int]:
    """Return the body of a request as the provider of this route gets it, and how many choices it asks for."""
    model = {"model": route.model} if "model" in job.body else {}
    return await encode({**job.body, **model}), requested_choices(job.params)
