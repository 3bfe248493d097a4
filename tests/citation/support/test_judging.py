"""The selection of candidates for a judge, and the effect of its verdicts."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.decision import Decision, Reason, Status, Verdict, assess, attribute, decide
from citestream.citation.support.gates import Finding
from citestream.citation.support.judging import ALL, JudgeBand, apply, candidates
from citestream.citation.support.scorers import Claim, scorer

EVIDENCE = [
    Evidence(1, "The ferry was built in Skarvik. It carries 22 cars. Its crew lives on board.", "e1", title="Ferries"),
    Evidence(2, "The harbour of Skarvik was dredged in 2019.", "e2", file_name="harbours.md"),
    Evidence(3, "Bread is baked at five in the morning.", "e3"),
]
CLAIM = Claim("The ferry carries 22 cars.")


def verdict(number: int = 1, probability: float = 0.5, reason: Reason | None = None, hinted: bool = False) -> Verdict:
    findings = (Finding("disagreement", reason, "they disagree"),) if reason else ()
    return Verdict(number, probability, 0.4, hinted, False, findings, 0, 10, {}, probability >= 0.4)


BANDS = {
    "a probability inside the band is read": (JudgeBand(), verdict(probability=0.5), True),
    "a probability below the threshold but in the band is read": (JudgeBand(), verdict(probability=0.2), True),
    "a probability below the band is not read": (JudgeBand(), verdict(probability=0.1), False),
    "a certain candidate is not read": (JudgeBand(), verdict(probability=0.99), False),
    "a candidate with a finding is read": (JudgeBand(), verdict(reason=Reason.NEGATION), True),
    "all: a certain candidate is read": (ALL, verdict(probability=0.99), True),
    "all: an improbable candidate is not read": (ALL, verdict(probability=0.01), False),
}


@pytest.mark.parametrize(("band", "candidate", "read"), BANDS.values(), ids=BANDS)
def test_the_band_selects_the_candidates(band: JudgeBand, candidate: Verdict, read: bool) -> None:
    assert (candidate in band) is read


def test_a_candidate_has_the_passage_its_neighbours_and_its_title() -> None:
    prepared = scorer("lexical").prepare(EVIDENCE)
    verdicts = assess(CLAIM, prepared.score(CLAIM), prepared, at_least=ALL.low)
    first = candidates(verdicts, ALL, prepared)[0]
    assert (first.number, first.title) == (1, "Ferries")
    assert "It carries 22 cars." in first.passage


def test_assessing_more_candidates_does_not_change_the_decision() -> None:
    prepared = scorer("lexical").prepare(EVIDENCE)
    scores = prepared.score(CLAIM)
    wide = decide(assess(CLAIM, scores, prepared, at_least=0.0))
    assert wide.supports == attribute(CLAIM, scores, prepared).supports


CHANGES = {
    "a confirmed candidate is cited although it is below its threshold": (verdict(probability=0.2), 0.9, [1], []),
    "a refused candidate is not cited although it is above": (verdict(probability=0.9), 0.1, [], []),
    "a refused hint is reported": (verdict(probability=0.9, hinted=True), 0.1, [], [Reason.JUDGE]),
    "a confirmed candidate is cited although a check found something": (
        verdict(probability=0.2, reason=Reason.NEGATION),
        0.9,
        [1],
        [],
    ),
}


@pytest.mark.parametrize(("before", "judged", "cited", "reasons"), CHANGES.values(), ids=CHANGES)
def test_the_judge_confirms_or_refuses(before: Verdict, judged: float, cited: list[int], reasons: list[Reason]) -> None:
    decision: Decision = decide(apply([before], {1: judged}))
    assert [support.number for support in decision.supports] == cited
    assert [rejection.reason for rejection in decision.rejected] == reasons


def test_the_score_of_a_support_is_the_probability_of_the_judge() -> None:
    decision = decide(apply([verdict(probability=0.6, hinted=True)], {1: 0.8}))
    assert [(support.score, support.status) for support in decision.supports] == [(0.8, Status.VERIFIED)]


def test_a_judge_adds_no_other_evidence() -> None:
    assert apply([verdict(1)], {2: 1.0}) == [verdict(1)]
