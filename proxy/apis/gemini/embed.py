"""Embeddings in Gemini's API: passed on to Gemini, asked of any other provider that makes them."""

from collections.abc import Mapping
from typing import Annotated, Any

from aiohttp import web
from pydantic import Field

from citestream.citation.evidence import FieldError

from ...http.middleware import json_response
from ...http.pass_through import key_of, passed_on
from ...model_routes import Route
from ..embeddings_endpoint import embedded
from ..extensions import Body
from ..field_types import check
from .gemini_types import Content, Shape
from .normalize_keys import spelled


class _One(Shape):
    content: Content
    output_dimensionality: Annotated[int, Field(ge=1)] | None = None


class _Batch(Shape):
    requests: Annotated[list[_One], Field(min_length=1)]


async def embed_content(request: web.Request, route: Route, body: Body) -> web.StreamResponse:
    """`:embedContent`: one vector. Raises FieldError, ProviderError."""
    if route.provider.native == "gemini":
        return await passed_on(request, route, named(body, route), ":embedContent")
    one = spelled(body)
    check(one, _One)
    found = await embedded(route, [_text(one, "content")], one.get("outputDimensionality"), key_of(request, route))
    return json_response({"embedding": {"values": found.vectors[0]}})


async def batch_embed_contents(request: web.Request, route: Route, body: Body) -> web.StreamResponse:
    """`:batchEmbedContents`: a vector for each request. Raises FieldError, ProviderError."""
    if route.provider.native == "gemini":
        asked = body.get("requests")
        if isinstance(asked, list):
            body = {**body, "requests": [named(one, route) if isinstance(one, dict) else one for one in asked]}
        return await passed_on(request, route, body, ":batchEmbedContents")
    batch = spelled(body)
    check(batch, _Batch)
    asked = batch["requests"]
    sizes = {one.get("outputDimensionality") for one in asked}
    if len(sizes) > 1:
        raise FieldError("requests", "must all want the same outputDimensionality")
    texts = [_text(one, f"requests[{position}].content") for position, one in enumerate(asked)]
    found = await embedded(route, texts, sizes.pop(), key_of(request, route))
    return json_response({"embeddings": [{"values": vector} for vector in found.vectors]})


def named(body: Body, route: Route) -> Body:
    """With the provider's own name of the model, where the body names it once more."""
    if not isinstance(body.get("model"), str):
        return body
    return {**body, "model": route.model if "/" in route.model else f"models/{route.model}"}


def _text(one: Mapping[str, Any], path: str) -> str:
    parts = one["content"]["parts"]
    for position, part in enumerate(parts):
        if not isinstance(part.get("text"), str):
            raise FieldError(f"{path}.parts[{position}]", "must be text")
    return "\n".join(part["text"] for part in parts)
