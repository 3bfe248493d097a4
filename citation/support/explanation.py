"""Why a finished text is cited as it is: for each piece of it and each piece of evidence, what decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..answer import Draft
from ..cite import drafts_of, scored
from ..evidence import Evidence
from ..options import Options
from ..response import Response
from .decision import Verdict, explain
from .scorers import Prepared, Scores, scorer


@dataclass(frozen=True, slots=True)
class Explained:
    """One sentence, without the model's markers. One verdict a piece of evidence, in number order; none: no claim."""

    text: str
    cited: tuple[int, ...]  # what the model cited
    unknown: tuple[int, ...]  # of that, numbers no evidence has
    verdicts: tuple[Verdict, ...]

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "text": self.text,
            "claim": bool(self.verdicts),
            "cited": list(self.cited),
            "unknown": list(self.unknown),
            "evidence": [verdict.as_dict() for verdict in self.verdicts],
        }


def explain_text(text: str | Sequence[str], evidence: Sequence[Evidence], options: Options) -> list[Explained]:
    """What `cite` decides about the same text, and why. Raises ValueError for a scorer there is not."""
    prepared = scorer(options.scorer).prepare(evidence)
    drafts = drafts_of(Response(evidence, options).answer(0), text)
    scores = scored([draft.claim for draft in drafts], prepared)
    return explain_drafts(drafts, scores, prepared, options.max_per_sentence)


def explain_drafts(
    drafts: Sequence[Draft], scores: Sequence[Scores | None], prepared: Prepared, limit: int
) -> list[Explained]:
    """The same for sentences that have been scored already; None: makes no claim."""
    explained = []
    for draft, of_one in zip(drafts, scores, strict=True):
        verdicts: list[Verdict] = []
        if draft.claim is not None and of_one is not None:
            verdicts = explain(draft.claim, of_one, prepared, cited=frozenset(draft.cited), limit=limit)
        explained.append(Explained(draft.text, draft.cited, draft.unknown, tuple(verdicts)))
    return explained
