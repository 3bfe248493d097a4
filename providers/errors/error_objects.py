"""Errors that a service reports itself: with an error status, or as an error object inside a stream."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from ..masking import mask, mask_start
from .exceptions import Rejected, ReportedError

# Headers of a provider's answer that clients receive: whether and when to retry, the provider's request id, and what
# SDKs and their users read about the account and the time that a request took.
PASSED_HEADERS = frozenset(
    {
        *("retry-after", "retry-after-ms", "x-should-retry", "x-request-id", "request-id", "ratelimit"),
        *("openai-organization", "openai-processing-ms", "openai-project", "openai-version"),
        *("anthropic-organization-id", "server-timing", "x-gemini-service-tier"),
    }
)
PASSED_PREFIXES = ("x-ratelimit-", "ratelimit-", "anthropic-ratelimit-")
OVERLOADED = frozenset({503, 529})  # 529 is Anthropic's
MAX_MESSAGE_CHARACTERS = 2_000  # characters of a provider's message that are passed on
MAX_HEADER_CHARACTERS = 256  # characters of a header that is passed on


def rejected(status: int, headers: Mapping[str, str], body: bytes, service: str = "provider") -> Rejected:
    """Return the error of an answer with an error status. Only error objects of a known form are quoted.

    `service`: a word for the service in the message, such as "retriever".
    """
    parsed = _json(body)
    details = _parse_error(parsed)
    passed = passed_headers(headers)
    if details.retry_after and "retry-after" not in passed:
        passed["retry-after"] = details.retry_after
    if 300 <= status < 400:
        return Rejected(f"The {service} redirects to another address, which is not followed.", headers=passed)
    error = Rejected(
        details.message or f"The {service} answered {status} without an explanation.",
        status=_client_status(status),
        type=details.type,
        param=details.param,
        code=details.code,
        headers=passed,
    )
    error.answered = status
    if details.message and _is_unmasked(parsed):
        error.body = body
    return error


def reported(error: object) -> ReportedError:
    """Return the error of an error object inside a stream, in the form of any vendor."""
    details = _parse_error(error)
    return ReportedError(
        details.message or "The provider reported an error without an explanation.",
        status=_client_status(details.status),
        type=details.type,
        param=details.param,
        code=details.code,
        headers={"retry-after": details.retry_after} if details.retry_after else None,
    )


def passed_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of an answer that clients may see, with names in lower case."""
    passed = {}
    for name, value in headers.items():
        lower = name.lower()
        if not (lower in PASSED_HEADERS or lower.startswith(PASSED_PREFIXES)):
            continue
        if value.isascii() and value.isprintable():
            passed[lower] = value[:MAX_HEADER_CHARACTERS]
    return passed


def _is_unmasked(value: object) -> bool:
    """Return whether nothing in an error object has to be masked."""
    values = [value]
    while values:
        match values.pop():
            case str(text) if mask(text) != text:
                return False
            case list(items):
                values += items
            case dict(fields):
                values += [*fields, *fields.values()]
    return True


def _client_status(status: int) -> int:
    """Return the status with which a server should answer, for a provider's status or 0."""
    if status in OVERLOADED:
        return 503  # registered, unlike 529, which Google's client does not retry
    return status if 400 <= status < 500 else 502


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
    details = _ErrorDetails()
    if isinstance(error, list) and error:
        error = error[0]
    inner = error.get("error", error) if isinstance(error, Mapping) else error
    if isinstance(inner, str):
        details.message = mask_start(inner, MAX_MESSAGE_CHARACTERS)
    if not isinstance(inner, Mapping):
        return details
    message = inner.get("message", inner.get("detail"))
    details.message = mask_start(
        message if isinstance(message, str) else _field_errors(message), MAX_MESSAGE_CHARACTERS
    )
    code = inner.get("code")
    number = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
    if isinstance(number, int) and is_status(number):
        details.status, code = number, None
    details.code = _name(code) or _name(inner.get("status"))  # Gemini's status: RESOURCE_EXHAUSTED
    details.type = _name(inner.get("type"))
    details.param = _name(inner.get("param"))
    details.retry_after = _retry_info(inner.get("details"))
    return details


def _field_errors(detail: object) -> str:
    """Return FastAPI's `[{"loc": ["body", "n"], "msg": "..."}]` as text. Mistral wraps it in another `detail`."""
    if isinstance(detail, Mapping):
        detail = detail.get("detail")
    fields = (
        [field for field in detail if isinstance(field, Mapping) and field.get("msg")]
        if isinstance(detail, list)
        else []
    )
    return "; ".join(map(_field_error, fields))


def _field_error(field: Mapping[str, object]) -> str:
    path = field.get("loc")
    place = ".".join(map(str, path)) if isinstance(path, list) else ""
    return f"{place}: {field['msg']}" if place else str(field["msg"])


def _name(value: object) -> str | None:
    return mask_start(value, MAX_HEADER_CHARACTERS) if isinstance(value, str) and value else None


def is_status(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 300 <= value < 600


def _retry_info(details: object) -> str | None:
    """Return the whole seconds of Google's `RetryInfo`: `{"retryDelay": "7.5s"}`."""
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, Mapping) else None
        if isinstance(delay, str) and delay.endswith("s"):
            seconds = delay[:-1].partition(".")[0]
            return seconds if seconds.isdecimal() else None
    return None


def _json(body: bytes) -> object:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
