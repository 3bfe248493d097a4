"""The judge: deadline, limits, cache, and failures that do not affect the answer."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import AsyncMock

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.grounding import JudgeReport
from citestream.citation.support.decision import assess, decide
from citestream.citation.support.judge_prompt import Excerpt, Extent, JudgeTemplate, Question, Reply
from citestream.citation.support.judging import ALL, JudgeBand
from citestream.citation.support.scorers import Claim, scorer
from citestream.providers.errors import ProviderError, TimedOut
from citestream.providers.judging.language_model import LanguageModelJudge
from citestream.providers.scripted import ScriptedProvider
from citestream.proxy.pipeline.deciding.judge_models import JudgeModel, Opinion, PromptedModel
from citestream.proxy.pipeline.deciding.judging import AnswerJudge, Judge, JudgeLimits
from tests.clock import Clock

LIMITS = JudgeLimits(deadline_seconds=5.0, concurrent_calls=8, calls_per_answer=100, cached_verdicts=100)
QUESTIONS = [Question(f"Claim {number}.", (Excerpt(4, "Title", "A passage."),)) for number in range(6)]
YES, NO = Reply(Extent.WHOLE, (1,)), Reply(Extent.NONE)


class Scripted(JudgeModel):
    """Returns or raises the given answers; for `endless`, a call never ends. Records the order of calls."""

    def __init__(self, *answers: Reply | ProviderError | None, endless: int | None = None) -> None:
        self.answers = dict(enumerate(answers))
        self.endless = endless
        self.claims: list[str] = []
        self.open = 0
        self.most_open = 0
        self.endless_call = asyncio.Event()  # set when such a call begins

    async def read(self, question: Question) -> Opinion:
        self.claims.append(question.claim)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        number = int(question.claim.split()[1].rstrip("."))
        try:
            await asyncio.sleep(0)
            answer = self.answers.get(number, YES)
            if isinstance(answer, ProviderError):
                raise answer
            if number == self.endless:
                self.endless_call.set()
                await asyncio.Event().wait()
            return Opinion(answer, tokens=10)
        finally:
            self.open -= 1


def judge(model: JudgeModel, band: JudgeBand = ALL, **limits: Any) -> Judge:
    return Judge(model, band, replace(LIMITS, **limits))


async def replies(answer: AnswerJudge, questions: Sequence[Question]) -> list[Reply | None]:
    """Return the replies to questions that are asked concurrently."""
    opinions = await asyncio.gather(*map(answer.opinion, questions))
    return [opinion.reply if opinion else None for opinion in opinions]


async def test_every_question_gets_its_own_verdict() -> None:
    report = JudgeReport()
    answer = judge(Scripted(YES, NO, YES)).open(report)
    assert await replies(answer, QUESTIONS[:3]) == [YES, NO, YES]
    assert (report.calls, report.tokens, report.late, report.failed) == (3, 30, 0, 0)
    assert not answer.degraded


async def test_one_answer_uses_at_most_half_of_the_calls_earliest_first() -> None:
    model = Scripted()
    await replies(judge(model, concurrent_calls=4).open(JudgeReport()), QUESTIONS)
    assert model.most_open == 2
    assert model.claims == [question.claim for question in QUESTIONS]


async def test_a_late_verdict_is_ignored_and_its_call_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    model, report, clock = Scripted(YES, NO, YES, endless=1), JudgeReport(), Clock(monkeypatch)
    answer = judge(model).open(report)
    async with asyncio.TaskGroup() as tasks:
        verdicts = tasks.create_task(replies(answer, QUESTIONS[:3]))
        await model.endless_call.wait()
        clock.advance(LIMITS.deadline_seconds)
    assert verdicts.result() == [YES, None, YES]
    assert (report.late, model.open, answer.degraded) == (1, 0, True)


async def test_if_the_judge_fails_its_verdict_is_missing() -> None:
    report = JudgeReport()
    answer = judge(Scripted(TimedOut("slow"), YES)).open(report)
    assert await replies(answer, QUESTIONS[:2]) == [None, YES]
    assert (report.failed, report.late, report.unreadable, answer.degraded) == (1, 0, 0, True)


async def test_an_unreadable_reply_is_counted_and_not_cached() -> None:
    report, model = JudgeReport(), Scripted(None)
    shared = judge(model)
    answer = shared.open(report)
    assert await replies(answer, QUESTIONS[:1]) == [None]
    assert (report.failed, report.unreadable, answer.degraded) == (0, 1, True)
    await replies(shared.open(report), QUESTIONS[:1])
    assert len(model.claims) == 2


async def test_calls_per_answer_are_limited() -> None:
    model = Scripted()
    answer = judge(model, calls_per_answer=4).open(JudgeReport())
    assert await replies(answer, QUESTIONS[:3]) == [YES] * 3
    assert await replies(answer, QUESTIONS[3:]) == [YES, None, None]
    assert len(model.claims) == 4


async def test_a_verdict_is_cached_for_later_requests() -> None:
    model, report = Scripted(YES), JudgeReport()
    shared = judge(model)
    for _ in range(2):
        assert await replies(shared.open(report), QUESTIONS[:1]) == [YES]
    assert (len(model.claims), report.calls, report.cached, report.tokens) == (1, 1, 1, 10)


OTHER_QUESTIONS = {
    "another claim": replace(QUESTIONS[0], claim="Claim 1."),
    "another context": replace(QUESTIONS[0], context="Before."),
    "another question": replace(QUESTIONS[0], question="Why?"),
    "another passage": replace(QUESTIONS[0], excerpts=(Excerpt(4, "Title", "Another passage."),)),
    "another title": replace(QUESTIONS[0], excerpts=(Excerpt(4, "Titl", "eA passage."),)),
    "another excerpt besides": replace(QUESTIONS[0], excerpts=(*QUESTIONS[0].excerpts, Excerpt(5, "", ""))),
}


@pytest.mark.parametrize("other", OTHER_QUESTIONS.values(), ids=OTHER_QUESTIONS)
async def test_another_question_is_asked_again(other: Question) -> None:
    model = Scripted()
    await replies(judge(model).open(JudgeReport()), [QUESTIONS[0], other])
    assert len(model.claims) == 2


async def test_the_cache_keeps_the_latest_verdicts() -> None:
    model = Scripted()
    shared = judge(model, cached_verdicts=2)
    await replies(shared.open(JudgeReport()), QUESTIONS[:3])
    await replies(shared.open(JudgeReport()), [QUESTIONS[2], QUESTIONS[0]])
    assert model.claims == ["Claim 0.", "Claim 1.", "Claim 2.", "Claim 0."]


REPLIES = {"1": YES, "none, it does not": NO, "I cannot say.": None, "": None}


@pytest.mark.parametrize("reply", REPLIES)
async def test_a_language_model_answers_in_words(reply: str) -> None:
    provider = ScriptedProvider(*([reply] if reply else []), " ")
    model = PromptedModel(LanguageModelJudge(provider.stream, "m"), JudgeTemplate.for_model("m"), b"secret")
    assert (await model.read(QUESTIONS[0])).reply == REPLIES[reply]
    (request,) = provider.requests
    assert "Claim 0." in request.messages[-1]["content"]


async def test_a_review_confirms_and_refuses_excerpts_and_counts_both() -> None:
    evidence = [
        Evidence(1, "The ferry has room for 22 cars and 140 passengers.", "e1"),
        Evidence(2, "There are 22 cars on the ferry today.", "e2"),
    ]
    claim, prepared, report = Claim("22 cars fit on the ferry."), scorer("lexical").prepare(evidence), JudgeReport()
    model = Scripted()
    model.read = AsyncMock(return_value=Opinion(Reply(Extent.WHOLE, (1,))))  # type: ignore[method-assign]
    verdicts = assess(claim, prepared.score(claim), prepared, at_least=ALL.low)
    reviewed = await judge(model).open(report).review(claim, verdicts, prepared)
    assert [support.number for support in decide(reviewed).supports] == [1]
    assert (report.confirmed, report.refused) == (1, 1)


async def test_of_two_copies_that_the_judge_confirms_one_is_cited() -> None:
    evidence = [Evidence(number, "The ferry of Skarvik has room for 22 cars.", f"e{number}") for number in (1, 2)]
    claim, prepared = Claim("22 cars fit on the ferry.", cited_before={1: 1}), scorer("lexical").prepare(evidence)
    model = Scripted()
    model.read = AsyncMock(return_value=Opinion(Reply(Extent.WHOLE, (1, 2))))  # type: ignore[method-assign]
    verdicts = [replace(one, copy=False) for one in assess(claim, prepared.score(claim), prepared, at_least=0.0)]
    reviewed = await judge(model).open(JudgeReport()).review(claim, verdicts, prepared)
    assert [support.number for support in decide(reviewed).supports] == [1]
