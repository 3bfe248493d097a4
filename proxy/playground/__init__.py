"""The playground: a page for conversations with cited answers. It is a client of the server like any other.

It consists of plain JavaScript modules without a build step, and of the web components of `proxy/component`. All files
are served from here, so it works offline.
"""

from functools import partial
from importlib.resources import files

from aiohttp import web

from citestream.citation.support.scorers import SCORERS
from citestream.providers.retrieval.readers import READERS

from ..app import App
from ..http.encoding import json_response
from ..http.middleware.auth import PAGE_PREFIX
from ..http.static_files import file_handler, file_routes
from ..missing_models import KEYS
from .source_facts import describe_source

# Evidence and answers are untrusted. The page inserts them as text only; this policy is the second barrier: it blocks
# scripts and requests to other servers. Images of other servers are blocked because their URLs could contain data.
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


def routes(app: App) -> list[web.RouteDef]:
    """Return the routes of the page at `/`, its files below PAGE_PREFIX, and its settings."""
    page = (files(__package__) / "index.html").read_bytes()
    return [
        web.get("/", file_handler(page, ".html", HEADERS)),
        *file_routes(__package__, PAGE_PREFIX, HEADERS),
        web.get("/v1/playground", partial(_settings, app=app)),
        web.post("/v1/playground/source", partial(describe_source, app=app)),
    ]


async def _settings(_: web.Request, app: App) -> web.Response:
    """Handle `GET /v1/playground`: the choices on the page. The response contains names and limits only."""
    options = app.config.citations
    kinds = {provider.kind for provider in app.config.providers.values()}
    return json_response(
        {
            "citations": {
                "release": options.release,
                "unsupported": options.unsupported,
                "scorer": options.scorer,
                "strictness": options.strictness,
                "judge": options.judge,
            },
            "judge": app.config.scoring.judge,
            "scorers": list(SCORERS),
            "sources": list(app.config.retrievers),
            "default_source": app.config.default_retriever,
            "missing_keys": {vendor: variable for vendor, variable in KEYS.items() if vendor not in kinds},
            "formats": sorted(filter(None, READERS)),
            "max_file_bytes": app.config.server.max_body_bytes,
            "max_evidence": app.config.evidence.limit,
        }
    )
