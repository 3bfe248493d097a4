"""Ask a judge about the candidates of each sentence, ahead of the sentence's release.

A question is one claim and one passage. Questions start as soon as a sentence is complete, concurrently, the earliest
sentence first. A verdict that has not arrived when the deadline passes is ignored: the scorer's decision stands, and
the grounding report says `degraded`. Verdicts are cached by content across the requests of a client. Clients do not
share them, because the report says which verdicts were cached.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from time import perf_counter

from citestream.citation.grounding import JudgeReport
from citestream.citation.support.decision import JUDGE_THRESHOLD, Verdict
from citestream.citation.support.judging import JudgeBand, apply, candidates
from citestream.citation.support.scorers import Claim, PreparedEvidence
from citestream.providers.cache_owner import CACHE_OWNER
from citestream.providers.errors import ProviderError

from .judge_models import JudgeModel, Question

log = logging.getLogger("citestream")

KEY_BYTES = 16  # length of a cache key: two of a billion questions collide with a probability of 10^-21


@dataclass(frozen=True, slots=True)
class JudgeLimits:
    """Limits on the cost of judging. Each field is an option of the configuration, which explains it."""

    deadline_seconds: float
    concurrent_calls: int  # per worker; one answer may use half of them
    calls_per_answer: int
    cached_verdicts: int


class Judge:
    """The judge of one worker: its model, cache and limits."""

    def __init__(self, model: JudgeModel, band: JudgeBand, limits: JudgeLimits) -> None:
        """`model`: closed with the judge. `band`: of the candidates that it reads."""
        self._model = model
        self.band = band
        self.limits = limits
        self._calls = asyncio.Semaphore(limits.concurrent_calls)
        self._cache: OrderedDict[bytes, float] = OrderedDict()

    def open(self, report: JudgeReport) -> "AnswerJudge":
        """Return the judge for one answer. It adds up what it does in `report`."""
        return AnswerJudge(self, report)

    def cached(self, question: Question) -> float | None:
        """Return the verdict on a question that was asked before."""
        key = _key(question)
        if key not in self._cache:
            return None
        self._cache.move_to_end(key)
        return self._cache[key]

    async def ask(self, question: Question, report: JudgeReport) -> float | None:
        """Return the probability of support; None if the reply cannot be read. Raise ProviderError."""
        async with self._calls:
            report.calls += 1
            opinion = await self._model.read(question)
        report.tokens += opinion.tokens
        if opinion.probability is not None and self.limits.cached_verdicts:
            self._cache[_key(question)] = opinion.probability
            if len(self._cache) > self.limits.cached_verdicts:
                self._cache.popitem(last=False)
        return opinion.probability

    async def aclose(self) -> None:
        """Release the model."""
        await self._model.aclose()


class AnswerJudge:
    """The judge at work for one answer."""

    def __init__(self, judge: Judge, report: JudgeReport) -> None:
        """See `Judge.open`."""
        self._judge = judge
        self._report = report
        self._calls = asyncio.Semaphore(max(1, judge.limits.concurrent_calls // 2))
        self._left = judge.limits.calls_per_answer
        self.degraded = False  # whether a verdict was late or failed

    @property
    def at_least(self) -> float:
        """The lowest probability of a candidate."""
        return self._judge.band.low

    async def review(self, claim: Claim, verdicts: Sequence[Verdict], prepared: PreparedEvidence) -> list[Verdict]:
        """Return the verdicts on a claim, those on candidates confirmed or refused as far as the judge answered."""
        found = candidates(verdicts, self._judge.band, prepared)
        asked = [Question(claim.text, claim.context, candidate.title, candidate.passage) for candidate in found]
        replies = await self.probabilities(asked)
        judged = {one.number: reply for one, reply in zip(found, replies, strict=True) if reply is not None}
        confirmed = sum(reply >= JUDGE_THRESHOLD for reply in judged.values())
        self._report.confirmed += confirmed
        self._report.refused += len(judged) - confirmed
        return apply(verdicts, judged)

    async def probabilities(self, questions: Sequence[Question]) -> list[float | None]:
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
                except Exception:  # a judge never breaks an answer
                    log.exception("The judge failed")
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


def _key(question: Question) -> bytes:
    parts = (CACHE_OWNER.get(), question.claim, question.context, question.title, question.passage)
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()
