"""The web application: build it from a configuration, with its routes and middleware."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from aiohttp import web

from citestream.providers.install_hint import install_command

from ..apis import anthropic
from ..app import App
from ..config import Config, ConfigError, Server
from ..observability.logs import access_log, set_response_headers
from ..observability.readiness import Readiness
from ..observability.stalls import StallWatch
from ..observability.telemetry import Telemetry
from .document_queue import DOCUMENTS, DocumentQueue
from .error_responses import errors_as_json
from .middleware.admission import ADMISSION, Admission
from .middleware.auth import Keys, require_client_key, tenants_of
from .middleware.body_budget import BodyBudget
from .middleware.client_shares import ClientShares, max_per_client
from .middleware.origins import Cors, check_origin
from .middleware.shared_counts import SharedCounts
from .request_body import BODIES, BODY_SECONDS, release_held
from .routes import client_routes, error_format, operator_routes

if TYPE_CHECKING:
    from ..observability.metrics import Metrics
    from ..observability.tracing import Tracing


def make_app(config: Config, admission: Admission | None = None) -> web.Application:
    """Return the whole server as an aiohttp application. Raise ConfigError.

    `admission`: that of a worker, which counts the requests of the other workers too. None: of this process alone.
    """
    from ..observability.metrics import Metrics  # its import decides whether the metrics of workers are added up

    metrics, tracing = Metrics(), _tracing(config)
    app = App(config, Telemetry([metrics, tracing] if tracing else [metrics]))
    passing = any(provider.pass_client_key for provider in config.providers.values())
    keys = Keys(config.server.keys, passing=passing)
    cors = Cors(config.server.cors_origins)
    admission = admission or make_admission(config.server)
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
    readiness = Readiness(app.checks(), config.readiness)
    server.add_routes([*client_routes(app), *operator_routes(metrics, admission, readiness, keys)])
    server[ADMISSION] = admission
    is_shared = passing or len(config.server.keys) > 1
    queue = server[DOCUMENTS] = DocumentQueue(admission, is_shared=is_shared)
    server[anthropic.READER] = anthropic.DocumentReader(queue)
    server[BODY_SECONDS] = config.server.body_seconds
    if admission.bodies:
        server[BODIES] = admission.bodies
    server.cleanup_ctx.append(partial(_run, app=app, metrics=metrics, tracing=tracing))
    server.on_response_prepare.extend([set_response_headers, cors.add_headers])
    return server


def make_admission(server: Server, shared: SharedCounts | None = None, worker: int = 0) -> Admission:
    """Return the limits of a process. `shared`: what the workers count together. `worker`: the index of this one."""
    tenants = tenants_of(server)
    most = max_per_client(server.max_streams_per_client, server.max_streams, len(tenants))
    return Admission(
        server.max_streams,
        shared.requests if shared else None,
        worker,
        clients=ClientShares(tenants, most, shared.clients if shared else None, worker),
        bodies=BodyBudget(server.max_bodies_bytes, shared.bodies if shared else None, worker),
    )


async def _run(
    _: web.Application, app: App, metrics: "Metrics", tracing: "Tracing | None"
) -> AsyncGenerator[None, None]:
    """Prepare the first request, watch the event loop while the server runs, and close all connections at the end."""
    await asyncio.to_thread(app.warm_up)
    await app.load()
    with StallWatch(metrics.loop_stalled).running(), app.recent.removing_expired(), _removing_ids(app):
        yield
    await app.aclose()
    if tracing:
        await tracing.aclose()


def _removing_ids(app: App) -> AbstractContextManager[None]:
    return app.known_ids.recent.removing_expired() if app.known_ids else nullcontext()


def _tracing(config: Config) -> "Tracing | None":
    return import_tracing()(config.traces, content=config.log.content) if config.traces.endpoint else None


def import_tracing() -> "type[Tracing]":
    """Import the class that traces requests, an optional dependency. Raise ConfigError if its package is missing."""
    try:
        from ..observability.tracing import Tracing  # slow to import
    except ImportError:
        raise ConfigError(f"traces.endpoint needs a package: {install_command('otel')}") from None
    return Tracing
