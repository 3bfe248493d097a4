"""The contrast of similar titles: which excerpt the question, or the citations before, point to."""

import numpy as np
import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.features.index import Index
from citestream.citation.support.features.title_contrast import TitleContrast
from citestream.citation.text import analyze_sentence

SILVER, GOLD = "Pawlin Silver, section 4: dental", "Pawlin Gold, section 4: dental"
PRICES = "List of prices in euros"

# titles, text, and the rows whose title agrees worse with the text than a similar one
QUESTIONS: dict[str, tuple[list[str], str, set[int]]] = {
    "the question names one of two products": ([SILVER, GOLD], "Does Silver pay for dental surgery?", {1}),
    "the question names both products": ([SILVER, GOLD], "Is Silver or Gold better for dental surgery?", set()),
    "the question names neither product": ([SILVER, GOLD], "Who pays for dental surgery?", set()),
    "the question names terms that both titles have": ([SILVER, GOLD], "What does Pawlin say in section 4?", set()),
    "the question names a version": (["Manual 2.6 > migrate", "Manual 2.2 > migrate"], "Is 2.6 faster?", {1}),
    "titles have nothing in common": ([SILVER, PRICES], "Does Silver pay for surgery?", set()),
    "titles are in Chinese": (["云帚S5 使用说明书", "云帚S7 使用说明书"], "云帚S7怎么充电?", {0}),
    "excerpts have no titles": (["", ""], "Does Silver pay for dental surgery?", set()),
    "titles are the same": ([SILVER, SILVER], "Does Silver pay for dental surgery?", set()),
    "there is one excerpt": ([SILVER], "Does Gold pay for dental surgery?", set()),
}


def contrast_of(titles: list[str]) -> TitleContrast:
    evidence = [
        Evidence(number, f"Text {number}.", f"e{number}", title=title) for number, title in enumerate(titles, 1)
    ]
    return Index(evidence).title_contrast


def worse(values: np.ndarray) -> set[int]:
    return set(np.flatnonzero(values < -0.1).tolist())


@pytest.mark.parametrize("case", QUESTIONS)
def test_an_excerpt_has_a_contrast_if_a_similar_title_agrees_better_and(case: str) -> None:
    titles, question, expected = QUESTIONS[case]
    assert worse(contrast_of(titles).with_terms(analyze_sentence(question).terms)) == expected


# titles, how often the model cited each row before, and the rows whose title agrees worse
CITED: dict[str, tuple[list[str], dict[int, int], set[int]]] = {
    "the model cited the other version before": (["Guide 2019 > fees", "Guide 2024 > fees"], {1: 3}, {0}),
    "the model cited both equally often": ([SILVER, GOLD], {0: 2, 1: 2}, set()),
    "the model cited nothing before": ([SILVER, GOLD], {}, set()),
}


@pytest.mark.parametrize("case", CITED)
def test_citations_before_point_to_a_title_and(case: str) -> None:
    titles, counts, expected = CITED[case]
    assert worse(contrast_of(titles).with_titles(counts)) == expected


def test_citations_of_another_section_point_to_its_product() -> None:
    silver, gold, _ = contrast_of([SILVER, GOLD, "Pawlin Silver, section 8: your share"]).with_titles({2: 2})
    assert gold < silver


def test_a_title_that_agrees_better_has_no_contrast() -> None:
    values = contrast_of([SILVER, GOLD]).with_terms(analyze_sentence("Silver").terms)
    assert values[0] == 0 > values[1] >= -1


def test_very_long_titles_are_not_compared() -> None:
    titles = {"a": range(50), "b": range(50, 100), "c": range(100)}
    terms = {f"term {number}": range(number % 100, number % 100 + 1) for number in range(1_000)}
    assert not TitleContrast(titles | terms, 100).with_terms(["a"]).any()
    assert TitleContrast(titles, 100).with_terms(["a"]).any()


def test_very_many_titles_are_not_compared() -> None:
    titles = [f"Report {year}" for year in range(1000, 1201)]
    assert not contrast_of(titles).with_terms(["#1000"]).any()
    assert contrast_of(titles[:200]).with_terms(analyze_sentence("The report of 1000").terms).any()
