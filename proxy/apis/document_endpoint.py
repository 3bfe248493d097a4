"""`POST /v1/evidence/document` and `/v1/evidence/file`: documents of an indexed folder, to show a passage in them.

A client that can search a folder can read its documents, as with the tool `fetch` of the Model Context Protocol. The
method is POST, because a browser sends the origin of a page with it, also if the name of the page is rebound.
"""

import asyncio
import re
from typing import Any

from aiohttp import web

from citestream.providers.retrieval.readers import SourceFile, UnreadableFileError

from ..app import App
from ..http.encoding import json_response_in_steps
from ..http.error_responses import RequestError
from ..http.request_body import read_json, required_text

MAX_EXCERPTS = 1_000  # limit of a response: about 400 pages, 1 MB
BEFORE = MAX_EXCERPTS // 2  # excerpts of a longer document before that of the passage
BLOCK_BYTES = 2**18  # bytes of a file that are read and sent at a time
_POSITION = re.compile(r"#(\d{1,9})$")  # at the end of the id of an excerpt


async def read_indexed(request: web.Request, app: App) -> web.Response:
    """Return the excerpts of a document. `excerpt`: the id of one of them, around which a long document is cut."""
    body = await read_json(request)
    source, document_id = _document(body, app)
    position = _POSITION.search(required_text(body, "excerpt")) if "excerpt" in body else None
    first = max(0, int(position[1]) - BEFORE) if position else 0
    document = await app.retrievers.document(source, document_id, first, MAX_EXCERPTS)
    if not document.entries:
        raise _missing(document_id)
    name = document.entries[0].get("file_name") or document_id
    answer = {
        "object": "evidence",
        "source": source,
        "document_id": document_id,
        "file_name": name,
        "first": first,
        "total": document.total,
        "has_file": document.has_file and name.lower().endswith(".pdf"),
        "evidence": document.entries,
    }
    return await json_response_in_steps(answer)


async def send_file(request: web.Request, app: App) -> web.StreamResponse:
    """Return an indexed PDF file. Other files are not sent, because a browser could run their scripts."""
    source, document_id = _document(await read_json(request), app)
    if not document_id.lower().endswith(".pdf"):
        raise RequestError(404, "only PDF files are returned", param="document_id", code="not_found")
    try:
        file = await app.retrievers.file(source, document_id)
    except UnreadableFileError as error:
        raise RequestError(404, f"{document_id} {error.reason}", param="document_id", code="not_found") from None
    if file is None:
        raise _missing(document_id)
    with file:
        return await _send(request, file)


def _document(body: dict[str, Any], app: App) -> tuple[str, str]:
    """Return the source and the id of the document that a request names."""
    source, document_id = required_text(body, "source"), required_text(body, "document_id")
    if source not in app.config.retrievers:
        names = ", ".join(app.config.retrievers) or "none"
        message = f"there is no source {source!r}; there are: {names}"
        raise RequestError(404, message, param="source", code="not_found")
    return source, document_id


def _missing(document_id: str) -> RequestError:
    message = f"there is no document {document_id!r} in this source"
    return RequestError(404, message, param="document_id", code="not_found")


async def _send(request: web.Request, file: SourceFile) -> web.StreamResponse:
    headers = {"Content-Type": "application/pdf", "Content-Length": str(file.size), "Cache-Control": "no-store"}
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    with file.binary() as content:
        while block := await asyncio.to_thread(content.read, BLOCK_BYTES):
            await response.write(block)
    await response.write_eof()
    return response
