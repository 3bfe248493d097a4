"""Features that compare excerpts: leads over rivals, joint support, and what the question points to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.evidence import Evidence
from citestream.citation.support.candidates import MOST, is_candidate
from citestream.citation.support.features.rivals import best_of_rivals, lead, rival_groups
from citestream.citation.support.scorers import Claim, scorer

PUMP_S = Evidence(1, "The pump costs 99 euros and weighs 4 kg.", "s", title="HydroPump S")
PUMP_L = Evidence(2, "The pump costs 129 euros and weighs 7 kg.", "l", title="HydroPump L")
MUSEUM = Evidence(3, "The museum closes in winter.", "m", title="Museum")


def features(claim: Claim, *evidence: Evidence) -> dict[str, list[float]]:
    """Return the features of a claim by name, one value for each piece of evidence."""
    scores = scorer("lexical").prepare(evidence).score(claim)
    return dict(zip(scores.names, scores.features.T.tolist(), strict=True))


def test_the_title_of_an_excerpt_is_compared_with_the_question() -> None:
    found = features(Claim("It costs 129 euros.", question="How much is the HydroPump L?"), PUMP_S, PUMP_L, MUSEUM)
    small, large, museum = found["question_title"]
    assert large > small > museum == 0
    assert found["question_title_lead"][1] > 0 > found["question_title_lead"][0]


def test_numbers_count_as_found_if_any_cited_excerpt_has_them() -> None:
    claim = Claim("The pumps cost 99 and 129 euros.", cited=frozenset({1, 2}))
    found = features(claim, PUMP_S, PUMP_L, MUSEUM)
    assert found["number_cover"] == [0.5, 0.5, 0]
    assert found["number_cited"] == found["number_any"] == [1, 1, 1]
    assert found["number_only"] == [0.5, 0.5, 0]


def test_each_cited_excerpt_contributes_what_no_other_cited_one_has() -> None:
    claim = Claim("The pump costs 99 euros, and the museum closes in winter.", cited=frozenset({1, 3}))
    found = features(claim, PUMP_S, PUMP_L, MUSEUM)
    assert found["cited"] == [1, 0, 1]
    assert found["cited_count"] == [2, 2, 2]
    assert min(found["cited_only"][0], found["cited_only"][2]) > 0
    assert found["cited_cover"][0] > max(found["soft_all"])


def test_copies_of_an_excerpt_are_no_rivals() -> None:
    claim = Claim("The museum opens when summer begins, and closes in winter.")
    found = features(claim, MUSEUM, PUMP_S, Evidence(4, MUSEUM.text, "copy"))
    for name in ("margin", "soft_margin", "cover_lead", "only"):
        assert found[name][0] == found[name][2] > 0.3, name


def test_an_excerpt_with_all_words_does_not_lose_to_another_one() -> None:
    longer = Evidence(4, "The old museum of the town closes in winter, when it snows.", "long")
    found = features(Claim("The museum closes in winter."), MUSEUM, PUMP_S, longer)
    assert found["margin"][0] > 0.5
    assert found["margin"][2] > 0.5


def test_a_generated_artifact_is_no_rival_of_the_source_text() -> None:
    summary = Evidence(4, "The museum of the town closes.", "sum", is_generated_artifact=True)
    claim = Claim("The museum of the town closes in winter.")
    with_summary, without = features(claim, MUSEUM, PUMP_S, summary), features(claim, MUSEUM, PUMP_S)
    assert with_summary["cover_lead"][0] > 0
    assert without["cover_lead"][0] > 0
    assert with_summary["cover_lead"][2] < with_summary["cover_lead"][0]


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.integers(-1, 3)), min_size=1, max_size=9))
def test_the_lead_is_that_over_the_best_excerpt_of_another_group(rows: list[tuple[float, int]]) -> None:
    values, groups = np.array([value for value, _ in rows]), np.array([group for _, group in rows])
    expected = [max((other for other, its in rows if its not in (group, -1)), default=0.0) for _, group in rows]
    assert best_of_rivals(values, groups).tolist() == expected
    assert lead(values, groups).tolist() == (values - expected).tolist()


def test_excerpts_with_the_same_passage_are_one_group() -> None:
    evidence = (MUSEUM, PUMP_S, Evidence(4, f"It is old. {MUSEUM.text}", "overlapping"))
    prepared = scorer("lexical").prepare(evidence)
    windows = np.array([(0, 28), (0, 10), (11, 39)], dtype=np.int32)
    assert rival_groups(windows, np.full(3, 0.5, np.float32), prepared.index).tolist() == [0, 1, 0]


CANDIDATES = {
    "evidence that shares a word": (Claim("The museum burned."), [False, True]),
    "evidence that the model cites alone, without a common word": (
        Claim("Bread is baked at dawn.", cited=frozenset({2})),
        [False, False],
    ),
    "several pieces that the model cites, of which none shares a word": (
        Claim("Bread is baked at dawn.", cited=frozenset({1, 2})),
        [False, False],
    ),
    "several pieces that the model cites, of which one shares a word": (
        Claim("The museum burned.", cited=frozenset({1, 2})),
        [True, True],
    ),
}


@pytest.mark.parametrize(("claim", "expected"), CANDIDATES.values(), ids=CANDIDATES)
def test_only_evidence_with_something_in_common_may_be_cited(claim: Claim, expected: list[bool]) -> None:
    evidence = [PUMP_S, Evidence(2, MUSEUM.text, "m")]
    scores = scorer("lexical").prepare(evidence).score(claim)
    assert is_candidate(scores.features, scores.names).tolist() == expected


def test_of_the_evidence_that_the_model_does_not_cite_the_best_are_candidates() -> None:
    evidence = [Evidence(n, f"The museum number {n} closes in winter.", f"e{n}") for n in range(1, 10)]
    scores = scorer("lexical").prepare(evidence).score(Claim("The museum closes.", cited=frozenset({9})))
    found = is_candidate(scores.features, scores.names)
    assert found.sum() == MOST + 1
    assert found[8]
