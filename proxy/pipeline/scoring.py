"""Scoring: drives a scorer for one request. The evidence is made ready and embedded while the model thinks.

What a scorer wants from outside, vectors and a model that reads, may be slow or broken: a sentence waits for it no
longer than the deadline, then the words alone decide and the report says `degraded`.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.calibration import calibrate_all
from citestream.citation.support.decision import Decision, attribute
from citestream.citation.support.scorers import (
    Claim,
    PreparedEvidence,
    Scorer,
    Scores,
    Vectors,
)
from citestream.providers.embedding import Embedder
from citestream.providers.errors import ProviderError
from citestream.providers.judging.cross_encoder import EntailmentModel

from .preparation import Preparations

log = logging.getLogger("citestream")

# After every miss the next sentences wait so much shorter: all waiting of a request adds up to 4/3 of the deadline.
_LESS_PATIENCE = 0.25


@dataclass(frozen=True, slots=True)
class Outside:
    """What scorers want that is not pure: who embeds, who reads, and for how many seconds a sentence waits for them."""

    embedder: Embedder | None = None
    reader: EntailmentModel | None = None
    deadline: float = 2.0  # a reader of a stream notices a pause of this length, and forgives it
    preparations: Preparations | None = None  # who makes the evidence ready, one request after the other


class Scoring:
    """The scores of one request. To be made inside a running event loop."""

    def __init__(self, scorer: Scorer, evidence: Sequence[Evidence], outside: Outside | None = None) -> None:
        """Begins to prepare the evidence at once."""
        outside = outside or Outside()
        self.degraded = False  # whether a score had to do without what its scorer wants, such as vectors
        self._windows = (scorer.texts_to_embed, tuple(evidence))
        self._embedder = outside.embedder if scorer.needs_vectors else None
        self._reader = outside.reader
        self._deadline = self._patience = outside.deadline
        self._embedding = asyncio.Lock()
        self._complete: PreparedEvidence | None = None
        self._preparing = (outside.preparations or Preparations()).begin(scorer, evidence)

    @property
    def waits(self) -> bool:
        """Whether a decision may have to wait, so that sentences are better scored ahead."""
        return self._embedder is not None or self._reader is not None

    async def embed(self, claims: Sequence[Claim] = (), *, standstill: float | None = None) -> None:
        """Fetch the vectors of the evidence, and of sentences known already. What fails is left to `score_all`.

        `standstill`: give up where not one vector comes in so many deadlines; None: wait for what the embedder does.
        """
        if self._embedder is None:
            return
        embedded = -1
        while self._embedder.embedded != embedded:
            embedded = self._embedder.embedded
            try:
                async with asyncio.timeout(None if standstill is None else standstill * self._deadline):
                    await self._embedded(self._embedder)
                    await self._embedder.embed([claim.text for claim in claims])
                return
            except TimeoutError:
                continue
            except ProviderError as error:
                log.warning("embedding the evidence failed: %s", error.brief)
                return
        log.warning("embedding the evidence failed: nothing came")

    async def prepared(self) -> PreparedEvidence:
        """The evidence, as ready as it is."""
        return self._complete or await self._preparing

    async def score_all(self, claims: Sequence[Claim]) -> list[Scores]:
        """The scores of sentences, with or without what comes from outside."""
        if self._embedder is not None:
            vectors = await self._vectors(self._embedder, [claim.text for claim in claims])
            claims = [replace(claim, vector=vector) for claim, vector in zip(claims, vectors, strict=True)]
        prepared = await self.prepared()
        scores = prepared.score_all(claims)
        if prepared.needs_entailment:
            scores = [await self._read(prepared, *pair) for pair in zip(claims, scores, strict=True)]
        self.degraded |= any(one.degraded for one in scores)
        return scores

    async def decide(self, claims: Sequence[tuple[Claim, frozenset[int]]], options: Options) -> list[Decision]:
        """Which evidence supports each of these claims. Beside them: what the model cited."""
        scores = calibrate_all(await self.score_all([claim for claim, _ in claims]))
        prepared = await self.prepared()
        return [
            attribute(claim, of_one, prepared, hints=hints, limit=options.max_per_sentence, explain=options.explain)
            for (claim, hints), of_one in zip(claims, scores, strict=True)
        ]

    async def _vectors(self, embedder: Embedder, texts: list[str]) -> Sequence[Vectors | None]:
        """The vectors of sentences, once those of the evidence are there; None where it takes too long."""
        try:
            async with asyncio.timeout(self._patience):
                await self._embedded(embedder)
                vectors: Vectors = await embedder.embed(texts)
                return list(vectors)
        except (TimeoutError, ProviderError) as error:
            self._missed("embedding", error)
            return [None] * len(texts)

    async def _embedded(self, embedder: Embedder) -> None:
        """Those who come while somebody embeds wait for it; what a cancelled one got so far is in the cache."""
        async with self._embedding:
            if self._complete is None:
                windows, evidence = self._windows
                vectors = await embedder.embed(await asyncio.to_thread(windows, evidence))
                prepared = await asyncio.shield(self._preparing)  # others wait for it longer than whoever waits here
                self._complete = await asyncio.to_thread(prepared.with_vectors, vectors)

    async def _read(self, prepared: PreparedEvidence, claim: Claim, scores: Scores) -> Scores:
        """With what the reader says about the evidence that the scores leave open; degraded where nobody reads."""
        reader, rows = self._reader, prepared.undecided(scores)
        if reader is None:
            return replace(scores, degraded=True)
        try:
            async with asyncio.timeout(self._patience):
                passages = prepared.passages(scores, rows)
                return prepared.with_entailment(
                    scores, rows, await reader.entailed([(one, claim.text) for one in passages])
                )
        except (TimeoutError, ProviderError) as error:
            self._missed("entailment", error)
        return replace(scores, degraded=True)

    def _missed(self, what: str, error: Exception) -> None:
        self._patience *= _LESS_PATIENCE
        why = error.brief if isinstance(error, ProviderError) else "it took too long"
        log.warning("%s failed, words alone decide: %s", what, why)
