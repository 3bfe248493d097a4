"""Attribution: turns the scores of a claim and the model's hints into a decision."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evidence import Evidence
from ..text.steps import Steps, completed
from .calibration import calibrate, shift_log_odds
from .gates import GateChecks, Reason, Refusal
from .gates.agreement import FULL_AGREEMENT
from .quoted_row import quoted_row
from .scorers import PreparedEvidence
from .scores import Calibrated, Claim, Scores

__all__ = ["Decision", "Reason", "Refusal", "Rejection", "Status", "Support", "Verdict", "attribute", "explain"]

JUDGE_THRESHOLD = 0.5  # the judge's probability from which it confirms
_MAX_SIMPLE_CLAIM = 100  # characters; a claim of few enough terms for a simple pair is hardly ever longer


class Status(StrEnum):
    """`verified`: the model cited the evidence and the scorer agrees. `added`: only the scorer found it."""

    VERIFIED = "verified"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Support:
    """A piece of evidence supports the claim: probability, status, and the span of the supporting passage."""

    number: int
    score: float
    status: Status
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rejection:
    """The model cited this number, but the evidence does not support the claim."""

    number: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one sentence: its supports, best first, and the rejected citations of the model."""

    supports: tuple[Support, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    verdicts: tuple["Verdict", ...] = ()  # one per evidence, if explanations were requested


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that led to the decision about one piece of evidence, for explanations."""

    number: int
    probability: float
    threshold: float  # the probability it had to reach
    hinted: bool  # the model cited it
    generated: bool  # a generated artifact, not source text
    refusal: Refusal | None  # by a gate, with the words that disagree
    start: int
    end: int
    features: Mapping[str, float]
    cited: bool
    over_limit: bool = False  # it supports the claim, but the limit is used up by better evidence
    judged: float | None = None  # the judge's probability of support, if a judge was asked

    @property
    def support(self) -> float:
        """The probability that counts: the judge's if one was asked, else the scorer's."""
        return self.probability if self.judged is None else self.judged

    @property
    def refused(self) -> bool:
        """Whether a gate, and not a low probability, is the reason that this evidence is not cited."""
        return self.refusal is not None and (self.refusal.same_topic or self.probability >= self.threshold)

    @property
    def summary(self) -> str:
        """The deciding reason in words."""
        if self.cited:
            return "supports"
        if self.over_limit:
            return "supports, but better ones fill the limit"
        if self.judged is not None and self.judged < JUDGE_THRESHOLD:
            return "refused: the judge found no support"
        if self.refusal and self.refused:
            return f"refused: {self.refusal.detail}"
        return f"below the threshold of {self.threshold:.2f}"

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        refusal = self.refusal
        return {
            "evidence_number": self.number,
            "support": self.probability,
            "bar": self.threshold,
            "cited": self.cited,
            "hinted": self.hinted,
            "decided": self.summary,
            "gate": {"reason": refusal.reason.value, "detail": refusal.detail} if refusal else None,
            "judged": self.judged,
            "start": self.start,
            "end": self.end,
            "features": dict(self.features),
        }


def attribute(
    claim: Claim,
    scores: Scores,
    prepared: PreparedEvidence,
    *,
    hints: frozenset[int] = frozenset(),
    limit: int = 4,
    explain: bool = False,
) -> Decision:
    """Decide which evidence supports `claim`.

    `hints`: the numbers that the model cited. They have a lower threshold, but no citation is accepted unchecked.
    `explain`: return the verdicts on all evidence too.
    """
    return decide(assess(claim, scores, prepared, hints=hints, complete=explain), limit=limit, explain=explain)


def decide(verdicts: Sequence[Verdict], *, limit: int = 4, explain: bool = False) -> Decision:
    """Turn the verdicts on one claim into a decision. `explain`: return the verdicts too."""
    verdicts = _apply_limit(limit, verdicts)
    supports = sorted((v for v in verdicts if v.cited), key=_rank)
    return Decision(
        tuple(
            Support(v.number, v.support, Status.VERIFIED if v.hinted else Status.ADDED, v.start, v.end)
            for v in supports
        ),
        tuple(Rejection(v.number, _reason(v)) for v in verdicts if v.hinted and not v.cited),
        tuple(verdicts) if explain else (),
    )


def explain(
    claim: Claim,
    scores: Scores,
    prepared: PreparedEvidence,
    *,
    hints: frozenset[int] = frozenset(),
    limit: int = 4,
) -> list[Verdict]:
    """Return one verdict per evidence, in number order: what `attribute` decides, and why."""
    return list(_apply_limit(limit, assess(claim, scores, prepared, hints=hints, complete=True)))


def assess_in_steps(
    claim: Claim,
    scores: Scores,
    prepared: PreparedEvidence,
    *,
    hints: frozenset[int] = frozenset(),
    at_least: float = 1.0,
    complete: bool = False,
) -> Steps[list[Verdict]]:
    """Return verdicts in number order, before the limit is applied. Each step is about one piece of evidence.

    Unless `complete`, only on hints, on evidence that reaches its threshold, and on evidence with a probability of
    `at_least`. The gates can refuse a support and, in simple pairs, raise its probability.
    """
    calibrated = calibrate(scores)
    by_words = scores.scorer == "lexical"
    max_raise = FULL_AGREEMENT if by_words and len(claim.text) <= _MAX_SIMPLE_CLAIM else 0.0
    gates: GateChecks | None = None
    verdicts: list[Verdict] = []
    lowest = np.zeros(len(prepared.evidence)) if complete else np.minimum(calibrated.threshold, at_least)
    for candidate in _candidates(scores, calibrated, prepared, hints, lowest, max_raise):
        if calibrated.gated and gates is None:
            gates = GateChecks(claim, prepared.index, by_words=by_words)
        if candidate.probability < candidate.lowest and not (
            gates and gates.is_simple(candidate.row, candidate.window)
        ):
            continue
        if verdicts:
            yield None
        probability, refusal = candidate.probability, None
        if gates:
            probability, refusal = _apply_gates(gates, candidate, max_raise)
        if probability >= candidate.lowest:
            features = _feature_values(scores, candidate.row) if complete else {}
            verdicts.append(_verdict(claim, candidate, probability, refusal, features))
    return verdicts


assess = completed(assess_in_steps)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """The scorer's result for one piece of evidence, before the gates."""

    row: int  # index of the evidence
    evidence: Evidence
    window: tuple[int, int]  # span of the best passage in the text of the evidence
    hinted: bool
    probability: float
    threshold: float  # the probability it has to reach
    lowest: float  # the probability below which there is no verdict on it


def _candidates(
    scores: Scores,
    calibrated: Calibrated,
    prepared: PreparedEvidence,
    hints: frozenset[int],
    lowest: NDArray[np.float64],
    max_raise: float,
) -> Iterator[_Candidate]:
    """Yield the evidence that may get a verdict, in number order.

    `lowest`, (N,): the probability that evidence without a hint needs. `max_raise`: by how much gates can raise it.
    """
    sufficient = calibrated.probability >= shift_log_odds(lowest, -max_raise)
    for row, evidence in enumerate(prepared.evidence):
        hinted = evidence.number in hints
        if sufficient[row] or hinted:
            threshold = calibrated.hint_threshold if hinted else calibrated.threshold
            start, end = scores.windows[row].tolist()
            yield _Candidate(
                row=row,
                evidence=evidence,
                window=(start, end),
                hinted=hinted,
                probability=float(calibrated.probability[row]),
                threshold=float(threshold[row]),
                lowest=0.0 if hinted else float(lowest[row]),
            )


def _apply_gates(gates: GateChecks, candidate: _Candidate, max_raise: float) -> tuple[float, Refusal | None]:
    """Return the probability, raised if the clauses agree and that is enough, and the refusal of a gate.

    `max_raise`: by how much clauses that agree can raise its log odds; 0 where a claim is long, or where the score
    compares more than words.
    """
    row, window, threshold = candidate.row, candidate.window, candidate.threshold
    raised = probability = candidate.probability
    if max_raise and probability < threshold <= shift_log_odds(probability, max_raise):
        raised = shift_log_odds(probability, gates.agreement(row, window))
    refusal = gates.refusal(row, window, certain_only=raised < threshold)
    return (raised if raised >= threshold and refusal is None else probability), refusal


def _feature_values(scores: Scores, row: int) -> dict[str, float]:
    """Return the features of one piece of evidence by their names."""
    return dict(zip(scores.names, scores.features[row].tolist(), strict=True))


def _verdict(
    claim: Claim, candidate: _Candidate, probability: float, refusal: Refusal | None, features: Mapping[str, float]
) -> Verdict:
    """Return the verdict on a candidate. `probability`: after the gates."""
    start, end = quoted_row(claim.text, candidate.evidence.text, *candidate.window)
    return Verdict(
        number=candidate.evidence.number,
        probability=probability,
        threshold=candidate.threshold,
        hinted=candidate.hinted,
        generated=candidate.evidence.is_generated_artifact,
        refusal=refusal,
        start=start,
        end=end,
        features=features,
        cited=probability >= candidate.threshold and refusal is None,
    )


def _apply_limit(limit: int, verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """Keep only the best `limit` citations."""
    cited = [v for v in verdicts if v.cited]
    if len(cited) <= limit:
        return verdicts
    beyond = {v.number for v in sorted(cited, key=_rank)[limit:]}
    return [replace(v, cited=False, over_limit=True) if v.number in beyond else v for v in verdicts]


def _rank(verdict: Verdict) -> tuple[bool, float, int]:
    """Order source text before generated artifacts, then by probability, ties by number."""
    return verdict.generated, -verdict.support, verdict.number


def _reason(verdict: Verdict) -> Reason:
    if verdict.judged is not None and verdict.judged < JUDGE_THRESHOLD:
        return Reason.JUDGE
    return verdict.refusal.reason if verdict.refusal and verdict.refused else Reason.NO_SUPPORT
