"""The rarity of words in ordinary text."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.decision import attribute
from citestream.citation.support.scorers import Claim, scorer
from citestream.citation.text.words.frequencies import RARE, SENTENCES, is_english, rarity
from citestream.citation.text.words.stemming import stem
from citestream.citation.text.words.word_lists import load_words

FROM_COMMON_TO_RARE = ("year", "government", "announcement", "harbour")


def test_common_words_are_less_rare() -> None:
    rarities = [rarity(stem(word)) for word in FROM_COMMON_TO_RARE]
    assert rarities == sorted(set(rarities))
    assert 0 < rarities[0] < 0.5


@pytest.mark.parametrize("term", ["zyzzyva", "Zahnradbahn", "1932", "港口", ""])
def test_an_unknown_word_is_rare(term: str) -> None:
    assert rarity(term) == 1.0


def test_the_list_has_each_word_once_and_only_numbers_within_the_limits() -> None:
    entries = load_words("en/frequencies")
    stems = [stem(word) for words in entries.values() for word in words]
    assert len(stems) == len(set(stems)) > 3000
    assert all(RARE <= int(number) < SENTENCES for number in entries)


def test_a_missing_rare_word_counts_more_than_a_missing_common_word() -> None:
    prepared = scorer("lexical").prepare([Evidence(1, "The harbour opened to ships.", "a")])
    missing = []
    for word in ("year", "monsoon"):
        scores = prepared.score(Claim(f"The harbour opened to ships in the {word}."))
        missing.append(float(scores.features[0, scores.names.index("lacking")]))
    assert missing[0] < missing[1] == pytest.approx(1.0)


WORDS = {
    "no function word": ("swedish law applies", True),
    "two words": ("law applies", False),
    "German": ("schwedisches recht gilt", False),
    "Italian": ("legge italiana applicabile", False),
    "Italian with international words": ("hotel roma napoli aperto oggi", False),
}


@pytest.mark.parametrize(("words", "english"), WORDS.values(), ids=WORDS)
def test_english_is_detected_without_function_words(words: str, english: bool) -> None:
    assert is_english(set(words.split())) == english


def test_short_claims_without_function_words_are_compared() -> None:
    prepared = scorer("lexical").prepare([Evidence(1, "German law applies.", "a")])
    cited = {}
    for claim in (Claim("German law applies."), Claim("Swedish law applies.")):
        cited[claim.text] = bool(attribute(claim, prepared.score(claim), prepared).supports)
    assert cited == {"German law applies.": True, "Swedish law applies.": False}
