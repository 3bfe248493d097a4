"""Frequencies: each passage with the same one in other words, and with another one."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.gates.disagreement import Reason
from citestream.citation.support.scorers import Claim, scorer
from tests.citation.support.gates.refusals import refusal

# (passage, the same frequency, another frequency)
FREQUENCIES = {
    "every second year": (
        "The harbour fair is held every second year in June.",
        "The harbour fair is held every two years.",
        "The harbour fair is held every year.",
    ),
    "every other week": (
        "The bin for paper is emptied every two weeks.",
        "The bin for paper is emptied every second week.",
        "The bin for paper is emptied every week.",
    ),
    "months": (
        "The landlord may raise the rent once every fifteen months.",
        "The landlord may raise the rent every 15 months.",
        "The landlord may raise the rent every year.",
    ),
    "twice in a period": (
        "The emergency exits are tested twice a year by a company.",
        "A company tests the emergency exits every six months.",
        "The emergency exits are tested every two years by a company.",
    ),
    "an adverb": (
        "The filter is cleaned yearly by a technician.",
        "A technician cleans the filter every year.",
        "A technician cleans the filter every second year.",
    ),
    "German": (
        "Das Hafenfest findet alle zwei Jahre statt.",
        "Das Hafenfest findet jedes zweite Jahr statt.",
        "Das Hafenfest findet jedes Jahr statt.",
    ),
    "French": (
        "La foire du port a lieu tous les deux ans.",
        "La foire du port a lieu tous les deux ans, au port.",
        "La foire du port a lieu chaque année.",
    ),
    "Spanish": (
        "La feria del puerto se celebra cada dos años.",
        "La feria del puerto se celebra cada dos años en el puerto.",
        "La feria del puerto se celebra todos los años.",
    ),
}


def reason(passage: str, claim: str) -> Reason | None:
    found = refusal(Claim(claim), scorer("lexical").prepare([Evidence(1, passage, "one")]))
    return found.reason if found else None


@pytest.mark.parametrize(("passage", "same", "other"), FREQUENCIES.values(), ids=FREQUENCIES)
def test_another_frequency_is_refused(passage: str, same: str, other: str) -> None:
    assert reason(passage, same) is None
    assert reason(passage, other) is Reason.QUANTIFIER


def test_an_adjective_of_something_else_is_no_frequency() -> None:
    assert reason("The annual fee is paid in monthly instalments.", "The annual fee is paid by instalments.") is None


def test_zero_times_a_day_is_no_frequency() -> None:
    assert reason("The pump runs zero times a day.", "The pump runs twice a day.") is Reason.NUMBER_MISMATCH
    assert reason("The pump runs twice a day.", "The pump runs 0 times a day.") is Reason.NUMBER_MISMATCH
