"""Which candidates a judge should read, and what its verdicts change.

A judge confirms or refuses evidence that a scorer proposed. It never adds other evidence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..text import MAX_TITLE
from .decision import JUDGE_THRESHOLD, Verdict
from .scorers import PreparedEvidence

# With `all`, evidence below this probability is not proposed, so that not every excerpt costs a call for every claim.
ALL_FROM = 0.05


@dataclass(frozen=True, slots=True)
class JudgeBand:
    """The scorer's probabilities for which the judge is asked."""

    low: float = 0.15
    high: float = 0.98

    def __contains__(self, verdict: Verdict) -> bool:
        """Return whether the judge should read this candidate."""
        return self.low <= verdict.probability <= self.high


ALL = JudgeBand(ALL_FROM, 1.0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One piece of evidence for the judge: the passage with a sentence of context on each side, and its title."""

    number: int
    title: str
    passage: str


def candidates(verdicts: Sequence[Verdict], band: JudgeBand, prepared: PreparedEvidence) -> list[Candidate]:
    """Return the evidence that the judge should read, the most probable first."""
    rows = {evidence.number: row for row, evidence in enumerate(prepared.evidence)}
    found = []
    for verdict in sorted((v for v in verdicts if v in band), key=lambda v: -v.probability):
        row = rows[verdict.number]
        evidence = prepared.evidence[row]
        start, end = prepared.index.widened(row, verdict.start, verdict.end)
        title = (evidence.title or evidence.file_name or "")[:MAX_TITLE]
        found.append(Candidate(verdict.number, title, evidence.text[start:end]))
    return found


def apply(verdicts: Sequence[Verdict], judged: Mapping[int, float]) -> list[Verdict]:
    """Return the verdicts with those of the judge. `judged`: its probability of support by evidence number."""
    return [
        replace(verdict, judged=judged[verdict.number], cited=judged[verdict.number] >= JUDGE_THRESHOLD)
        if verdict.number in judged
        else verdict
        for verdict in verdicts
    ]
