"""The language of short sentences, by their words, and by letters and endings of the words that no list has."""

import pytest

from citestream.citation.text import analyze_text

SENTENCES = {
    "Spanish by the letter ñ": ("La compañía cerró dos plantas.", "es"),
    "Spanish by an accented ending": ("Perú venció a Chile en la final.", "es"),
    "Spanish by a number word": ("La cúpula mide siete metros.", "es"),
    "Portuguese, not Spanish": ("A população não cresceu.", "pt"),
    "French by a month": ("Le club ferme en janvier.", "fr"),
    "French by an ending": ("Le granit est précieux et coûteux.", "fr"),
    "German by its umlauts and an ending": ("Sämtliche Übungen gefährdeten Menschen.", "de"),
    "Indonesian, not Italian": ("Keputusan itu dibacakan di Jakarta.", "id"),
    "English": ("Migraine triggers stress in many patients.", None),
    "a name alone decides nothing": ("García", None),
    "Chinese has no words of the lists": ("大桥已经倒塌。", None),
}


@pytest.mark.parametrize(("text", "language"), SENTENCES.values(), ids=SENTENCES)
def test_language_of_a_sentence(text: str, language: str | None) -> None:
    assert analyze_text(text).language == language


def test_words_of_indonesian_match_with_and_without_a_possessive() -> None:
    assert analyze_text("Keputusannya dibacakan di Jakarta.").terms == analyze_text("Keputusan dibacakan Jakarta").terms


LIKELY = {
    "undecided, with one likely language": ("Nice bat Lens en finale.", ("fr", "en"), "fr"),
    "undecided, with no likely language that its words suggest": ("Nice bat Lens en finale.", ("de",), None),
    "undecided between two likely languages": ("Nice bat Lens en finale.", ("fr", "es"), None),
    "decided by its own words": ("The river is not long.", ("fr",), "en"),
}


@pytest.mark.parametrize(("text", "likely", "language"), LIKELY.values(), ids=LIKELY)
def test_the_language_of_the_evidence_is_likely(text: str, likely: tuple[str, ...], language: str | None) -> None:
    assert analyze_text(text, likely=likely).language == language


# Quantifiers, modal verbs and adverbs of time, which the comparison of clauses reads, are stop words as in English.
CONTENT = {
    "German": ("Jedes Kind bekam bereits ein Geschenk.", ["kind", "geschenk"]),
    "Spanish": ("Todos los socios tuvieron siempre entrada.", ["soci", "entr"]),
    "French": ("Chaque locataire devait souvent un loyer.", ["locatair", "loy"]),
}


@pytest.mark.parametrize(("text", "terms"), CONTENT.values(), ids=CONTENT)
def test_function_words_are_no_terms(text: str, terms: list[str]) -> None:
    assert analyze_text(text).terms == terms
