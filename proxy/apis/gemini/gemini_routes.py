"""The paths of Gemini's API. Model and method are part of the path, under `/v1beta/` and `/v1/` alike."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated, Any

from aiohttp import web
from pydantic import Field

from citestream.citation.evidence import FieldError
from citestream.providers.wire.embeddings import gemini_model_name
from citestream.providers.wire.gemini.json_keys import normalize_keys

from ...app import App
from ...http.client_route import client_route
from ...http.encoding import json_response, json_response_in_steps
from ...http.error_responses import RequestError
from ...http.exchange import answer
from ...http.id_check import check_ids
from ...http.pass_through import forward
from ...http.request_body import hold, read_json
from ...model_routes import Route
from ...pipeline.request.long_input import parse_body
from ..embeddings_endpoint import embedded
from ..extensions import Body, without_extensions
from ..field_types import Items, check
from ..models_endpoint import description, model_names
from ..token_estimate import estimate_fields
from .gemini_request import Content, GeminiApi, GeminiShape

METHODS = ("generateContent", "streamGenerateContent")
COUNTED = ("systemInstruction", "contents", "tools", "evidence", "documents")


class _CountedRequest(GeminiShape):
    contents: Annotated[Items[Content], Field(min_length=1)]


class _EmbedRequest(GeminiShape):
    content: Content
    output_dimensionality: Annotated[int, Field(ge=1)] | None = None


class _BatchRequest(GeminiShape):
    requests: Annotated[Items[_EmbedRequest], Field(min_length=1)]


async def generate(request: web.Request, app: App) -> web.StreamResponse:
    """`POST …/models/{model}:{method}`."""
    model, _, method = request.match_info["call"].rpartition(":")
    if model and method in METHODS:
        api = GeminiApi(model, method == METHODS[1], request.query.get("alt") == "sse")
        return await answer(request, api, app)
    if model and method in OTHER_METHODS:
        route = client_route(request, app, model, "gemini")
        body = await read_json(request)
        await check_ids(request, app, route, body)
        return await OTHER_METHODS[method](request, route, body)
    methods = ", ".join((*METHODS, *OTHER_METHODS))
    raise RequestError(404, f"there is no method {method!r}; the methods are: {methods}")


async def list_models(_request: web.Request, app: App) -> web.Response:
    """`GET /v1beta/models`: every model of every provider, and the aliases."""
    return json_response({"models": [_model_object(name) for name in await model_names(app)]})


async def get_model(request: web.Request, app: App) -> web.Response:
    """`GET /v1beta/models/{model}`: Gemini's description of its model. Of other models only a minimal one is known."""
    name = request.match_info["model"]
    described = await description(client_route(request, app, name, "gemini"), "gemini")
    return json_response({**_model_object(name), **described, "name": f"models/{name}"})


def _model_object(name: str) -> Body:
    return {"name": f"models/{name}", "displayName": name, "supportedGenerationMethods": list(METHODS)}


async def _count_tokens(request: web.Request, route: Route, body: Body) -> web.StreamResponse:
    """`:countTokens`: Gemini's count for its models, an estimate for any other model. Raises FieldError."""
    if route.provider.native == "gemini":
        sent = without_extensions(body)
        if isinstance(inner := sent.get("generateContentRequest"), dict):
            sent["generateContentRequest"] = without_extensions(_with_model(inner, route))
        return await forward(request, route, sent, ":countTokens")
    tokens = await parse_body(partial(_estimate_request, body), body, request.content.total_bytes)
    return json_response({"totalTokens": tokens})


async def _embed_content(request: web.Request, route: Route, body: Body) -> web.StreamResponse:
    """`:embedContent`: the embedding of one text. Raises FieldError, ProviderError."""
    if route.provider.native == "gemini":
        return await forward(request, route, _with_model(body, route), ":embedContent")
    wanted, text = await parse_body(partial(_parse_one, body), body, request.content.total_bytes)
    hold(request, wanted)
    embeddings = await embedded(route, [text], wanted.get("outputDimensionality"))
    return json_response({"embedding": {"values": embeddings.vectors[0]}})


async def _batch_embed_contents(request: web.Request, route: Route, body: Body) -> web.StreamResponse:
    """`:batchEmbedContents`: an embedding for each request. Raises FieldError, ProviderError."""
    if route.provider.native == "gemini":
        requests = body.get("requests")
        if isinstance(requests, list):
            body = {
                **body,
                "requests": [_with_model(entry, route) if isinstance(entry, dict) else entry for entry in requests],
            }
        return await forward(request, route, body, ":batchEmbedContents")
    batch, texts = await parse_body(partial(_parse_batch, body), body, request.content.total_bytes)
    hold(request, batch)
    embeddings = await embedded(route, texts, batch["requests"][0].get("outputDimensionality"))
    return await json_response_in_steps({"embeddings": [{"values": vector} for vector in embeddings.vectors]})


def _parse_one(body: Body) -> tuple[Body, str]:
    """Return the request with names in camelCase, and its text. Raise FieldError."""
    wanted = normalize_keys(body)
    check(wanted, _EmbedRequest)
    return wanted, _text(wanted, "content")


def _parse_batch(body: Body) -> tuple[Body, list[str]]:
    """Return the requests with names in camelCase, and their texts. Raise FieldError."""
    batch = normalize_keys(body)
    check(batch, _BatchRequest)
    requests = batch["requests"]
    if len({entry.get("outputDimensionality") for entry in requests}) > 1:
        raise FieldError("requests", "must all have the same outputDimensionality")
    return batch, [_text(entry, f"requests[{position}].content") for position, entry in enumerate(requests)]


def _estimate_request(body: Body) -> int:
    """Return an upper estimate of the tokens of a request. Raise FieldError."""
    request = normalize_keys(body)
    if isinstance(inner := request.get("generateContentRequest"), dict):
        request |= inner
    check(request, _CountedRequest)
    return estimate_fields(request, COUNTED)


def _with_model(body: Body, route: Route) -> Body:
    """Return the body with the provider's name of the model, if the body repeats it."""
    if not isinstance(body.get("model"), str):
        return body
    return {**body, "model": gemini_model_name(route.model)}


def _text(request: Mapping[str, Any], path: str) -> str:
    parts = request["content"]["parts"]
    for position, part in enumerate(parts):
        if not isinstance(part.get("text"), str):
            raise FieldError(f"{path}.parts[{position}]", "must be text")
    return "\n".join(part["text"] for part in parts)


OTHER_METHODS: dict[str, Callable[[web.Request, Route, Body], Awaitable[web.StreamResponse]]] = {
    "embedContent": _embed_content,
    "batchEmbedContents": _batch_embed_contents,
    "countTokens": _count_tokens,
}
# A model's path, which may contain slashes and colons, but not a method.
MODEL_PATTERN = rf"(?!.*:(?:{'|'.join((*METHODS, *OTHER_METHODS))})$).+"
