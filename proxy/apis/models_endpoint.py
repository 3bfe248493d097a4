"""`GET /v1/models`: every model of every provider that answers, and the aliases, as OpenAI lists them; or one."""

import asyncio
from typing import Any

from aiohttp import web

from citestream.providers.errors import ProviderError

from ..app import App
from ..http.middleware import json_response

PATIENCE = 5.0  # seconds for a provider to list its models; one that is down must not hide the others


async def models(_request: web.Request, app: App) -> web.Response:
    """The list: what the configuration names of a provider, or what it says itself, unless it cannot be asked."""
    return json_response({"object": "list", "data": [_described(name) for name in await names(app)]})


async def model(request: web.Request, app: App) -> web.Response:
    """`GET /v1/models/{model}`: that it can be asked; whether its provider has it, only its provider knows."""
    name = request.match_info["model"]
    app.routes.find(name)
    return json_response(_described(name))


async def names(app: App) -> list[str]:
    """The aliases, then the models of each provider that answers."""
    found = await asyncio.gather(*(_of(app, name) for name in app.config.providers))
    return [*app.config.models, *(name for of_one in found for name in of_one)]


def _described(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": name.partition("/")[0]}


async def _of(app: App, name: str) -> list[str]:
    provider = app.config.providers[name]
    if provider.kind == "extractive":
        return [name]
    if provider.models:
        return [f"{name}/{model}" for model in provider.models]
    try:
        async with asyncio.timeout(PATIENCE):
            return [f"{name}/{model}" for model in await app.routes.provider(name).models()]
    except (ProviderError, TimeoutError):
        return []
