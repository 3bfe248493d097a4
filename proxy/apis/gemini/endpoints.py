"""Gemini's paths: the model and the verb stand in them, under `/v1beta/` and `/v1/` alike."""

from aiohttp import web

from ...errors import RequestError
from ...exchange import answer
from ...middleware import json_response
from ...proxy import Proxy
from ..models import names
from .request import GeminiApi

METHODS = ("generateContent", "streamGenerateContent")


async def generate(request: web.Request, proxy: Proxy) -> web.StreamResponse:
    """`POST …/models/{model}:{verb}`."""
    model, _, verb = request.match_info["call"].rpartition(":")
    if verb not in METHODS or not model:
        raise RequestError(404, f"there is no method {verb!r}; there are: {', '.join(METHODS)}")
    return await answer(request, GeminiApi(model, verb == METHODS[1], request.query.get("alt") == "sse"), proxy)


async def listed(_request: web.Request, proxy: Proxy) -> web.Response:
    """`GET /v1beta/models`: every model of every provider, and the aliases."""
    found = [
        {"name": f"models/{name}", "displayName": name, "supportedGenerationMethods": list(METHODS)}
        for name in await names(proxy)
    ]
    return json_response({"models": found})
