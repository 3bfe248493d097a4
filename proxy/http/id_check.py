"""Refuse ids of other clients that a provider would resolve with the key of the operator."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aiohttp import web

from citestream.citation.evidence import FieldError
from citestream.providers.events import Relayed
from citestream.providers.scheduler import Work

from ..app import App
from ..model_routes import Route
from ..observability.logs import TENANT
from .received_ids import recorded
from .referenced_ids import path, referenced_ids

MAX_IDS = 100  # limit per request; a look-up that finds nothing takes 0.1 s


async def check_ids(request: web.Request, app: App, route: Route, body: Mapping[str, Any]) -> None:
    """Raise FieldError for an id that this client has not received from the provider of this route."""
    if app.known_ids is None or not _is_shared(app, route):
        return
    shared = app.config.server.shared_ids
    ids = [
        reference for reference in await Work("parse_request").run(referenced_ids(body)) if reference[1] not in shared
    ]
    if len(ids) > MAX_IDS:
        raise FieldError(path(ids[MAX_IDS][0]), f"is one id more than {MAX_IDS}")
    for place, stored_id in ids:
        if not await app.known_ids.is_known(request.get(TENANT, ""), route.name, stored_id):
            raise FieldError(
                path(place), "must be an id that this client has received from this server, or one of server.shared_ids"
            )


def recording(request: web.Request, app: App, route: Route, relayed: Relayed) -> Relayed:
    """Return an answer whose ids are recorded for this client while it is read."""
    if app.known_ids is None or not _is_shared(app, route):
        return relayed
    record = app.known_ids.record(request.get(TENANT, ""), route.name)
    return replace(relayed, body=recorded(relayed, record, app.config.limits.event_bytes))


def _is_shared(app: App, route: Route) -> bool:
    """Return whether several clients use the same key at this provider."""
    return not route.key and app.config.providers[route.name].kind != "extractive"
