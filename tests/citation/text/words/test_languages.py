"""Detection of the language of short sentences by known words, letters and endings."""

import pytest

from citestream.citation.text import analyze_text
from citestream.citation.text.words.languages import guess_language, has_letters_of_another

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
    "a name alone is not sufficient": ("García", None),
    "Chinese is not in the word lists": ("大桥已经倒塌。", None),
}


@pytest.mark.parametrize(("text", "language"), SENTENCES.values(), ids=SENTENCES)
def test_the_language_of_a_sentence_is_detected(text: str, language: str | None) -> None:
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
def test_a_likely_language_decides_an_uncertain_case(text: str, likely: tuple[str, ...], language: str | None) -> None:
    assert analyze_text(text, likely=likely).language == language


# Quantifiers, modal verbs and adverbs of time are stop words, because the comparison of clauses handles them.
CONTENT = {
    "German": ("Jedes Kind bekam bereits ein Geschenk.", ["kind", "geschenk"]),
    "Spanish": ("Todos los socios tuvieron siempre entrada.", ["soci", "entr"]),
    "French": ("Chaque locataire devait souvent un loyer.", ["locatair", "loy"]),
}


@pytest.mark.parametrize(("text", "terms"), CONTENT.values(), ids=CONTENT)
def test_function_words_are_not_terms(text: str, terms: list[str]) -> None:
    assert analyze_text(text).terms == terms


SPACED = ("de", "en", "es", "fr")
GUESSES = {
    "an article and a preposition": ("El puente de hierro", "es"),
    "endings and letters of unknown words": ("Sämtliche Übungen gefährdeten Menschen", "de"),
    "a repeated word counts once": ("die die die. The harbour of the town was dredged", "en"),
    "words without any hint": ("Oslo, Pisa", None),
}


@pytest.mark.parametrize(("text", "language"), GUESSES.values(), ids=GUESSES)
def test_the_language_of_a_short_text_is_guessed(text: str, language: str | None) -> None:
    assert guess_language(text, SPACED) == language


LETTERS = {
    "a Spanish letter in a French sentence": ("Beltrán le vendió la imprenta.", "fr", True),
    "a letter that French has too": ("Le café ferme.", "fr", False),
    "a letter that several other languages have": ("The café closes.", "en", False),
    "a capital letter": ("ÑUÑOA est au Chili.", "fr", True),
    "no letters beyond those of English": ("The river froze.", "en", False),
}


@pytest.mark.parametrize(("text", "language", "expected"), LETTERS.values(), ids=LETTERS)
def test_letters_that_only_other_languages_have_are_found(text: str, language: str, expected: bool) -> None:
    assert has_letters_of_another(text, language, SPACED) is expected
