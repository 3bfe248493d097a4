"""Texts segmented by hand: whole, split at random, and one character at a time."""

from random import Random

import pytest

from tests.citation.text.segmentation.cases import RULES, STREAMS
from tests.citation.text.segmentation.cases_languages import LANGUAGES
from tests.citation.text.segmentation.test_properties import cut, segmented

CASES = [*RULES.items(), *STREAMS.items(), *LANGUAGES.items()]


@pytest.mark.parametrize("pieces", [pieces for _, pieces in CASES], ids=[name for name, _ in CASES])
def test_a_text_is_segmented_as_by_hand(pieces: tuple[str, ...]) -> None:
    text, rng = "".join(pieces), Random(0)
    for parts in ([text], list(text), *(cut(text, [rng.randrange(10_000) for _ in range(6)]) for _ in range(3))):
        assert tuple(sentence.text for sentence in segmented(parts)) == pieces
