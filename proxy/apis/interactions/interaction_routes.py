"""The paths of the Interactions API. Only interactions that Citestream has stored can be read."""

from typing import Any

from aiohttp import web

from citestream.citation.evidence import FieldError

from ...app import App
from ...http.encoding import json_response, json_response_in_steps
from ...http.error_responses import RequestError
from ...http.exchange import EarlierAnswers, answer
from ...http.request_body import hold
from ...observability.logs import TENANT
from ...storage import STORED_FIELDS
from .interactions_request import InteractionsApi
from .stored_interactions import interaction_key, is_own_interaction

Fields = dict[str, Any]


async def create_interaction(request: web.Request, app: App) -> web.StreamResponse:
    """`POST …/interactions`."""
    return await answer(request, InteractionsApi(), app)


async def get_interaction(request: web.Request, app: App) -> web.StreamResponse:
    """`GET …/interactions/{id}`, with `include_input` its input too."""
    if request.query.get("stream", "").lower() == "true":
        raise FieldError("stream", "is possible for interactions in background only; this one is complete")
    name = request.match_info["id"]
    stored = await _stored(request, app, name)
    references = await EarlierAnswers(request, app).find(name) or {}
    added = {key: references[key] for key in STORED_FIELDS if key in references}
    given = {"input": stored["input"]} if request.query.get("include_input", "").lower() == "true" else {}
    return await json_response_in_steps({**stored["interaction"], "steps": stored["output"], **given, **added})


async def delete_interaction(request: web.Request, app: App) -> web.StreamResponse:
    """`DELETE …/interactions/{id}`."""
    name = request.match_info["id"]
    await _stored(request, app, name)
    for key in (name, interaction_key(name)):
        app.recent.put(request.get(TENANT, ""), key, {})
    return json_response({})


async def cancel_interaction(request: web.Request, app: App) -> web.StreamResponse:
    """`POST …/interactions/{id}/cancel`."""
    await _stored(request, app, request.match_info["id"])
    raise RequestError(400, "only interactions in background can be cancelled; this one is complete")


async def _stored(request: web.Request, app: App, name: str) -> Fields:
    """Return what was stored with an interaction. Raise RequestError if there is nothing."""
    earlier = EarlierAnswers(request, app)
    stored = await earlier.find(interaction_key(name)) if is_own_interaction(name) else None
    hold(request, stored, size=earlier.size)
    if not stored:
        reason = "no interaction with this id is stored; the configuration limits their number and age"
        raise RequestError(404, reason, code="not_found")
    return stored
