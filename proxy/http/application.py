"""The web application: build it from a configuration, with its routes and middleware; start and stop the server."""

import asyncio
import gc
import re
import signal
import socket
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from citestream.providers.install_hint import install_command
from citestream.providers.scheduler import scheduler

from .. import component, playground
from ..apis import anthropic, cohere, gemini, ollama
from ..apis.citation_endpoints import cite, references
from ..apis.embeddings_endpoint import embeddings
from ..apis.evidence_endpoint import CONCURRENT, SLOTS, read_evidence
from ..apis.models_endpoint import model, models
from ..apis.openai_chat import OpenAIChatApi
from ..apis.responses import ResponsesApi
from ..app import App
from ..config import Config, ConfigError, Tls
from ..observability.logs import PASSAGE_PREFIX, access_log, set_response_headers
from ..observability.readiness import FAILING, Readiness
from ..observability.stalls import StallWatch
from ..observability.telemetry import Telemetry
from ..passages.passage_route import passage
from . import garbage
from .connection import Connection, with_body_tracking
from .encoding import json_response
from .error_responses import ErrorFormat, errors_as_json
from .exchange import answer
from .middleware.admission import Admission
from .middleware.auth import Keys, presented_key, require_client_key
from .middleware.origins import Cors, check_origin
from .request_body import BODY_SECONDS, release_held

if TYPE_CHECKING:
    from ..observability.metrics import Metrics
    from ..observability.tracing import Tracing

DESCRIPTION = files("citestream.proxy") / "openapi.yaml"
BACKLOG = 1024  # connections that wait to be accepted; with aiohttp's 128, 125 of 1,000 simultaneous ones were reset
CLOSE_SECONDS = 1.0  # for the requests that still run after the drain
ADMISSION = web.AppKey("admission", Admission)
VERSIONS = ("v1beta", "v1", "v1beta1")  # Gemini's: the defaults of its Python client 1.x and 3.x, and of Vertex AI

# A path of OpenAI's API. With a method at its end, it is one of Gemini's.
MODEL_PATH = re.compile(f"/v1/models/{gemini.MODEL_PATTERN}", re.DOTALL)


def make_app(config: Config, admission: Admission | None = None) -> web.Application:
    """Return the whole server as an aiohttp application. Raise ConfigError.

    `admission`: that of a worker, which counts the requests of the other workers too. None: of this process alone.
    """
    from ..observability.metrics import Metrics  # its import decides whether the metrics of workers are added up

    metrics = Metrics()
    tracing = _tracing(config)
    app = App(config, Telemetry([metrics, tracing] if tracing else [metrics]))
    passing = any(provider.pass_client_key for provider in config.providers.values())
    keys = Keys(config.server.keys, passing=passing)
    readiness = Readiness(app.checks(), config.readiness)
    cors = Cors(config.server.cors_origins)
    admission = admission or Admission(config.server.max_streams)
    server = web.Application(
        client_max_size=config.server.max_body_bytes,
        middlewares=[
            access_log(enabled=config.log.access),
            *([tracing.middleware()] if tracing else []),
            cors.middleware(),
            metrics.middleware(),
            errors_as_json(error_format),
            check_origin(config.server, cors),
            require_client_key(keys),
            admission.middleware(),
            release_held,
        ],
    )
    server.add_routes([*_api_routes(app), *_operator_routes(metrics, admission, readiness, keys)])

    async def running(_: web.Application) -> AsyncGenerator[None, None]:
        await asyncio.to_thread(app.warm_up)
        with StallWatch(metrics.loop_stalled).running():
            yield
        await app.aclose()
        if tracing:
            await tracing.aclose()

    server[ADMISSION] = admission
    slots = server[SLOTS] = asyncio.Semaphore(CONCURRENT)
    server[anthropic.READER] = anthropic.DocumentReader(slots)
    server[BODY_SECONDS] = config.server.body_seconds
    server.cleanup_ctx.append(running)
    server.on_response_prepare.extend([set_response_headers, cors.add_headers])
    return server


def _api_routes(app: App) -> list[web.AbstractRouteDef]:
    """Return the routes for clients."""
    return [
        web.post("/v1/chat/completions", partial(answer, api=OpenAIChatApi(), app=app)),
        web.post("/v1/embeddings", partial(embeddings, app=app)),
        web.post("/v1/responses", partial(answer, api=ResponsesApi(), app=app)),
        web.post("/v1/messages", partial(anthropic.messages, app=app)),
        web.post("/v1/messages/count_tokens", partial(anthropic.count_tokens, app=app)),
        web.post("/api/chat", partial(answer, api=ollama.CHAT, app=app)),
        web.post("/api/generate", partial(answer, api=ollama.GENERATE, app=app)),
        web.get("/api/tags", partial(ollama.tags, app=app)),
        web.get("/api/ps", partial(ollama.running, app=app)),
        web.post("/api/show", partial(ollama.show, app=app)),
        web.post("/api/embed", partial(ollama.embed, app=app)),
        web.post("/api/embeddings", partial(ollama.embeddings, app=app)),
        web.get("/api/version", ollama.version),
        web.post("/v2/chat", partial(answer, api=cohere.CohereApi(), app=app)),
        *[web.post(f"/{version}/models/{{call:.+:.+}}", partial(gemini.generate, app=app)) for version in VERSIONS],
        web.get("/v1beta/models", partial(gemini.list_models, app=app)),
        web.get(f"/v1beta/models/{{model:{gemini.MODEL_PATTERN}}}", partial(gemini.get_model, app=app)),
        web.post("/v1/cite", partial(cite, app=app)),
        web.post("/v1/evidence/read", read_evidence),
        web.get("/v1/references/{id}", partial(references, app=app)),
        web.get("/v1/models", partial(_models, app=app)),
        web.get(f"/v1/models/{{model:{gemini.MODEL_PATTERN}}}", partial(_model, app=app)),
        *component.routes(),
        web.get(f"{PASSAGE_PREFIX}{{id:[\\s\\S]+}}", partial(passage, app=app)),
        *playground.routes(app),
    ]


def _operator_routes(
    metrics: "Metrics", admission: Admission, readiness: Readiness, keys: Keys
) -> list[web.AbstractRouteDef]:
    """Return the routes for operators and their machines."""
    return [
        web.get("/metrics", metrics.exposition),
        web.get("/openapi.yaml", partial(openapi, document=DESCRIPTION.read_bytes())),
        web.get("/healthz", alive),
        web.get("/readyz", partial(ready, admission=admission, readiness=readiness, keys=keys)),
    ]


async def _models(request: web.Request, app: App) -> web.Response:
    """`GET /v1/models` belongs to the APIs of OpenAI, Gemini and Anthropic. Other clients than OpenAI's are known."""
    if _is_anthropic_client(request):
        return await anthropic.list_models(request, app)
    return await (gemini.list_models if _is_google_client(request) else models)(request, app)


async def _model(request: web.Request, app: App) -> web.Response:
    """`GET /v1/models/{model}` belongs to all three APIs too."""
    if _is_anthropic_client(request):
        return await anthropic.get_model(request, app)
    return await (gemini.get_model if _is_google_client(request) else model)(request, app)


def _is_google_client(request: web.Request) -> bool:
    return "x-goog-api-client" in request.headers or "x-goog-api-key" in request.headers


def _is_anthropic_client(request: web.Request) -> bool:
    return "anthropic-version" in request.headers


def _tracing(config: Config) -> "Tracing | None":
    return import_tracing()(config.traces, content=config.log.content) if config.traces.endpoint else None


def import_tracing() -> "type[Tracing]":
    """Import the class that traces requests, an optional dependency. Raise ConfigError if its package is missing."""
    try:
        from ..observability.tracing import Tracing  # slow to import
    except ImportError:
        raise ConfigError(f"traces.endpoint needs a package: {install_command('otel')}") from None
    return Tracing


def error_format(path: str) -> ErrorFormat:
    """Return the error format of the API at this path."""
    if path.startswith("/api/"):
        return ollama.error_body
    if path == "/v1/messages" or path.startswith("/v1/messages/"):
        return anthropic.error_body
    if path.startswith("/v2/"):
        return cohere.error_body
    is_method = path.startswith("/v1/models/") and not MODEL_PATH.fullmatch(path)
    return gemini.error_body if is_method or path.startswith("/v1beta/") else lambda error, _status: error


async def openapi(_: web.Request, document: bytes) -> web.Response:
    """Return the OpenAPI document."""
    return web.Response(body=document, content_type="application/yaml", charset="utf-8")


async def alive(_: web.Request) -> web.Response:
    """Liveness check: the process answers."""
    return json_response({"status": "ok"})


async def ready(request: web.Request, admission: Admission, readiness: Readiness, keys: Keys) -> web.Response:
    """Readiness check: 200, or 503 if the server stops or lacks a required service.

    A client without a valid key does not see the single checks.
    """
    if not admission.open:
        return json_response({"status": "stopping"}, 503)
    status, checks = await readiness.report()
    known = keys.name_of(presented_key(request)) is not None
    return json_response({"status": status, **({"checks": checks} if known else {})}, 503 if status == FAILING else 200)


def serve(
    config: Config,
    started: Callable[[str], None] = print,
    listening: socket.socket | None = None,
    admission: Admission | None = None,
) -> None:
    """Serve until SIGTERM or Ctrl-C. `started` is called with the address when requests are accepted.

    `listening`, `admission`: a socket and a count of requests that are shared with other workers. None: create them.
    """
    garbage.configure()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(config, started, listening, admission))


async def _serve(
    config: Config, started: Callable[[str], None], listening: socket.socket | None, admission: Admission | None
) -> None:
    app = make_app(config, admission)
    async with _running(app) as runner:
        tls = tls_context(config.server.tls)
        site: web.BaseSite = web.TCPSite(
            runner, config.server.host, config.server.port, ssl_context=tls, backlog=BACKLOG
        )
        if listening:
            site = web.SockSite(runner, listening, ssl_context=tls, backlog=BACKLOG)
        await site.start()
        gc.collect()
        gc.freeze()  # objects that live as long as the server are not scanned again: 80,000 objects, 60 ms each time
        host, port = runner.addresses[0][:2]
        scheme = "https" if config.server.tls.certificate else "http"
        started(f"citestream listening on {scheme}://{f'[{host}]' if ':' in host else host}:{port}")
        with garbage.collecting_when_idle(lambda: app[ADMISSION].idle and scheduler().idle):
            await _stop_signal()
        await app[ADMISSION].drain(config.server.drain_seconds)


@asynccontextmanager
async def _running(app: web.Application) -> AsyncGenerator[web.ServerRunner, None]:
    """Run an application in a server whose own answers do not name the versions of aiohttp and Python."""
    application = web.AppRunner(app, handler_cancellation=True)  # a client that leaves ends the stream of its provider
    try:
        await application.setup()
        handlers = application.server
        assert handlers is not None  # noqa: S101 # nosec B101 # set by `setup`
        factory = with_body_tracking(handlers.request_factory)
        server = _Server(handlers.request_handler, request_factory=factory, handler_cancellation=True)
        runner = web.ServerRunner(server, shutdown_timeout=CLOSE_SECONDS)
        await runner.setup()
        try:
            yield runner
        finally:
            await runner.cleanup()
    finally:
        await application.cleanup()


class _Server(web.Server):
    """Creates the protocol of each connection."""

    def __call__(self) -> web.RequestHandler:
        return Connection(self, loop=asyncio.get_running_loop())


async def _stop_signal() -> None:
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    await stop.wait()


def tls_context(tls: Tls) -> ssl.SSLContext | None:
    """Return the context for HTTPS, None for HTTP. Raise ConfigError if a file cannot be used."""
    if not tls.certificate:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        for file in filter(None, (tls.certificate, tls.private_key)):
            Path(file).read_bytes()  # the errors of OpenSSL do not name the file
        # Without this function, OpenSSL would ask for the password at the terminal
        context.load_cert_chain(tls.certificate, tls.private_key or None, password=_no_password)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        raise ConfigError(f"server.tls: {reason}") from None
    return context


def _no_password() -> str:
    raise OSError("the private key must not be encrypted with a password")


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # no wheel for this platform
        return None
    return uvloop.new_event_loop
