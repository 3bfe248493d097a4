"""Abstention: a message replaces an answer of which too few claims are supported."""

from collections.abc import Iterable

from ..support.decision import Decision
from .draft import UNDECIDED, Draft


def abstains(drafts: Iterable[tuple[Draft, Decision]], threshold: float) -> bool:
    """Return whether less than this share of the claims of an answer is supported. An answer without claims is shown.

    `drafts`: all drafts of the answer with their decisions. `threshold`: 0 to 1.
    """
    claims = [decision for draft, decision in drafts if draft.claim is not None and decision is not UNDECIDED]
    return bool(claims) and sum(bool(decision.supports) for decision in claims) / len(claims) < threshold
