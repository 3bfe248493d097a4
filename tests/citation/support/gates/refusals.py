"""The findings of the checks in a pair, and the pairs of the tests."""

import json
from pathlib import Path
from typing import Any

from citestream.citation.evidence import Evidence
from citestream.citation.support.gates import Finding, GateChecks
from citestream.citation.support.gates.checks import NUMBER_ADDED
from citestream.citation.support.scorers import Claim, PreparedEvidence, scorer

PAIRS = Path(__file__).parent / "pairs"
# A second piece of evidence, because scores depend on all evidence.
GARDEN = Evidence(2, "The botanical garden keeps alpine plants that flower from May until September.", "other")


def pairs(*names: str) -> list[dict[str, Any]]:
    """Return the lines of the files `pairs/NAME.jsonl`."""
    lines = [line for name in names for line in (PAIRS / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return [json.loads(line) for line in lines]


def refusal(claim: Claim, prepared: PreparedEvidence, row: int = 0) -> Finding | None:
    """Return what speaks against the best window of the evidence in `row`: a number first, or a contradiction."""
    start, end = prepared.score(claim).windows[row].tolist()
    findings = GateChecks(claim, prepared.index).findings(row, (start, end))
    return next((finding for finding in findings if finding.feature != NUMBER_ADDED), None)


def refusal_of(text: str, claim: str) -> Finding | None:
    """Return why `text` does not support `claim`, with GARDEN as other evidence."""
    return refusal(Claim(claim), scorer("lexical").prepare([Evidence(1, text, "one"), GARDEN]))


def refusing_rules(text: str, claim: str) -> set[str]:
    """Return the names of all comparisons that find a disagreement between `claim` and the whole `text`."""
    prepared = scorer("lexical").prepare([Evidence(1, text, "one")])
    return {found.rule for found in GateChecks(Claim(claim), prepared.index).disagreements(0, (0, len(text)))}
