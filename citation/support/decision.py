"""The decision about one sentence: which evidence supports it, over all excerpts together.

The scorer compares the sentence with all excerpts, the calibration turns that into a probability for each, and the
checks look for what speaks against those that would be cited (`gates`). The fit decides how much a finding counts.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from ..evidence import Evidence
from ..text.steps import Steps, completed
from .calibration import calibrate, calibration, shift_log_odds
from .claims import states_something
from .gates import Finding, GateChecks, Reason
from .gates.checks import DENIED_BY_CELL, NUMBER_ADDED
from .quoted_row import quoted_row
from .scorers import PreparedEvidence
from .scores import Claim, Scores
from .supported_parts import Parts, supported_parts

__all__ = ["Decision", "Finding", "Reason", "Rejection", "Status", "Support", "Verdict", "attribute", "explain"]

JUDGE_THRESHOLD = 0.5  # the judge's probability from which it confirms
# A sentence that a passage contains word for word. Not 1, so that a judge can be asked.
VERBATIM = 0.98
# A short sentence that nearly repeats a passage, but for what a check found: "The pump weighs 15 kg." for "The pump
# weighs 12 kg." Such a finding refuses. In our pairs of near-misses it refuses 848 false and 51 true sentences, in
# natural answers 11 of 563 wrong citations and 25 of 2,549 right ones. Rows of tables are not such sentences.
_MAX_LACKING, _MAX_TERMS = 0.6, 6.0  # total rarity of the words that the passage lacks, and of all terms
# A longer one that copies the word order of a passage and adds a number. This refuses 2 wrong citations of natural
# answers and 5 right ones, and models that copy a passage and invent a number are what users report.
_COPIED = 0.6  # share of its neighbouring terms that are neighbours in the passage
_NUMBERS = frozenset({"number_missing", "number_conflict", "unit_conflict", NUMBER_ADDED})
_DECISIVE = _NUMBERS | {"denial", DENIED_BY_CELL}  # findings that refuse where no fit decides how much they count


class Status(StrEnum):
    """`verified`: the model cited the evidence and the backend agrees. `added`: only the backend found it."""

    VERIFIED = "verified"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Support:
    """A piece of evidence supports the claim: probability, status, and the span of the supporting passage.

    `parts`: the spans of the claim that it supports, if other evidence supports it, too, and they are known.
    """

    number: int
    score: float
    status: Status
    start: int
    end: int
    parts: Parts = ()


@dataclass(frozen=True, slots=True)
class Rejection:
    """The model cited this number, but the evidence does not support the claim."""

    number: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class Conflict:
    """A passage that says otherwise: its evidence, its span there, and what disagrees."""

    number: int
    start: int
    end: int
    detail: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one sentence: its supports, best first, and the rejected citations of the model."""

    supports: tuple[Support, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    conflict: Conflict | None = None  # only if nothing supports the sentence
    is_partial: bool = False  # the supports state only a part of the sentence
    verdicts: tuple["Verdict", ...] = ()  # one per evidence, if explanations were requested


@dataclass(frozen=True, slots=True)
class Verdict:
    """Everything that led to the decision about one piece of evidence, for explanations."""

    number: int
    probability: float
    threshold: float  # the probability it had to reach
    hinted: bool  # the model cited it
    generated: bool  # a generated artifact, not source text
    findings: tuple[Finding, ...]  # differences that speak against the support
    start: int
    end: int
    features: Mapping[str, float]
    cited: bool
    repeats: bool = False  # a short sentence that repeats the passage, but for the findings
    verbatim: bool = False  # it contains the sentence word for word
    copy: bool = False  # it supports the claim, but other evidence with the same text, or with the sentence, is cited
    over_limit: bool = False  # it supports the claim, but the limit is used up by better evidence
    judged: float | None = None  # the judge's probability of support, if a judge was asked
    partial: bool = False  # the judge found only a part of the sentence
    contradicts: bool = False  # the judge found that it says otherwise
    parts: Parts = ()  # see Support

    @property
    def support(self) -> float:
        """The probability that counts: the judge's if one was asked, else the scorer's."""
        return self.probability if self.judged is None else self.judged

    @property
    def summary(self) -> str:
        """The deciding reason in words."""
        if self.cited:
            return "supports a part of the sentence" if self.partial else "supports"
        if self.copy:
            return "supports, but the same words are cited already"
        if self.over_limit:
            return "supports, but better ones fill the limit"
        if self.contradicts:
            return "refused: the judge found that it says otherwise"
        if self.judged is not None and self.judged < JUDGE_THRESHOLD:
            return "refused: the judge found no support"
        if self.findings:
            return f"refused: {self.findings[0].detail}"
        return f"below the threshold of {self.threshold:.2f}"

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        gate = {"reason": self.findings[0].reason.value, "detail": self.findings[0].detail} if self.findings else None
        return {
            "evidence_number": self.number,
            "support": self.probability,
            "threshold": self.threshold,
            "cited": self.cited,
            "hinted": self.hinted,
            "decided": self.summary,
            "gate": gate,
            "judged": self.judged,
            "start": self.start,
            "end": self.end,
            "features": dict(self.features),
        }


def attribute(
    claim: Claim, scores: Scores, prepared: PreparedEvidence, *, limit: int = 4, explain: bool = False
) -> Decision:
    """Decide which evidence supports `claim`. `explain`: return the verdicts on all evidence too."""
    return decide(assess(claim, scores, prepared, complete=explain), limit=limit, explain=explain)


def decide(verdicts: Sequence[Verdict], *, limit: int = 4, explain: bool = False) -> Decision:
    """Turn the verdicts on one claim into a decision. `explain`: return the verdicts too."""
    verdicts = _apply_limit(limit, verdicts)
    supports = sorted((v for v in verdicts if v.cited), key=_rank)
    return Decision(
        tuple(
            Support(v.number, v.support, Status.VERIFIED if v.hinted else Status.ADDED, v.start, v.end, v.parts)
            for v in supports
        ),
        tuple(Rejection(v.number, _reason(v)) for v in verdicts if v.hinted and not v.cited),
        None if supports else _conflict(verdicts),
        any(verdict.partial for verdict in supports),
        tuple(verdicts) if explain else (),
    )


def explain(claim: Claim, scores: Scores, prepared: PreparedEvidence, *, limit: int = 4) -> list[Verdict]:
    """Return one verdict per evidence, in number order: what `attribute` decides, and why."""
    return list(_apply_limit(limit, assess(claim, scores, prepared, complete=True)))


def assess_in_steps(
    claim: Claim, scores: Scores, prepared: PreparedEvidence, *, at_least: float = 1.0, complete: bool = False
) -> Steps[list[Verdict]]:
    """Return verdicts in number order, before the limit is applied. Each step is about one piece of evidence.

    Unless `complete`, only on evidence that the model cites, on evidence that reaches its threshold, and on evidence
    with a probability of `at_least`.
    """
    calibrated = calibrate(scores)
    checks: GateChecks | None = None
    verdicts: list[Verdict] = []
    stated = states_something(claim.text)
    for row, evidence in enumerate(prepared.evidence):
        hinted = evidence.number in claim.cited
        probability, threshold = float(calibrated.probability[row]), float(calibrated.threshold[row])
        likely = probability >= min(threshold, at_least)
        if not (complete or hinted or likely):
            continue
        if verdicts:
            yield None
        start, end = scores.windows[row].tolist()
        checked = _Checked(probability if stated else 0.0)
        if stated and calibrated.checked and (hinted or likely or (complete and probability > 0)):
            checks = checks or GateChecks(claim, prepared.index)
            checked = _check(checks, scores, row, probability)
        start, end = quoted_row(claim.text, evidence.text, start, end)
        verdicts.append(
            Verdict(
                number=evidence.number,
                probability=checked.probability,
                threshold=threshold,
                hinted=hinted,
                generated=evidence.is_generated_artifact,
                findings=checked.findings,
                start=start,
                end=end,
                features=_feature_values(scores, row, checked.findings) if complete else {},
                cited=checked.probability >= threshold,
                repeats=checked.repeats,
                verbatim=checked.verbatim,
            )
        )
    verdicts = without_copies(verdicts, prepared.evidence) if calibrated.checked else verdicts
    return _with_parts(verdicts, claim, prepared) if sum(verdict.cited for verdict in verdicts) > 1 else verdicts


assess = completed(assess_in_steps)


def _with_parts(verdicts: Sequence[Verdict], claim: Claim, prepared: PreparedEvidence) -> list[Verdict]:
    """Add the parts of the claim that each cited evidence supports."""
    rows = {evidence.number: row for row, evidence in enumerate(prepared.evidence)}
    return [
        replace(
            verdict,
            parts=supported_parts(claim.text, prepared.index, rows[verdict.number], verdict.start, verdict.end),
        )
        if verdict.cited
        else verdict
        for verdict in verdicts
    ]


def without_copies(verdicts: list[Verdict], evidence: Sequence[Evidence]) -> list[Verdict]:
    """Cite only one of several pieces of evidence with the same text, or those of them that the model cites.

    Evidence that contains the sentence word for word needs no other beside it.
    """
    texts = {item.number: item.text for item in evidence}
    if any(verdict.verbatim for verdict in verdicts):
        verdicts = [
            replace(verdict, cited=False, copy=True)
            if verdict.cited and not verdict.hinted and not verdict.verbatim
            else verdict
            for verdict in verdicts
        ]
    cited = [verdict for verdict in verdicts if verdict.cited]
    by_model = {texts[verdict.number] for verdict in cited if verdict.hinted}
    first = {texts[verdict.number]: verdict.number for verdict in reversed(cited)}
    return [
        replace(verdict, cited=False, copy=True)
        if verdict.cited
        and not verdict.hinted
        and (texts[verdict.number] in by_model or first[texts[verdict.number]] != verdict.number)
        else verdict
        for verdict in verdicts
    ]


@dataclass(frozen=True, slots=True)
class _Checked:
    """A probability after the checks, and what they found."""

    probability: float
    findings: tuple[Finding, ...] = ()
    repeats: bool = False  # see Verdict
    verbatim: bool = False  # see Verdict


def _check(checks: GateChecks, scores: Scores, row: int, probability: float) -> _Checked:
    """Return the probability of one piece of evidence after the checks."""
    start, end = scores.windows[row].tolist()
    if checks.repeats(row, (start, end)):
        return _Checked(max(probability, VERBATIM), verbatim=True)
    findings = tuple(checks.findings(row, (start, end)))
    features = {finding.feature for finding in findings}
    if "lacking_words" not in scores.names:  # a scorer with a rule of its own
        refused = not _DECISIVE.isdisjoint(features)
        return _Checked(0.0 if refused else probability, findings)
    if repeats_passage(scores, row, checks.text, checks.index.evidence[row].text[start:end], features):
        return _Checked(0.0, findings, repeats=True)
    findings = tuple(finding for finding in findings if finding.feature != NUMBER_ADDED)
    effect = calibration(scores.scorer).effect(scores.features[row], scores.names, features) if features else 0.0
    return _Checked(float(shift_log_odds(probability, effect)), findings)


def repeats_passage(scores: Scores, row: int, claim: str, passage: str, features: Collection[str]) -> bool:
    """Return whether a sentence repeats a passage or a row, so that what the checks found is all in which it differs.

    `features`: the features of the findings; if there are none, the result is False.
    """
    if DENIED_BY_CELL in features:
        return True
    if not features or "|" in claim or "|" in passage:
        return False
    lacking, terms, copied = (
        scores.features[row, scores.names.index(name)] for name in ("lacking_words", "terms", "pairs")
    )
    is_short = lacking <= _MAX_LACKING and terms <= _MAX_TERMS
    return bool(is_short or (copied >= _COPIED and not _NUMBERS.isdisjoint(features)))


def _feature_values(scores: Scores, row: int, findings: Sequence[Finding]) -> dict[str, float]:
    """Return the features of one piece of evidence by their names, with those of the checks that found something."""
    features = dict(zip(scores.names, scores.features[row].tolist(), strict=True))
    return features | {finding.feature: 1.0 for finding in findings}


def _apply_limit(limit: int, verdicts: Sequence[Verdict]) -> Sequence[Verdict]:
    """Keep only the best `limit` citations."""
    cited = [v for v in verdicts if v.cited]
    if len(cited) <= limit:
        return verdicts
    beyond = {v.number for v in sorted(cited, key=_rank)[limit:]}
    return [replace(v, cited=False, over_limit=True) if v.number in beyond else v for v in verdicts]


def _conflict(verdicts: Sequence[Verdict]) -> Conflict | None:
    """Return the passage that contradicts the sentence: one that says the same but for what a check found.

    A number that a passage does not state is no contradiction.
    """
    if judged := next((verdict for verdict in verdicts if verdict.contradicts), None):
        return Conflict(judged.number, judged.start, judged.end, "the judge found that it says otherwise")
    differences = [
        (verdict, finding)
        for verdict in verdicts
        if verdict.repeats and verdict.judged is None
        for finding in verdict.findings
        if finding.feature not in ("number_missing", NUMBER_ADDED)
    ]
    if not differences:
        return None
    verdict, finding = differences[0]
    return Conflict(verdict.number, verdict.start, verdict.end, finding.detail)


def _rank(verdict: Verdict) -> tuple[bool, float, int]:
    """Order source text before generated artifacts, then by probability, ties by number."""
    return verdict.generated, -verdict.support, verdict.number


def _reason(verdict: Verdict) -> Reason:
    if verdict.judged is not None and verdict.judged < JUDGE_THRESHOLD:
        return Reason.JUDGE
    return verdict.findings[0].reason if verdict.findings else Reason.NO_SUPPORT
