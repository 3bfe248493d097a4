"""The web components `<citestream-answer>` and `<citestream-sources>`: ES modules that every server offers.

The same files are the npm package `citestream`. They have no dependencies and no build step. Pages of the origins in
`server.cors_origins` can import them from here.
"""

from collections.abc import Iterator

from aiohttp import web

from ..http.middleware.auth import COMPONENT_PREFIX
from ..http.static_files import file_routes

HEADERS = {"Content-Security-Policy": "default-src 'none'", "Cross-Origin-Resource-Policy": "cross-origin"}


def routes() -> Iterator[web.RouteDef]:
    """Yield the routes of the files below COMPONENT_PREFIX."""
    return file_routes(__package__, COMPONENT_PREFIX, HEADERS)
