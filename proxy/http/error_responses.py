"""Errors in the format of OpenAI's API: `{"error": {"message", "type", "param", "code"}}`.

| error                         | caused by              | status                                  |
|-------------------------------|------------------------|-----------------------------------------|
| FieldError                    | the client's           | 400, `param` is the path of the field   |
| RequestError                  | as its status says     | its own                                 |
| ProviderError                 | the provider's         | its own; its message is for clients, or |
|                               |                        | its own object for clients of its API   |
| aiohttp's HTTPException       | the client's           | its own: 404, 405, 413                  |
| anything else                 | us                     | 500, with nothing but the request id    |
"""

import logging
from collections.abc import Callable
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from citestream.citation.evidence import FieldError
from citestream.providers.errors import ProviderError

from ..observability.logs import CLIENT_CLOSED, REQUEST_ID
from .encoding import json_response

Fields = dict[str, Any]
ErrorFormat = Callable[[Fields, int], Fields]  # from OpenAI's error object and the status to that of another API

log = logging.getLogger("citestream")


class RequestError(Exception):
    """A request that cannot be answered."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        retry_after: int = 0,
        closes: bool = False,
    ) -> None:
        """`retry_after`: seconds to wait before a retry. `closes`: the connection cannot be used any more."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param
        self.code = code
        self.retry_after = retry_after
        self.closes = closes


def error_body(error: BaseException, request_id: str = "") -> Fields:
    """Return the error object for the client. Our own errors reveal nothing but the id of their log line."""
    match error:
        case ProviderError():
            return _body(error.message, error.type, error.param, error.code)
        case FieldError():
            return _body(f"{error.path}: {error.message}", "invalid_request_error", error.path, "invalid_value")
        case RequestError():
            kind = "invalid_request_error" if error.status < 500 else "server_error"
            return _body(error.message, kind, error.param, error.code)
        case web.HTTPException():
            message, code = _HTTP.get(error.status, (error.reason, None))
            return _body(message, "invalid_request_error", None, code)
        case _:
            logged = f"; details are in the server's log under {request_id}" if request_id else ""
            return _body(f"internal error{logged}", "server_error", None, "internal_error")


def status_of(error: BaseException) -> int:
    """Return the HTTP status of an error."""
    match error:
        case ProviderError() | RequestError() | web.HTTPException():
            return error.status
        case FieldError():
            return 400
        case _:
            return 500


def headers_of(error: BaseException) -> dict[str, str]:
    """Return the response headers of an error, such as `Retry-After` and `Allow`."""
    match error:
        case ProviderError():
            return dict(error.headers)
        case RequestError() if error.retry_after:
            return {"Retry-After": str(error.retry_after)}
        case RequestError() if error.closes:
            return {"Connection": "close"}
        case web.HTTPMethodNotAllowed():
            return {"Allow": ", ".join(sorted(error.allowed_methods))}
        case _:
            return {}


def errors_as_json(format_of: Callable[[str], ErrorFormat]) -> Middleware:
    """Return the middleware that answers every error with its status and an error object.

    `format_of`: returns the error format of the API at a path.
    """

    @web.middleware
    async def handle_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except (FieldError, ProviderError, RequestError, web.HTTPException) as error:
            return _error_response(error, format_of(request.path))
        except Exception as error:  # the client gets an answer, the log the cause
            if isinstance(error, ConnectionError) and _has_left(request):
                return web.Response(status=CLIENT_CLOSED)  # for the log and the metrics; the client has left
            log.exception("%s failed", request[REQUEST_ID])
            return _error_response(error, format_of(request.path), request[REQUEST_ID])

    return handle_errors


def _has_left(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


def _error_response(error: Exception, format_error: ErrorFormat, request_id: str = "") -> web.Response:
    status = status_of(error)
    if isinstance(error, ProviderError) and error.passes_body and error.body:
        headers = headers_of(error)
        return web.Response(body=error.body, status=status, headers=headers, content_type="application/json")
    return json_response(format_error(error_body(error, request_id), status), status, headers_of(error))


_HTTP = {
    404: ("there is no such path; chat completions are at POST /v1/chat/completions", "not_found"),
    405: ("this path does not support this method", "method_not_allowed"),
    413: ("the body is larger than server.max_body_bytes allows", "too_large"),
}


def _body(message: str, kind: str, param: str | None, code: str | None) -> Fields:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
