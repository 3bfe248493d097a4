"""What lists and describes models in Ollama's API."""

from importlib.metadata import version as version_of

from aiohttp import web

from ...app import App
from ...http.exchange import read
from ...http.middleware import json_response
from ...http.pass_through import passed_on
from ..extensions import required_text
from ..models_endpoint import names


async def tags(_request: web.Request, app: App) -> web.Response:
    """`GET /api/tags`: every model of every provider, and the aliases."""
    return json_response({"models": [{"name": name, "model": name} for name in await names(app)]})


async def show(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /api/show`: what Ollama says of its model; of any other only that it is there."""
    body = await read(request)
    key = "model" if "model" in body else "name"
    route = app.routes.find(required_text(body, key))
    if route.provider.native == "ollama":
        return await passed_on(request, route, {**body, key: route.model}, "/api/show")
    return json_response({"details": {"family": route.name}, "model_info": {}, "capabilities": ["completion", "tools"]})


async def version(_request: web.Request) -> web.Response:
    """`GET /api/version`."""
    return json_response({"version": version_of("citestream")})
