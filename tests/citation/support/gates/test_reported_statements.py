"""Statements about another subject, accusations, and statements that a later sentence takes back."""

import pytest

from tests.citation.support.gates.test_disagreements import refusing_rules

# rule: (evidence, true claim, false claim)
CASES: dict[str, tuple[str, str, str, str]] = {
    "a subject of another sentence": (
        "argument",
        "Ruth Palmer opened the meeting. Omar Said thanked the volunteers in a short speech.",
        "Omar Said thanked the volunteers.",
        "Ruth Palmer thanked the volunteers.",
    ),
    "the name before a relative clause": (
        "argument",
        "The mill was sold under Dean Albrecht. The orchard was planted by Dean Colman, who also repaired the roof.",
        "Dean Colman repaired the roof.",
        "Dean Albrecht repaired the roof.",
    ),
    "an apposition": (
        "argument",
        "Goalkeeper Petra Lang hit a photographer. Her manager, Inge Moser, later apologised to the man.",
        "Inge Moser apologised to the man.",
        "Petra Lang apologised to the man.",
    ),
    "the number of a name": (
        "argument",
        "Pump 2 stopped on Monday after a power cut. Pump 5 overheated during the test.",
        "Pump 5 overheated during the test.",
        "Pump 2 overheated during the test.",
    ),
    "a pronoun for what the sentence before names": (
        "argument",
        "Mr Hale proposed to sell the piano. Mrs Dunn voted against it.",
        "Mrs Dunn voted against selling the piano.",
        "Mr Hale voted against selling the piano.",
    ),
    "an accusation": (
        "alleges",
        "The auditors accuse the former treasurer of hiding two accounts from the club.",
        "The auditors accuse the former treasurer of hiding two accounts.",
        "The former treasurer hid two accounts from the club.",
    ),
    "what is often said": (
        "alleges",
        "It is often said that the bridge was designed by Karl Brandt.",
        "It is often said that Karl Brandt designed the bridge.",
        "The bridge was designed by Karl Brandt.",
    ),
    "a report that was corrected": (
        "overturned",
        "The first report stated that all 80 hikers were safe. The police later corrected this.",
        "The first report stated that all 80 hikers were safe.",
        "All 80 hikers were safe.",
    ),
    "a vote that was reversed": (
        "overturned",
        "In May the council voted to close the swimming pool in Elm Road. The vote was reversed in July.",
        "In May the council voted to close the swimming pool.",
        "The swimming pool in Elm Road was closed.",
    ),
    "a plan that was dropped": (
        "overturned",
        "The bank signed a letter of intent to buy the old mill. In May it withdrew.",
        "The bank dropped its plan to buy the old mill.",
        "The bank bought the old mill.",
    ),
    "the future of a decision that was reversed": (
        "overturned",
        "The council voted to close the library in Elm Road. Residents protested, and the vote was reversed.",
        "The library in Elm Road stays open after the council reversed its decision.",
        "The library in Elm Road will be closed.",
    ),
    "a change in the same sentence": (
        "overturned",
        "The flea market that was planned for 9 May in Elm Road has been moved to June.",
        "The flea market that was planned for May has been moved to June.",
        "The flea market took place in Elm Road on 9 May.",
    ),
    "a statement that is called baseless": (
        "overturned",
        "A former driver told the newspaper that the firm forged the logbooks. The firm called the claim baseless.",
        "A former driver told the newspaper that the firm forged the logbooks.",
        "The firm forged the logbooks.",
    ),
}


DENIED_ALIKE = {
    "missing and not found": ("Two hikers were still missing at noon.", "Two hikers had not been found at noon."),
    "neither … confirmed": (
        "Neither explanation has been confirmed by the health office.",
        "The health office has not confirmed either explanation.",
    ),
}


@pytest.mark.parametrize(("text", "claim"), DENIED_ALIKE.values(), ids=DENIED_ALIKE)
def test_both_sides_deny_it(text: str, claim: str) -> None:
    assert not refusing_rules(text, claim)


@pytest.mark.parametrize(("rule", "text", "true", "false"), CASES.values(), ids=CASES)
def test_only_the_false_claim_is_refused(rule: str, text: str, true: str, false: str) -> None:
    assert not refusing_rules(text, true)
    assert rule in refusing_rules(text, false)
