"""Measure how much a judge delays an answer, and what a perfect judge reaches: `python -m bench.judge`.

A scripted provider writes 30 tokens per second. A scripted judge answers every question after a fixed latency. The
first sentence and the end of the answer are compared with the same answer without a judge, in the same run. Takes
minutes.

A judge that knows the truth reads the near-misses. The remaining errors are out of reach of any judge: a number gate
refused a true claim, or no scorer proposed its passage.
"""

import asyncio
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from time import perf_counter

from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.decision import assess, decide
from citestream.citation.support.judging import ALL, JudgeBand, apply, candidates
from citestream.citation.support.scorers import Claim, scorer
from citestream.providers.events import Event, Finish, TextDelta
from citestream.proxy.cli.judge_check_command import near_misses
from citestream.proxy.pipeline.deciding.judge_models import JudgeModel, Opinion, Question
from citestream.proxy.pipeline.deciding.judging import Judge, JudgeLimits
from citestream.proxy.pipeline.deciding.scoring import ExternalModels, Scoring
from citestream.proxy.pipeline.outgoing import TextOut
from citestream.proxy.pipeline.respond import respond

TOKENS_PER_SECOND = 30
LATENCIES = (0.05, 0.2, 1.0)  # seconds of one judge call
ROUNDS = 3
SENTENCES = tuple(f"Bridge number {n} was opened in the year {1900 + n} by the mayor of Harlan." for n in range(8))
EVIDENCE = tuple(Evidence(n, text, f"e{n}") for n, text in enumerate(SENTENCES, 1))
UNRELATED = (
    "The tide turns about every six hours in most harbours of the region.",
    "Bread dough rises faster in a warm kitchen than in a cold one.",
)
LIMITS = JudgeLimits(deadline_seconds=5.0, concurrent_calls=16, calls_per_answer=500, cached_verdicts=0)


@dataclass(frozen=True, slots=True)
class SlowJudge(JudgeModel):
    """Confirms everything after a while."""

    seconds: float

    async def read(self, question: Question) -> Opinion:
        """See JudgeModel."""
        await asyncio.sleep(self.seconds)
        return Opinion(1.0, tokens=len(question.passage) // 4)


async def paced() -> AsyncGenerator[Event, None]:
    """Yield the answer word by word at the pace of a model."""
    for number, word in enumerate(" ".join(SENTENCES).split(" ")):
        await asyncio.sleep(1 / TOKENS_PER_SECOND)
        text = word if number == 0 else f" {word}"
        yield TextDelta(0, text, {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})
    yield Finish(0, "stop", {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})


async def measure(latency: float | None) -> tuple[float, float]:
    """Return the seconds until the first sentence and until the end of one answer."""
    judge = None if latency is None else Judge(SlowJudge(latency), ALL, LIMITS)
    scoring = Scoring(scorer("lexical"), EVIDENCE, ExternalModels(deadline=5.0, judge=judge))
    began, first = perf_counter(), 0.0
    async for batch in respond(paced(), Response(EVIDENCE, Options()), scoring, 20.0):
        if not first and any(isinstance(event, TextOut) for event in batch):
            first = perf_counter() - began
    return first, perf_counter() - began


def perfect_judge(band: JudgeBand | None) -> tuple[float, float]:
    """Return the shares of false claims that are cited and of true claims that are not. None: without a judge."""
    wrong = {True: 0, False: 0}
    pairs = near_misses()
    for pair in pairs:
        evidence = [Evidence(number, text, f"e{number}") for number, text in enumerate((pair.passage, *UNRELATED), 1)]
        prepared, claim = scorer("lexical").prepare(evidence), Claim(pair.claim)
        at_least = band.low if band else 1.0
        verdicts = assess(claim, prepared.score(claim), prepared, at_least=at_least)
        if band:
            read = candidates(verdicts, band, prepared)
            verdicts = apply(verdicts, {one.number: float(pair.supported and one.number == 1) for one in read})
        wrong[pair.supported] += bool(decide(verdicts).supports) is not pair.supported
    true = sum(pair.supported for pair in pairs)
    return wrong[False] / (len(pairs) - true), wrong[True] / true


async def main() -> None:
    """Print the table of the perfect judge, and one of the added times, the median of some rounds."""
    ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter).parse_known_args()
    print("near-misses                   false claims cited  true claims refused")
    bands = {"without a judge": None, "a judge in the default band": JudgeBand(), "a judge of all candidates": ALL}
    for name, band in bands.items():
        cited, refused = perfect_judge(band)
        print(f"{name:30} {cited:17.1%} {refused:20.1%}")
    print()
    print(f"{len(SENTENCES)} sentences at {TOKENS_PER_SECOND} tokens/s, one judge call per candidate, {ROUNDS} rounds")
    print("judge latency  first sentence  added  end of answer  added")
    without = [await measure(None) for _ in range(ROUNDS)]
    first, end = (sorted(column)[ROUNDS // 2] for column in zip(*without, strict=True))
    print(f"none            {first:12.3f} s         {end:10.3f} s")
    for latency in LATENCIES:
        rounds = [await measure(latency) for _ in range(ROUNDS)]
        judged_first, judged_end = (sorted(column)[ROUNDS // 2] for column in zip(*rounds, strict=True))
        added, added_at_end = f"{judged_first - first:+.3f}", f"{judged_end - end:+.3f}"
        print(f"{latency * 1000:7.0f} ms      {judged_first:12.3f} s  {added}  {judged_end:10.3f} s  {added_at_end}")


if __name__ == "__main__":
    asyncio.run(main())
