"""Exchange: one request of a client, from its bytes to our last byte, whatever API it speaks."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from typing import Any, Protocol, runtime_checkable

from aiohttp import web

from citation.options import Options
from providers.errors import NoSuchApi, ProviderError
from providers.events import Chunk, Relayed, Relays

from .auth import presented
from .collecting import Completion
from .completion import Chunks, Unchanged
from .content import Overheard
from .encoding import dumps, loads
from .errors import RequestError, error_body, status_of
from .job import Job
from .log import CLIENT, REQUEST_ID
from .middleware import json_response
from .outgoing import Failed, Outgoing, Waiting
from .proxy import Proxy
from .store import Remembered

Fields = dict[str, Any]

log = logging.getLogger("citestream")

BODY_SECONDS = web.AppKey("body_seconds", float)

STREAM_HEADERS = {
    "Cache-Control": "no-cache, no-transform",  # a cache or a compressor in between would hold the stream back
    "X-Accel-Buffering": "no",  # so would nginx's buffer
}


class Shaper(Protocol):
    """What makes chunks of the pipeline's events: Chunks, or Unchanged."""

    def of(self, event: Outgoing) -> list[Chunk]:
        """The chunks of one event."""
        ...

    def annotations(self, choice: int) -> list[Fields]:
        """The annotations of a choice so far."""
        ...


class Encoder(Protocol):
    """How one client API writes what the hub's chunks say; one for each request."""

    @property
    def content_type(self) -> str:
        """Of the stream."""
        ...

    @property
    def keepalive(self) -> bytes:
        """A sign of life that this API's clients take no notice of."""
        ...

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """The next bytes of the stream."""
        ...

    def failure(self, error: Fields, status: int) -> bytes:
        """An error inside the stream, with what of the answer is still held. `status`: as which it would be told."""
        ...

    def end(self) -> bytes:
        """The last bytes of the stream."""
        ...

    def body(self, completion: Completion) -> Fields:
        """The whole answer at once."""
        ...


@runtime_checkable
class Named(Protocol):
    """An encoder whose clients know an answer by another name than the id of its chunks."""

    @property
    def name(self) -> str:
        """That name."""
        ...


class ClientApi(Protocol):
    """One client API: reads its requests, and knows who writes its answers."""

    @property
    def native(self) -> str:
        """The providers that speak it themselves, by `Provider.native`."""
        ...

    @property
    def path(self) -> str:
        """Where it lives at such a provider, below its base address."""
        ...

    def model(self, body: Fields) -> str:
        """The model asked for. Raises FieldError."""
        ...

    def parse(self, body: Fields, defaults: Options, *, limit: int, max_characters: int) -> Job:
        """A request. Raises FieldError with the path of a wrong field."""
        ...

    def encoder(self, job: Job, annotations: Callable[[int], list[Fields]], /) -> Encoder:
        """Who writes the answer. `annotations`: those of a choice so far."""
        ...


async def answer(request: web.Request, api: ClientApi, proxy: Proxy) -> web.StreamResponse:
    """Answer one request. Raises RequestError, FieldError, ProviderError while nothing has been sent."""
    body = await read(request)
    route = proxy.routes.find(api.model(body))
    limits = proxy.config.evidence
    key = (presented(request) or None) if route.passes_key else None
    same = route.provider.native == api.native
    job = api.parse(body, route.options, limit=limits.limit, max_characters=limits.max_characters)
    job = await proxy.retrievers.retrieved(proxy.taken(job, same=same))
    heard = Overheard(request[REQUEST_ID], job) if proxy.config.log.content else None
    if same and not job.cited and proxy.passes_bytes and isinstance(route.provider, Relays):
        body = {**job.body, **({"model": route.model} if "model" in job.body else {})}
        with suppress(NoSuchApi):
            upstream = await route.provider.relay(dumps(body), api.path, model=route.model, key=key)
            return await relay(request, upstream, api.encoder(job, Unchanged.annotations) if job.stream else None)
    job = job.told(route.provider.native, same=same)
    outgoing, shaper = proxy.open(job, route, key)
    encoder = api.encoder(job, shaper.annotations)
    chunks: Shaper = shaper
    if isinstance(shaper, Chunks):
        name = encoder.name if isinstance(encoder, Named) else ""
        chunks = Remembered(shaper, proxy.recent, request.get(CLIENT, ""), name)
    chunks = heard.over(chunks) if heard else chunks
    try:
        if job.stream:
            return await send(request, outgoing, chunks, encoder, proxy.config.server.keepalive_seconds)
        return json_response(await collect(outgoing, chunks, encoder))
    finally:
        if isinstance(shaper, Chunks):
            proxy.answered(route.name, shaper.grounding)
        if heard:
            heard.ended()


async def read(request: web.Request) -> Fields:
    """The JSON object in a request's body. Raises RequestError 400, and 408 for one that does not arrive."""
    try:
        async with asyncio.timeout(request.app.get(BODY_SECONDS)):
            body = loads(await request.read())
    except TimeoutError:
        raise RequestError(408, "the body did not arrive in time", code="request_timeout") from None
    except ValueError:
        raise RequestError(400, "the body is not JSON", code="invalid_json") from None
    if not isinstance(body, dict):
        raise RequestError(400, "the body must be a JSON object", code="invalid_json")
    return body


async def relay(request: web.Request, upstream: Relayed, encoder: Encoder | None) -> web.StreamResponse:
    """The provider's own answer, byte for byte.

    One that breaks off never looks whole: a stream gets an error frame from `encoder`, a body loses its connection.
    """
    stream = web.StreamResponse(status=upstream.status, headers=upstream.headers)
    await stream.prepare(request)
    try:
        async with aclosing(upstream.body) as body:
            async for data in body:
                if data:  # empty: nothing came for a while
                    await stream.write(data)
    except ProviderError as error:
        if encoder is None:
            if request.transport is not None:
                request.transport.abort()
            return stream
        await stream.write(encoder.failure(error_body(error), status_of(error)) + encoder.end())
    await stream.write_eof()
    return stream


async def send(
    request: web.Request, outgoing: AsyncGenerator[Outgoing, None], chunks: Shaper, encoder: Encoder, patience: float
) -> web.StreamResponse:
    """Stream an answer. Raises ProviderError while nothing has been sent, so that its status can still be told.

    `patience`: seconds after which the client of a silent provider gets headers and signs of life; from then on an
    error comes inside the stream.
    """
    stream = web.StreamResponse(headers={"Content-Type": encoder.content_type, **STREAM_HEADERS})

    async def write(data: bytes) -> None:
        if not stream.prepared:
            await stream.prepare(request)
        await stream.write(data)

    try:
        async with aclosing(outgoing):
            event = await _first(outgoing, patience, lambda: write(encoder.keepalive))
            while event is not None:
                if data := _encoded(event, chunks, encoder):
                    await write(data)
                event = await anext(outgoing, None)
    except ConnectionError:
        raise  # the client has gone
    except Exception as error:  # whatever it is, a stream that has begun ends with what its client can read
        if not stream.prepared:
            raise
        if not isinstance(error, ProviderError):
            log.exception("a stream failed")
        await write(encoder.failure(error_body(error), status_of(error)))
    await write(encoder.end())
    await stream.write_eof()
    return stream


def _encoded(event: Outgoing, chunks: Shaper, encoder: Encoder) -> bytes:
    match event:
        case Waiting():
            return encoder.keepalive
        case Failed(error):
            return encoder.chunks(chunks.of(event)) + encoder.failure(error_body(error), status_of(error))
        case _:
            return encoder.chunks(chunks.of(event))


async def collect(outgoing: AsyncGenerator[Outgoing, None], chunks: Shaper, encoder: Encoder) -> Fields:
    """The same answer in one piece. Raises ProviderError, since half an answer would look like a whole one."""
    completion = Completion()
    async with aclosing(outgoing):
        async for event in outgoing:
            if isinstance(event, Failed):
                raise event.error
            for chunk in chunks.of(event):
                completion.add(chunk)
    return encoder.body(completion)


async def _first(
    outgoing: AsyncGenerator[Outgoing, None], patience: float, alive: Callable[[], Awaitable[None]]
) -> Outgoing | None:
    """The first event; `alive` is called each time it has kept the client waiting for `patience` seconds more."""
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(_outcome(outgoing))
        while not (await asyncio.wait({first}, timeout=patience))[0]:
            await alive()
    outcome = first.result()
    if isinstance(outcome, ProviderError):
        raise outcome
    return outcome


async def _outcome(outgoing: AsyncGenerator[Outgoing, None]) -> Outgoing | ProviderError | None:
    """As a value, since a TaskGroup would wrap the error."""
    try:
        return await anext(outgoing, None)
    except ProviderError as error:
        return error
