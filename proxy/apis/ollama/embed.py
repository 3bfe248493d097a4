"""Embeddings in Ollama's API: passed on to Ollama, asked of any other provider that makes them."""

from typing import Annotated, Any

from aiohttp import web
from pydantic import Field

from ...app import App
from ...http.exchange import read
from ...http.middleware import json_response
from ...http.pass_through import key_of, passed_on
from ..embeddings_endpoint import embedded
from ..extensions import required_text
from ..field_types import Shape, check


class _Embed(Shape):
    input: str | list[str]
    dimensions: Annotated[int, Field(ge=1)] | None = None


class _Embeddings(Shape):
    prompt: str


async def embed(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /api/embed`: a vector for each text. Raises FieldError, RequestError, ProviderError."""
    body = await read(request)
    name = required_text(body, "model")
    route = app.routes.find(name)
    if route.provider.native == "ollama":
        return await passed_on(request, route, {**body, "model": route.model}, "/api/embed")
    check(body, _Embed)
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    if not texts:
        return json_response({"model": name, "embeddings": []})
    found = await embedded(route, texts, body.get("dimensions"), key_of(request, route))
    counted: dict[str, Any] = {} if found.tokens is None else {"prompt_eval_count": found.tokens}
    return json_response({"model": name, "embeddings": found.vectors, **counted})


async def embeddings(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /api/embeddings`, its older form: one vector. Raises FieldError, RequestError, ProviderError."""
    body = await read(request)
    route = app.routes.find(required_text(body, "model"))
    if route.provider.native == "ollama":
        return await passed_on(request, route, {**body, "model": route.model}, "/api/embeddings")
    check(body, _Embeddings)
    found = await embedded(route, [body["prompt"]], None, key_of(request, route))
    return json_response({"embedding": found.vectors[0]})
