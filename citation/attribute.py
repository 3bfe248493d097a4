"""Attribution: scores, hints and gates in; a decision per sentence out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from .gates import Gate, Reason, check
from .scoring import Claim, Prepared, Scores
from .scoring.calibration import calibration

__all__ = ["Decision", "Gate", "Reason", "Rejection", "Status", "Support", "Verdict", "attribute", "explain"]


class Status(StrEnum):
    """`verified`: the model cited it and the backend agrees. `added`: the backend found it."""

    VERIFIED = "verified"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Support:
    """This evidence supports this sentence: calibrated probability, status, and the supporting passage's offsets."""

    number: int
    score: float
    status: Status
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rejection:
    """The model cited this number, and the backend does not."""

    number: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Decision:
    """What is decided about one sentence: at most four supports, best first, and what was refused of the hints."""

    supports: tuple[Support, ...] = ()
    rejected: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that decided about one piece of evidence, for people who ask why."""

    number: int
    probability: float
    bar: float  # the probability it had to reach
    hinted: bool  # the model cited it
    gate: Gate | None  # what refused it in spite of its probability, with the words that did
    start: int
    end: int
    features: Mapping[str, float]
    generated: bool  # an artifact, not source text
    cited: bool
    decided: str  # one sentence for people


def attribute(
    claim: Claim,
    scores: Scores,
    prepared: Prepared,
    *,
    cited: frozenset[int] = frozenset(),
    limit: int = 4,
) -> Decision:
    """Decide which evidence supports `claim`. `cited`: the numbers the model wrote, a lower bar, never a pass."""
    verdicts = explain(claim, scores, prepared, cited=cited, limit=limit)
    supports = sorted((v for v in verdicts if v.cited), key=_best_first)
    return Decision(
        tuple(
            Support(v.number, v.probability, Status.VERIFIED if v.hinted else Status.ADDED, v.start, v.end)
            for v in supports
        ),
        tuple(Rejection(v.number, _reason(v)) for v in verdicts if v.hinted and not v.cited),
    )


def explain(
    claim: Claim,
    scores: Scores,
    prepared: Prepared,
    *,
    cited: frozenset[int] = frozenset(),
    limit: int = 4,
) -> list[Verdict]:
    """One verdict a piece of evidence, in number order: what `attribute` decides and why."""
    fitted = calibration(scores.scorer)
    probability = fitted.probability(scores)
    verdicts = []
    for row, evidence in enumerate(prepared.evidence):
        hinted = evidence.number in cited
        bar = fitted.hint_threshold if hinted else fitted.threshold
        reached = float(probability[row]) >= bar
        window = (int(scores.windows[row, 0]), int(scores.windows[row, 1]))
        gate = check(claim, prepared.index, row, window) if reached or hinted else None
        verdicts.append(
            Verdict(
                evidence.number,
                float(probability[row]),
                bar,
                hinted,
                gate,
                *window,
                dict(zip(scores.names, (float(f) for f in scores.features[row]), strict=True)),
                evidence.is_generated_artifact,
                reached and gate is None,
                "",
            )
        )
    return _within(limit, verdicts)


def _within(limit: int, verdicts: list[Verdict]) -> list[Verdict]:
    """The best `limit` of those that may be cited, and the reason of each, in words."""
    ranked = sorted((v for v in verdicts if v.cited), key=_best_first)
    kept = {v.number for v in ranked[:limit]}
    return [replace(v, cited=v.number in kept, decided=_why(v, v.number in kept)) for v in verdicts]


def _best_first(verdict: Verdict) -> tuple[bool, float, int]:
    """Source text before what was generated from it, then by probability, ties by number."""
    return verdict.generated, -verdict.probability, verdict.number


def _reason(verdict: Verdict) -> Reason:
    return verdict.gate.reason if verdict.gate else Reason.NO_SUPPORT


def _why(verdict: Verdict, kept: bool) -> str:
    if verdict.gate:
        return f"refused: {verdict.gate.detail}"
    if not verdict.cited:
        return f"below the bar of {verdict.bar:.2f}"
    return "supports" if kept else "supports, but better ones fill the limit"
