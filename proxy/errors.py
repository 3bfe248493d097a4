"""Errors as clients of OpenAI's API read them: `{"error": {"message", "type", "param", "code"}}`."""

from typing import Any

from aiohttp import web

from citation.evidence import FieldError
from providers.errors import ProviderError

Fields = dict[str, Any]


class RequestError(Exception):
    """The client's request cannot be answered; says with which status and why."""

    def __init__(
        self, status: int, message: str, *, param: str | None = None, code: str | None = None, retry_after: int = 0
    ) -> None:
        """`retry_after`: seconds after which another try makes sense."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param
        self.code = code
        self.retry_after = retry_after


def error_body(error: BaseException) -> Fields:
    """What the client is told. An error that is nobody's fault but ours tells nothing."""
    match error:
        case ProviderError():
            return _body(error.message, error.type, error.param, error.code)
        case FieldError():
            return _body(f"{error.path}: {error.message}", "invalid_request_error", error.path, "invalid_value")
        case RequestError():
            kind = "invalid_request_error" if error.status < 500 else "server_error"
            return _body(error.message, kind, error.param, error.code)
        case web.HTTPRequestEntityTooLarge():
            return _body(
                "the body is larger than server.max_body_bytes allows", "invalid_request_error", None, "too_large"
            )
        case web.HTTPException():
            return _body(error.reason, "invalid_request_error", None, None)
        case _:
            return _body("something went wrong on our side", "server_error", None, "internal_error")


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
    """When to try again, where that is known."""
    retry_after = getattr(error, "retry_after", None)
    return {"Retry-After": str(retry_after)} if retry_after else {}


def _body(message: str, kind: str, param: str | None, code: str | None) -> Fields:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}
