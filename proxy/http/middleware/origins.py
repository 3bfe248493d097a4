"""Requests from web pages: CORS headers for the configured origins, and protection against all other pages.

CORS: cookies are not credentials of this server, so `Access-Control-Allow-Credentials` is never sent, and `*` allows
nothing that the client key does not protect. https://fetch.spec.whatwg.org/#http-cors-protocol

Protection: a browser lets any page send a POST to any address, with a plain text body even without a preflight. That
the page cannot read the answer does not help whoever pays for it. And a page whose own host name suddenly resolves to
an address of this machine (DNS rebinding) has the same origin and reads everything. If client keys are configured, such
a page has none. A server without keys that other machines reach (`allow_anonymous`) may have any name, so its requests
without an origin are admitted under every name; but a page sends its origin with each POST, which must be that of a
known host.
"""

import re
from collections.abc import Collection
from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from ...config import Server, is_loopback
from ..error_responses import RequestError
from .auth import OPEN_PATHS

METHODS = "GET, POST, DELETE, OPTIONS"
# The headers that SDKs send in browsers; `*` would not include Authorization. OpenAI's SDK adds many x-stainless-*.
HEADERS = (
    "Authorization, Content-Type, Accept, api-key, x-goog-api-key, x-goog-api-client, "
    "OpenAI-Beta, OpenAI-Organization, OpenAI-Project, "
    "x-api-key, anthropic-version, anthropic-beta, anthropic-dangerous-direct-browser-access, "
    "mcp-protocol-version, mcp-method, mcp-name"
)
EXPOSED = (
    "x-request-id, request-id, Retry-After, x-ratelimit-remaining-requests, x-ratelimit-remaining-tokens, "
    "openai-processing-ms, x-citestream-omitted-tools"
)
_STAINLESS = re.compile(r"x-stainless-[a-z-]+")
MAX_AGE_SECONDS = "600"  # seconds for which a browser caches the preflight; Chromium's own limit is 7200
ANY = "*"


class Cors:
    """Answers preflight requests, and adds the headers that let pages of the configured origins read answers."""

    def __init__(self, origins: Collection[str]) -> None:
        """`origins`: `https://app.example`, as a browser sends it, or `*`. Empty: CORS is off."""
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)

    def middleware(self) -> Middleware:
        """Return the middleware for preflight requests. They carry no key, so it comes before the key check."""

        @web.middleware
        async def preflight(request: web.Request, handler: Handler) -> web.StreamResponse:
            is_preflight = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
            if not (self._origins and is_preflight):
                return await handler(request)
            if not self._allowed(request):
                return web.Response(status=204)
            requested = request.headers.get("Access-Control-Request-Headers", "")
            more = [name for name in map(str.strip, requested.lower().split(",")) if _STAINLESS.fullmatch(name)]
            headers = {
                "Access-Control-Allow-Methods": METHODS,
                "Access-Control-Allow-Headers": ", ".join([HEADERS, *more]),
                "Access-Control-Max-Age": MAX_AGE_SECONDS,
            }
            return web.Response(status=204, headers=headers)

        return preflight

    async def add_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        """Add the headers that let the page read the response. A handler for `on_response_prepare`."""
        if not self._origins:
            return
        response.headers.add("Vary", "Origin")
        if origin := self._allowed(request):
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = EXPOSED

    def allows(self, request: web.Request) -> bool:
        """Return whether a request comes from a page of a configured origin."""
        return "Origin" in request.headers and bool(self._allowed(request))

    def _allowed(self, request: web.Request) -> str:
        origin = request.headers.get("Origin", "")
        if ANY in self._origins:
            return ANY
        return origin if origin.rstrip("/").lower() in self._origins else ""


def check_origin(server: Server, cors: Cors) -> Middleware:
    """Return the middleware that refuses pages of other origins, and requests for other host names."""
    hosts = {host.lower().rstrip(".") for host in server.hosts}
    checks_host = bool(hosts) or (not server.keys and is_loopback(server.host))
    hosts.add(server.host.lower())
    schemes = ("https",) if server.tls.certificate else ("http", "https")  # a proxy in front may add HTTPS

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in OPEN_PATHS:
            return await handler(request)
        if checks_host and not _is_known_host(host_name(request.headers.get("Host", "")), hosts):
            raise RequestError(
                403, "this host name is not allowed; add it to server.hosts to allow it", code="host_not_allowed"
            )
        if not server.keys and not (cors.allows(request) or _is_own_page(request, schemes, hosts)):
            raise RequestError(
                403, "this origin is not allowed; add it to server.cors_origins to allow it", code="origin_not_allowed"
            )
        return await handler(request)

    return check


def host_name(host: str) -> str:
    """Return the name or address in a Host header, without its port."""
    name = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
    return name.strip("[]").lower().rstrip(".")


def _is_known_host(name: str, hosts: set[str]) -> bool:
    """Return whether no DNS rebinding is possible: an address, a local name, or no name, which no browser sends."""
    if not name or name in hosts or name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _is_own_page(request: web.Request, schemes: Collection[str], hosts: set[str]) -> bool:
    """Return whether a request comes from no page, or from a page of this server under a known name."""
    origin = request.headers.get("Origin")
    if origin is None:
        return True
    scheme, _, host = origin.lower().partition("://")
    is_same = bool(host) and host == request.headers.get("Host", "").lower()
    return is_same and scheme in schemes and _is_known_host(host_name(host), hosts)
