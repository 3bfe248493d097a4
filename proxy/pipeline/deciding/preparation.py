"""Prepare evidence while the model thinks, in steps so short that other streams are not delayed."""

import asyncio
from collections.abc import Sequence

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import PreparedEvidence, Scorer
from citestream.providers.scheduler import scheduler

BEGIN_SECONDS = 0.002  # delay before the first step, so that the request to the provider is sent first


def prepare(scorer: Scorer, evidence: Sequence[Evidence]) -> "asyncio.Future[PreparedEvidence]":
    """Return a future with the prepared evidence. Cancelling it ends the work. Requires a running event loop."""
    return scheduler().start("prepare_evidence", scorer.prepare_in_steps(evidence), delay=BEGIN_SECONDS)
