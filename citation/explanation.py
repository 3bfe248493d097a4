"""Explanations: for each sentence of a finished text and each piece of evidence, the reason for the decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .answers.draft import Draft
from .support.decision import Verdict, explain
from .support.scorers import PreparedEvidence, Scores


@dataclass(frozen=True, slots=True)
class Explained:
    """One sentence without the model's markers, with a verdict per evidence in number order; none if no claim."""

    text: str
    cited: tuple[int, ...]  # the numbers that the model cited
    unknown: tuple[int, ...]  # those that no evidence has
    verdicts: tuple[Verdict, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "text": self.text,
            "claim": bool(self.verdicts),
            "cited": list(self.cited),
            "unknown": list(self.unknown),
            "evidence": [verdict.as_dict() for verdict in self.verdicts],
        }


def explain_drafts(
    drafts: Sequence[Draft], scores: Sequence[Scores | None], prepared: PreparedEvidence, limit: int
) -> list[Explained]:
    """Explain the decisions about sentences that are already scored; the score is None where there is no claim."""
    explained = []
    for draft, draft_scores in zip(drafts, scores, strict=True):
        verdicts: list[Verdict] = []
        if draft.claim is not None and draft_scores is not None:
            verdicts = explain(draft.claim, draft_scores, prepared, limit=limit)
        explained.append(Explained(draft.text, draft.cited, draft.unknown, tuple(verdicts)))
    return explained
