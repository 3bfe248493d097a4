"""Divide a store between clients, so that a client that stores much displaces only its own entries."""

from collections.abc import Iterable


def fair_share(used: Iterable[int], limit: int) -> int:
    """Return how much each client may use, so that all together use at most `limit`.

    A client that uses less than its share leaves the rest to the others. A client alone may use everything.
    """
    amounts = sorted(used)
    left = limit
    for position, amount in enumerate(amounts):
        share = left // (len(amounts) - position)
        if amount > share:
            return share
        left -= amount
    return limit
