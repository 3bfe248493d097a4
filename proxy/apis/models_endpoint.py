"""`GET /v1/models` and `GET /v1/models/{model}`, in OpenAI's format."""

import asyncio
from itertools import chain
from typing import Any

from aiohttp import web

from citestream.providers.errors import ProviderError

from ..app import App
from ..http.encoding import json_response

LIST_SECONDS = 5.0  # for a provider to list its models; one that is down must not delay the others for longer


async def models(_request: web.Request, app: App) -> web.Response:
    """List the aliases and the models of every provider: those in the configuration, or those that it reports."""
    return json_response({"object": "list", "data": [_model_object(name) for name in await model_names(app)]})


async def model(request: web.Request, app: App) -> web.Response:
    """Describe one model. Only its provider knows whether it exists."""
    name = request.match_info["model"]
    app.routes.find(name)
    return json_response(_model_object(name))


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
