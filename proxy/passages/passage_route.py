"""`GET /passages/{signed id}`."""

from aiohttp import web

from citestream.providers.scheduler import Work

from ..app import App
from ..http.encoding import response_of_parts
from ..http.request_body import reserve
from ..storage import decoded
from .passage_links import STORED_AS, entry_name
from .passage_page import HEADERS, passage_page

UNKNOWN = "There is no such passage. Check that the link is complete.\n"
EXPIRED = "This link has expired. Ask the question again to get a new one.\n"


async def passage(request: web.Request, app: App) -> web.Response:
    """Return the page of a cited passage: 404 for a forged link, 410 if its answer is no longer stored."""
    signed = app.passage_links.parse(request.match_info["id"])
    if signed is None:
        return _plain(404, UNKNOWN)
    token, number = signed
    data = await app.recent.get_data(STORED_AS, entry_name(token, number))
    await reserve(request, data or b"")
    stored = await decoded(data) or {}
    stored_passage = next((entry for entry in stored.get("passages", ()) if entry["evidence_number"] == number), None)
    if stored_passage is None:
        return _plain(410, EXPIRED)
    pieces = await Work("encode").run(passage_page(stored_passage))
    return response_of_parts(pieces, HEADERS, content_type="text/html", charset="utf-8")


def _plain(status: int, text: str) -> web.Response:
    return web.Response(text=text, status=status, headers=HEADERS)
