"""What can go wrong with a provider, and what a server should answer.

ProviderError
├── Unreachable        no connection, or it broke before an answer began            502
├── TimedOut           connected, but too slow                                      504
├── Rejected           the provider answered with an error status                   its own (4xx), 502 for the rest
│   └── NoSuchApi      it has the vendor's other API, not this one                  404, where the other is of no use
├── BrokenStream       what it streams is not its protocol                          502
├── IncompleteAnswer   the stream ended without a finish reason                     502
└── ReportedError      an error object inside the stream                            its own (4xx), 502 for the rest

Messages are made for clients: keys are masked, addresses inside the operator's network are removed, and a body that is
not an error object (a proxy's HTML page) is never quoted.
"""

from collections.abc import Iterator, Mapping
from ssl import SSLCertVerificationError
from typing import Any, ClassVar

import orjson

from .masking import masked

# Codes of what no second try makes better, and of what is surely safe to try again.
ADDRESS = "provider_address"
CERTIFICATE = "provider_certificate"
CONNECT_TIMEOUT = "provider_connect_timeout"
RETRYABLE_TYPE = "upstream_error"  # not invalid_request_error: clients give up on that one instead of trying again
# What clients are told of an answer's headers: when to try again, whether to, and the name its provider knows it by.
PASSED_HEADERS = frozenset({"retry-after", "retry-after-ms", "x-should-retry", "x-request-id", "ratelimit"})
PASSED_PREFIXES = ("x-ratelimit-", "ratelimit-")
MAX_MESSAGE = 2_000  # characters of a provider's message that are passed on: enough for any explanation
MAX_HEADER = 256  # characters of a passed header

# What a client reads as `type` where the provider named none.
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
    """Something went wrong with a provider. `message` may be shown to a client as it is."""

    status_default: ClassVar[int] = 502
    code_default: ClassVar[str] = "provider_error"
    answered = 0  # the provider's own status, where it was one

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        type: str | None = None,  # noqa: A002 - the name it has in every vendor's error object
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """`status`: what a server should answer. `headers`: those of the provider's answer that clients may see."""
        super().__init__(message)
        self.message = message
        self.status = status or self.status_default
        self.type = type or TYPES.get(self.status, RETRYABLE_TYPE)
        self.param = param
        self.code = code or self.code_default
        self.headers = dict(headers or {})

    @property
    def brief(self) -> str:
        """What happened, for a log: without the words, with which a provider may quote what it was asked."""
        return f"{type(self).__name__} ({self.answered or self.status})"

    @property
    def retry_after(self) -> str | None:
        """`Retry-After` as the provider sent it: seconds or a date."""
        return self.headers.get("retry-after")

    @property
    def elsewhere(self) -> bool:
        """Whether another provider may answer what this one could not; 404 is a model that this one does not have."""
        return self.fault != "client" or self.status == 404

    @property
    def fault(self) -> str:
        """Whose it is: "client" (the request), "operator" (key or address in the configuration) or "provider"."""
        if self.status in {401, 403}:
            return "operator"
        return "client" if 400 <= self.status < 500 and self.status not in {408, 429} else "provider"


class Unreachable(ProviderError):  # noqa: N818 - what happened, in the words of the contract
    """No connection, or it broke before an answer began."""

    code_default = "provider_unreachable"


class TimedOut(ProviderError):  # noqa: N818 - what happened, in the words of the contract
    """Connected, but too slow."""

    status_default = 504
    code_default = "provider_timeout"


class Rejected(ProviderError):  # noqa: N818 - what happened, in the words of the contract
    """The provider answered with an error status."""

    code_default = "provider_rejected"


class NoSuchApi(Rejected):
    """The provider speaks another API of its vendor, but not the one that was asked for."""


class BrokenStream(ProviderError):  # noqa: N818 - what happened, in the words of the contract
    """What it streams is not its protocol."""

    code_default = "broken_stream"


class IncompleteAnswer(ProviderError):  # noqa: N818 - what happened, in the words of the contract
    """The stream ended without a finish reason."""

    code_default = "incomplete_answer"


class ReportedError(ProviderError):
    """An error object inside the stream."""

    code_default = "provider_error"


def rejected(status: int, headers: Mapping[str, str], body: bytes) -> Rejected:
    """From an answer with an error status: OpenAI's, Ollama's and Gemini's error objects, anything else unquoted."""
    said = _explanation(_json(body))
    kept = passed_headers(headers)
    if said.retry_after and "retry-after" not in kept:
        kept["retry-after"] = said.retry_after
    if 300 <= status < 400:
        return Rejected("The provider redirects to another address, which is not followed.", headers=kept)
    error = Rejected(
        said.message or f"The provider answered {status} without an explanation.",
        status=status if 400 <= status < 500 else 502,
        type=said.type,
        param=said.param,
        code=said.code,
        headers=kept,
    )
    error.answered = status
    return error


def reported(error: object) -> ReportedError:
    """From an error object inside a stream, in the shape of any vendor."""
    said = _explanation(error)
    return ReportedError(
        said.message or "The provider reported an error without an explanation.",
        status=said.status if said.status and 400 <= said.status < 500 else 502,
        type=said.type,
        param=said.param,
        code=said.code,
        headers={"retry-after": said.retry_after} if said.retry_after else None,
    )


def translate(error: BaseException) -> ProviderError:
    """From an exception of aiohttp, asyncio or an SDK; the SDKs' are told by their attributes, so none is imported."""
    if isinstance(error, ProviderError):
        return error
    names = {kind.__name__ for kind in type(error).__mro__}
    if "ConnectionTimeoutError" in names:  # aiohttp's: nothing has been sent
        return TimedOut("The provider could not be connected to in time.", code=CONNECT_TIMEOUT)
    if isinstance(error, TimeoutError) or any("Timeout" in name for name in names):
        return TimedOut("The provider did not answer in time.")
    if "SSLError" in names or any(isinstance(cause, SSLCertVerificationError) for cause in _causes(error)):
        return Unreachable("The provider's certificate could not be verified.", code=CERTIFICATE)
    if isinstance(error, ValueError):  # asked after certificates, whose errors are ValueErrors too
        return Unreachable("The provider's address is not valid.", code=ADDRESS)
    if isinstance(error, RuntimeError):  # aiohttp's "Connection closed."
        return Unreachable("The connection to the provider broke.")
    if "ClientResponseError" in names:  # aiohttp's, for an answer it cannot read; its status 400 is made up
        return BrokenStream("The provider's answer is not valid HTTP.")
    status = next(
        (code for name in ("status_code", "code", "status") if _is_status(code := getattr(error, name, 0))), 0
    )
    if status:
        response = getattr(error, "response", None)
        headers = getattr(response, "headers", None) or getattr(error, "headers", None) or {}
        return rejected(status, headers, _body_of(error))
    if isinstance(error, ConnectionError | OSError) or any("Connect" in name or "Client" in name for name in names):
        return Unreachable("The provider could not be reached.")
    return ProviderError("The provider could not be used.")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The exception and those that it was raised from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def passed_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Those of an answer's headers that clients may see, names in lower case."""
    kept = {}
    for name, value in headers.items():
        lower = name.lower()
        if not (lower in PASSED_HEADERS or lower.startswith(PASSED_PREFIXES)):
            continue
        if value.isascii() and value.isprintable():
            kept[lower] = value[:MAX_HEADER]
    return kept


class _Explanation:
    """What an error object says, in any vendor's shape."""

    def __init__(self) -> None:
        self.message = ""
        self.status = 0
        self.type: str | None = None
        self.param: str | None = None
        self.code: str | None = None
        self.retry_after: str | None = None


def _explanation(said: object) -> _Explanation:
    """`{"error": {...}}`, `{"error": "text"}`, `{"object": "error"}`, Gemini's `[{"error": {}}]`, `{"detail": ...}`."""
    found = _Explanation()
    if isinstance(said, list) and said:
        said = said[0]
    inner = said.get("error", said) if isinstance(said, Mapping) else said
    if isinstance(inner, str):
        found.message = masked(inner)[:MAX_MESSAGE]
    if not isinstance(inner, Mapping):
        return found
    message = inner.get("message", inner.get("detail"))
    found.message = masked(message if isinstance(message, str) else _wrong_fields(message))[:MAX_MESSAGE]
    code = inner.get("code")
    number = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
    if isinstance(number, int) and _is_status(number):
        found.status, code = number, None
    word = inner.get("status")  # Gemini's: RESOURCE_EXHAUSTED
    found.code = _name(code) or _name(word)
    found.type = _name(inner.get("type"))
    found.param = _name(inner.get("param"))
    found.retry_after = _retry_info(inner.get("details"))
    return found


def _wrong_fields(detail: object) -> str:
    """FastAPI's `[{"loc": ["body", "n"], "msg": "..."}]` in words; Mistral wraps it once more."""
    if isinstance(detail, Mapping):
        detail = detail.get("detail")
    wrong = [one for one in detail if isinstance(one, Mapping) and one.get("msg")] if isinstance(detail, list) else []
    return "; ".join(f"{'.'.join(map(str, one.get('loc') or ()))}: {one['msg']}" for one in wrong)


def _name(value: object) -> str | None:
    return masked(value)[:MAX_HEADER] if isinstance(value, str) and value else None


def _is_status(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 300 <= value < 600


def _retry_info(details: object) -> str | None:
    """Seconds of Google's `RetryInfo`: `{"retryDelay": "7.5s"}`."""
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, Mapping) else None
        if isinstance(delay, str) and delay.endswith("s"):
            seconds = delay[:-1].partition(".")[0]
            return seconds if seconds.isdecimal() else None
    return None


def _body_of(error: BaseException) -> bytes:
    """The error object that an SDK's exception carries, as JSON."""
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
