"""Questions about four small folders in three languages are answered with the right sentences and rows.

A line of `questions.tsv` has the folder, the question, and texts of a right answer, which "|" separates; "-" stands for
an answer that finds nothing. Texts of a wrong answer follow. The questions were written before the answers were seen.
"""

from pathlib import Path

import pytest

from citestream import cite
from citestream.citation.evidence import Evidence, parse_evidence
from citestream.providers.extractive.compose import compose
from citestream.providers.extractive.messages import nothing_found
from citestream.providers.retrieval.evidence_files import evidence_of

FOLDERS = Path(__file__).parent / "folders"
QUESTIONS = [line.split("\t") for line in (FOLDERS / "questions.tsv").read_text("utf-8").splitlines()]
ACCEPTABLE = 0.9  # share of the answers; 57 of 60 are


@pytest.fixture(scope="module")
def evidence() -> dict[str, tuple[Evidence, ...]]:
    names = sorted({folder for folder, *_ in QUESTIONS})
    return {name: parse_evidence(evidence_of(FOLDERS / name)) for name in names}


def answer(question: str, evidence: tuple[Evidence, ...]) -> str:
    titles = {item.number: item.title or "" for item in evidence}
    return compose(question, {item.number: item.text for item in evidence}, titles=titles, searched=True)


def is_acceptable(question: str, text: str, right: str, wrong: str) -> bool:
    if right == "-":
        return text == nothing_found(question)
    return all(part in text for part in right.split("|")) and not any(
        part in text for part in filter(None, wrong.split("|"))
    )


def test_most_answers_are_acceptable(evidence: dict[str, tuple[Evidence, ...]]) -> None:
    texts = [
        (question, answer(question, evidence[folder]), right, wrong) for folder, question, right, wrong in QUESTIONS
    ]
    failed = [
        (question, text) for question, text, right, wrong in texts if not is_acceptable(question, text, right, wrong)
    ]
    assert len(failed) <= (1 - ACCEPTABLE) * len(QUESTIONS), failed


def test_every_quotation_is_supported_by_its_own_excerpt(evidence: dict[str, tuple[Evidence, ...]]) -> None:
    for folder, question, right, _ in QUESTIONS:
        if right != "-":
            cited = cite(answer(question, evidence[folder]), evidence[folder], question=question)
            assert cited.fields["grounding"]["rejected"] == [], question
            assert cited.fields["grounding"]["unsupported"] == [], question
