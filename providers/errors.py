"""The errors of providers, and the status with which a server should answer each of them.

ProviderError
├── Unreachable        no connection, or it broke before an answer began            502
├── TimedOut           connected, but too slow                                      504
├── Rejected           the provider answered with an error status                   the same (4xx), otherwise 502
│   └── NoSuchApi      it has another API of the vendor, but not this one           404
├── NotSupported       the provider does not have this method                       501
├── BrokenStream       its stream violates its protocol                             502
├── IncompleteAnswer   the stream ended without a finish reason                     502
└── ReportedError      an error object inside the stream                            the same (4xx), otherwise 502

Messages may be shown to clients: keys are masked, addresses of the operator's network are removed, and a body that is
not an error object (such as a proxy's HTML page) is never quoted.
"""

import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ssl import SSLCertVerificationError
from typing import Any, ClassVar

import orjson

from .masking import mask

# The first two errors are permanent, so they are not retried. The third is always safe to retry.
ADDRESS = "provider_address"
CERTIFICATE = "provider_certificate"
CONNECT_TIMEOUT = "provider_connect_timeout"
RETRYABLE_TYPE = "upstream_error"  # clients retry it, unlike invalid_request_error
# Headers of a provider's answer that clients receive: whether and when to retry, and the provider's request id.
PASSED_HEADERS = frozenset(
    {"retry-after", "retry-after-ms", "x-should-retry", "x-request-id", "request-id", "ratelimit"}
)
PASSED_PREFIXES = ("x-ratelimit-", "ratelimit-", "anthropic-ratelimit-")
MAX_MESSAGE = 2_000  # characters of a provider's message that are passed on
MAX_HEADER = 256  # characters of a header that is passed on

# The error type by status, if the provider named none.
TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "invalid_request_error",
    422: "invalid_request_error",
    429: "rate_limit_error",
}


class ProviderError(Exception):
    """A provider failed or refused. `message` may be shown to a client."""

    status_default: ClassVar[int] = 502
    code_default: ClassVar[str] = "provider_error"
    answered = 0  # the provider's own status, 0 if the error is not a status

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        type: str | None = None,  # noqa: A002 - its name in every vendor's error object
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """`status`: with which a server should answer. `headers`: those that clients may see."""
        super().__init__(message)
        self.message = message
        self.status = status or self.status_default
        self.type = type or TYPES.get(self.status, RETRYABLE_TYPE)
        self.param = param
        self.code = code or self.code_default
        self.headers = dict(headers or {})

    @property
    def brief(self) -> str:
        """A summary for logs, without the message, because a provider may quote the prompt in it."""
        return f"{type(self).__name__} ({self.answered or self.status})"

    @property
    def retry_after(self) -> str | None:
        """The provider's `Retry-After`: seconds or a date."""
        return self.headers.get("retry-after")

    @property
    def allows_fallback(self) -> bool:
        """Whether another provider may be able to answer. 404 means that this provider does not have the model."""
        return self.fault != "client" or self.status == 404

    @property
    def fault(self) -> str:
        """The cause: "client" (the request), "operator" (key or address in the configuration) or "provider"."""
        if self.status in {401, 403}:
            return "operator"
        return "client" if 400 <= self.status < 500 and self.status not in {408, 429} else "provider"


class Unreachable(ProviderError):  # noqa: N818 - named after what happened
    """No connection, or it broke before an answer began."""

    code_default = "provider_unreachable"

    @property
    def brief(self) -> str:
        """A summary for logs, with the reason: there is no answer that could quote the prompt."""
        return self.message.rstrip(".")


class TimedOut(ProviderError):  # noqa: N818 - named after what happened
    """Connected, but too slow."""

    status_default = 504
    code_default = "provider_timeout"


class Rejected(ProviderError):  # noqa: N818 - named after what happened
    """The provider answered with an error status."""

    code_default = "provider_rejected"


class NoSuchApi(Rejected):
    """The provider has another API of its vendor, but not the requested one."""


class NotSupported(ProviderError):  # noqa: N818 - the name that Python uses for it
    """The provider does not have this method."""

    status_default = 501
    code_default = "unsupported"


class BrokenStream(ProviderError):  # noqa: N818 - named after what happened
    """The stream violates its protocol."""

    code_default = "broken_stream"


class IncompleteAnswer(ProviderError):  # noqa: N818 - named after what happened
    """The stream ended without a finish reason."""

    code_default = "incomplete_answer"


class ReportedError(ProviderError):
    """An error object inside the stream."""

    code_default = "provider_error"


def rejected(status: int, headers: Mapping[str, str], body: bytes) -> Rejected:
    """Return the error of an answer with an error status. Only error objects of a known form are quoted."""
    details = _parse_error(_json(body))
    passed = passed_headers(headers)
    if details.retry_after and "retry-after" not in passed:
        passed["retry-after"] = details.retry_after
    if 300 <= status < 400:
        return Rejected("The provider redirects to another address, which is not followed.", headers=passed)
    error = Rejected(
        details.message or f"The provider answered {status} without an explanation.",
        status=status if 400 <= status < 500 else 502,
        type=details.type,
        param=details.param,
        code=details.code,
        headers=passed,
    )
    error.answered = status
    return error


def reported(error: object) -> ReportedError:
    """Return the error of an error object inside a stream, in the form of any vendor."""
    details = _parse_error(error)
    return ReportedError(
        details.message or "The provider reported an error without an explanation.",
        status=details.status if details.status and 400 <= details.status < 500 else 502,
        type=details.type,
        param=details.param,
        code=details.code,
        headers={"retry-after": details.retry_after} if details.retry_after else None,
    )


def translate(error: BaseException) -> ProviderError:
    """Return the error for an exception of aiohttp, asyncio or an SDK. SDK exceptions are recognised by attributes."""
    if isinstance(error, ProviderError):
        return error
    names = {kind.__name__ for kind in type(error).__mro__}
    if "ConnectionTimeoutError" in names:  # aiohttp's; nothing has been sent
        return TimedOut("The provider could not be connected to in time.", code=CONNECT_TIMEOUT)
    if isinstance(error, TimeoutError) or any("Timeout" in name for name in names):
        return TimedOut("The provider did not answer in time.")
    if "SSLError" in names or any(isinstance(cause, SSLCertVerificationError) for cause in _causes(error)):
        return Unreachable("The provider's certificate could not be verified.", code=CERTIFICATE)
    if isinstance(error, ValueError):  # checked after certificate errors, which are ValueErrors, too
        return Unreachable("The provider's address is not valid.", code=ADDRESS)
    if isinstance(error, RuntimeError):  # aiohttp's "Connection closed."
        return Unreachable("The connection to the provider broke.")
    if "ClientResponseError" in names:  # aiohttp's, for an unreadable answer; its status 400 is not the server's
        return BrokenStream("The provider's answer is not valid HTTP.")
    status = next(
        (code for name in ("status_code", "code", "status") if _is_status(code := getattr(error, name, 0))), 0
    )
    if status:
        response = getattr(error, "response", None)
        headers = getattr(response, "headers", None) or getattr(error, "headers", None) or {}
        return rejected(status, headers, _body_of(error))
    if isinstance(error, ConnectionError | OSError) or any("Connect" in name or "Client" in name for name in names):
        return Unreachable(f"The provider could not be reached{_reason(error)}.")
    return ProviderError("The provider could not be used.")


def _reason(error: BaseException) -> str:
    """Return why no connection was made, without the address."""
    causes = list(_causes(error))
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return ": its host name is unknown"
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return ": its host refused the connection"
    return ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the exception and its causes."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def passed_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of an answer that clients may see, with names in lower case."""
    passed = {}
    for name, value in headers.items():
        lower = name.lower()
        if not (lower in PASSED_HEADERS or lower.startswith(PASSED_PREFIXES)):
            continue
        if value.isascii() and value.isprintable():
            passed[lower] = value[:MAX_HEADER]
    return passed


@dataclass(slots=True)
class _ErrorDetails:
    """The content of an error object."""

    message: str = ""
    status: int = 0
    type: str | None = None
    param: str | None = None
    code: str | None = None
    retry_after: str | None = None


def _parse_error(error: object) -> _ErrorDetails:
    """Parse an error object of any vendor.

    `{"error": {...}}`, `{"error": "text"}`, `{"object": "error"}`, Gemini's `[{"error": {}}]`, `{"detail": ...}`.
    """
    found = _ErrorDetails()
    if isinstance(error, list) and error:
        error = error[0]
    inner = error.get("error", error) if isinstance(error, Mapping) else error
    if isinstance(inner, str):
        found.message = mask(inner)[:MAX_MESSAGE]
    if not isinstance(inner, Mapping):
        return found
    message = inner.get("message", inner.get("detail"))
    found.message = mask(message if isinstance(message, str) else _field_errors(message))[:MAX_MESSAGE]
    code = inner.get("code")
    number = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
    if isinstance(number, int) and _is_status(number):
        found.status, code = number, None
    found.code = _name(code) or _name(inner.get("status"))  # Gemini's status: RESOURCE_EXHAUSTED
    found.type = _name(inner.get("type"))
    found.param = _name(inner.get("param"))
    found.retry_after = _retry_info(inner.get("details"))
    return found


def _field_errors(detail: object) -> str:
    """Return FastAPI's `[{"loc": ["body", "n"], "msg": "..."}]` as text. Mistral wraps it in another `detail`."""
    if isinstance(detail, Mapping):
        detail = detail.get("detail")
    fields = (
        [field for field in detail if isinstance(field, Mapping) and field.get("msg")]
        if isinstance(detail, list)
        else []
    )
    return "; ".join(f"{'.'.join(map(str, field.get('loc') or ()))}: {field['msg']}" for field in fields)


def _name(value: object) -> str | None:
    return mask(value)[:MAX_HEADER] if isinstance(value, str) and value else None


def _is_status(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 300 <= value < 600


def _retry_info(details: object) -> str | None:
    """Return the whole seconds of Google's `RetryInfo`: `{"retryDelay": "7.5s"}`."""
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, Mapping) else None
        if isinstance(delay, str) and delay.endswith("s"):
            seconds = delay[:-1].partition(".")[0]
            return seconds if seconds.isdecimal() else None
    return None


def _body_of(error: BaseException) -> bytes:
    """Return the error object of an SDK's exception as JSON."""
    for name in ("body", "details", "error"):
        value: Any = getattr(error, name, None)
        if isinstance(value, Mapping | list):
            return orjson.dumps(value if "error" in value or name != "body" else {"error": value}, default=str)
        if isinstance(value, str) and value:
            return orjson.dumps({"error": value})
    return b""


def _json(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
