"""`GET /v1/references/{id}`: the references and grounding of a recent answer, for clients that drop unknown fields."""

from aiohttp import web

from ..app import App
from ..http.error_responses import RequestError
from ..http.middleware import json_response
from ..observability.logs import TENANT
from ..storage import STORED_FIELDS


async def references(request: web.Request, app: App) -> web.Response:
    """What the last chunk of that answer carried; only to the client that got the answer."""
    name = request.match_info["id"]
    kept = await app.recent.get(request.get(TENANT, ""), name) or {}
    found = {key: kept[key] for key in STORED_FIELDS if key in kept}
    if not found:
        raise RequestError(
            404,
            "no references are kept for an answer with this id; the configuration says how many, how long",
            code="not_found",
        )
    return json_response({"object": "references", "id": name, **found})
