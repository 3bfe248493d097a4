"""Citing a finished text: the same scorers and decisions as in a stream, without keeping others waiting."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

from citestream.citation.answer import Answer, Draft
from citestream.citation.cite import CitedText, align, calibrate_answer, decide, drafts_of, finish
from citestream.citation.evidence import Evidence
from citestream.citation.explanation import Explained, explain_drafts
from citestream.citation.json_answer import JsonAnswer
from citestream.citation.link_policy import LinkPolicy
from citestream.citation.options import Options
from citestream.citation.response import Response
from citestream.citation.support.decision import Support
from citestream.citation.support.scorers import MAX_BATCH, PreparedEvidence, Scores, scorer

from ..scorers import Scorers
from .scoring import Scoring

STANDSTILL = 5.0  # deadlines without a vector: nobody reads along here, and a model may take seconds to load
AT_ONCE = 20_000  # characters that are cut before others get their turn: some milliseconds


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A text's sentences and the scores of those that make a claim, judged as a whole where the scorer does that."""

    answer: Answer | JsonAnswer
    drafts: list[Draft]
    scores: list[Scores | None]
    prepared: PreparedEvidence
    response: Response

    async def cited(self) -> CitedText:
        """The text with its markers. Once: the references count what is cited."""
        pieces: list[str] = []
        supports: list[tuple[Support, ...]] = []
        for draft, scored in zip(self.drafts, self.scores, strict=True):
            decision = decide(draft, scored, self.prepared, self.response.options)
            pieces.append(self.answer.cite(draft, decision))
            supports.append(decision.supports)
            await asyncio.sleep(0)
        return finish(self.response, pieces, supports, self.scores)

    def explained(self) -> list[Explained]:
        """Why."""
        return explain_drafts(self.drafts, self.scores, self.prepared, self.response.options.max_per_sentence)


async def cite_text(
    text: str | list[str],
    evidence: tuple[Evidence, ...],
    options: Options,
    labels: Mapping[str, str] | None = None,
    scorers: Scorers | None = None,
    links: LinkPolicy = "allow",
) -> CitedText:
    """As `citation.cite.cite`, with the scorers that have to wait for something, and without keeping others waiting."""
    return await (await score_text(text, evidence, options, labels, scorers, links)).cited()


async def score_text(
    text: str | list[str],
    evidence: tuple[Evidence, ...],
    options: Options,
    labels: Mapping[str, str] | None = None,
    scorers: Scorers | None = None,
    links: LinkPolicy = "allow",
) -> ScoredText:
    """Cut and score. Without `scorers` there is no embedder and no model that reads."""
    response = Response(evidence, options, labels=labels, links=links)
    answer = response.answer(0)
    scoring = scorers.open(options, evidence) if scorers else Scoring(scorer(options.scorer), evidence)
    drafts = [draft async for draft in _drafts(answer, text)]
    claims = [draft.claim for draft in drafts if draft.claim is not None]
    await scoring.embed(claims, standstill=STANDSTILL)
    found: list[Scores] = []
    for at in range(0, len(claims), MAX_BATCH):
        await asyncio.sleep(0)  # so many take 2 ms, and a text may have a hundred thousand
        found += await scoring.score_all(claims[at : at + MAX_BATCH])
    scores = align([draft.claim for draft in drafts], found)
    prepared = await scoring.prepared()
    return ScoredText(answer, drafts, calibrate_answer(scores, prepared), prepared, response)


async def _drafts(answer: Answer | JsonAnswer, text: str | list[str]) -> AsyncGenerator[Draft, None]:
    """As `drafts_of`; the segmenter cuts a text the same way however it arrives."""
    if not isinstance(text, str):
        for draft in drafts_of(answer, text):
            yield draft
        return
    for start in range(0, len(text), AT_ONCE):
        for draft in answer.feed(text[start : start + AT_ONCE]):
            yield draft
        await asyncio.sleep(0)
    for draft in answer.flush():
        yield draft
