"""Limit the running requests of one client, so that others have room."""

from collections.abc import Sequence

from ..error_responses import RequestError
from .shared_counts import Counts

RETRY_AFTER_SECONDS = 1  # seconds; by then one of the client's own streams may have ended
SHARE = 0.75  # maximum part of all requests that belongs to one of several clients


def max_per_client(configured: int, max_requests: int, clients: int) -> int:
    """Return the maximum for one client. `configured`: 0 means a share, or no limit if there is only one client."""
    if configured:
        return configured
    return max(1, int(SHARE * max_requests)) if clients > 1 else max_requests


class ClientShares:
    """Counts the running requests of each client key, in all workers together."""

    def __init__(
        self,
        tenants: Sequence[str],
        max_requests: int,
        counts: Counts | None = None,
        worker: int = 0,
    ) -> None:
        """Admit at most `max_requests` of each of these tenants. Others have no limit of their own.

        `counts`: those of each worker, one row after the other, in memory that the workers share.
        """
        self._rows = {tenant: index for index, tenant in enumerate(dict.fromkeys(tenants))}
        self._max_requests = max_requests
        self._counts: Counts = [0] * len(self._rows) if counts is None else counts
        self._first = worker * len(self._rows)

    def begin(self, tenant: str) -> None:
        """Count a request. Raise RequestError if the client has too many."""
        index = self._rows.get(tenant)
        if index is not None and sum(self._counts[index :: len(self._rows)]) >= self._max_requests:
            raise RequestError(
                429,
                "too many requests of this client key at once",
                code="over_client_share",
                retry_after=RETRY_AFTER_SECONDS,
            )
        self.resume(tenant)

    def resume(self, tenant: str) -> None:
        """Count a request that was admitted before."""
        if (index := self._rows.get(tenant)) is not None:
            self._counts[self._first + index] += 1

    def end(self, tenant: str) -> None:
        """Count the end of a request, or that it does not count at the moment."""
        if (index := self._rows.get(tenant)) is not None:
            self._counts[self._first + index] -= 1
