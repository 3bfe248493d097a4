"""Ask a judge about the candidates of each sentence, ahead of the sentence's release.

A question is one claim and one passage. Questions start as soon as a sentence is complete, concurrently, the earliest
sentence first. A verdict that has not arrived when the deadline passes is ignored: the scorer's decision stands, and
the grounding report says `degraded`. Verdicts are cached by content across requests.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from time import perf_counter
from typing import Protocol

from citestream.citation.grounding import JudgeReport
from citestream.citation.support.judge_prompt import JudgeTemplate, Message, probability, read_answer
from citestream.providers.errors import ProviderError
from citestream.providers.judging.language_model import Reply

log = logging.getLogger("citestream")

KEY_BYTES = 16  # of a cache key: two of a billion questions collide with a probability of 10^-21


class Asks(Protocol):
    """Something that replies to a question."""

    async def ask(self, messages: list[Message], /) -> Reply:
        """Return the reply. Raise ProviderError."""
        ...


@dataclass(frozen=True, slots=True)
class JudgeLimits:
    """How much judging may cost. Each field is an option of the configuration, which explains it."""

    deadline_seconds: float
    concurrent_calls: int  # of one worker; one answer may use half of them
    calls_per_answer: int
    cached_verdicts: int


@dataclass(frozen=True, slots=True)
class Question:
    """One claim and one passage of evidence."""

    claim: str
    context: str  # the sentence before the claim
    title: str
    passage: str


class Judge:
    """The judge of one worker: its model, prompt, cache and limits."""

    def __init__(self, model: Asks, name: str, template: JudgeTemplate, limits: JudgeLimits, secret: bytes) -> None:
        """`name`: of the model, as the configuration has it. `secret`: key of the nonces around passages."""
        self._model = model
        self._name = name
        self._template = template
        self._secret = secret
        self.limits = limits
        self._calls = asyncio.Semaphore(limits.concurrent_calls)
        self._cache: OrderedDict[bytes, float] = OrderedDict()

    def open(self, report: JudgeReport) -> "AnswerJudge":
        """Return the judge for one answer. It adds up what it does in `report`."""
        return AnswerJudge(self, report)

    def cached(self, question: Question) -> float | None:
        """Return the verdict on a question that was asked before."""
        key = self._key(question)
        if key not in self._cache:
            return None
        self._cache.move_to_end(key)
        return self._cache[key]

    async def ask(self, question: Question, report: JudgeReport) -> float | None:
        """Return the probability that the passage supports the claim; None if the reply is neither Yes nor No."""
        messages = self._template.messages(
            question.claim, question.passage, title=question.title, context=question.context, secret=self._secret
        )
        async with self._calls:
            report.calls += 1
            reply = await self._model.ask(messages)
        report.tokens += reply.tokens
        verdict = _verdict(reply)
        if verdict is not None:
            self._cache[self._key(question)] = verdict
            if len(self._cache) > self.limits.cached_verdicts:
                self._cache.popitem(last=False)
        return verdict

    def _key(self, question: Question) -> bytes:
        parts = (self._name, self._template.text, question.claim, question.context, question.title, question.passage)
        return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()


class AnswerJudge:
    """The judge at work for one answer."""

    def __init__(self, judge: Judge, report: JudgeReport) -> None:
        """See `Judge.open`."""
        self._judge = judge
        self._report = report
        self._calls = asyncio.Semaphore(max(1, judge.limits.concurrent_calls // 2))
        self._left = judge.limits.calls_per_answer
        self.degraded = False  # whether a verdict was late or failed

    async def verdicts(self, questions: Sequence[Question]) -> list[float | None]:
        """Return the probability of support for each question; None for a verdict that is late, failed or not asked."""
        found = [self._judge.cached(question) for question in questions]
        self._report.cached += sum(verdict is not None for verdict in found)
        open_rows = [row for row, verdict in enumerate(found) if verdict is None]
        asked, self._left = open_rows[: self._left], max(0, self._left - len(open_rows))
        if asked:
            began = perf_counter()
            await self._ask_all([questions[row] for row in asked], found, asked)
            self._report.milliseconds += round((perf_counter() - began) * 1000, 3)
        return found

    async def _ask_all(self, questions: Sequence[Question], found: list[float | None], rows: Sequence[int]) -> None:
        """Ask concurrently and put the verdicts that come in time into `found`."""

        async def ask(question: Question, row: int) -> None:
            async with self._calls:
                try:
                    found[row] = await self._judge.ask(question, self._report)
                except ProviderError as error:
                    log.warning("The judge failed: %s", error.brief)
            if found[row] is None:
                self._report.failed += 1
                self.degraded = True

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(question, row)) for question, row in zip(questions, rows, strict=True)]
            _, late = await asyncio.wait(tasks, timeout=self._judge.limits.deadline_seconds)
            for task in late:
                task.cancel()
                self._report.late += 1
                self.degraded = True


def _verdict(reply: Reply) -> float | None:
    likely = probability(reply.top)
    if likely is not None:
        return likely
    answer = read_answer(reply.text)
    return None if answer is None else float(answer)
