"""CORS: which pages of other origins may ask from a browser. Off unless the configuration names origins.

Cookies are no credentials here, so `Access-Control-Allow-Credentials` is never sent, and `*` gives nothing away that
the client key does not guard. https://fetch.spec.whatwg.org/#http-cors-protocol
"""

import re
from collections.abc import Collection

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

METHODS = "GET, POST, OPTIONS"
# What SDKs in browsers send; `*` would leave out Authorization. x-stainless-* are those of OpenAI's, too many to list.
HEADERS = "Authorization, Content-Type, Accept, api-key, x-goog-api-key, x-goog-api-client, OpenAI-Beta"
EXPOSED = "x-request-id, Retry-After, x-ratelimit-remaining-requests, x-ratelimit-remaining-tokens"
_STAINLESS = re.compile(r"x-stainless-[a-z-]+")
MAX_AGE = "600"  # seconds a browser remembers the answer; Chromium's own limit is 7200
ANY_NUMBER = "*"


class Cors:
    """Answers a browser's question before the door asks for a key, and marks every answer that a page may read."""

    def __init__(self, origins: Collection[str]) -> None:
        """`origins`: `https://app.example`, as a browser sends it, or `*`."""
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)

    def middleware(self) -> Middleware:
        """To stand before the door: a preflight carries no key."""

        @web.middleware
        async def preflight(request: web.Request, handler: Handler) -> web.StreamResponse:
            if (
                not self._origins
                or request.method != "OPTIONS"
                or "Access-Control-Request-Method" not in request.headers
            ):
                return await handler(request)
            asked = request.headers.get("Access-Control-Request-Headers", "")
            more = [name for name in map(str.strip, asked.lower().split(",")) if _STAINLESS.fullmatch(name)]
            return web.Response(
                status=204,
                headers={
                    "Access-Control-Allow-Methods": METHODS,
                    "Access-Control-Allow-Headers": ", ".join([HEADERS, *more]),
                    "Access-Control-Max-Age": MAX_AGE,
                }
                if self._allowed(request)
                else {},
            )

        return preflight

    async def mark(self, request: web.Request, response: web.StreamResponse) -> None:
        """For `on_response_prepare`: the headers that let the page read it."""
        if not self._origins:
            return
        response.headers.add("Vary", "Origin")
        if origin := self._allowed(request):
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = EXPOSED

    def allows(self, request: web.Request) -> bool:
        """Whether it comes from a page of a named origin."""
        return "Origin" in request.headers and bool(self._allowed(request))

    def _allowed(self, request: web.Request) -> str:
        origin = request.headers.get("Origin", "")
        if ANY_NUMBER in self._origins:
            return ANY_NUMBER
        return origin if origin.rstrip("/").lower() in self._origins else ""
