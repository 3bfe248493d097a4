"""Refusals by the gates, without the fitted reliability of their rules."""

from citestream.citation.support.gates import GateChecks, Refusal
from citestream.citation.support.gates.disagreement import REFUSES
from citestream.citation.support.scorers import Claim, PreparedEvidence


def refusal(claim: Claim, prepared: PreparedEvidence, row: int = 0) -> Refusal | None:
    """Return why the best window of the evidence in `row` does not support `claim`: a number, or a contradiction."""
    start, end = prepared.score(claim).windows[row].tolist()
    gates = GateChecks(claim, prepared.index)
    found = gates.mismatch(row, (start, end))
    if found:
        return found
    disagreements = gates.disagreements(row, (start, end), by_words=False)
    worst = max(disagreements, key=lambda one: one.strength, default=None)
    return Refusal(worst.reason, worst.detail) if worst and worst.strength >= REFUSES else None
