"""What every request goes through: the door, and errors in the shape clients read."""

import logging
from collections.abc import Callable
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from citestream.citation.evidence import FieldError
from citestream.providers.errors import ProviderError

from ..observability.logs import CLIENT, CLIENT_CLOSED, REQUEST_ID, TENANT
from .auth import Keys, is_open, presented
from .encoding import dumps
from .error_responses import RequestError, error_body, headers_of, status_of

Shape = Callable[[dict[str, Any], int], dict[str, Any]]  # OpenAI's error object and the status -> another API's

log = logging.getLogger("citestream")


def errors_as_json(shape_of: Callable[[str], Shape]) -> Middleware:
    """Answer every error with its status and an error object; say nothing of what is inside.

    `shape_of`: for the path of a request, how the clients of its API read an error.
    """

    @web.middleware
    async def last_defence(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except (FieldError, ProviderError, RequestError, web.HTTPException) as error:
            return _refused(error, shape_of(request.path))
        except Exception as error:  # a client gets an answer, the log the cause
            if isinstance(error, ConnectionError) and _has_left(request):
                return web.Response(status=CLIENT_CLOSED)  # for the log and the metrics: nobody reads it
            log.exception("%s failed", request[REQUEST_ID])
            return _refused(error, shape_of(request.path), request[REQUEST_ID])

    return last_defence


def _has_left(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


def _refused(error: Exception, shape: Shape, request_id: str = "") -> web.Response:
    status = status_of(error)
    return json_response(shape(error_body(error, request_id), status), status, headers_of(error))


def only_known_clients(keys: Keys) -> Middleware:
    """Turn away whoever has no client key, where the configuration names any."""

    @web.middleware
    async def door(request: web.Request, handler: Handler) -> web.StreamResponse:
        key = presented(request)
        name = keys.name_of(key)
        if name is None and not is_open(request.path):
            raise RequestError(401, "a valid client key is required", code="invalid_api_key")
        request[CLIENT] = name or ""
        request[TENANT] = keys.tenant_of(key)
        return await handler(request)

    return door


def json_response(body: object, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """A body as JSON."""
    return web.Response(body=dumps(body), status=status, headers=headers, content_type="application/json")
