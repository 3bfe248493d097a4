"""Scoring: drives a scorer for one request; prepares its evidence in a thread while the model is still thinking."""

import asyncio
from collections.abc import Sequence

from citation.attribute import Decision, attribute
from citation.evidence import Evidence
from citation.scoring import Claim, Prepared, Scorer


class Scoring:
    """The scores of one request. To be made inside a running event loop."""

    def __init__(self, scorer: Scorer, evidence: Sequence[Evidence]) -> None:
        """Begins to prepare the evidence at once."""
        self.degraded = False  # whether a score had to do without what its scorer wants, such as vectors
        loop = asyncio.get_running_loop()
        self._preparing: asyncio.Future[Prepared] = loop.run_in_executor(None, scorer.prepare, evidence)

    async def prepared(self) -> Prepared:
        """The evidence, ready."""
        return await self._preparing

    async def decide(self, claim: Claim, cited: frozenset[int], limit: int) -> Decision:
        """Which evidence supports this claim. `cited`: what the model cited; `limit`: supports at most."""
        prepared = await self._preparing
        scores = prepared.score(claim)
        self.degraded |= scores.degraded
        return attribute(claim, scores, prepared, cited=cited, limit=limit)
