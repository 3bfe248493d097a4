"""Which sentences a judge should read, with which excerpts, and what its verdict changes.

The verdict counts for every excerpt that the judge saw, whatever the scorer and the checks found. It can cite an
excerpt that they refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..text import MAX_TITLE_CHARACTERS
from ..text.tables import whole_table
from .decision import JUDGE_THRESHOLD, Verdict
from .judge_prompt import MAX_PASSAGE_CHARACTERS, Excerpt, Extent, Question, Reply
from .scorers import Claim, PreparedEvidence

MAX_EXCERPTS = 6  # in a question about one sentence: those that the model cited, and the most probable others


@dataclass(frozen=True, slots=True)
class JudgeBand:
    """The scorer's probabilities that are uncertain, so that the judge is asked.

    With the default, 94 % of the sentences of natural answers are asked about: a strong model's wrong citations reach
    .98. From .05 to .9, 70 % are asked about, and a perfect judge removes 94 instead of 99 % of the wrong citations.
    """

    low: float = 0.01
    high: float = 0.99
    copies: bool = False  # whether the judge is also asked about evidence that contains the sentence word for word

    def __contains__(self, verdict: Verdict) -> bool:
        """Return whether the decision about this evidence is uncertain. The model's own citations need no minimum."""
        if (verdict.verbatim and not self.copies) or verdict.probability > self.high:
            return False
        return verdict.hinted or verdict.probability >= self.low


ALL = JudgeBand(0.0, 1.0, copies=True)


def question(claim: Claim, verdicts: Sequence[Verdict], band: JudgeBand, prepared: PreparedEvidence) -> Question | None:
    """Return what the judge is asked about a sentence; None if the decision about all evidence is certain."""
    if not any(verdict in band for verdict in verdicts):
        return None
    likely = sorted(
        (verdict for verdict in verdicts if not verdict.copy and (verdict.hinted or verdict.probability >= band.low)),
        key=lambda verdict: (not verdict.hinted, -verdict.probability),
    )
    rows = {evidence.number: row for row, evidence in enumerate(prepared.evidence)}
    shown = sorted(likely[:MAX_EXCERPTS], key=lambda verdict: verdict.number)
    excerpts = tuple(_excerpt(verdict, prepared, rows[verdict.number]) for verdict in shown)
    return Question(claim.text, excerpts, claim.context, claim.question)


def _excerpt(verdict: Verdict, prepared: PreparedEvidence, row: int) -> Excerpt:
    evidence = prepared.evidence[row]
    start, end = prepared.index.widened(row, verdict.start, verdict.end)
    table_start, table_end = whole_table(evidence.text, start, end, needs_header=False)
    if table_end - table_start <= MAX_PASSAGE_CHARACTERS:
        start, end = table_start, table_end  # a row means little without its header and the other rows
    title = (evidence.title or evidence.file_name or "")[:MAX_TITLE_CHARACTERS]
    return Excerpt(verdict.number, title, evidence.text[start:end])


def apply(
    verdicts: Sequence[Verdict], asked: Question, reply: Reply, support: float = 1.0, *, cites_partial: bool = True
) -> list[Verdict]:
    """Return the verdicts with those of the judge.

    `support`: its probability that the excerpts support the sentence; it matters only where `reply` says so too.
    `cites_partial`: whether excerpts that support only a part of the sentence are cited.
    """
    shown = {excerpt.number for excerpt in asked.excerpts}
    supporting = {asked.excerpts[position - 1].number for position in reply.supporting}
    is_partial = reply.extent is Extent.PART
    if reply.extent is Extent.WHOLE and not supporting:
        supporting = _most_likely([verdict for verdict in verdicts if verdict.number in shown])
    elif is_partial and not cites_partial:
        supporting = set()
    against = _contradicting(verdicts, asked, reply) if reply.extent is Extent.CONTRADICTED else None
    return [
        replace(
            verdict,
            judged=max(support, JUDGE_THRESHOLD) if verdict.number in supporting else 0.0,
            cited=verdict.number in supporting,
            partial=is_partial and verdict.number in supporting,
            contradicts=verdict.number == against,
        )
        if verdict.number in shown
        else verdict
        for verdict in verdicts
    ]


def _contradicting(verdicts: Sequence[Verdict], asked: Question, reply: Reply) -> int | None:
    """Return the number of the evidence that says otherwise: the most probable one if the judge does not say which."""
    if reply.contradicting:
        return asked.excerpts[reply.contradicting - 1].number
    shown = {excerpt.number for excerpt in asked.excerpts}
    likely = [verdict for verdict in verdicts if verdict.number in shown]
    return max(likely, key=lambda verdict: verdict.probability).number if likely else None


def _most_likely(verdicts: Sequence[Verdict]) -> set[int]:
    """Return the evidence that supports a sentence if a judge does not say which.

    That is what the scorer would cite, else what the model cited, else the most probable evidence.
    """
    for chosen in (
        [verdict for verdict in verdicts if verdict.cited],
        [verdict for verdict in verdicts if verdict.hinted],
    ):
        if chosen:
            return {verdict.number for verdict in chosen}
    return {max(verdicts, key=lambda verdict: verdict.probability).number} if verdicts else set()
