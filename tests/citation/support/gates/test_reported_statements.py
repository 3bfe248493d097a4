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
    "a statement that is called baseless": (
        "overturned",
        "A former driver told the newspaper that the firm forged the logbooks. The firm called the claim baseless.",
        "A former driver told the newspaper that the firm forged the logbooks.",
        "The firm forged the logbooks.",
    ),
}


@pytest.mark.parametrize(("rule", "text", "true", "false"), CASES.values(), ids=CASES)
def test_only_the_false_claim_is_refused(rule: str, text: str, true: str, false: str) -> None:
    assert not refusing_rules(text, true)
    assert rule in refusing_rules(text, false)
