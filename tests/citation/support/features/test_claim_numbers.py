"""Numbers of the evidence that confirm the numbers of a claim, and the limit of the comparison."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.features.claim_numbers import MOST_NUMBERS, ClaimNumbers
from citestream.citation.support.features.index import Index
from citestream.citation.text import analyze_sentence
from citestream.citation.text.words.concepts import NO_SYNONYMS

TEXT = "The mill was founded in 1890 and closed 25 years later. It had 12,000 spindles."


def confirming(claim: str, term: str) -> frozenset[str]:
    numbers = ClaimNumbers(analyze_sentence(claim), Index([Evidence(1, TEXT, "e1")]))
    return numbers.confirming(term).single


@pytest.mark.parametrize(
    ("claim", "term", "expected"),
    [
        ("The mill had 12 thousand spindles.", "#12000", set()),  # written the same
        ("The mill had about 12,100 spindles.", "#12100", set()),
        ("The mill closed in 1915.", "#1915", {"#1890"}),
        ("The bakery closed in 1915.", "#1916", set()),
    ],
)
def test_a_number_is_confirmed_by_numbers_that_it_follows_from(claim: str, term: str, expected: set[str]) -> None:
    assert confirming(claim, term) >= expected
    assert expected or not confirming(claim, term)


def test_numbers_of_a_long_list_are_compared_literally() -> None:
    years = ", ".join(f"19{n}" for n in range(15, 15 + MOST_NUMBERS))
    assert confirming(f"The mill closed in {years}.", "#1915")
    longer = ClaimNumbers(analyze_sentence(f"The mill closed in {years}, 1960."), Index([Evidence(1, TEXT, "e1")]))
    assert longer.confirming("#1915") is NO_SYNONYMS
