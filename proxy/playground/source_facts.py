"""`POST /v1/playground/source`: name and size of a source, and some excerpts from which the page makes questions.

The method is POST for the reason given in `proxy/apis/document_endpoint.py`.
"""

import asyncio
from pathlib import Path
from typing import Any

from aiohttp import web

from citestream.providers.retrieval.folder.store_file import StoreError

from ..app import App
from ..config import RetrieverConfig
from ..http.encoding import json_response
from ..http.error_responses import RequestError
from ..http.request_body import read_json, required_text

MAX_EXCERPTS = 24  # enough for three different questions
MAX_CHARACTERS = 600  # the first sentences or rows of an excerpt
SHOWN_FIELDS = ("file_name", "title")


async def describe_source(request: web.Request, app: App) -> web.Response:
    """Return the name, the files and some excerpts of a source. Only folders have files."""
    name = required_text(await read_json(request), "source")
    config = app.config.retrievers.get(name)
    if config is None:
        raise RequestError(404, f"there is no source {name!r}", param="source", code="not_found")
    facts: dict[str, Any] = {"source": name, "title": name, "files": None, "excerpts": []}
    if config.kind == "folder":
        facts |= await asyncio.to_thread(_folder, config)
    return json_response(facts)


def _folder(config: RetrieverConfig) -> dict[str, Any]:
    from citestream.providers.retrieval.folder.store import Store  # imported late: SQLite takes 1 MB

    try:
        store = Store(Path(config.store))
    except StoreError:
        return {"files": 0}
    try:
        names = [folder.name for folder in store.folders().values()]
        samples = [_beginning(entry) for entry in store.samples(MAX_EXCERPTS)]
        return {
            **({"title": ", ".join(filter(None, names))} if any(names) else {}),
            "files": store.counts()["files"],
            "excerpts": samples,
        }
    finally:
        store.close()


def _beginning(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        **{field: entry[field] for field in SHOWN_FIELDS if entry.get(field)},
        "text": entry["text"][:MAX_CHARACTERS],
    }
