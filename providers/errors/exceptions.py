"""The exceptions of the providers; the package describes the hierarchy."""

from collections.abc import Mapping
from typing import ClassVar

# The first two errors are permanent, so they are not retried. The third is always safe to retry.
ADDRESS = "provider_address"
CERTIFICATE = "provider_certificate"
CONNECT_TIMEOUT = "provider_connect_timeout"
RETRYABLE_TYPE = "upstream_error"  # clients retry it, unlike invalid_request_error

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
    body = b""  # the provider's own error object, for clients of its API; empty if it contains what is masked
    passes_body = False  # whether the client has the provider's API and gets `body`

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
