"""`GET /passages/{signed id}`."""

from aiohttp import web

from ..app import App
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
    stored = await app.recent.get(STORED_AS, entry_name(token, number)) or {}
    found = next((one for one in stored.get("passages", ()) if one["evidence_number"] == number), None)
    if found is None:
        return _plain(410, EXPIRED)
    page = passage_page(found).encode("utf-8", "replace")  # a lone surrogate becomes a question mark
    return web.Response(body=page, content_type="text/html", charset="utf-8", headers=HEADERS)


def _plain(status: int, text: str) -> web.Response:
    return web.Response(text=text, status=status, headers=HEADERS)
