"""The table of cases, each whole, at random splits, and a character at a time; accuracy a group."""

from random import Random

import pytest

from tests.citation.text.segmentation.cases import RULES, STREAMS
from tests.citation.text.segmentation.test_properties import cut, segmented

GROUPS = {"rules": RULES, "streams": STREAMS}
ENOUGH = 0.95  # share of the cases of a group


def right(pieces: tuple[str, ...]) -> bool:
    text, rng = "".join(pieces), Random(0)
    ways = [[text], list(text), *(cut(text, [rng.randrange(10_000) for _ in range(6)]) for _ in range(3))]
    return all([sentence.text for sentence in segmented(parts)] == list(pieces) for parts in ways)


@pytest.mark.parametrize("group", GROUPS)
def test_cases_are_cut_as_by_hand(group: str) -> None:
    cases = GROUPS[group]
    wrong = [name for name, pieces in cases.items() if not right(pieces)]
    assert 1 - len(wrong) / len(cases) >= ENOUGH, wrong


def test_there_are_enough_cases() -> None:
    assert len(RULES) >= 48
    assert len(STREAMS) >= 60
