"""The word lists in `data/`: every file loads, and no language repeats a word."""

from importlib.resources import files

import pytest

from citestream.citation.text.words.word_lists import load_lines, load_words, parse_values

WORD_FILES = (
    "change_words",
    "claim_words",
    "clock_words",
    "follow_ups",
    "format_words",
    *(
        "abbreviations",
        "duration_phrases",
        "german_units",
        "language_hints",
        "language_words",
        "marker_words",
        "months",
        "negations",
        "number_modifiers",
        "number_phrases",
    ),
    *("number_words", "particles", "question_words", "sentence_words", "shares"),
    *("source_phrases", "stopwords", "time_shifts", "units"),
)
LINE_FILES = ("answer_phrases", "antonyms", "concepts", "courtesies", "han", "missing_information")


@pytest.mark.parametrize("name", WORD_FILES)
def test_no_entry_is_empty_or_repeats_a_word(name: str) -> None:
    for key, words in load_words(name).items():
        assert words, key
        assert len(words) == len(set(words)), [key, sorted(word for word in words if words.count(word) > 1)]


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "zh"])
def test_no_language_has_an_empty_list_or_repeats_a_word(language: str) -> None:
    for name, separator in (("function", " "), ("operators", " | ")):
        found: dict[str, list[str]] = {}
        for line in load_lines(f"{language}/{name}"):
            key, _, words = line.partition(": ")
            found.setdefault(key, []).extend(words.split(separator))
        for key, entries in found.items():
            assert all(entries), key
            assert len(entries) == len(set(entries)), [key, {one for one in entries if entries.count(one) > 1}]


@pytest.mark.parametrize("name", LINE_FILES)
def test_lines_are_loaded_without_comments(name: str) -> None:
    lines = load_lines(name)
    assert lines
    assert not [line for line in lines if line.startswith("#")]


def test_every_file_is_tested() -> None:
    folder = files("citestream.citation.text").joinpath("data")
    names = {entry.name.removesuffix(".txt") for entry in folder.iterdir() if entry.is_file()}
    assert names == {*WORD_FILES, *LINE_FILES}


def test_values_after_an_equals_sign_are_parsed() -> None:
    assert parse_values(("zwei=2", "hundert=100")) == {"zwei": 2, "hundert": 100}
