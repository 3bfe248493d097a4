"""The playground: a web page that sends requests like any other client and shows the evidence of an answer.

It consists of plain JavaScript modules without a build step. All files are served from here, so it works offline.
"""

from functools import partial
from importlib.resources import files

from aiohttp import web

from citestream.citation.support.scorers import SCORERS

from ..app import App
from ..http.auth import PAGE_PREFIX
from ..http.encoding import json_response

# Evidence and answers are untrusted. They are sanitized; this policy is the second barrier: it blocks scripts and
# requests to other servers. Images of other servers are blocked because their URLs could contain data.
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
        "trusted-types dompurify citestream",
    ]
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-cache",  # after an update, a page must not use scripts of the old release
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
TYPES = {
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "svg": "image/svg+xml",
}


def routes(app: App) -> list[web.RouteDef]:
    """Return the routes of the page at `/`, its files below PAGE_PREFIX, and its settings."""
    page = files(__package__)
    result = [web.get("/", partial(_file, body=(page / "index.html").read_bytes(), kind="html"))]
    for folder, prefix in ((page, ""), (page / "vendor", "vendor/")):
        for file in folder.iterdir():
            kind = file.name.rpartition(".")[2]
            if kind in TYPES and kind != "html":
                handler = partial(_file, body=file.read_bytes(), kind=kind)
                result.append(web.get(f"{PAGE_PREFIX}{prefix}{file.name}", handler))
    result.append(web.get("/v1/playground", partial(_settings, app=app)))
    return result


async def _file(_: web.Request, body: bytes, kind: str) -> web.Response:
    response = web.Response(body=body, content_type=TYPES[kind], charset="utf-8", headers=HEADERS)
    response.enable_compression()
    return response


async def _settings(_: web.Request, app: App) -> web.Response:
    """Handle `GET /v1/playground`: the choices on the page. The response contains names only."""
    options = app.config.citations
    return json_response(
        {
            "citations": {
                "release": options.release,
                "unsupported": options.unsupported,
                "scorer": options.scorer,
                "strictness": options.strictness,
            },
            "scorers": list(SCORERS),
            "sources": list(app.config.retrievers),
            "default_source": app.config.default_retriever,
        }
    )
