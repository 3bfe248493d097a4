"""Paths of Ollama's API for embeddings and descriptions of models."""

from functools import partial
from typing import Annotated, Any

from aiohttp import web
from pydantic import Field

from ...app import App
from ...http.client_route import client_route
from ...http.encoding import json_response, json_response_in_steps
from ...http.pass_through import forward
from ...http.request_body import read_json, required_text
from ...pipeline.request.long_input import parse_body
from ..embeddings_endpoint import embedded
from ..field_types import Items, Shape, Text, check
from .ollama_models import EPOCH, details

# The latest version with a field that is read here (`logprobs`). GitHub Copilot requires 0.6.4.
OLLAMA_VERSION = "0.12.11"


class _EmbedRequest(Shape):
    input: Text | Items[Text]
    dimensions: Annotated[int, Field(ge=1)] | None = None


class _EmbeddingsRequest(Shape):
    prompt: Text


async def embed(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /api/embed`: an embedding for each text. Raises FieldError, RequestError, ProviderError."""
    body = await read_json(request)
    name = required_text(body, "model")
    route = client_route(request, app, name, "ollama")
    if route.provider.native == "ollama":
        return await forward(request, route, {**body, "model": route.model}, "/api/embed")
    await parse_body(partial(check, body, _EmbedRequest), body, request.content.total_bytes)
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    if not texts:
        return json_response({"model": name, "embeddings": []})
    computed = await embedded(route, texts, body.get("dimensions"))
    counts: dict[str, Any] = {} if computed.tokens is None else {"prompt_eval_count": computed.tokens}
    return await json_response_in_steps({"model": name, "embeddings": computed.vectors, **counts})


async def embeddings(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /api/embeddings`, its older form for one text. Raises FieldError, RequestError, ProviderError."""
    body = await read_json(request)
    route = client_route(request, app, required_text(body, "model"), "ollama")
    if route.provider.native == "ollama":
        return await forward(request, route, {**body, "model": route.model}, "/api/embeddings")
    check(body, _EmbeddingsRequest)
    computed = await embedded(route, [body["prompt"]])
    return json_response({"embedding": computed.vectors[0]})


async def show(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /api/show`: Ollama's description of its model. Of other models only a minimal one is known."""
    body = await read_json(request)
    key = "model" if "model" in body else "name"
    route = client_route(request, app, required_text(body, key), "ollama")
    if route.provider.native == "ollama":
        return await forward(request, route, {**body, key: route.model}, "/api/show")
    return json_response(
        {
            "modelfile": "",
            "parameters": "",
            "template": "",
            "license": "",
            "modified_at": EPOCH,
            "details": details(route.name),
            "model_info": {"general.architecture": route.name, "general.basename": route.model},
            "capabilities": ["completion", "tools"],
        }
    )


async def version(_request: web.Request) -> web.Response:
    """`GET /api/version`: the version of Ollama whose API is served. Clients refuse servers that are too old."""
    return json_response({"version": OLLAMA_VERSION})
