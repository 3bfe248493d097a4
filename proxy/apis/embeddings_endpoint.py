"""`POST /v1/embeddings`: passed through to servers of OpenAI's API, translated for other providers."""

import base64
import struct
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import Field

from citestream.citation.evidence import FieldError
from citestream.providers.errors import NotSupported
from citestream.providers.events import Embedded

from ..app import App
from ..http.client_route import client_route
from ..http.encoding import json_response_in_steps
from ..http.pass_through import forward
from ..http.request_body import read_json, required_text
from ..model_routes import Route
from ..pipeline.request.long_input import parse_body
from .extensions import Body
from .field_types import Items, Shape, Text, check


class _Request(Shape):
    input: Annotated[Text | Items[Any], Field(min_length=1)]
    dimensions: Annotated[int, Field(ge=1)] | None = None
    encoding_format: Literal["float", "base64"] | None = None


async def embeddings(request: web.Request, app: App) -> web.StreamResponse:
    """Return the embeddings of the texts. Raises FieldError, RequestError, ProviderError."""
    body = await read_json(request)
    route = client_route(request, app, required_text(body, "model"), "openai")
    if route.provider.native == "openai":
        return await forward(request, route, {**body, "model": route.model}, "/embeddings")
    texts = await parse_body(partial(_parse, body), body, request.content.total_bytes)
    result = await embedded(route, texts, body.get("dimensions"))
    return await json_response_in_steps(_answer(body, result))


async def embedded(route: Route, texts: Sequence[str], dimensions: int | None = None) -> Embedded:
    """Return the embeddings that the provider of this route makes. Raises FieldError if it makes none."""
    try:
        return await route.embeddings(texts, dimensions)
    except NotSupported:
        raise FieldError("model", f"{route.name} makes no embeddings") from None


def _parse(body: Body) -> list[str]:
    """Return the texts of a request. Raise FieldError."""
    check(body, _Request)
    texts: str | list[Any] = body["input"]
    if isinstance(texts, str):
        return [texts]
    for position, text in enumerate(texts):
        if isinstance(text, int | list):
            raise FieldError(f"input[{position}]", "must be a string: token ids belong to one model only")
        if not isinstance(text, str):
            raise FieldError(f"input[{position}]", "must be a string")
    return texts


def _answer(body: Body, result: Embedded) -> Body:
    base64_wanted = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _encode_base64(vector) if base64_wanted else vector}
        for index, vector in enumerate(result.vectors)
    ]
    usage = None if result.tokens is None else {"prompt_tokens": result.tokens, "total_tokens": result.tokens}
    return {"object": "list", "data": data, "model": body["model"], "usage": usage}


def _encode_base64(vector: Sequence[float]) -> str:
    """Return little-endian float32 numbers in base64."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
