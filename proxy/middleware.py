"""What every request goes through: a request id, the door, and errors in the shape clients read."""

import logging
import secrets

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from citation.evidence import FieldError
from providers.errors import ProviderError

from .auth import OPEN_PATHS, Keys
from .encoding import dumps
from .errors import RequestError, error_body, headers_of, status_of

REQUEST_ID = "x-request-id"

log = logging.getLogger("citestream")


@web.middleware
async def errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer every error with its status and OpenAI's error object; say nothing of what is inside."""
    request_id = f"req_{secrets.token_hex(12)}"
    try:
        response = await handler(request)
    except (FieldError, ProviderError, RequestError, web.HTTPException) as error:
        response = json_response(error_body(error), status_of(error), headers_of(error))
    except ExceptionGroup as group:
        log.exception("%s failed", request_id, exc_info=group)
        response = json_response(error_body(group), 500)
    except Exception as error:
        log.exception("%s failed", request_id)
        response = json_response(error_body(error), 500)
    if not response.prepared:
        response.headers[REQUEST_ID] = request_id
    return response


def only_known_clients(keys: Keys) -> Middleware:
    """Turn away whoever has no client key, where the configuration names any."""

    @web.middleware
    async def door(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not keys.admits(request):
            raise RequestError(401, "a valid client key is required", code="invalid_api_key")
        return await handler(request)

    return door


def not_too_many(most: int) -> Middleware:
    """Answer at most `most` requests at once; the others are told to come back."""
    running = 0

    @web.middleware
    async def admission(request: web.Request, handler: Handler) -> web.StreamResponse:
        nonlocal running
        if request.path in OPEN_PATHS:
            return await handler(request)
        if running >= most:
            raise RequestError(503, "too many requests at once", code="over_capacity", retry_after=1)
        running += 1
        try:
            return await handler(request)
        finally:
            running -= 1

    return admission


def json_response(body: object, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """A body as JSON."""
    return web.Response(body=dumps(body), status=status, headers=headers, content_type="application/json")
