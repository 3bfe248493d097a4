"""200 made quotations in five languages: see the files of this folder."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from citestream import Evidence, cite

FOLDER = Path(__file__).parent
LANGUAGES = ("en", "de", "fr", "es", "zh")


def cases() -> list[Any]:
    return [
        pytest.param(data["evidence"], answer, expected, id=f"{language}: {key}")
        for language in LANGUAGES
        for data in [yaml.safe_load((FOLDER / f"{language}.yaml").read_text("utf-8"))]
        for key, (answer, *expected) in data["cases"].items()
    ]


def statuses(answer: str, texts: list[str]) -> list[str]:
    evidence = [Evidence(number, text, f"e{number}") for number, text in enumerate(texts, 1)]
    quotations = cite(answer, evidence).fields["grounding"]["quotations"]
    return [f"{one['status']} {one['evidence_number'] or ''}".strip() for one in quotations]


@pytest.mark.parametrize(("texts", "answer", "expected"), cases())
def test_the_status_and_the_excerpt_of_each_quotation(texts: list[str], answer: str, expected: list[str]) -> None:
    assert statuses(answer, texts) == expected
