"""passed_on: requests of a provider's own API that are none of our business, and their answers, as they are."""

from typing import Any

from aiohttp import web

from ..model_routes import Route
from .auth import presented
from .encoding import dumps
from .sending import Stream, relay


async def passed_on(request: web.Request, route: Route, body: dict[str, Any], path: str) -> web.StreamResponse:
    """The provider's answer, byte for byte. `path`: below its base address. Raises ProviderError, RequestError."""
    asked = route.provider.relay(dumps(body), path, model=route.model, key=key_of(request, route))
    upstream = await route.telemetry.observe_relayed(route.target, asked)
    with Stream(request) as stream:
        return await relay(stream, upstream, None)


def key_of(request: web.Request, route: Route) -> str | None:
    """The client's own key, where the configuration passes it on."""
    return (presented(request) or None) if route.passes_key else None
