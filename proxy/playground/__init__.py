"""The playground: a page that asks as any other client would, and shows where an answer comes from.

Plain modules without a build step; everything it loads comes from here, so that it works offline and asks nobody else.
"""

from functools import partial
from importlib.resources import files

from aiohttp import web

from citestream.citation.support.scorers import SCORERS

from ..app import App
from ..http.auth import PAGE_PREFIX
from ..http.middleware import json_response

# Evidence and answers are hostile input. They pass a sanitiser; should anything get past it, it can neither run nor
# call out. Images would be a way to carry data away in their addresses.
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
    "Cache-Control": "no-cache",  # a new release must not meet the old page's scripts
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
    """The page at `/`, what it loads below PAGE_PREFIX, and what it has to know of this server."""
    page = files(__package__)
    found = [web.get("/", partial(_file, body=(page / "index.html").read_bytes(), kind="html"))]
    for folder, prefix in ((page, ""), (page / "vendor", "vendor/")):
        for file in folder.iterdir():
            kind = file.name.rpartition(".")[2]
            if kind in TYPES and kind != "html":
                handler = partial(_file, body=file.read_bytes(), kind=kind)
                found.append(web.get(f"{PAGE_PREFIX}{prefix}{file.name}", handler))
    found.append(web.get("/v1/playground", partial(_settings, app=app)))
    return found


async def _file(_: web.Request, body: bytes, kind: str) -> web.Response:
    answer = web.Response(body=body, content_type=TYPES[kind], charset="utf-8", headers=HEADERS)
    answer.enable_compression()
    return answer


async def _settings(_: web.Request, app: App) -> web.Response:
    """What may be chosen on the page. Names only."""
    options = app.config.citations
    return json_response(
        {
            "citations": {"release": options.release, "scorer": options.scorer, "unsupported": options.unsupported},
            "scorers": list(SCORERS),
            "sources": list(app.config.retrievers),
            "default_source": app.config.default_retriever,
        }
    )
