"""English forms that state the same in other operators, each with a false claim in nearly the same words."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import Claim, scorer
from tests.citation.support.gates.refusals import refusal

OTHER = Evidence(2, "The botanical garden keeps alpine plants that flower from May until September.", "other")
# (evidence, true claim, false claim)
Pair = tuple[str, str, str]
PAIRS: dict[str, Pair] = {
    "advised against": (
        "The lawyer advised her client against signing.",
        "The lawyer told her client not to sign.",
        "The lawyer advised her client to sign.",
    ),
    "kept from": (
        "A software error kept the satellite from reaching its orbit.",
        "The satellite did not reach its orbit.",
        "The satellite reached its orbit despite a software error.",
    ),
    "a verb with its particle behind the object": (
        "The senate turned the treaty down in May.",
        "The senate rejected the treaty in May.",
        "The senate approved the treaty in May.",
    ),
    "called off": (
        "The referee called the match off at noon.",
        "The match was cancelled at noon.",
        "The match was played at noon.",
    ),
    "not uncommon": (
        "The side effects are not uncommon in older patients.",
        "The side effects occur fairly often in older patients.",
        "The side effects are uncommon in older patients.",
    ),
    "not unlikely": (
        "It is not unlikely that the bridge will be closed in winter.",
        "The bridge may well be closed in winter.",
        "It is unlikely that the bridge will be closed in winter.",
    ),
    "nobody doubts": (
        "Nobody doubts that the bones are real.",
        "Everybody believes that the bones are real.",
        "Nobody believes that the bones are real.",
    ),
    "no … without": (
        "No runner finished without a medal.",
        "Every runner who finished got a medal.",
        "No runner who finished got a medal.",
    ),
    "no longer than a time": (
        "Delivery takes five working days at the latest.",
        "Delivery takes no longer than five working days.",
        "Delivery takes more than five working days.",
    ),
    "no higher than": (
        "The wall is no higher than two metres.",
        "The wall is at most two metres high.",
        "The wall is more than two metres high.",
    ),
}


def gated(text: str, claim: str) -> bool:
    prepared = scorer("lexical").prepare([Evidence(1, text, "one"), OTHER])
    return refusal(Claim(claim), prepared) is not None


@pytest.mark.parametrize(("text", "true", "false"), PAIRS.values(), ids=PAIRS)
def test_the_same_in_other_operators(text: str, true: str, false: str) -> None:
    assert not gated(text, true)
    assert gated(text, false)
