"""Negations in scripts without spaces, and words that only contain the characters of a negation."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.decision import attribute
from citestream.citation.support.scorers import Claim, scorer
from citestream.citation.text.words.polarity import negations_in_runs

NEGATIONS = {
    "Thai: not": ("พิพิธภัณฑ์ไม่เปิดวันจันทร์", ["ไม่"]),
    "Thai: forbidden": ("ห้ามเด็กเข้า", ["ห้าม"]),
    "Thai: a few": ("มีผู้เข้าชมไม่กี่คน", []),
    "Thai: a tree": ("ต้นไม้ใหญ่", []),
    "Japanese, polite": ("博物館は開館しません", ["ません"]),
    "Japanese: at least": ("少なくとも三人が来た", []),
    "Japanese: perhaps": ("雨が降るかもしれない", []),
    "Korean: is not": ("그것은 사실이 아니다", ["아니"]),
    "Korean: a mistake": ("그는 잘못을 인정했다", []),
    "Chinese: not only": ("他不仅来了", []),
}


@pytest.mark.parametrize(("text", "negations"), NEGATIONS.values(), ids=NEGATIONS)
def test_negations_are_found_without_spaces(text: str, negations: list[str]) -> None:
    assert [text[start:end] for start, end in negations_in_runs(text)] == negations


def test_a_thai_negation_does_not_support_the_opposite_claim() -> None:
    prepared = scorer("lexical").prepare([Evidence(1, "พิพิธภัณฑ์ไม่เปิดวันจันทร์", "a")])
    claim = Claim("พิพิธภัณฑ์เปิดวันจันทร์")
    assert not attribute(claim, prepared.score(claim), prepared).supports
