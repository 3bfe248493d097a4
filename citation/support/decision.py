"""Attribution: scores, hints and gates in; a decision per sentence out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from .calibration import judge
from .gates import Gate, Gates, Reason
from .scorers import Claim, Prepared, Scores

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
    verdicts: tuple["Verdict", ...] = ()  # one a piece of evidence, if somebody wants to know why


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that decided about one piece of evidence, for people who ask why."""

    number: int
    probability: float
    bar: float  # the probability it had to reach
    hinted: bool  # the model cited it
    generated: bool  # an artifact, not source text
    gate: Gate | None  # what refuses it in spite of its probability, with the words that do
    start: int
    end: int
    features: Mapping[str, float]
    cited: bool
    crowded_out: bool = False  # it supports, but better ones fill the limit

    @property
    def gate_decided(self) -> bool:
        """Whether the gate is what stood between this evidence and a citation."""
        return self.gate is not None and (self.gate.close or self.probability >= self.bar)

    @property
    def decided(self) -> str:
        """What decided, in words."""
        if self.cited:
            return "supports"
        if self.crowded_out:
            return "supports, but better ones fill the limit"
        if self.gate and self.gate_decided:
            return f"refused: {self.gate.detail}"
        return f"below the bar of {self.bar:.2f}"

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "evidence_number": self.number,
            "support": self.probability,
            "bar": self.bar,
            "cited": self.cited,
            "hinted": self.hinted,
            "decided": self.decided,
            "gate": {"reason": self.gate.reason.value, "detail": self.gate.detail} if self.gate else None,
            "start": self.start,
            "end": self.end,
            "features": dict(self.features),
        }


def attribute(
    claim: Claim,
    scores: Scores,
    prepared: Prepared,
    *,
    cited: frozenset[int] = frozenset(),
    limit: int = 4,
    why: bool = False,
) -> Decision:
    """Decide which evidence supports `claim`. `cited`: the numbers the model wrote, a lower bar, never a pass.

    `why`: give the verdicts on all evidence too.
    """
    verdicts = _judge(claim, scores, prepared, cited, limit, everything=why)
    supports = sorted((v for v in verdicts if v.cited), key=_best_first)
    return Decision(
        tuple(
            Support(v.number, v.probability, Status.VERIFIED if v.hinted else Status.ADDED, v.start, v.end)
            for v in supports
        ),
        tuple(Rejection(v.number, _reason(v)) for v in verdicts if v.hinted and not v.cited),
        tuple(verdicts) if why else (),
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
    return _judge(claim, scores, prepared, cited, limit, everything=True)


def _judge(
    claim: Claim, scores: Scores, prepared: Prepared, cited: frozenset[int], limit: int, *, everything: bool
) -> list[Verdict]:
    """Verdicts in number order; unless `everything`, only of what is likely enough or was cited."""
    judged = judge(scores)
    gates: Gates | None = None
    verdicts = []
    # Lists of plain numbers: to take one out of an array costs as much as all else that is done about most evidence
    rows = zip(prepared.evidence, judged.probability.tolist(), judged.bar.tolist(), strict=True)
    for row, (evidence, probability, bar) in enumerate(rows):
        hinted = evidence.number in cited
        if not (everything or hinted or probability >= bar):
            continue
        if hinted:
            bar = float(judged.hint_bar[row])
        if judged.gated and gates is None:
            gates = Gates(claim, prepared.index)
        start, end = scores.windows[row].tolist()
        gate = gates.check(row, (start, end)) if gates else None
        verdicts.append(
            Verdict(
                number=evidence.number,
                probability=probability,
                bar=bar,
                hinted=hinted,
                generated=evidence.is_generated_artifact,
                gate=gate,
                start=start,
                end=end,
                features=dict(zip(scores.names, scores.features[row].tolist(), strict=True)) if everything else {},
                cited=probability >= bar and gate is None,
            )
        )
    return _within(limit, verdicts)


def _within(limit: int, verdicts: list[Verdict]) -> list[Verdict]:
    """Of those that may be cited, only the best `limit`."""
    cited = [v for v in verdicts if v.cited]
    if len(cited) <= limit:
        return verdicts
    beyond = {v.number for v in sorted(cited, key=_best_first)[limit:]}
    return [replace(v, cited=False, crowded_out=True) if v.number in beyond else v for v in verdicts]


def _best_first(verdict: Verdict) -> tuple[bool, float, int]:
    """Source text before what was generated from it, then by probability, ties by number."""
    return verdict.generated, -verdict.probability, verdict.number


def _reason(verdict: Verdict) -> Reason:
    return verdict.gate.reason if verdict.gate and verdict.gate_decided else Reason.NO_SUPPORT
