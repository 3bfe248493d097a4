"""The composition root: builds everything once from a configuration, names the routes, starts and stops."""

import asyncio
import gc
import re
import signal
import socket
import ssl
from collections.abc import AsyncGenerator, Callable
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from aiohttp import web, web_response

from .. import playground
from ..apis import gemini, ollama
from ..apis.citation_endpoints import cite, references
from ..apis.embeddings_endpoint import embeddings
from ..apis.models_endpoint import model, models
from ..apis.openai_chat import OpenAIChatApi
from ..apis.responses import ResponsesApi
from ..app import App
from ..config import Config, ConfigError, Tls
from ..observability.logs import SERVER, access_log, set_response_headers
from ..observability.readiness import FAILING, Readiness
from ..observability.telemetry import Telemetry
from .admission import Admission
from .auth import Keys, presented
from .cors import Cors
from .exchange import BODY_SECONDS, answer
from .middleware import Shape, errors_as_json, json_response, only_known_clients
from .origin_check import check_origin

if TYPE_CHECKING:
    from ..observability.metrics import Metrics
    from ..observability.tracing import Tracing

DESCRIPTION = files("citestream.proxy") / "openapi.yaml"
IDLE_SECONDS = 75.0  # that a connection may say nothing, its first request's head included; aiohttp would wait an hour
CLOSE_SECONDS = 1.0  # for what still runs when the drain is over
# New objects before Python looks for cycles among them; its 700 are a few sentences scored. Saves 6 to 13 % of all CPU.
YOUNG_OBJECTS = 10_000
ADMISSION = web.AppKey("admission", Admission)
VERSIONS = ("v1beta", "v1", "v1beta1")  # of Gemini's API: its Python client's 1.x and 3.x defaults, and Vertex AI's

# An address of OpenAI's API; with a method it is one of Gemini's.
A_MODEL = re.compile(f"/v1/models/{gemini.MODEL_PATTERN}", re.DOTALL)


def make_app(config: Config) -> web.Application:
    """The whole server as an aiohttp application. Raises ConfigError."""
    from ..observability.metrics import Metrics  # decides at its import whether workers add up their numbers

    metrics = Metrics()
    tracing = _tracing(config)
    app = App(config, Telemetry([metrics, tracing] if tracing else [metrics]))
    passing = any(provider.pass_client_key for provider in config.providers.values())
    keys = Keys(config.server.keys, passing=passing)
    readiness = Readiness(app.checks(), config.readiness)
    cors = Cors(config.server.cors_origins)
    admission = Admission(config.server.max_streams)
    server = web.Application(
        client_max_size=config.server.max_body_bytes,
        middlewares=[
            access_log(enabled=config.log.access),
            *([tracing.middleware()] if tracing else []),
            cors.middleware(),
            metrics.middleware(),
            errors_as_json(error_shape),
            check_origin(config.server, cors),
            only_known_clients(keys),
            admission.middleware(),
        ],
    )
    server.add_routes([*_api(app), *_operating(metrics, admission, readiness, keys)])

    async def running(_: web.Application) -> AsyncGenerator[None, None]:
        await asyncio.to_thread(app.warm_up)
        yield
        await app.aclose()
        if tracing:
            await tracing.aclose()

    server[ADMISSION] = admission
    server[BODY_SECONDS] = config.server.body_seconds
    server.cleanup_ctx.append(running)
    server.on_response_prepare.extend([set_response_headers, cors.mark])
    return server


def _api(app: App) -> list[web.AbstractRouteDef]:
    """What clients ask."""
    return [
        web.post("/v1/chat/completions", partial(answer, api=OpenAIChatApi(), app=app)),
        web.post("/v1/embeddings", partial(embeddings, app=app)),
        web.post("/v1/responses", partial(answer, api=ResponsesApi(), app=app)),
        web.post("/api/chat", partial(answer, api=ollama.CHAT, app=app)),
        web.post("/api/generate", partial(answer, api=ollama.GENERATE, app=app)),
        web.get("/api/tags", partial(ollama.tags, app=app)),
        web.post("/api/show", partial(ollama.show, app=app)),
        web.post("/api/embed", partial(ollama.embed, app=app)),
        web.post("/api/embeddings", partial(ollama.embeddings, app=app)),
        web.get("/api/version", ollama.version),
        *[web.post(f"/{version}/models/{{call:.+:.+}}", partial(gemini.generate, app=app)) for version in VERSIONS],
        web.get("/v1beta/models", partial(gemini.list_models, app=app)),
        web.get(f"/v1beta/models/{{model:{gemini.MODEL_PATTERN}}}", partial(gemini.get_model, app=app)),
        web.post("/v1/cite", partial(cite, app=app)),
        web.get("/v1/references/{id}", partial(references, app=app)),
        web.get("/v1/models", partial(_models, app=app)),
        web.get(f"/v1/models/{{model:{gemini.MODEL_PATTERN}}}", partial(_model, app=app)),
        *playground.routes(app),
    ]


def _operating(
    metrics: "Metrics", admission: Admission, readiness: Readiness, keys: Keys
) -> list[web.AbstractRouteDef]:
    """What operators and their machines ask."""
    return [
        web.get("/metrics", metrics.exposition),
        web.get("/openapi.yaml", partial(described, document=DESCRIPTION.read_bytes())),
        web.get("/healthz", alive),
        web.get("/readyz", partial(ready, admission=admission, readiness=readiness, keys=keys)),
    ]


async def _models(request: web.Request, app: App) -> web.Response:
    """`GET /v1/models` is an address of OpenAI's API and of Gemini's; Google's clients say who they are."""
    return await (gemini.list_models if _googles(request) else models)(request, app)


async def _model(request: web.Request, app: App) -> web.Response:
    """`GET /v1/models/{model}` likewise."""
    return await (gemini.get_model if _googles(request) else model)(request, app)


def _googles(request: web.Request) -> bool:
    return "x-goog-api-client" in request.headers or "x-goog-api-key" in request.headers


def _tracing(config: Config) -> "Tracing | None":
    if not config.traces.endpoint:
        return None
    try:
        from ..observability.tracing import Tracing  # an extra, and it takes a while
    except ImportError:
        raise ConfigError("traces.endpoint wants a package: pip install 'citestream[otel]'") from None
    return Tracing(config.traces, content=config.log.content)


def error_shape(path: str) -> Shape:
    """How the clients of the API at this path read an error."""
    if path.startswith("/api/"):
        return ollama.error_body
    called = path.startswith("/v1/models/") and not A_MODEL.fullmatch(path)
    return gemini.error_body if called or path.startswith("/v1beta/") else lambda error, _status: error


async def described(_: web.Request, document: bytes) -> web.Response:
    """The OpenAPI document."""
    return web.Response(body=document, content_type="application/yaml", charset="utf-8")


async def alive(_: web.Request) -> web.Response:
    """It answers, so it lives."""
    return json_response({"status": "ok"})


async def ready(request: web.Request, admission: Admission, readiness: Readiness, keys: Keys) -> web.Response:
    """It can serve: 200; it was told to stop, or lacks what it requires: 503, so that others get its requests.

    Who has no key, where there are any, learns no more than that.
    """
    if not admission.open:
        return json_response({"status": "stopping"}, 503)
    status, checks = await readiness.report()
    known = keys.name_of(presented(request)) is not None
    return json_response({"status": status, **({"checks": checks} if known else {})}, 503 if status == FAILING else 200)


def serve(config: Config, started: Callable[[str], None] = print, listening: socket.socket | None = None) -> None:
    """Serve until SIGTERM or Ctrl-C. `started` is told the address once requests are accepted.

    `listening`: a socket that other workers accept from too, instead of one of its own.
    """
    gc.set_threshold(YOUNG_OBJECTS)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(config, started, listening))


async def _serve(config: Config, started: Callable[[str], None], listening: socket.socket | None) -> None:
    server = make_app(config)
    vars(web_response)["SERVER_SOFTWARE"] = SERVER  # in aiohttp's own answer to what is hardly HTTP, too: no versions
    runner = web.AppRunner(
        server,
        handler_cancellation=True,  # a client that goes away takes its provider's stream with it
        access_log=None,  # aiohttp's would write query strings, and keys can stand in them
        shutdown_timeout=CLOSE_SECONDS,
        keepalive_timeout=IDLE_SECONDS,
    )
    await runner.setup()
    try:
        tls = _tls(config.server.tls)
        site: web.BaseSite = web.TCPSite(runner, config.server.host, config.server.port, ssl_context=tls)
        if listening:
            site = web.SockSite(runner, listening, ssl_context=tls)
        await site.start()
        gc.collect()
        gc.freeze()  # what lives as long as the server is not looked through again: 80,000 objects, 60 ms each time
        host, port = runner.addresses[0][:2]
        scheme = "https" if config.server.tls.certificate else "http"
        started(f"citestream listening on {scheme}://{f'[{host}]' if ':' in host else host}:{port}")
        await _told_to_stop()
        await server[ADMISSION].drain(config.server.drain_seconds)
    finally:
        await runner.cleanup()


async def _told_to_stop() -> None:
    stop = asyncio.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    await stop.wait()


def _tls(tls: Tls) -> ssl.SSLContext | None:
    if not tls.certificate:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        # A password would be asked for at the terminal, where nobody may be
        context.load_cert_chain(tls.certificate, tls.private_key or None, password=_no_password)
    except OSError as error:
        raise ConfigError(f"server.tls: {error}") from None
    return context


def _no_password() -> str:
    raise OSError("the private key must not be encrypted with a password")


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # no wheel for this platform
        return None
    return uvloop.new_event_loop
