"""Claims that mix words of different conjuncts, in one sentence or in parallel sentences."""

import pytest

from citestream.citation.support.gates.alignment import PassageAlignment
from citestream.citation.support.gates.bindings.conjuncts import conjuncts, mixed_conjuncts
from citestream.citation.text import analyze_text
from citestream.citation.text.clauses import Statement, parse


def parsed(text: str, language: str) -> Statement:
    return parse(text, language, analyze_text(text, language).quantities)


def is_mixed(language: str, sentences: tuple[str, ...], text: str) -> bool:
    claim = parsed(text, language)
    return bool(
        list(mixed_conjuncts(PassageAlignment(claim, [parsed(one, language) for one in sentences], frozenset())))
    )


SHOP = ("A chair costs 40 euros in Arden and 55 euros in Borrow.",)
LISTS = ("The tailor, Ida Berg, lives in Turku.", "The miller, Jon Falk, lives in Oulu.")

MIXED: dict[str, tuple[str, tuple[str, ...], str]] = {
    "a value before a name with the same preposition": ("en", SHOP, "In Borrow a chair is 40 euros."),
    "a share after a gap": (
        "en",
        ("Growth was 3 percent in spring and 7 percent in autumn.",),
        "In autumn it was 3 %.",
    ),
    "a value without its unit": ("en", ("The hall seats 300 guests, the barn 90.",), "The hall seats 90 guests."),
    "a predicate of the other subject": (
        "en",
        ("Ida paints, and her brother Jon carves spoons.",),
        "Ida carves spoons.",
    ),
    "German gapping": ("de", ("Die Linie 4 fährt nach Ulm, die Linie 7 nach Aalen.",), "Linie 4 fährt nach Aalen."),
    "French gapping": ("fr", ("Le phare mesure 40 mètres, la tour 25.",), "Le phare mesure 25 mètres."),
    "Spanish gapping": ("es", ("La silla cuesta 40 euros; la mesa, 90.",), "La silla cuesta 90 euros."),
}

NOT_MIXED: dict[str, tuple[str, tuple[str, ...], str]] = {
    "the value of the first conjunct": ("en", SHOP, "In Arden a chair costs 40 euros."),
    "the value of the second conjunct": ("en", SHOP, "A chair costs 55 euros in Borrow."),
    "both conjuncts": ("en", SHOP, "A chair costs 55 euros in Borrow and 40 euros in Arden."),
    "a subject that two predicates share": (
        "en",
        ("Ida Berg joined the choir in 1990 and founded a band in 1994.",),
        "Ida Berg founded a band in 1994.",
    ),
    "two clauses in another order": (
        "en",
        ("Ida was a nurse before she became a judge.",),
        "Before she became a judge, Ida was a nurse.",
    ),
    "German gapping": ("de", ("Die Linie 4 fährt nach Ulm, die Linie 7 nach Aalen.",), "Linie 7 fährt nach Aalen."),
    "French gapping": ("fr", ("Le phare mesure 40 mètres, la tour 25.",), "La tour mesure 25 mètres."),
}


@pytest.mark.parametrize("case", MIXED)
def test_words_of_different_conjuncts_are_mixed(case: str) -> None:
    assert is_mixed(*MIXED[case])


@pytest.mark.parametrize("case", NOT_MIXED)
def test_words_of_one_conjunct_are_not_mixed(case: str) -> None:
    assert not is_mixed(*NOT_MIXED[case])


def test_a_phrase_before_a_comma_belongs_to_the_next_conjunct() -> None:
    found = conjuncts(parsed("In the east, rents rose, and in the west, wages fell.", "en"))
    assert [[token.folded for token in part.tokens] for part in found] == [
        ["east", "rents", "rose"],
        ["west", "wages", "fell"],
    ]
