"""Alternatives of a term of a claim: other forms, synonyms and numbers that confirm it."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.features.index import Index
from citestream.citation.support.features.query_terms import presence, query_terms
from citestream.citation.text import analyze_sentence

CONFIRMED = {
    "another unit": ("The parcel weighs 2.5 kg.", "The parcel weighs 2,500 grams."),
    "a rounded number": ("The town has 48,900 inhabitants.", "The town has about 49,000 inhabitants."),
    "a year some years later": (
        "The mill was built in 1764 and burned down thirty years later.",
        "The mill burned in 1794.",
    ),
    "a share of a total": ("Of the 40 applicants, 10 were women.", "25 % of the applicants were women."),
}
NOT_CONFIRMED = {
    "another number": ("The parcel weighs 2.5 kg.", "The parcel weighs 2,600 grams."),
    "a year that does not follow": (
        "The mill was built in 1764 and burned down thirty years later.",
        "The mill burned in 1784.",
    ),
    "a number of an unrelated sentence": (
        "The choir was founded in 1764 and sang thirty years later.",
        "The mill burned down on a windy night of 1794.",
    ),
}
SAME_MEANING = {
    "an English synonym": ("en", "The council postponed the vote.", "dela"),
    "a German form": ("de", "Der Mann hat in der Küche geraucht.", "rauch"),
    "a German word without its negating prefix": ("de", "Die Aufgabe ist nicht unlösbar.", "losb"),
    "a strong German verb": ("de", "Der Rat hat die Stelle gestrichen.", "strich"),
    "a French synonym": ("fr", "Les travaux ont débuté dans la rue.", "commenc"),
    "a Spanish form": ("es", "Los precios aumentaron en las ciudades.", "aument"),
}


def alternatives(evidence: str, claim: str) -> dict[str, frozenset[str]]:
    index = Index([Evidence(1, evidence, "a")])
    analysis = analyze_sentence(claim)
    query = query_terms(claim, analysis, analysis.language, index)
    return {term: found.single for term, found in zip(query.terms, query.alternatives, strict=True)}


def confirmed(evidence: str, claim: str) -> bool:
    return any(found for term, found in alternatives(evidence, claim).items() if term[0] == "#")


@pytest.mark.parametrize(("evidence", "claim"), CONFIRMED.values(), ids=CONFIRMED)
def test_a_number_that_confirms_another_is_its_alternative(evidence: str, claim: str) -> None:
    assert confirmed(evidence, claim)


@pytest.mark.parametrize(("evidence", "claim"), NOT_CONFIRMED.values(), ids=NOT_CONFIRMED)
def test_an_unconfirmed_number_has_no_alternative(evidence: str, claim: str) -> None:
    assert not confirmed(evidence, claim)


@pytest.mark.parametrize(("language", "claim", "stem"), SAME_MEANING.values(), ids=SAME_MEANING)
def test_forms_and_synonyms_are_alternatives(language: str, claim: str, stem: str) -> None:
    assert analyze_sentence(claim).language == language
    assert any(stem in found for found in alternatives(claim, claim).values())


def test_a_chinese_word_has_its_synonyms_as_alternatives() -> None:
    index = Index([Evidence(1, "王芳担任总经理。", "a")])
    claim = "王芳出任总经理。"
    query = query_terms(claim, analyze_sentence(claim), "han", index)
    by_term = dict(zip(query.terms, query.alternatives, strict=True))
    assert ("担任",) not in by_term["出任"].multiple
    assert "担任" in by_term["出任"].single
    by_sentence, _ = presence(query, index)
    assert by_sentence[query.terms.index("出任"), 0] == pytest.approx(0.85)
    assert by_sentence[query.terms.index("王芳"), 0] == 1


def credit_of(word: str, claim: str, evidence: str) -> float:
    """Return the credit of a word of a Chinese claim in the only sentence of the evidence."""
    index = Index([Evidence(1, evidence, "a")])
    query = query_terms(claim, analyze_sentence(claim), "han", index)
    return float(presence(query, index)[0][query.terms.index(word), 0])


def test_chinese_words_are_found_in_any_segmentation_of_the_evidence() -> None:
    assert credit_of("总经理", "他出任总经理。", "王芳担任总经理。") == 1
    assert credit_of("买", "他们买了新书。", "他们购买了新书。") == 1


def test_a_chinese_word_that_shares_a_character_has_some_credit() -> None:
    assert (
        0
        < credit_of("月租", "月租是多少元。", "租金按季度支付。")
        < credit_of("租金", "租金是多少元。", "租金按季度支付。")
    )
    assert credit_of("月租", "月租是多少元。", "他们购买了新书。") == 0
