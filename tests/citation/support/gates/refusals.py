"""Refusals by the gates as in a simple pair, where every disagreement counts."""

from citestream.citation.support.gates import GateChecks, Refusal
from citestream.citation.support.scorers import Claim, PreparedEvidence


def refusal(claim: Claim, prepared: PreparedEvidence, row: int = 0) -> Refusal | None:
    """Return why the best window of the evidence in `row` does not support `claim`: a number, or a contradiction."""
    start, end = prepared.score(claim).windows[row].tolist()
    gates = GateChecks(claim, prepared.index)
    found = gates.mismatch(row, (start, end))
    if found:
        return found
    disagreements = gates.disagreements(row, (start, end))
    return Refusal(disagreements[0].reason, disagreements[0].detail) if disagreements else None
