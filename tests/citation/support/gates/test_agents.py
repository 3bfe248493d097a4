"""The agents of an action: each passage with a true and a false claim."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.gates.disagreement import Reason
from citestream.citation.support.scorers import Claim, scorer
from tests.citation.support.gates.refusals import refusal

OTHER = Evidence(2, "The botanical garden keeps alpine plants that flower from May until September.", "other")
# (evidence, true claim, false claim)
PAIRS: dict[str, tuple[str, str, str]] = {
    "a name behind the agent of a passive": (
        "The altar was carved by Otto Wendt, a pupil of Hans Kruse.",
        "Otto Wendt carved the altar.",
        "Hans Kruse carved the altar.",
    ),
    "the passive of both": (
        "The altar was carved by Otto Wendt, a pupil of Hans Kruse.",
        "The altar was carved by Wendt.",
        "The altar was carved by Hans Kruse.",
    ),
    "a name behind the object": (
        "Ms Ferrer will inspect the boiler with the engineer, Mr Holm.",
        "Ms Ferrer inspects the boiler with Mr Holm.",
        "Mr Holm will inspect the boiler.",
    ),
    "the subject of the sentence before": (
        "The gardener called the architect in March. The architect drew a new plan the same week.",
        "The architect drew a new plan.",
        "The gardener drew a new plan.",
    ),
    "a possessor": (
        "The potter, whose brother rents the barn, moved the kiln in May.",
        "The potter's brother rents the barn.",
        "The potter rents the barn.",
    ),
    "two agents": (
        "Lotte and Henk washed the van. Their cousin brought the sponges.",
        "The van was washed by Lotte and Henk.",
        "The cousin washed the van.",
    ),
    "the agent of a relative clause": (
        "Petra sold the sledge that her uncle had carved in winter.",
        "Petra's uncle carved the sledge.",
        "Petra carved the sledge.",
    ),
}


def reason(evidence: str, claim: str) -> Reason | None:
    found = refusal(Claim(claim), scorer("lexical").prepare([Evidence(1, evidence, "one"), OTHER]))
    return found.reason if found else None


@pytest.mark.parametrize(("evidence", "true", "false"), PAIRS.values(), ids=PAIRS)
def test_what_somebody_else_does_is_refused(evidence: str, true: str, false: str) -> None:
    assert reason(evidence, true) is None
    assert reason(evidence, false) in {Reason.BINDING, Reason.ROLE}


SAME = {
    "a predicate that both share": ("Of the 64 goals, Ramires scored 19 and Okoye 23.", "Okoye scored 23 goals."),
    "a pronoun": ("Anna Berg was born in Turku. She painted the hall.", "Anna Berg painted the hall."),
    "a description of the name": (
        "Lenz was a pupil of Arp. The builder restored the organ.",
        "Lenz restored the organ.",
    ),
    "a shorter name": ("Mila Tarn painted the ceiling. Arp Brenner paid her.", "Tarn painted the ceiling."),
    "a predicate that the second of two shares": (
        "Ms Arndt paints the small hall, Mr Lorca the large one.",
        "Mr Lorca paints the large hall.",
    ),
    "a predicate that is repeated": (
        "Adults take two spoons a day; children take one.",
        "Children take one spoon a day.",
    ),
    "a symmetric verb": ("Ida Lund married Jon Falk in May.", "Jon Falk married Ida Lund."),
}


@pytest.mark.parametrize(("evidence", "claim"), SAME.values(), ids=SAME)
def test_what_the_same_one_does_is_not_refused(evidence: str, claim: str) -> None:
    assert reason(evidence, claim) is None
