"""Why a finished text is cited as it is: for each piece of it and each piece of evidence, what decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .attribute import Verdict, explain
from .cite import drafts_of
from .evidence import Evidence
from .options import Options
from .response import Response
from .scoring import scorer


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
            "evidence": [_as_dict(verdict) for verdict in self.verdicts],
        }


def explain_text(text: str | Sequence[str], evidence: Sequence[Evidence], options: Options) -> list[Explained]:
    """What `cite` decides about the same text, and why. Raises ValueError for a scorer there is not."""
    answer = Response(evidence, options).answer(0)
    prepared = scorer(options.scorer).prepare(evidence)
    explained = []
    for draft in drafts_of(answer, text):
        verdicts: list[Verdict] = []
        if draft.claim is not None:
            scores, cited = prepared.score(draft.claim), frozenset(draft.cited)
            verdicts = explain(draft.claim, scores, prepared, cited=cited, limit=options.max_per_sentence)
        explained.append(Explained(draft.text, draft.cited, draft.unknown, tuple(verdicts)))
    return explained


def _as_dict(verdict: Verdict) -> dict[str, Any]:
    gate = verdict.gate
    return {
        "evidence_number": verdict.number,
        "support": verdict.probability,
        "bar": verdict.bar,
        "cited": verdict.cited,
        "hinted": verdict.hinted,
        "decided": verdict.decided,
        "gate": {"reason": gate.reason.value, "detail": gate.detail} if gate else None,
        "start": verdict.start,
        "end": verdict.end,
        "features": dict(verdict.features),
    }
