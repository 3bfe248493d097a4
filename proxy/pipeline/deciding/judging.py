"""Ask a judge about each sentence, ahead of the sentence's release.

A question is one sentence and the excerpts that may support it. Questions start as soon as a sentence is complete,
concurrently, the earliest sentence first. A verdict that has not arrived when the deadline passes is ignored: the
scorer's decision stands, and the grounding report says `degraded`. Verdicts are cached by content across the requests
of a client. Clients do not share them, because the report says which verdicts were cached.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from time import perf_counter

from citestream.citation.grounding import JudgeReport
from citestream.citation.support.decision import Verdict, without_copies
from citestream.citation.support.judge_prompt import Question
from citestream.citation.support.judging import JudgeBand, apply, question
from citestream.citation.support.scorers import Claim, PreparedEvidence
from citestream.providers.cache_owner import CACHE_OWNER
from citestream.providers.errors import ProviderError

from .judge_models import JudgeModel, Opinion

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
        self._cache: OrderedDict[bytes, Opinion] = OrderedDict()

    def open(self, report: JudgeReport) -> "AnswerJudge":
        """Return the judge for one answer. It adds up what it does in `report`."""
        return AnswerJudge(self, report)

    def cached(self, question: Question) -> Opinion | None:
        """Return the opinion on a question that was asked before."""
        key = _key(question)
        if key not in self._cache:
            return None
        self._cache.move_to_end(key)
        return self._cache[key]

    async def ask(self, question: Question, report: JudgeReport) -> Opinion:
        """Return the opinion on a question. Raise ProviderError."""
        async with self._calls:
            report.calls += 1
            opinion = await self._model.read(question)
        report.tokens += opinion.tokens
        if opinion.reply is not None and self.limits.cached_verdicts:
            self._cache[_key(question)] = replace(opinion, tokens=0)
            if len(self._cache) > self.limits.cached_verdicts:
                self._cache.popitem(last=False)
        return opinion

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
        """The lowest probability of evidence that the judge sees although the model did not cite it."""
        return self._judge.band.low

    async def review(
        self, claim: Claim, verdicts: Sequence[Verdict], prepared: PreparedEvidence, *, cites_partial: bool = True
    ) -> list[Verdict]:
        """Return the verdicts on a sentence, with those of the judge if it was asked and has answered.

        `cites_partial`: whether excerpts that support only a part of the sentence are cited.
        """
        asked = question(claim, verdicts, self._judge.band, prepared)
        opinion = await self.opinion(asked) if asked else None
        if asked is None or opinion is None or opinion.reply is None:
            return list(verdicts)
        judged = apply(verdicts, asked, opinion.reply, opinion.support, cites_partial=cites_partial)
        confirmed = sum(verdict.cited for verdict in judged if verdict.judged is not None)
        self._report.confirmed += confirmed
        self._report.refused += len(asked.excerpts) - confirmed
        return without_copies(judged, prepared.evidence)

    async def opinion(self, asked: Question) -> Opinion | None:
        """Return the opinion on a question; None if it is late, failed, unreadable or not asked for."""
        if opinion := self._judge.cached(asked):
            self._report.cached += 1
            return opinion
        if not self._left:
            return None
        self._left -= 1
        began = perf_counter()
        try:
            async with asyncio.timeout(self._judge.limits.deadline_seconds), self._calls:
                opinion = await self._judge.ask(asked, self._report)
            if opinion.reply is None:
                self._report.unreadable += 1
        except TimeoutError:
            self._report.late += 1
        except ProviderError as error:
            self._report.failed += 1
            log.warning("The judge failed: %s", error.brief)
        except Exception:  # a judge never breaks an answer
            self._report.failed += 1
            log.exception("The judge failed")
        self._report.milliseconds += round((perf_counter() - began) * 1000, 3)
        self.degraded |= opinion is None or opinion.reply is None
        return opinion


def _key(asked: Question) -> bytes:
    """Return the key of a question in the cache. Lengths separate the parts."""
    excerpts = (part for excerpt in asked.excerpts for part in (excerpt.title, excerpt.passage))
    parts = [
        part.encode("utf-8", "surrogatepass")
        for part in (CACHE_OWNER.get(), asked.claim, asked.context, asked.question, *excerpts)
    ]
    sizes = ",".join(str(len(part)) for part in parts).encode()
    return blake2b(b"\0".join((sizes, *parts)), digest_size=KEY_BYTES).digest()
