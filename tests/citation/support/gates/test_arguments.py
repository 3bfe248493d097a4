"""The agent and the patient of a predicate."""

import pytest

from citestream.citation.support.gates.roles.arguments import arguments, subject
from citestream.citation.text.clauses import ContentToken, Statement, parse

# A sentence, with a predicate and the words of its agent.
AGENTS = {
    "Ida Lund painted the hall.": ("painted", "ida lund"),
    "She painted the hall.": ("painted", ""),
    "Ida and Omar painted the hall.": ("painted", "ida omar"),
    "The branch in Leeds closed.": ("closed", "branch leeds"),
    "After lunch the aunt of Ida closed the shop.": ("closed", "aunt ida"),
    "The baker, whose sister owns the house, opened a shop.": ("opened", "baker"),
    "The chair, Ida Lund, opened the meeting.": ("opened", "chair ida lund"),
    "Ida called Omar, who opened the door.": ("opened", "omar"),
    "Ida sold the bicycle that her uncle had repaired.": ("repaired", "uncle"),
    "The cleaners leave by the main door and locked the gate.": ("locked", "cleaners"),
    "He shortened the text and added a picture.": ("added", ""),
    "The hall was painted by Ida Lund.": ("painted", "ida lund"),
    "The text was shortened by Omar and illustrated by Ida.": ("illustrated", "ida"),
    "The play directed by Ida Lund closed in May.": ("directed", "ida lund"),
    "The rent rose by 4 % in May.": ("rose", "rent"),
    "The sport is commonly played.": ("played", ""),
    "Ida recently opened a shop.": ("opened", "ida"),
    "The consent, which she may refuse, is needed.": ("refuse", ""),
    "Of these, 48 passed.": ("passed", ""),
    "The probe returned 2 kg in June, the only stones brought from there.": ("brought", ""),
    "When the bell rang, Ida opened the door.": ("opened", "ida"),
    "The bell rang, and Ida opened the door.": ("opened", "ida"),
}
PATIENTS = {"The hall was painted by Ida Lund.": ("painted", "hall"), "Ida painted the hall.": ("painted", "hall")}


def predicate(statement: Statement, word: str) -> ContentToken:
    return next(token for token in statement.tokens if token.folded == word)


@pytest.mark.parametrize(("sentence", "expected"), AGENTS.items())
def test_the_agent_of_a_predicate_is_found(sentence: str, expected: tuple[str, str]) -> None:
    word, words = expected
    statement = parse(sentence, "en")
    agent = arguments(statement, predicate(statement, word)).agent
    assert " ".join(token.folded for token in agent) == words


@pytest.mark.parametrize(("sentence", "expected"), PATIENTS.items())
def test_the_patient_of_a_predicate_is_found(sentence: str, expected: tuple[str, str]) -> None:
    word, words = expected
    statement = parse(sentence, "en")
    patient = arguments(statement, predicate(statement, word)).patient
    assert " ".join(token.folded for token in patient) == words


@pytest.mark.parametrize(
    ("sentence", "agent"),
    [
        ("El consejo nombró a la directora.", "consejo"),
        ("A la directora la nombró el consejo.", "consejo"),
        ("La directora la nombró el consejo.", "consejo"),
        ("La directora fue nombrada por el consejo.", "consejo"),
    ],
)
def test_the_agent_of_a_spanish_predicate_can_follow_it(sentence: str, agent: str) -> None:
    statement = parse(sentence, "es")
    predicate = next(token for token in statement.tokens if token.folded.startswith("nombr"))
    assert [token.folded for token in arguments(statement, predicate).agent] == [agent]


def test_a_shared_subject_is_not_found_across_many_predicates() -> None:
    statement = parse("Ida " + "and ".join(f"closed{'x' * n}ed " for n in range(9)) + "and left.", "en")
    assert subject(statement, statement.tokens[-1]) == []
