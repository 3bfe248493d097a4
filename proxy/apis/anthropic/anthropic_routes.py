"""The paths of Anthropic's API."""

from functools import partial

from aiohttp import web

from ...app import App
from ...http.client_route import client_route
from ...http.encoding import json_response
from ...http.exchange import answer
from ...http.id_check import check_ids
from ...http.pass_through import forward
from ...http.request_body import read_json, required_text
from ...observability.logs import TENANT
from ...pipeline.request.long_input import parse_body
from ..extensions import Body, without_extensions
from ..models_endpoint import description, model_names
from ..token_estimate import estimate_fields
from .anthropic_request import AnthropicApi, MessagesShape, check_messages
from .document_reader import DocumentReader

READER = web.AppKey("document_reader", DocumentReader)

COUNT_TOKENS = "/v1/messages/count_tokens"
COUNTED = ("system", "messages", "tools", "evidence", "documents")
NATIVE = AnthropicApi.native


async def messages(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /v1/messages`."""
    return await answer(request, AnthropicApi(request.headers, request.app[READER], request[TENANT]), app)


async def count_tokens(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /v1/messages/count_tokens`: Anthropic's count for its models, an estimate for any other model."""
    body = await read_json(request)
    route = client_route(request, app, required_text(body, "model"), NATIVE)
    await check_ids(request, app, route, body)
    if route.provider.native == NATIVE:
        counted = {**without_extensions(body), "model": route.model}
        return await forward(request, route, counted, COUNT_TOKENS)
    tokens = await parse_body(partial(_estimate_request, body), body, request.content.total_bytes)
    return json_response({"input_tokens": tokens})


async def list_models(_request: web.Request, app: App) -> web.Response:
    """`GET /v1/models` in Anthropic's format: every model of every provider, and the aliases."""
    listed = [_model_object(name) for name in await model_names(app)]
    ends = {"first_id": listed[0]["id"], "last_id": listed[-1]["id"]} if listed else {"first_id": None, "last_id": None}
    return json_response({"data": listed, "has_more": False, **ends})


async def get_model(request: web.Request, app: App) -> web.Response:
    """`GET /v1/models/{model}`: Anthropic's description of its model. Of other models only a minimal one is known."""
    name = request.match_info["model"]
    described = await description(client_route(request, app, name, NATIVE), NATIVE)
    return json_response({**_model_object(name), **described, "id": name})


def _model_object(name: str) -> Body:
    return {"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"}


def _estimate_request(body: Body) -> int:
    """Return an upper estimate of the tokens of a request. Raise FieldError."""
    check_messages(body, MessagesShape)
    return estimate_fields(body, COUNTED)
