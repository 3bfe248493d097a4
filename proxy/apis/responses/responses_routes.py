"""The paths below `/v1/responses`: stored responses, their input, and the size of a request.

Responses that Citestream built are read from its store. All others belong to a provider with this API.
"""

from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from aiohttp import web

from citestream.citation.evidence import FieldError
from citestream.providers.errors import ProviderError

from ...app import App
from ...http.client_route import client_route
from ...http.client_stream import Stream
from ...http.encoding import json_response, json_response_in_steps
from ...http.error_responses import RequestError
from ...http.exchange import UNCITED, EarlierAnswers, answer
from ...http.id_check import check_ids, recording
from ...http.pass_through import forward, relay
from ...http.request_body import hold, read_json, required_text
from ...observability.logs import TENANT
from ...pipeline.request.job import Job
from ...pipeline.request.long_input import parse_body, read_input
from ...storage import STORED_FIELDS
from ..extensions import Body, without_extensions
from ..token_estimate import estimate_fields
from .compaction import compacted, conversation_of
from .responses_request import ResponsesApi
from .stored_responses import conversation_key, input_list, is_own_response

Fields = dict[str, Any]

NATIVE = ResponsesApi.native
PATH = ResponsesApi.path
COUNTED = ("instructions", "input", "tools", "evidence", "documents")
QUERY = ("include", "include[]", "include_obfuscation", "starting_after", "stream", "after", "before", "limit", "order")
NO_SUCH_PATH = frozenset({404, 405, 501})


async def respond(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /v1/responses`."""
    return await answer(request, ResponsesApi(), app)


async def get_response(request: web.Request, app: App) -> web.StreamResponse:
    """`GET /v1/responses/{id}`."""
    name = request.match_info["id"]
    if not is_own_response(name):
        return await _forward_stored(request, app, "")
    if _asks_for_stream(request):
        raise FieldError("stream", "is possible for responses in background only; this one is complete")
    stored = await _stored(request, app, name)
    references = await EarlierAnswers(request, app).find(name) or {}
    added = {key: references[key] for key in STORED_FIELDS if key in references}
    return await json_response_in_steps({**stored["response"], **added, "output": stored["output"]})


async def delete_response(request: web.Request, app: App) -> web.StreamResponse:
    """`DELETE /v1/responses/{id}`."""
    name = request.match_info["id"]
    if not is_own_response(name):
        return await _forward_stored(request, app, "", "DELETE")
    await _stored(request, app, name)
    for key in (name, conversation_key(name)):
        app.recent.put(request.get(TENANT, ""), key, {})
    return json_response({"id": name, "object": "response", "deleted": True})


async def cancel_response(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /v1/responses/{id}/cancel`."""
    name = request.match_info["id"]
    if not is_own_response(name):
        return await _forward_stored(request, app, "/cancel", "POST")
    await _stored(request, app, name)
    raise RequestError(400, "only responses in background can be cancelled; this one is complete", code="invalid_state")


async def input_items(request: web.Request, app: App) -> web.StreamResponse:
    """`GET /v1/responses/{id}/input_items`."""
    name = request.match_info["id"]
    if not is_own_response(name):
        return await _forward_stored(request, app, "/input_items")
    stored = await _stored(request, app, name)
    listed = await read_input(partial(input_list, name, stored, request.query), stored["input"])
    return await json_response_in_steps(listed)


async def input_tokens(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /v1/responses/input_tokens`: the provider's count, or an estimate if it has none."""
    earlier = EarlierAnswers(request, app)
    body = await ResponsesApi().recall(await read_json(request), earlier.find)
    hold(request, body, size=request.content.total_bytes + earlier.size)
    route = client_route(request, app, app.routes.chain(_model(body), NATIVE)[0], NATIVE)
    await check_ids(request, app, route, body)
    if route.provider.native == NATIVE:
        named = {"model": route.model} if "model" in body else {}
        try:
            return await forward(request, route, {**without_extensions(body), **named}, f"{PATH}/input_tokens")
        except ProviderError as error:
            if error.status not in NO_SUCH_PATH:
                raise
    counted = partial(estimate_fields, body, COUNTED)
    tokens = await parse_body(counted, body, request.content.total_bytes + earlier.size)
    return json_response({"object": "response.input_tokens", "input_tokens": tokens})


async def compact(request: web.Request, app: App) -> web.StreamResponse:
    """`POST /v1/responses/compact`: by the provider, or with a summary of its model if it has no such path."""
    earlier = EarlierAnswers(request, app)
    body = await ResponsesApi().recall(await read_json(request), earlier.find)
    size = request.content.total_bytes + earlier.size
    hold(request, body, size=size)
    model = required_text(body, "model")
    route = client_route(request, app, app.routes.chain(model, NATIVE)[0], NATIVE)
    await check_ids(request, app, route, body)
    if route.provider.native == NATIVE:
        named = {**without_extensions(body), "model": route.model}
        try:
            return await forward(request, route, named, f"{PATH}/compact")
        except ProviderError as error:
            if error.status not in NO_SUCH_PATH:
                raise
    conversation = await parse_body(partial(conversation_of, body), body, size)
    if not conversation.is_short and app.config.providers[route.name].kind == "extractive":
        raise RequestError(501, "the model of this provider cannot summarize a conversation", param="model")
    return await json_response_in_steps(await compacted(route, conversation))


def _model(body: Body) -> str:
    return ResponsesApi().model(body) if "model" in body else ""


async def _stored(request: web.Request, app: App, name: str) -> Fields:
    """Return what was stored with a response. Raise RequestError if there is nothing."""
    earlier = EarlierAnswers(request, app)
    stored = await earlier.find(conversation_key(name)) or {}
    hold(request, stored, size=earlier.size)
    if "response" not in stored:
        raise RequestError(
            404,
            "no response with this id is stored; the configuration limits their number and age",
            param="response_id",
            code="not_found",
        )
    return stored


async def _forward_stored(request: web.Request, app: App, suffix: str, method: str = "GET") -> web.StreamResponse:
    """Return the answer of the provider that stores a response. Raise RequestError if none does."""
    name = request.match_info["id"]
    query = urlencode([(key, value) for key, value in request.query.items() if key in QUERY])
    path = f"{PATH}/{quote(name, safe='')}{suffix}{'?' if query else ''}{query}"
    failed: ProviderError | None = None
    for provider in app.routes.with_api(NATIVE):
        route = client_route(request, app, f"{provider}/", NATIVE)
        try:
            await check_ids(request, app, route, {"previous_response_id": name})
            relayed = await route.relay(b"", path, method=method)
        except FieldError:
            continue  # the client has not received this id from this provider
        except ProviderError as error:
            failed = error
            if error.status not in NO_SUCH_PATH:
                raise
            continue
        encoder = ResponsesApi().encoder(Job("", []), UNCITED) if _asks_for_stream(request) else None
        stream = Stream(request, app.config.server, encoder)
        return await stream.watch(relay(stream, recording(request, app, route, relayed), encoder))
    raise failed or RequestError(
        404, "no provider with the Responses API has a response with this id", param="response_id", code="not_found"
    )


def _asks_for_stream(request: web.Request) -> bool:
    return request.query.get("stream", "").lower() == "true"
