"""Pages: no web page may use a server that asks for no key, unless the configuration names it.

A browser lets any page send a POST to any address, with a plain text body even without asking first; that the page
cannot read the answer (CORS) does not help whoever pays for it. And a page whose own name suddenly means an address of
this machine (DNS rebinding) is of the same origin and reads it all. Where client keys are asked for, a page has none.
"""

from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from ..config import Server, is_loopback
from .auth import OPEN_PATHS
from .cors import Cors
from .error_responses import RequestError


def check_origin(server: Server, cors: Cors) -> Middleware:
    """Turn away requests of pages that are not named, and requests to names that are not this server's."""
    hosts = {host.lower().rstrip(".") for host in server.hosts}
    guards_host = bool(hosts) or (not server.keys and is_loopback(server.host))
    hosts.add(server.host.lower())

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in OPEN_PATHS:
            return await handler(request)
        if guards_host and not _is_known(name_of(request.headers.get("Host", "")), hosts):
            raise RequestError(
                403, "this server is not known by that name; server.hosts can name it", code="host_not_allowed"
            )
        if not server.keys and not (cors.allows(request) or _is_own(request)):
            raise RequestError(
                403, "pages of this origin may not ask; server.cors_origins can name it", code="origin_not_allowed"
            )
        return await handler(request)

    return guard


def name_of(host: str) -> str:
    """The name or address in a Host header, without its port."""
    name = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
    return name.strip("[]").lower().rstrip(".")


def _is_known(name: str, hosts: set[str]) -> bool:
    """An address cannot be rebound, no foreign server resolves `localhost`, and what sends no name is no browser."""
    if not name or name in hosts or name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _is_own(request: web.Request) -> bool:
    """No page's request, or one of a page that this server itself sent."""
    origin = request.headers.get("Origin")
    if origin is None:
        return True
    host = origin.partition("://")[2].lower()
    return bool(host) and host == request.headers.get("Host", "").lower()
