"""The table of languages, each case whole, at random splits, and a character at a time."""

import pytest

from tests.citation.text.segmentation.cases_languages import LANGUAGES
from tests.citation.text.segmentation.test_cases import right


@pytest.mark.parametrize("pieces", LANGUAGES.values(), ids=LANGUAGES)
def test_languages(pieces: tuple[str, ...]) -> None:
    assert right(pieces)
