"""Gemini's paths: the model and the method stand in them, under `/v1beta/` and `/v1/` alike."""

from collections.abc import Awaitable, Callable

from aiohttp import web

from ...app import App
from ...http.error_responses import RequestError
from ...http.exchange import answer, read
from ...http.middleware import json_response
from ...http.pass_through import passed_on
from ...model_routes import Route
from ..extensions import Body
from ..models_endpoint import names
from .embed import batch_embed_contents, embed_content, named
from .request import GeminiApi

METHODS = ("generateContent", "streamGenerateContent")


async def generate(request: web.Request, app: App) -> web.StreamResponse:
    """`POST …/models/{model}:{method}`."""
    model, _, method = request.match_info["call"].rpartition(":")
    if model and method in METHODS:
        api = GeminiApi(model, method == METHODS[1], request.query.get("alt") == "sse")
        return await answer(request, api, app)
    if model and method in BESIDE:
        return await BESIDE[method](request, app.routes.find(model), await read(request))
    raise RequestError(404, f"there is no method {method!r}; there are: {', '.join((*METHODS, *BESIDE))}")


async def listed(_request: web.Request, app: App) -> web.Response:
    """`GET /v1beta/models`: every model of every provider, and the aliases."""
    return json_response({"models": [_described(name) for name in await names(app)]})


async def one(request: web.Request, app: App) -> web.Response:
    """`GET /v1beta/models/{model}`: that it can be asked; what it is like only its own server knows."""
    name = request.match_info["model"]
    app.routes.find(name)
    return json_response(_described(name))


async def _count_tokens(request: web.Request, route: Route, body: Body) -> web.StreamResponse:
    """`:countTokens`, which no other API has."""
    if route.provider.native != "gemini":
        raise RequestError(501, f"{route.name} cannot count tokens before it is asked", code="unsupported")
    whole = body.get("generateContentRequest")
    if isinstance(whole, dict):
        body = {**body, "generateContentRequest": named(whole, route)}
    return await passed_on(request, route, body, ":countTokens")


def _described(name: str) -> Body:
    return {"name": f"models/{name}", "displayName": name, "supportedGenerationMethods": list(METHODS)}


BESIDE: dict[str, Callable[[web.Request, Route, Body], Awaitable[web.StreamResponse]]] = {
    "embedContent": embed_content,
    "batchEmbedContents": batch_embed_contents,
    "countTokens": _count_tokens,
}
A_MODEL = rf"(?!.*:(?:{'|'.join((*METHODS, *BESIDE))})$).+"  # a path of one; a method's is no address to read from
