"""Retries: whether and when a request is sent again, before any part of an answer has arrived.

A retry is safe if the request was certainly not processed (no connection, an overloaded server) or if the connection
broke before the first byte of an answer. A completion has no side effects, and a server that closes an idle connection
at that moment (RFC 9112, 9.5) must not cause an error for the client. A provider that is silent may still be working
and charge for it, so timeouts are retried only if the operator allows it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import uniform

from ..errors import ADDRESS, CERTIFICATE, CONNECT_TIMEOUT, ProviderError, Rejected, TimedOut, Unreachable

# Statuses of a server that could not process the request yet. 529 is Anthropic's, of an overloaded one.
TEMPORARY = frozenset({429, 502, 503, 504, 529})
PERMANENT = frozenset({"insufficient_quota"})  # OpenAI's 429 for an account without credit
FIRST_WAIT_SECONDS = 0.5  # seconds before the first retry; doubled for each further one


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """Number and timing of retries."""

    most: int = 2  # as the SDKs of OpenAI and Anthropic do
    longest_wait: float = 10.0  # seconds, of all waits together; clients wait longer than this for headers
    timeouts: bool = False  # also if a provider received the request and did not answer in time

    def wait(self, error: ProviderError, attempts: int, waited: float = 0.0) -> float | None:
        """Return the seconds until the next attempt, None if there is none. `waited`: seconds of all waits so far.

        Exponential backoff with jitter in the upper half, so that requests that failed together are not repeated
        together; never less than `Retry-After`.
        """
        if attempts >= self.most or not self._is_retryable(error):
            return None
        remaining = self.longest_wait - waited
        requested = requested_wait(error)
        if requested > remaining:
            return None
        backoff = FIRST_WAIT_SECONDS * 2**attempts
        return min(requested + uniform(backoff / 2, backoff), remaining)  # noqa: S311 # nosec B311 # no secret

    def _is_retryable(self, error: ProviderError) -> bool:
        if error.headers.get("x-should-retry") == "false":  # sent by OpenAI's servers
            return False
        match error:
            case Unreachable():
                return error.code not in (ADDRESS, CERTIFICATE)
            case TimedOut():
                return self.timeouts or error.code == CONNECT_TIMEOUT
            case Rejected():
                return error.answered in TEMPORARY and error.code not in PERMANENT
            case _:
                return False


def requested_wait(error: ProviderError) -> float:
    """Return the seconds that the provider asked to wait, 0 if it named no readable time."""
    try:
        if "retry-after-ms" in error.headers:
            return max(0.0, float(error.headers["retry-after-ms"]) / 1000)
        return max(0.0, float(error.retry_after or 0))
    except ValueError:
        pass
    try:
        retry_time = parsedate_to_datetime(error.retry_after or "")
        return max(0.0, (retry_time - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):  # not a date, or one without a time zone
        return 0.0
