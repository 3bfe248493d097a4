"""Handle one request of a client, from its bytes to the last byte of its answer, for all client APIs."""

import asyncio
import logging
from collections import ChainMap
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial

from aiohttp import web

from citestream.citation.evidence import FieldError
from citestream.providers.errors import NoSuchApi, ProviderError
from citestream.providers.events import Chunk
from citestream.providers.scheduler import scheduler
from citestream.providers.wire.json_steps import is_large, release_in_steps

from ..app import App
from ..model_routes import Route
from ..observability.logs import REQUEST_ID, TENANT
from ..observability.transcript_log import TranscriptLogger
from ..passages import PassageRecorder
from ..pipeline.collect_chunks import Completion
from ..pipeline.completion_chunks import AnswerChunks, Chunks, Observer, UncitedChunks
from ..pipeline.outgoing import Outgoing
from ..pipeline.request.job import Job, JobEvidence
from ..pipeline.request.long_input import parse_body
from ..storage import OwnedReferences, ReferenceRecorder, decoded
from .answered_model import renamed
from .client_api import ClientApi, Fields
from .client_route import client_route
from .client_stream import Stream
from .encoding import json_response, json_response_in_steps
from .error_responses import RequestError
from .id_check import check_ids, recording
from .pass_through import relay, relayed_body
from .request_body import hold, read_json, reserve
from .sending import LONG_EVENT_BYTES, MakeChunks, collect, send, send_failure

log = logging.getLogger("citestream")

OMITTED_TOOLS = "x-citestream-omitted-tools"  # header of an answer: the tools that the provider did not get
UNCITED = UncitedChunks(usage=False)  # the citations of an answer that has none


async def answer(request: web.Request, api: ClientApi, app: App) -> web.StreamResponse:
    """Answer one request. Raise RequestError, FieldError or ProviderError if nothing has been sent."""
    body = await read_json(request)
    return await answer_body(request, api, app, body, request.content.total_bytes)


async def answer_body(
    request: web.Request, api: ClientApi, app: App, body: Fields, size: int, stream: Stream | None = None
) -> web.StreamResponse:
    """Answer a request with this body. `size`: bytes of its JSON. `stream`: takes the answer; None: a response does.

    Raise RequestError, FieldError or ProviderError if nothing has been sent.
    """
    earlier = EarlierAnswers(request, app)
    body = await api.recall(body, earlier.find)
    size += earlier.size
    models = app.routes.chain(api.model(body), api.native)
    route = app.routes.find(models[0])
    if route.provider.native != api.native and (loaded := api.loaded(body)) is not None:
        return json_response(loaded)
    parse = partial(api.parse, body, route.options, app.config.evidence.limits)
    job = await parse_body(parse, body, size)
    hold(request, body, job, size=size)
    stream = stream or Stream(request, app.config.server, api.encoder(job, UNCITED) if job.stream else None)
    with app.telemetry.observe_stream() if job.stream else nullcontext():
        return await stream.watch(_Exchange(request, api, app, job, stream).with_fallbacks(models))


class EarlierAnswers:
    """The earlier answers that a request refers to. They are as much work as if they were in its body."""

    def __init__(self, request: web.Request, app: App) -> None:
        """`request`: refers to the answers."""
        self.size = 0
        self._request = request
        self._app = app

    async def find(self, name: str) -> Fields | None:
        """Return what was stored for this client under a name. Raise RequestError above the limits of bodies."""
        data = await self._app.recent.get_data(self._request.get(TENANT, ""), name)
        if data is None:
            return None
        self.size += len(data)
        if self.size > self._app.config.server.max_body_bytes:
            raise RequestError(
                413,
                "the request refers to earlier responses that are larger than server.max_body_bytes allows",
                code="too_large",
            )
        await reserve(self._request, data)
        return await decoded(data)


class _Exchange:
    """One request and the models that may answer it."""

    def __init__(self, request: web.Request, api: ClientApi, app: App, job: Job, stream: Stream) -> None:
        self._request = request
        self._api = api
        self._app = app
        self._job = job
        self._stream = stream

    async def with_fallbacks(self, models: tuple[str, ...]) -> web.StreamResponse:
        """Answer with the first of these models that can. Once anything is sent, no other model is tried."""
        failed: ProviderError | None = None
        for model in models:
            if failed:
                log.warning("falling back to %s: %s", model, failed.brief)
            route = client_route(self._request, self._app, model, fallback_of=models[0])
            native = route.provider.native == self._api.native
            try:
                collected = await self._app.collect_evidence(self._job, native=native)
            except (FieldError, ProviderError) as error:  # another model would get no evidence either
                return await self._fail(error)
            try:
                return await self._answer(route, collected, native=native)
            except FieldError as error:  # this provider cannot answer such a request
                return await self._fail(failed or error)
            except ProviderError as error:
                failed = error
                if not error.allows_fallback or model == models[-1]:
                    return await self._fail(error)
            except ConnectionError:
                raise  # the client has left
            except Exception as error:  # the client of a stream must be able to read how it ends
                if not self._stream.begun:
                    raise
                log.exception("a stream failed")
                return await self._fail(error)
        raise ValueError("there is no model to ask")

    async def _fail(self, error: Exception) -> web.StreamResponse:
        if not self._stream.begun:
            raise error
        return await send_failure(self._stream, error, self._api.encoder(self._job, UNCITED))

    async def _answer(self, route: Route, collected: JobEvidence, *, native: bool) -> web.StreamResponse:
        """Answer by this route. Raise ProviderError if nothing was sent."""
        job, app = self._job, self._app
        await check_ids(self._request, app, route, job.body)
        # A search that was not asked for and has found nothing does not cost the provider's own tools.
        keeps_tools = job.omitted_tools and collected.is_empty and not job.retrieval.source
        is_relayed = not collected.needs_citations or keeps_tools
        if native and is_relayed and app.passes_bytes:
            with suppress(NoSuchApi):
                return await self._relay(route)
        batches, chunks = await app.open(job, collected, route, native=native)
        omitted = {OMITTED_TOOLS: ", ".join(job.omitted_tools)} if job.omitted_tools else {}
        headers = ChainMap(omitted, route.received_headers)  # those of the provider are known when it answers
        encoder = self._api.encoder(job, chunks)
        if app.config.references.keeps_conversations:
            encoder.store = partial(self._store, asyncio.get_running_loop())
        transcript = TranscriptLogger(self._request[REQUEST_ID], job, collected) if app.config.log.content else None
        recorder = ReferenceRecorder(app.recent, self._tenant, encoder.name)
        owned = OwnedReferences(app.recent, self._tenant)
        passages = PassageRecorder(owned, chunks) if isinstance(chunks, Chunks) else None
        completion, body = Completion(), Fields()
        make_chunks = _observed(chunks, self._observers(recorder, passages, transcript))
        try:
            if job.stream:
                return await send(self._stream, batches, make_chunks, encoder, headers)
            body = await collect(batches, make_chunks, encoder, completion)
            return await json_response_in_steps(body, headers)
        finally:
            if isinstance(chunks, Chunks):
                app.telemetry.answer_cited(chunks.grounding)
                if job.stream:  # the client of a complete answer that is stopped does not know its id
                    recorder.end(chunks.fields)
            if transcript:
                transcript.end()
            long = [*completion.containers(), *encoder.containers()]
            long += chunks.long_lists() if isinstance(chunks, Chunks) else []
            if long or is_large(body, LONG_EVENT_BYTES):
                scheduler().start("encode", release_in_steps(long, body))

    def _store(self, loop: asyncio.AbstractEventLoop, name: str, fields: Fields) -> None:
        """Store a conversation before its end is sent. The end of a long answer is encoded in a thread."""
        loop.call_soon_threadsafe(self._app.recent.put, self._tenant, name, fields)

    async def _relay(self, route: Route) -> web.StreamResponse:
        encoder = self._api.encoder(self._job, UNCITED) if self._job.stream else None
        body, choices = await relayed_body(self._job, route)
        relayed = await route.relay(body, self._api.path, choices)
        relayed = recording(self._request, self._app, route, relayed)
        if self._api.repeats_model and route.model != self._job.model:
            relayed = replace(relayed, body=renamed(relayed, self._job.model))
        return await relay(self._stream, relayed, encoder)

    @staticmethod
    def _observers(
        recorder: ReferenceRecorder, passages: PassageRecorder | None, transcript: TranscriptLogger | None
    ) -> list[Observer]:
        observers: list[Observer] = [transcript.observe] if transcript else []
        return [*observers, recorder.observe, passages.observe] if passages else observers

    @property
    def _tenant(self) -> str:
        tenant: str = self._request.get(TENANT, "")
        return tenant


def _observed(chunks: AnswerChunks, observers: list[Observer]) -> MakeChunks:
    def make_chunks(event: Outgoing) -> list[Chunk]:
        made = chunks.of(event)
        for observe in observers:
            observe(event, made)
        return made

    return make_chunks if observers else chunks.of
