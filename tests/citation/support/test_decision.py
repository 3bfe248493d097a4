"""The decision about a claim: thresholds, hints, gates, limits, and source text before generated text."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.cite import cite
from citestream.citation.evidence import Evidence
from citestream.citation.support.decision import Decision, Reason, Status, Verdict, attribute, explain
from citestream.citation.support.gates import GateChecks
from citestream.citation.support.scorers import Claim, scorer

FERRY = "Ferries stopped for nine days in January, when the harbour froze."
MUSEUM = "The museum shows paintings of the harbour and closes in winter."


def decide(
    claim: str, evidence: Sequence[Evidence], cited: set[int] | None = None, limit: int = 4, name: str = "lexical"
) -> Decision:
    prepared = scorer(name).prepare(evidence)
    parsed = Claim(claim, cited=frozenset(cited or ()))
    return attribute(parsed, prepared.score(parsed), prepared, limit=limit)


def verdicts(claim: str, evidence: Sequence[Evidence], limit: int = 4) -> list[Verdict]:
    prepared = scorer("lexical").prepare(evidence)
    parsed = Claim(claim)
    return explain(parsed, prepared.score(parsed), prepared, limit=limit)


def numbered(*texts: str) -> list[Evidence]:
    return [Evidence(n, text, f"e{n}") for n, text in enumerate(texts, 1)]


def test_a_citation_is_added_to_a_supported_sentence() -> None:
    decision = decide("Ferries stopped for nine days.", numbered(MUSEUM, FERRY))
    assert [(s.number, s.status) for s in decision.supports] == [(2, Status.ADDED)]


def test_a_hint_that_is_supported_is_verified() -> None:
    decision = decide("Ferries stopped for nine days.", numbered(MUSEUM, FERRY), {2})
    assert [(s.number, s.status) for s in decision.supports] == [(2, Status.VERIFIED)]
    assert decision.rejected == ()


def test_a_hint_alone_is_not_sufficient() -> None:
    decision = decide("The mayor resigned after the election.", numbered(MUSEUM, FERRY), {1})
    assert decision.supports == ()
    assert [(r.number, r.reason) for r in decision.rejected] == [(1, Reason.NO_SUPPORT)]


def test_a_hint_lowers_the_threshold() -> None:
    prepared = scorer("lexical").prepare(numbered(MUSEUM, FERRY))
    claim = Claim("Ferries stopped.", cited=frozenset({2}))
    plain, hinted = explain(claim, prepared.score(claim), prepared)
    assert hinted.threshold < plain.threshold


@pytest.mark.parametrize("words", [0, 8, 40])
def test_explaining_does_not_change_the_decision(words: int) -> None:
    claim = Claim(f"En hiver, le refuge est ouvert{', et dans le' * words}.")
    prepared = scorer("lexical").prepare(numbered("Le refuge n'ouvre qu'en été."))
    scores = prepared.score(claim)
    assert attribute(claim, scores, prepared, explain=True).supports == attribute(claim, scores, prepared).supports


NUMBERED_NAMES = {
    "a name that the passage does not contain": ("Masks can slow the spread of COVID-19.", True),
    "a name in lower case": ("Masks can slow the spread of Covid-19.", True),
    "a word with an invented number": ("Phase-3 masks can slow the spread of SARS-CoV-2.", False),
    "the name with another number": ("Masks can slow the spread of SARS-CoV-1.", False),
    "a number that is not part of a name": ("Masks can slow the spread of the virus by 19.", False),
}


@pytest.mark.parametrize(("claim", "found"), NUMBERED_NAMES.values(), ids=NUMBERED_NAMES)
def test_the_number_of_a_name_is_required_if_the_passage_has_the_name(claim: str, found: bool) -> None:
    passage = "Masks can slow the spread of SARS-CoV-2, a virus that was first described two years ago."
    checks = GateChecks(Claim(claim), scorer("lexical").prepare(numbered(passage)).index)
    assert (
        all(finding.reason is not Reason.NUMBER_MISMATCH for finding in checks.findings(0, (0, len(passage)))) is found
    )


def test_a_different_number_is_refused_with_its_reason() -> None:
    decision = decide("Ferries stopped for seven days.", numbered(MUSEUM, FERRY), {2})
    assert [(r.number, r.reason) for r in decision.rejected] == [(2, Reason.NUMBER_MISMATCH)]


def test_every_number_of_a_long_list_must_be_in_the_passage() -> None:
    numbers = ", ".join(str(7 * n) for n in range(1, 100))
    evidence = numbered(f"The winning numbers were {numbers}.")
    assert decide(f"The winning numbers were {numbers}.", evidence).supports
    other = decide(f"The winning numbers were {numbers.replace('350', '351')}.", evidence, {1})
    assert [r.reason for r in other.rejected] == [Reason.NUMBER_MISMATCH]


COPIED = "Metformin is taken with meals to reduce stomach upset, and kidney function is checked once a year after that."
ADDED = {
    "a copy with a number that the passage lacks": (COPIED.replace("is taken", "3000 mg is taken"), False),
    "a copy": (COPIED, True),
    "other words with a number that follows": (
        "Patients take Metformin at meals, which is easier on the stomach, and a doctor checks the kidneys yearly.",
        True,
    ),
}


@pytest.mark.parametrize(("claim", "cited"), ADDED.values(), ids=ADDED)
@pytest.mark.parametrize("by_model", [set(), {1}])
def test_a_number_that_is_added_to_a_copy_refuses_the_citation(claim: str, cited: bool, by_model: set[int]) -> None:
    if cited and claim != COPIED:
        by_model = {1}  # a paraphrase with few common words is cited if the model cites it
    assert bool(decide(claim, numbered(COPIED, MUSEUM), by_model).supports) is cited


def test_evidence_that_contains_the_sentence_needs_no_other_beside_it() -> None:
    other = "Ferries stopped in January for nine days: the harbour froze, and the museum closed."
    alone = verdicts(FERRY, numbered(other))[0]
    beside, source = verdicts(FERRY, numbered(other, FERRY))
    assert (alone.cited, beside.cited, beside.copy, source.cited) == (True, False, True, True)


def test_a_negation_is_refused_with_its_reason() -> None:
    decision = decide("Ferries did not stop in January, when the harbour froze.", numbered(MUSEUM, FERRY), {2})
    assert [(r.number, r.reason) for r in decision.rejected] == [(2, Reason.NEGATION)]


def test_equal_scores_are_cited_in_order_up_to_the_limit() -> None:
    ferries = [f"{FERRY} {'It was cold. ' * count}" for count in range(1, 4)]
    decision = decide("Ferries stopped for nine days.", numbered(*ferries, MUSEUM), limit=2)
    assert [s.number for s in decision.supports] == [1, 2]


def test_source_text_precedes_generated_text() -> None:
    artifact = Evidence(1, "Ferries stopped for nine days.", "a", is_generated_artifact=True, artifact_kind="summary")
    decision = decide("Ferries stopped for nine days.", [artifact, Evidence(2, FERRY, "b"), Evidence(3, MUSEUM, "c")])
    assert decision.supports[0].number == 2


def test_a_support_has_the_span_of_its_passage() -> None:
    text = f"{MUSEUM} {FERRY}"
    support = decide("Ferries stopped for nine days.", numbered(text, "Bread is baked at dawn.")).supports[0]
    assert text[support.start : support.end].strip() == FERRY


def test_every_verdict_has_a_summary() -> None:
    below, cited = verdicts("Ferries stopped for nine days.", numbered(MUSEUM, FERRY))
    assert below.summary.startswith("below the threshold")
    assert cited.summary == "supports"
    assert cited.features["numbers"] == 1
    refused = verdicts("Ferries stopped for seven days.", numbered(MUSEUM, FERRY))[1]
    assert refused.summary == "refused: the passage does not say seven days"
    assert replace(cited, cited=False, judged=0.4).summary == "refused: the judge found no support"
    _, second = verdicts("Ferries stopped for nine days.", numbered(FERRY, f"{FERRY} It was cold."), limit=1)
    assert second.summary == "supports, but better ones fill the limit"


@pytest.mark.parametrize("name", ["lexical", "hybrid", "ragflow"])
def test_without_evidence_there_is_no_support(name: str) -> None:
    assert decide("Ferries stopped.", [], name=name) == Decision()


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=80), max_size=4), st.sets(st.integers(1, 4)))
def test_decisions_about_any_text_are_consistent(claim: str, texts: list[str], cited: set[int]) -> None:
    evidence = numbered(*texts)
    decision = decide(claim, evidence, cited)
    numbers = [s.number for s in decision.supports]
    assert len(numbers) == len(set(numbers)) <= 4
    assert set(numbers) <= {e.number for e in evidence}
    refused = {r.number for r in decision.rejected}
    assert refused == {n for n in cited if n <= len(evidence)} - set(numbers)


NINE = "the passage says nine, not 30"
TITLES = {
    "the title does not confirm a count": (
        "The wall has 30 towers.",
        "The wall has nine towers.",
        "Walls, 30",
        NINE,
    ),
    "the title does not contradict a claim": ("The second bridge opened.", "The bridge opened.", "Third edition", None),
    "the title confirms a year": ("The wall of 1932 has towers.", "The wall has towers.", "Walls in 1932", None),
}


@pytest.mark.parametrize("case", TITLES)
def test_a_number_of_the_title_can_only_confirm(case: str) -> None:
    text, source, title, refused = TITLES[case]
    claim, prepared = (
        Claim(text, cited=frozenset({1})),
        scorer("lexical").prepare([Evidence(1, source, "e1", title=title)]),
    )
    (verdict,) = explain(claim, prepared.score(claim), prepared)
    assert (verdict.findings[0].detail if verdict.findings else None) == refused


CELLS = "pump,price,weight\nK4,$310,6.5 kg\nK7,$480,9 kg"
OF_CELLS = {"The K7 costs $480 and weighs 9 kg.": True, "The K7 costs $310.": False, "The K4 weighs 9 kg.": False}


@pytest.mark.parametrize(("claim", "cited"), OF_CELLS.items(), ids=OF_CELLS)
def test_lines_of_csv_are_read_as_cells_and_quoted_as_they_are(claim: str, cited: bool) -> None:
    evidence = numbered(CELLS, MUSEUM)
    found = cite(claim, evidence)
    assert [reference["evidence_number"] for reference in found.fields["references"]] == ([1] if cited else [])
    for reference in found.fields["references"]:
        assert reference["snippet"] == CELLS[reference["snippet_start"] : reference["snippet_end"]]
