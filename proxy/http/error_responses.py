"""Errors as clients of OpenAI's API read them: `{"error": {"message", "type", "param", "code"}}`.

| error                         | whose fault            | status                                  |
|-------------------------------|------------------------|-----------------------------------------|
| FieldError                    | the client's           | 400, `param` is the path of the field   |
| RequestError                  | as its status says     | its own                                 |
| ProviderError                 | the provider's         | its own; its message is made for clients|
| aiohttp's HTTPException       | the client's           | its own: 404, 405, 413                  |
| anything else                 | ours                   | 500, and nothing but a request id       |
"""

from typing import Any

from aiohttp import web

from citestream.citation.evidence import FieldError
from citestream.providers.errors import ProviderError

Fields = dict[str, Any]


class RequestError(Exception):
    """The client's request cannot be answered; says with which status and why."""

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
        """`retry_after`: seconds after which another try makes sense. `closes`: the connection is of no more use."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param
        self.code = code
        self.retry_after = retry_after
        self.closes = closes


def error_body(error: BaseException, request_id: str = "") -> Fields:
    """What the client is told. An error that is nobody's fault but ours tells nothing but where the log has more."""
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
            known_as = f"; the log of the server has more under {request_id}" if request_id else ""
            return _body(f"something went wrong on our side{known_as}", "server_error", None, "internal_error")


def status_of(error: BaseException) -> int:
    """The status it is answered with."""
    match error:
        case ProviderError() | RequestError() | web.HTTPException():
            return error.status
        case FieldError():
            return 400
        case _:
            return 500


def headers_of(error: BaseException) -> dict[str, str]:
    """When to try again, and which methods there are, where that is known."""
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


_HTTP = {
    404: ("there is no such address; chat completions are at POST /v1/chat/completions", "not_found"),
    405: ("this address does not take this method", "method_not_allowed"),
    413: ("the body is larger than server.max_body_bytes allows", "too_large"),
}


def _body(message: str, kind: str, param: str | None, code: str | None) -> Fields:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
