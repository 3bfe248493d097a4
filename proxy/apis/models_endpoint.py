"""`GET /v1/models` and `GET /v1/models/{model}`, in OpenAI's format."""

import asyncio
from itertools import chain
from typing import Any

from aiohttp import web

from citestream.providers.errors import ProviderError

from ..app import App
from ..http.client_route import client_route
from ..http.encoding import json_response
from ..model_routes import Route

LIST_SECONDS = 5.0  # for a provider to list or describe models; one that is down must not delay others for longer


async def models(_request: web.Request, app: App) -> web.Response:
    """List the aliases and the models of every provider: those in the configuration, or those that it reports."""
    return json_response({"object": "list", "data": [_model_object(name) for name in await model_names(app)]})


async def model(request: web.Request, app: App) -> web.Response:
    """Describe one model. Only its provider knows whether it exists."""
    name = request.match_info["model"]
    described = await description(client_route(request, app, name, "openai"), "openai")
    return json_response({**_model_object(name), **described, "id": name})


async def description(route: Route, api: str) -> dict[str, Any]:
    """Return the description that a provider with this API has of the route's model, {} without one.

    Many servers have no such path, so an error does not mean that there is no such model.
    """
    if route.provider.native != api:
        return {}
    try:
        async with asyncio.timeout(LIST_SECONDS):
            return await route.describe()
    except (ProviderError, TimeoutError):
        return {}


async def model_names(app: App) -> list[str]:
    """Return the aliases, then the models of each provider that can be reached."""
    lists = await asyncio.gather(*(provider_models(app, name) for name in app.config.providers))
    return [*app.config.models, *chain.from_iterable(lists)]


def _model_object(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": name.partition("/")[0]}


async def provider_models(app: App, name: str) -> list[str]:
    """Return the models of a provider: those in the configuration, or those that it reports. Empty if it fails."""
    provider = app.config.providers[name]
    if provider.kind == "extractive":
        return [name]
    if provider.models:
        return [f"{name}/{model}" for model in provider.models]
    try:
        async with asyncio.timeout(LIST_SECONDS):
            return [f"{name}/{model}" for model in await app.routes.provider(name).models()]
    except (ProviderError, TimeoutError):
        return []
