"""Serve the files of a package from memory, with security headers and an entity tag."""

from collections.abc import Iterator, Mapping
from functools import partial
from hashlib import sha256
from importlib.resources import files

from aiohttp import ETag, web
from aiohttp.typedefs import Handler

TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".ts": "text/plain",
}
FOLDERS = ("languages", "vendor")
TAG_CHARACTERS = 16  # length of the tag; enough to tell releases apart

# The browser asks whether a file has changed: after an update, a page must not use scripts of the old release.
HEADERS = {"Cache-Control": "no-cache", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}


def file_routes(package: str, prefix: str, headers: Mapping[str, str]) -> Iterator[web.RouteDef]:
    """Yield a route for each file of a package and of its folders FOLDERS whose suffix is in TYPES."""
    root = files(package)
    for folder, below in ((root, ""), *((root / name, f"{name}/") for name in FOLDERS)):
        for file in folder.iterdir() if folder.is_dir() else ():
            suffix = f".{file.name.rpartition('.')[2]}"
            if suffix in TYPES:
                yield web.get(f"{prefix}{below}{file.name}", file_handler(file.read_bytes(), suffix, headers))


def file_handler(body: bytes, suffix: str, headers: Mapping[str, str]) -> Handler:
    """Return the handler for one file."""
    tag = ETag(sha256(body).hexdigest()[:TAG_CHARACTERS])
    return partial(_serve, body=body, kind=TYPES[suffix], headers={**HEADERS, **headers}, tag=tag)


async def _serve(request: web.Request, body: bytes, kind: str, headers: Mapping[str, str], tag: ETag) -> web.Response:
    cached_tags = request.if_none_match
    response = web.Response(status=304, headers=headers)
    if not cached_tags or tag not in cached_tags:
        response = web.Response(body=body, content_type=kind, charset="utf-8", headers=headers)
        response.enable_compression()
    response.etag = tag
    return response
