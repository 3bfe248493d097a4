"""`GET /v1/models`: every model of every provider that answers, and the aliases, as OpenAI lists them."""

import asyncio

from aiohttp import web

from providers.errors import ProviderError

from ..middleware import json_response
from ..proxy import Proxy

PATIENCE = 5.0  # seconds for a provider to list its models; one that is down must not hide the others


async def models(_request: web.Request, proxy: Proxy) -> web.Response:
    """The list: what the configuration names of a provider, or what it says itself, unless it cannot be asked."""
    data = [
        {"id": name, "object": "model", "created": 0, "owned_by": name.partition("/")[0]} for name in await names(proxy)
    ]
    return json_response({"object": "list", "data": data})


async def names(proxy: Proxy) -> list[str]:
    """The aliases, then the models of each provider that answers."""
    found = await asyncio.gather(*(_of(proxy, name) for name in proxy.config.providers))
    return [*proxy.config.models, *(name for of_one in found for name in of_one)]


async def _of(proxy: Proxy, name: str) -> list[str]:
    provider = proxy.config.providers[name]
    if provider.kind == "extractive":
        return [name]
    if provider.models:
        return [f"{name}/{model}" for model in provider.models]
    try:
        async with asyncio.timeout(PATIENCE):
            return [f"{name}/{model}" for model in await proxy.routes.provider(name).models()]
    except (ProviderError, TimeoutError):
        return []
