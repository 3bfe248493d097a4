"""Retries: whether and when a request is sent again, before any of an answer has come.

Safe is what was surely not worked on (no connection, a server too busy) and a connection that broke before a single
byte of an answer: a completion changes nothing at a provider, and one that closes an idle connection just then (RFC
9112, 9.5) must not become the client's error. A provider that was asked and says nothing may still be working, and be
paid for it: it is asked again only where the operator allows that.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import uniform

from ..errors import ADDRESS, CERTIFICATE, CONNECT_TIMEOUT, ProviderError, Rejected, TimedOut, Unreachable

FOR_NOW = frozenset({429, 502, 503, 504})  # statuses of a server that could not work on the request yet
NEVER = frozenset({"insufficient_quota"})  # OpenAI's 429 for an account without money: no wait helps
FIRST_WAIT = 0.5  # seconds before the second try; doubled for each further one


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often a request is sent again, and when."""

    most: int = 2  # as the SDKs of OpenAI and Anthropic do
    longest_wait: float = 10.0  # seconds, of all waits together: below what a client is kept waiting without headers
    timeouts: bool = False  # also after a provider was asked and did not answer in time

    def wait(self, error: ProviderError, tried: int, waited: float = 0.0) -> float | None:
        """Seconds until the next try after this many, and these seconds of waiting; None where there is none.

        The wait is drawn from the upper half of what doubles each time, so that requests which failed together do not
        come back together; never less than `Retry-After` asks for.
        """
        if tried >= self.most or not self._may(error):
            return None
        left = self.longest_wait - waited
        asked = asked_wait(error)
        if asked > left:
            return None
        doubled = FIRST_WAIT * 2**tried
        return min(asked + uniform(doubled / 2, doubled), left)  # noqa: S311 # nosec B311 # no secret

    def _may(self, error: ProviderError) -> bool:
        if error.headers.get("x-should-retry") == "false":  # OpenAI's servers know better
            return False
        match error:
            case Unreachable():
                return error.code not in (ADDRESS, CERTIFICATE)
            case TimedOut():
                return self.timeouts or error.code == CONNECT_TIMEOUT
            case Rejected():
                return error.answered in FOR_NOW and error.code not in NEVER
            case _:
                return False


def asked_wait(error: ProviderError) -> float:
    """The seconds that a provider asked to wait; 0 where it said nothing that can be read."""
    try:
        if "retry-after-ms" in error.headers:
            return max(0.0, float(error.headers["retry-after-ms"]) / 1000)
        return max(0.0, float(error.retry_after or 0))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(error.retry_after or "")
        return max(0.0, (at - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):  # no date, or one without a zone
        return 0.0
