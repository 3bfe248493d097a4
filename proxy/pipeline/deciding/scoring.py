"""Scoring: run a scorer for one request. The evidence is prepared and embedded while the model thinks.

The services that a scorer uses, an embedder, a cross-encoder and a judge, may be slow or broken. A sentence waits for
them no longer than the deadline; then the lexical score decides, and the grounding report says `degraded`.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import inf

from citestream.citation.answers.draft import UNDECIDED
from citestream.citation.evidence import Evidence
from citestream.citation.grounding import JudgeReport
from citestream.citation.options import Options
from citestream.citation.support.calibration import calibrate_in_steps
from citestream.citation.support.decision import Decision, assess_in_steps, decide
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
from citestream.providers.scheduler import Work

from .best_evidence import count_candidates, is_unscored, unscored, with_best_evidence
from .judging import Judge
from .preparation import prepare
from .work_budget import Precision, WorkBudget

log = logging.getLogger("citestream")

# After each failure, timeouts are multiplied by this, so that all waits of a request add up to 4/3 of the deadline.
TIMEOUT_FACTOR = 0.25
CHARACTERS_PER_SENTENCE = 80  # on average
CHECKED_CLAIMS = 4  # claims whose pairs the checker reads in one call: enough to fill its batches


@dataclass(frozen=True, slots=True)
class ExternalModels:
    """The services that scorers use."""

    deadline: float  # seconds that a sentence waits for them
    embedder: Embedder | None = None
    cross_encoder: EntailmentModel | None = None
    judge: Judge | None = None  # has a deadline of its own
    budget: WorkBudget | None = None  # None: no limit


class Scoring:
    """The scores of one request. Must be created inside a running event loop."""

    def __init__(self, scorer: Scorer, evidence: Sequence[Evidence], models: ExternalModels) -> None:
        """Begin to prepare the evidence."""
        self.degraded = False  # whether a score lacks what its scorer needs, such as vectors
        self._budget = models.budget or WorkBudget(inf)
        self._sentences = sum(max(len(item.text) / CHARACTERS_PER_SENTENCE, item.text.count("\n")) for item in evidence)
        self._characters = sum(len(item.text) for item in evidence) / max(1, len(evidence))  # on average
        self._latest: Scores | None = None
        self._unscored: Scores | None = None  # the scores of every claim past the budget
        self._windows = (scorer.texts_to_embed, tuple(evidence))
        self._embedder = models.embedder if scorer.needs_vectors else None
        self._cross_encoder = models.cross_encoder
        self.judge_report = JudgeReport() if models.judge else None
        self._judge = models.judge.open(self.judge_report) if models.judge and self.judge_report else None
        self._deadline = self._timeout = models.deadline
        self._embedding = asyncio.Lock()
        self._work, self._score_work = Work("decide"), Work("score")
        self._complete: PreparedEvidence | None = None
        self._preparing = prepare(scorer, evidence)

    def close(self) -> None:
        """End the preparation of evidence if the answer has ended before it, as when a provider fails at once."""
        self._preparing.cancel()
        self._budget.close()

    @property
    def may_wait(self) -> bool:
        """Whether a decision may have to wait for an external service."""
        return any(service is not None for service in (self._embedder, self._cross_encoder, self._judge))

    async def embed(self, claims: Sequence[Claim] = (), *, max_stalled: float | None = None) -> None:
        """Embed the evidence and the claims that are already known. Errors are left to `score_all`.

        `max_stalled`: give up if no vector arrives in so many deadlines; None: leave the time limit to the embedder.
        """
        if self._embedder is None:
            return
        embedded = -1
        while self._embedder.embedded != embedded:
            embedded = self._embedder.embedded
            try:
                async with asyncio.timeout(None if max_stalled is None else max_stalled * self._deadline):
                    await self._embed_evidence(self._embedder)
                    await self._embedder.embed([claim.text for claim in claims])
                return
            except TimeoutError:
                continue
            except ProviderError as error:
                log.warning("embedding the evidence failed: %s", error.brief)
                return
        log.warning("embedding the evidence failed: no vectors arrived in time")

    async def prepared(self) -> PreparedEvidence:
        """Return the prepared evidence, with vectors if they are there."""
        return self._complete or await self._preparing

    async def score_all(self, claims: Sequence[Claim]) -> list[Scores]:
        """Return the scores of these claims, degraded if an external service is missing or late.

        Past the budget of work, claims are not scored.
        """
        if self._latest and not self._budget.may_score:
            self.degraded = True
            with self._score_work:
                self._unscored = self._unscored or unscored(self._latest)
            if self._score_work.due:  # there may be 100,000 claims
                await self._score_work.pause()
            return [self._unscored] * len(claims)
        self._budget.add_scoring(len(claims), self._sentences)
        if self._embedder is not None:
            vectors = await self._claim_vectors(self._embedder, [claim.text for claim in claims])
            claims = [replace(claim, vector=vector) for claim, vector in zip(claims, vectors, strict=True)]
        prepared = await self.prepared()
        scores = await self._score_work.run(prepared.score_in_steps(claims))
        if prepared.needs_checker:
            for start in range(0, len(claims), CHECKED_CLAIMS):
                end = start + CHECKED_CLAIMS
                scores[start:end] = await self._check(prepared, claims[start:end], scores[start:end])
        self.degraded |= any(score.degraded for score in scores)
        self._latest = scores[-1] if scores else self._latest
        return scores

    async def decide(self, claims: Sequence[Claim], options: Options) -> list[Decision]:
        """Decide which evidence supports each claim."""
        scores = await self.score_all(claims)
        scores = await self._score_work.run(calibrate_in_steps(scores, options.strictness))
        prepared = await self.prepared()
        return [
            await self.decide_scored(claim, score, prepared, options)
            for claim, score in zip(claims, scores, strict=True)
        ]

    async def decide_scored(
        self, claim: Claim, scores: Scores, prepared: PreparedEvidence, options: Options
    ) -> Decision:
        """Decide which evidence supports a claim whose scores are known, with the judge if there is one.

        Past the budget of work, only the best evidence is compared, and later none.
        """
        precision, judge, explain = self._budget.precision, self._judge, options.explain
        if precision is Precision.NONE or is_unscored(scores):
            self.degraded = True
            return UNDECIDED
        if precision is Precision.REDUCED:
            self.degraded, explain = True, False
            scores, cited = with_best_evidence(scores, claim.cited, prepared.evidence)
            claim = replace(claim, cited=cited)
        at_least = judge.at_least if judge else 1.0
        passages = len(prepared.evidence) if explain else count_candidates(scores, len(claim.cited), at_least)
        self._budget.add_comparisons(passages, claim.text, self._characters)
        steps = assess_in_steps(claim, scores, prepared, at_least=at_least, complete=explain)
        verdicts = await self._work.run(steps)
        if judge:
            verdicts = await judge.review(claim, verdicts, prepared, cites_partial=options.strictness != "strict")
            self.degraded |= judge.degraded
        return decide(verdicts, limit=options.max_per_sentence, explain=explain)

    async def _claim_vectors(self, embedder: Embedder, texts: list[str]) -> Sequence[Vectors | None]:
        """Return the vectors of claims once those of the evidence are there; None if that takes too long."""
        try:
            async with asyncio.timeout(self._timeout):
                await self._embed_evidence(embedder)
                vectors: Vectors = await embedder.embed(texts)
                return list(vectors)
        except (TimeoutError, ProviderError) as error:
            self._shorten_timeout("embedding", error)
            return [None] * len(texts)

    async def _embed_evidence(self, embedder: Embedder) -> None:
        """Embed the evidence once. Concurrent callers wait; what a cancelled caller received is in the cache."""
        async with self._embedding:
            if self._complete is None:
                windows, evidence = self._windows
                vectors = await embedder.embed(await asyncio.to_thread(windows, evidence))
                prepared = await asyncio.shield(self._preparing)  # a timeout here must not cancel it for other callers
                self._complete = await asyncio.to_thread(prepared.with_vectors, vectors)

    async def _check(
        self, prepared: PreparedEvidence, claims: Sequence[Claim], scores: Sequence[Scores]
    ) -> list[Scores]:
        """Return the scores with those of the checker for the evidence that the other features leave open."""
        model = self._cross_encoder
        if model is None:
            return [replace(each, degraded=True) for each in scores]
        pairs = [prepared.pairs_to_check(*each) for each in zip(claims, scores, strict=True)]
        try:
            async with asyncio.timeout(self._timeout * len(claims)):
                log_odds = iter(await model.entailed([pair for of_claim in pairs for pair in of_claim]))
        except (TimeoutError, ProviderError) as error:
            self._shorten_timeout("the checker", error)
            return [replace(each, degraded=True) for each in scores]
        return [
            prepared.with_checked(claim, each, list(islice(log_odds, len(of_claim))))
            for claim, each, of_claim in zip(claims, scores, pairs, strict=True)
        ]

    def _shorten_timeout(self, service: str, error: Exception) -> None:
        self._timeout *= TIMEOUT_FACTOR
        reason = error.brief if isinstance(error, ProviderError) else "it took too long"
        log.warning("%s failed, the lexical scorer decides: %s", service, reason)
