"""German compounds and separated verbs."""

import pytest

from citestream.citation.text.normalize import fold
from citestream.citation.text.words.compounds import bare_verbs, containing, contains, joined, parts, prefixed_verbs
from citestream.citation.text.words.stemming import stem

COMPOUNDS = {
    "without a linking letter": ("Stromverbrauch", "Strom", "Verbrauch"),
    "with -en-": ("Abonnentenzahl", "Abonnenten", "Zahl"),
    "with -s-": ("Arbeitszeit", "Arbeit", "Zeit"),
    "with -er-": ("Kindergarten", "Kinder", "Garten"),
    "with another form of the first part": ("Gärtnerausbildung", "Gärtnerin", "Ausbildung"),
    "a first part that ends in a vowel": ("Firmensitz", "Firma", "Sitz"),
}
OTHERS = {
    "only the last part": ("Firmensitz", "Stadt", "Sitz"),
    "only the first part": ("Firmensitz", "Firma", "Gebäude"),
    "a short word": ("Autor", "Aut", "Or"),
}


def stems(*words: str) -> list[str]:
    return [stem(fold(word)) for word in words]


@pytest.mark.parametrize(("compound", "first", "last"), COMPOUNDS.values(), ids=COMPOUNDS)
def test_a_compound_is_divided_into_its_parts(compound: str, first: str, last: str) -> None:
    whole, one, other = stems(compound, first, last)
    assert (one, other) in parts(whole, {one, other})


@pytest.mark.parametrize(("compound", "first", "last"), OTHERS.values(), ids=OTHERS)
def test_other_words_are_not_parts(compound: str, first: str, last: str) -> None:
    whole, *known = stems(compound, first, last)
    assert parts(whole, set(known)) == []


def test_two_words_form_a_compound() -> None:
    whole, first, last = stems("Abonnentenzahl", "Abonnenten", "Zahl")
    assert joined([last, first], {whole, "zahltag"}) == {first: {whole}, last: {whole}}


def test_compounds_that_contain_a_word_are_found() -> None:
    assert contains(*stems("verletzungsbedingt", "Verletzung"))
    known = stems("Mahngebühr", "Gebührenordnung", "Gebühr", "Gebrauch", "Vorgang")
    vocabulary = "\n".join(("", *known, ""))
    assert set(containing(stems("Gebühr")[0], vocabulary)) == set(known[:2])
    assert not set(containing(stems("Gang")[0], vocabulary))


def test_a_word_longer_than_any_compound_is_not_divided() -> None:
    assert list(parts("zahl" * 20 + "haus", {"zahl" * 20, "haus"})) == []
    assert list(containing("zahl", f"\n{'zahl' * 2000}\n")) == ["zahl" * 2000]


def test_a_separated_verb_is_related_to_its_prefixed_form() -> None:
    bare, whole = stems("lehnte", "ablehnen")
    assert bare in bare_verbs(whole)
    assert whole in prefixed_verbs(bare, ["der", "rat", "ab"])
    assert not prefixed_verbs(bare, ["der", "rat"])
