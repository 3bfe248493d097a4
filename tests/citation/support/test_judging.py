"""Which sentences a judge reads, with which excerpts, and the effect of its verdicts."""

from collections.abc import Sequence

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.decision import Decision, Reason, Status, Verdict, assess, attribute, decide
from citestream.citation.support.gates import Finding
from citestream.citation.support.judge_prompt import Excerpt, Extent, Question, Reply
from citestream.citation.support.judging import ALL, MAX_EXCERPTS, JudgeBand, apply, question
from citestream.citation.support.scorers import Claim, PreparedEvidence, scorer

EVIDENCE = [
    Evidence(1, "The ferry was built in Skarvik. It carries 22 cars. Its crew lives on board.", "e1", title="Ferries"),
    Evidence(2, "The harbour of Skarvik was dredged in 2019.", "e2", file_name="harbours.md"),
    Evidence(3, "Bread is baked at five in the morning.", "e3"),
]
CLAIM = Claim("The ferry carries 22 cars.", "The Skarvik is a ferry.", "How many cars?")


def verdict(
    number: int = 1,
    probability: float = 0.5,
    reason: Reason | None = None,
    hinted: bool = False,
    verbatim: bool = False,
    copy: bool = False,
) -> Verdict:
    findings = (Finding("disagreement", reason, "they disagree"),) if reason else ()
    cited = probability >= 0.4 and not copy
    return Verdict(number, probability, 0.4, hinted, False, findings, 0, 10, {}, cited, verbatim=verbatim, copy=copy)


def prepared(count: int = 3) -> PreparedEvidence:
    more = [Evidence(number, f"Note {number} is about the ferry.", f"e{number}") for number in range(4, count + 1)]
    return scorer("lexical").prepare([*EVIDENCE, *more][:count])


BANDS = {
    "a probability inside the band": (JudgeBand(), verdict(probability=0.5), True),
    "a probability below the threshold but in the band": (JudgeBand(), verdict(probability=0.05), True),
    "a probability below the band": (JudgeBand(), verdict(probability=0.001), False),
    "an improbable citation of the model": (JudgeBand(), verdict(probability=0.0, hinted=True), True),
    "a probable citation of the model": (JudgeBand(), verdict(probability=0.98, hinted=True), True),
    "evidence with a finding": (JudgeBand(), verdict(reason=Reason.NEGATION), True),
    "evidence that contains the sentence": (JudgeBand(), verdict(probability=0.98, verbatim=True), False),
    "a narrow band: a certain citation": (JudgeBand(0.2, 0.9), verdict(probability=0.95, hinted=True), False),
    "all: evidence that contains the sentence": (ALL, verdict(probability=0.98, verbatim=True), True),
    "all: improbable evidence": (ALL, verdict(probability=0.0), True),
}


@pytest.mark.parametrize(("band", "candidate", "uncertain"), BANDS.values(), ids=BANDS)
def test_the_judge_is_asked_if_the_decision_is_uncertain(band: JudgeBand, candidate: Verdict, uncertain: bool) -> None:
    assert (candidate in band) is uncertain
    assert (question(CLAIM, [candidate], band, prepared()) is not None) is uncertain


def test_a_question_has_passages_with_their_neighbours_titles_context_and_question() -> None:
    ready = prepared()
    asked = question(CLAIM, assess(CLAIM, ready.score(CLAIM), ready, at_least=0.0), ALL, ready)
    assert asked is not None
    assert asked.excerpts[0] == Excerpt(1, "Ferries", EVIDENCE[0].text)
    assert asked.excerpts[1].title == "harbours.md"
    assert (asked.claim, asked.context, asked.question) == (CLAIM.text, CLAIM.context, CLAIM.question)


TABLES = {
    "with a rule": "Prices.\n\n| Name | Price |\n|---|---|\n| S | 10 |\n| M | 20 |\n| L | 30 |\n| XL | 40 |",
    "without a rule": "Name | Price\nS | 10\nM | 20\nL | 30\nXL | 40\nXXL | 50",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_the_judge_sees_a_whole_table(text: str) -> None:
    ready = scorer("lexical").prepare([Evidence(1, text, "e1")])
    claim = Claim("The L costs 30.", cited=frozenset({1}))
    asked = question(claim, assess(claim, ready.score(claim), ready, at_least=0.0), ALL, ready)
    assert asked is not None
    assert all(line in asked.excerpts[0].passage for line in text.splitlines() if "|" in line)


SHOWN: dict[str, tuple[Sequence[Verdict], list[int]]] = {
    "the most probable evidence, in the order of the evidence": (
        [verdict(number, number / 10) for number in range(1, 10)],
        [4, 5, 6, 7, 8, 9],
    ),
    "the citations of the model first": (
        [verdict(1, 0.0, hinted=True), *(verdict(number, number / 10) for number in range(2, 10))],
        [1, 5, 6, 7, 8, 9],
    ),
    "no evidence below the band": ([verdict(1, 0.5), verdict(2, 0.001)], [1]),
    "no copies": ([verdict(1, 0.5), verdict(2, 0.5, copy=True)], [1]),
    "certain evidence beside an uncertain citation": (
        [verdict(1, 0.98, verbatim=True), verdict(2, hinted=True)],
        [1, 2],
    ),
}


@pytest.mark.parametrize(("verdicts", "numbers"), SHOWN.values(), ids=SHOWN)
def test_the_judge_sees_at_most_six_excerpts(verdicts: Sequence[Verdict], numbers: list[int]) -> None:
    asked = question(CLAIM, verdicts, JudgeBand(), prepared(9))
    assert asked is not None
    assert [excerpt.number for excerpt in asked.excerpts] == numbers
    assert len(asked.excerpts) <= MAX_EXCERPTS


def test_assessing_more_evidence_does_not_change_the_decision() -> None:
    ready = prepared()
    scores = ready.score(CLAIM)
    wide = decide(assess(CLAIM, scores, ready, at_least=0.0))
    assert wide.supports == attribute(CLAIM, scores, ready).supports


def asked_about(verdicts: Sequence[Verdict]) -> Question:
    return Question(CLAIM.text, tuple(Excerpt(verdict.number, "", "A passage.") for verdict in verdicts))


Change = tuple[list[Verdict], Reply, list[int], list[Reason]]
CHANGES: dict[str, Change] = {
    "confirmed evidence is cited although it is below its threshold": (
        [verdict(probability=0.2)],
        Reply(Extent.WHOLE, (1,)),
        [1],
        [],
    ),
    "refused evidence is not cited although it is above": ([verdict(probability=0.9)], Reply(Extent.NONE), [], []),
    "a refused citation of the model is reported": (
        [verdict(probability=0.9, hinted=True)],
        Reply(Extent.NONE),
        [],
        [Reason.JUDGE],
    ),
    "confirmed evidence is cited although a check found something": (
        [verdict(probability=0.2, reason=Reason.NUMBER_MISMATCH)],
        Reply(Extent.WHOLE, (1,)),
        [1],
        [],
    ),
    "two excerpts support it together": (
        [verdict(3, 0.2, hinted=True), verdict(7, 0.1), verdict(8, 0.9)],
        Reply(Extent.WHOLE, (1, 2)),
        [3, 7],
        [],
    ),
    "a judge that does not say which confirms what the scorer cites": (
        [verdict(1, 0.9), verdict(2, 0.1, hinted=True)],
        Reply(Extent.WHOLE),
        [1],
        [Reason.JUDGE],
    ),
    "else what the model cited": ([verdict(1, 0.3), verdict(2, 0.1, hinted=True)], Reply(Extent.WHOLE), [2], []),
    "else the most probable": ([verdict(1, 0.1), verdict(2, 0.3)], Reply(Extent.WHOLE), [2], []),
}


@pytest.mark.parametrize(("before", "reply", "cited", "reasons"), CHANGES.values(), ids=CHANGES)
def test_the_judge_decides_about_what_it_saw(
    before: list[Verdict], reply: Reply, cited: list[int], reasons: list[Reason]
) -> None:
    decision: Decision = decide(apply(before, asked_about(before), reply))
    assert sorted(support.number for support in decision.supports) == cited
    assert [rejection.reason for rejection in decision.rejected] == reasons


def test_evidence_that_the_judge_did_not_see_stays() -> None:
    before = [verdict(1, 0.9), verdict(2, 0.9)]
    assert apply(before, asked_about(before[1:]), Reply(Extent.NONE))[0] == before[0]


def test_the_score_of_a_support_is_the_probability_of_the_judge() -> None:
    before = [verdict(probability=0.6, hinted=True)]
    decision = decide(apply(before, asked_about(before), Reply(Extent.WHOLE, (1,)), 0.8))
    assert [(support.score, support.status) for support in decision.supports] == [(0.8, Status.VERIFIED)]


@pytest.mark.parametrize(("cites_partial", "cited"), [(True, [1]), (False, [])])
def test_a_part_is_cited_unless_the_strictness_is_strict(cites_partial: bool, cited: list[int]) -> None:
    before = [verdict(1), verdict(2)]
    judged = apply(before, asked_about(before), Reply(Extent.PART, (1,)), cites_partial=cites_partial)
    decision = decide(judged)
    assert [support.number for support in decision.supports] == cited
    assert decision.is_partial is cites_partial


@pytest.mark.parametrize(("contradicting", "number"), [(1, 4), (None, 5)])
def test_the_judge_names_the_passage_that_says_otherwise(contradicting: int | None, number: int) -> None:
    before = [verdict(4, 0.3), verdict(5, 0.6)]
    decision = decide(apply(before, asked_about(before), Reply(Extent.CONTRADICTED, (), contradicting)))
    assert decision.conflict is not None
    assert decision.conflict.number == number
    assert not decision.supports
