"""Cite a finished text with the scorers and decisions of a stream, without blocking the event loop."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import closing
from dataclasses import dataclass

from citestream.citation.answers.answer import Answer
from citestream.citation.answers.draft import UNDECIDED, Draft
from citestream.citation.answers.json_answer import JsonAnswer
from citestream.citation.answers.response import Response
from citestream.citation.cite import CitedText, align, calibrate_answer_in_steps, finish, spaced
from citestream.citation.evidence import Evidence
from citestream.citation.explanation import Explained, explain_drafts
from citestream.citation.link_policy import LinkPolicy
from citestream.citation.options import Options
from citestream.citation.support.decision import Decision, Support
from citestream.citation.support.scorers import MAX_BATCH, PreparedEvidence, Scores, scorer
from citestream.providers.scheduler import Work, scheduler
from citestream.providers.wire.json_steps import release_in_steps

from ..scorers import Scorers
from .deciding.scoring import ExternalModels, Scoring

MAX_STALLED = 5.0  # deadlines without a vector: the text is not streamed, and a model may take seconds to load
BLOCK_CHARACTERS = 1_000  # characters that are segmented at a time: 1 ms, and 10 ms for a sentence of brackets


@dataclass(frozen=True, slots=True)
class ScoredText:
    """The sentences of a text and the scores of those that make a claim, judged together if the scorer can do that."""

    answer: Answer | JsonAnswer
    drafts: list[Draft]
    scores: list[Scores | None]
    prepared: PreparedEvidence
    response: Response
    scoring: Scoring

    async def cited(self) -> CitedText:
        """Return the text with its markers. Must be called once, since it adds to the references."""
        pieces: list[str] = []
        supports: list[tuple[Support, ...]] = []
        work = Work("cite")
        for start in range(0, len(self.drafts), MAX_BATCH):
            batch = slice(start, start + MAX_BATCH)
            for draft, decision in zip(self.drafts[batch], await self._decide(batch), strict=True):
                with work:
                    pieces.append(self.answer.cite(draft, decision))
                supports.append(decision.supports)
                if work.due:
                    await work.pause()
        self.response.grounding.degraded |= self.scoring.degraded
        await work.run(self.response.grounding.quotations.finish_in_steps())
        return finish(self.response, pieces, supports, self.scores)

    def free(self) -> None:
        """Free the sentences in steps, for callers that have no request to hold them. Call it after `cited`."""
        if len(self.drafts) > MAX_BATCH:
            scheduler().start("cite", release_in_steps(self.drafts, self.scores))

    async def _decide(self, batch: slice) -> list[Decision]:
        """Decide about several sentences. With a judge, its questions about all of them run concurrently."""
        rows = list(zip(self.drafts[batch], self.scores[batch], strict=True))
        if self.scoring.judge_report is None:
            return [await self._decide_one(draft, scored) for draft, scored in rows]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._decide_one(draft, scored)) for draft, scored in rows]
        return [task.result() for task in tasks]

    async def _decide_one(self, draft: Draft, scored: Scores | None) -> Decision:
        if draft.claim is None or scored is None:
            return UNDECIDED
        return await self.scoring.decide_scored(draft.claim, scored, self.prepared, self.response.options)

    def explained(self) -> list[Explained]:
        """Return the verdicts that led to each decision."""
        return explain_drafts(self.drafts, self.scores, self.prepared, self.response.options.max_per_sentence)


async def score_text(
    text: str | list[str],
    evidence: tuple[Evidence, ...],
    options: Options,
    labels: Mapping[str, str] | None = None,
    scorers: Scorers | None = None,
    links: LinkPolicy = "allow",
    question: str = "",
) -> ScoredText:
    """Segment a text and score its sentences. Without `scorers`, no embedder or cross-encoder is used.

    `question`: that the text answers. `ScoredText.cited` then returns the same as `citation.cite.cite`.
    """
    options = scorers.resolve(options) if scorers else options
    response = Response(evidence, options, labels=labels, links=links, question=question)
    answer = response.answer(0)
    scoring = (
        scorers.open(options, evidence)
        if scorers
        else Scoring(scorer(options.scorer), evidence, ExternalModels(deadline=0))
    )
    with closing(scoring):
        drafts = [draft async for draft in _drafts(answer, text)]
        claims = [draft.claim for draft in drafts if draft.claim is not None]
        await scoring.embed(claims, max_stalled=MAX_STALLED)
        claim_scores: list[Scores] = []
        for start in range(0, len(claims), MAX_BATCH):
            claim_scores += await scoring.score_all(claims[start : start + MAX_BATCH])
        prepared = await scoring.prepared()
    scores = align([draft.claim for draft in drafts], claim_scores)
    response.grounding.judging = scoring.judge_report
    calibrated = await Work("cite").run(calibrate_answer_in_steps(scores, prepared, options.strictness))
    return ScoredText(answer, drafts, calibrated, prepared, response, scoring)


async def _drafts(answer: Answer | JsonAnswer, text: str | list[str]) -> AsyncGenerator[Draft, None]:
    """Yield the drafts of `drafts_of`. The segmenter cuts a text independently of the blocks in which it arrives."""
    work = Work("cite")
    if not isinstance(text, str):
        for sentence in spaced(text):
            for draft in await work.run(answer.take_in_steps(sentence)):
                yield draft
        return
    for start in range(0, len(text), BLOCK_CHARACTERS):
        with work:
            drafts = answer.feed(text[start : start + BLOCK_CHARACTERS])
        if work.due:
            await work.pause()
        for draft in drafts:
            yield draft
    parts = answer.flush_in_parts()
    while True:
        with work:
            part = next(parts, None)
        if part is None:
            return
        if work.due:
            await work.pause()
        for draft in part:
            yield draft
