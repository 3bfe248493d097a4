"""Numbers that follow from the words of a passage."""

import pytest

from citestream.citation.support.gates.derived_numbers import derived
from citestream.citation.text import agrees, analyze_text

FOLLOWS = {
    "an article before a unit of time": ("Report leaks within a day.", "24 hours"),
    "half an hour": ("The walk takes half an hour.", "30 minutes"),
    "three quarters of an hour": ("It bakes for three quarters of an hour.", "45 minutes"),
    "German one and a half hours": ("Die Fahrt dauert anderthalb Stunden.", "90 Minuten"),
    "French quarters of an hour": ("La cuisson dure trois quarts d'heure.", "45 minutes"),
    "Spanish hours and a quarter": ("El viaje dura tres horas y cuarto.", "195 minutos"),
    "a dose and how often": ("Take 20 mg three times a day.", "60 mg"),
}
DOES_NOT_FOLLOW = {
    "another length of time": ("Report leaks within a day.", "12 hours"),
    "a dose once": ("Take 20 mg. Come back three times a day.", "60 ml"),
    "an hour and a quarter of something else": ("It takes an hour.", "75 minutes"),
}


def follows(text: str, claimed: str) -> bool:
    numbers = derived(text, analyze_text(text, "en").quantities)
    return any(agrees(wanted, number) for wanted in analyze_text(claimed, "en").quantities for number in numbers)


@pytest.mark.parametrize("case", FOLLOWS)
def test_a_number_follows_from_words(case: str) -> None:
    assert follows(*FOLLOWS[case])


@pytest.mark.parametrize("case", DOES_NOT_FOLLOW)
def test_another_number_does_not_follow(case: str) -> None:
    assert not follows(*DOES_NOT_FOLLOW[case])
