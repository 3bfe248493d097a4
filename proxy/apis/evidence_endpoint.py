"""`POST /v1/evidence/read`: read a document and return its excerpts, which a client can send as `evidence`."""

from aiohttp import web

from citestream.citation.evidence import FieldError
from citestream.providers.retrieval.readers import UnreadableFileError
from citestream.providers.retrieval.readers.isolated import read_document
from citestream.providers.wire.json_steps import is_large

from ..http.document_queue import DOCUMENTS
from ..http.encoding import json_response_in_steps
from ..http.error_responses import RequestError
from ..http.request_body import LARGE_BODY_BYTES, hold, read_body
from ..observability.logs import TENANT

MAX_NAME_CHARACTERS = 255  # characters; the limit of common file systems


async def read_evidence(request: web.Request) -> web.Response:
    """Return the excerpts of the document in the body. The parameter `file_name` gives its name and format.

    The size of the body is limited by `server.max_body_bytes`.
    """
    name = request.query.get("file_name", "").strip()
    if not name or len(name) > MAX_NAME_CHARACTERS or "\0" in name:
        raise FieldError(
            "file_name", f"must be a file name of 1 to {MAX_NAME_CHARACTERS} characters, such as report.pdf"
        )
    queue, client = request.app[DOCUMENTS], request[TENANT]
    try:
        with queue.place(client):  # before the body is read, so that few bodies wait
            data = await read_body(request)
            if not data:
                raise RequestError(400, "the body is empty; send the bytes of the file", code="invalid_body")
            async with queue.turn(client):
                evidence = await read_document(data, name)
    except UnreadableFileError as error:
        raise RequestError(422, f"{name} {error.reason}", param="file_name", code="unreadable_document") from None
    answer = {"object": "evidence", "file_name": name, "evidence": evidence}
    if is_large(evidence, LARGE_BODY_BYTES):
        hold(request, answer, size=2 * LARGE_BODY_BYTES)
    return await json_response_in_steps(answer)
