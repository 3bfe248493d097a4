"""The judge: deadline, limits, cache, and failures that do not affect the answer."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.grounding import JudgeReport
from citestream.citation.support.decision import assess, decide
from citestream.citation.support.judge_prompt import JudgeTemplate
from citestream.citation.support.judging import ALL, JudgeBand
from citestream.citation.support.scorers import Claim, scorer
from citestream.providers.errors import ProviderError, TimedOut
from citestream.providers.judging.language_model import LanguageModelJudge
from citestream.providers.scripted import ScriptedProvider
from citestream.proxy.pipeline.deciding.judge_models import JudgeModel, Opinion, PromptedModel, Question
from citestream.proxy.pipeline.deciding.judging import Judge, JudgeLimits
from tests.clock import Clock

LIMITS = JudgeLimits(deadline_seconds=5.0, concurrent_calls=8, calls_per_answer=100, cached_verdicts=100)
QUESTIONS = [Question(f"Claim {number}.", "", "Title", "A passage.") for number in range(6)]


class Scripted(JudgeModel):
    """Returns or raises the given answers; for None, a call never ends. Records the order and number of open calls."""

    def __init__(self, *answers: float | ProviderError | None) -> None:
        self.answers = dict(enumerate(answers))
        self.claims: list[str] = []
        self.open = 0
        self.most_open = 0
        self.endless_call = asyncio.Event()  # set when such a call begins

    async def read(self, question: Question) -> Opinion:
        self.claims.append(question.claim)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            await asyncio.sleep(0)
            answer = self.answers.get(int(question.claim.split()[1].rstrip(".")), 1.0)
            if isinstance(answer, ProviderError):
                raise answer
            if answer is None:
                self.endless_call.set()
                await asyncio.Event().wait()
            return Opinion(answer, tokens=10)
        finally:
            self.open -= 1


def judge(model: JudgeModel, band: JudgeBand = ALL, **limits: Any) -> Judge:
    return Judge(model, band, replace(LIMITS, **limits))


async def test_every_question_gets_its_own_verdict() -> None:
    report = JudgeReport()
    answer = judge(Scripted(0.9, 0.1, 0.6)).open(report)
    assert await answer.probabilities(QUESTIONS[:3]) == [0.9, 0.1, 0.6]
    assert (report.calls, report.tokens, report.late, report.failed) == (3, 30, 0, 0)
    assert not answer.degraded


async def test_one_answer_uses_at_most_half_of_the_calls_earliest_first() -> None:
    model = Scripted()
    await judge(model, concurrent_calls=4).open(JudgeReport()).probabilities(QUESTIONS)
    assert model.most_open == 2
    assert model.claims == [question.claim for question in QUESTIONS]


async def test_a_late_verdict_is_ignored_and_its_call_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    model, report, clock = Scripted(0.9, None, 0.8), JudgeReport(), Clock(monkeypatch)
    answer = judge(model).open(report)
    async with asyncio.TaskGroup() as tasks:
        verdicts = tasks.create_task(answer.probabilities(QUESTIONS[:3]))
        await model.endless_call.wait()
        clock.advance(LIMITS.deadline_seconds)
    assert verdicts.result() == [0.9, None, 0.8]
    assert (report.late, model.open, answer.degraded) == (1, 0, True)


async def test_if_the_judge_fails_its_verdict_is_missing() -> None:
    report = JudgeReport()
    answer = judge(Scripted(TimedOut("slow"), 0.8)).open(report)
    assert await answer.probabilities(QUESTIONS[:2]) == [None, 0.8]
    assert (report.failed, report.late, answer.degraded) == (1, 0, True)


async def test_calls_per_answer_are_limited() -> None:
    model = Scripted()
    answer = judge(model, calls_per_answer=4).open(JudgeReport())
    assert await answer.probabilities(QUESTIONS[:3]) == [1.0] * 3
    assert await answer.probabilities(QUESTIONS[3:]) == [1.0, None, None]
    assert len(model.claims) == 4


async def test_a_verdict_is_cached_for_later_requests() -> None:
    model, report = Scripted(0.9), JudgeReport()
    shared = judge(model)
    for _ in range(2):
        assert await shared.open(report).probabilities(QUESTIONS[:1]) == [0.9]
    assert (len(model.claims), report.calls, report.cached) == (1, 1, 1)


async def test_the_cache_keeps_the_latest_verdicts() -> None:
    model = Scripted()
    shared = judge(model, cached_verdicts=2)
    await shared.open(JudgeReport()).probabilities(QUESTIONS[:3])
    await shared.open(JudgeReport()).probabilities([QUESTIONS[2], QUESTIONS[0]])
    assert model.claims == ["Claim 0.", "Claim 1.", "Claim 2.", "Claim 0."]


REPLIES = {"Yes": 1.0, "no, it does not": 0.0, "I cannot say.": None, "": None}


@pytest.mark.parametrize("reply", REPLIES)
async def test_a_language_model_answers_in_words(reply: str) -> None:
    provider = ScriptedProvider(*([reply] if reply else []), " ")
    model = PromptedModel(LanguageModelJudge(provider.stream, "m"), JudgeTemplate.for_model("m"), b"secret")
    assert (await model.read(QUESTIONS[0])).probability == REPLIES[reply]
    (request,) = provider.requests
    assert "Claim 0." in request.messages[-1]["content"]


async def test_a_review_confirms_and_refuses_candidates_and_counts_both() -> None:
    evidence = [
        Evidence(1, "The ferry carries 22 cars and 140 passengers.", "e1"),
        Evidence(2, "The ferry carries 22 cars.", "e2"),
    ]
    claim, prepared, report = Claim("The ferry carries 22 cars."), scorer("lexical").prepare(evidence), JudgeReport()

    class FirstOnly(JudgeModel):
        async def read(self, question: Question) -> Opinion:
            return Opinion(0.5 if "140 passengers" in question.passage else 0.49)

    band = JudgeBand(0.0, 1.0)
    verdicts = assess(claim, prepared.score(claim), prepared, at_least=band.low)
    reviewed = await judge(FirstOnly(), band).open(report).review(claim, verdicts, prepared)
    assert [support.number for support in decide(reviewed).supports] == [1]
    assert (report.calls, report.confirmed, report.refused) == (2, 1, 1)
