"""Measure what a judge changes and how much it delays an answer: `python -m bench.judge`.

A judge that knows the labels reads the natural answers. The errors that remain are out of reach of any judge: the
supporting excerpts were not among those that it was shown, or the sentence was certain and no judge was asked.

The recorded replies of a strong language model (`bench/answers/judge/`) are read again: false sentences that it
accepts, and true ones that it refuses.

A scripted provider writes 30 tokens per second. A scripted judge answers every question after a fixed latency. The
first sentence and the end of the answer are compared with the same answer without a judge, in the same run. Takes
minutes.
"""

import asyncio
import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.answers.records import Answer, answers
from citestream.citation.answers.response import Response
from citestream.citation.cite import drafts_of, scored
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.decision import assess, decide, without_copies
from citestream.citation.support.judge_prompt import Excerpt, Extent, Question, Reply, read_reply
from citestream.citation.support.judging import ALL, JudgeBand, apply, question
from citestream.citation.support.scorers import scorer
from citestream.providers.events import Event, Finish, TextDelta
from citestream.proxy.cli.checking.measures import Counts, count, ratio
from citestream.proxy.cli.checking.natural_answers import evidence_of, marked_sentences, sentence_of
from citestream.proxy.pipeline.deciding.judge_models import JudgeModel, Opinion
from citestream.proxy.pipeline.deciding.judging import Judge, JudgeLimits
from citestream.proxy.pipeline.deciding.scoring import ExternalModels, Scoring
from citestream.proxy.pipeline.outgoing import TextOut
from citestream.proxy.pipeline.respond import respond

RECORDED = Path(__file__).parent / "answers" / "judge" / "replies.jsonl"
TOKENS_PER_SECOND = 30
LATENCIES = (0.05, 0.2, 1.0)  # seconds of one judge call
ROUNDS = 3
SENTENCES = tuple(f"Bridge number {n} was opened in the year {1900 + n} by the mayor of Harlan." for n in range(8))
EVIDENCE = tuple(Evidence(n, text, f"e{n}") for n, text in enumerate(SENTENCES, 1))
LIMITS = JudgeLimits(deadline_seconds=5.0, concurrent_calls=16, calls_per_answer=500, cached_verdicts=0)


@dataclass(frozen=True, slots=True)
class SlowJudge(JudgeModel):
    """Confirms everything after a while."""

    seconds: float

    async def read(self, question: Question) -> Opinion:
        """See JudgeModel."""
        await asyncio.sleep(self.seconds)
        positions = tuple(range(1, len(question.excerpts) + 1))
        return Opinion(Reply(Extent.WHOLE, positions))


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


def labelled_reply(sentence: dict[str, Any], asked: Question) -> Reply:
    """Return the reply of a judge that knows the label of a sentence."""
    shown = [excerpt.number for excerpt in asked.excerpts]
    complete = [gold for gold in sentence["gold"] if set(gold) <= set(shown)]
    numbers = {number for gold in sentence["gold"] for number in gold} if complete else set()
    if sentence["label"] == "partial":
        numbers = set(sentence["also"])
    positions = tuple(position for position, number in enumerate(shown, 1) if number in numbers)
    if not positions:
        return Reply(Extent.NONE)
    return Reply(Extent.PART if sentence["label"] == "partial" else Extent.WHOLE, positions)


def with_perfect_judge(answer: Answer, band: JudgeBand) -> tuple[Counts, int, int]:
    """Return the counts of an answer, the number of calls, and the number of sentences with a claim."""
    evidence, marked = evidence_of(answer), marked_sentences(answer)
    drafts = drafts_of(Response(evidence, Options(), question=answer["question"]).answer(0), "".join(marked))
    prepared = scorer("lexical").prepare(evidence)
    cited: list[set[int]] = [set() for _ in marked]
    calls = claims = 0
    for draft, scores in zip(drafts, scored([draft.claim for draft in drafts], prepared), strict=True):
        if draft.claim is None or scores is None:
            continue
        index = sentence_of(draft, marked)
        verdicts = assess(draft.claim, scores, prepared, at_least=band.low)
        if asked := question(draft.claim, verdicts, band, prepared):
            judged = apply(verdicts, asked, labelled_reply(answer["sentences"][index], asked))
            verdicts = without_copies(judged, evidence)
        calls, claims = calls + bool(asked), claims + 1
        cited[index] |= {support.number for support in decide(verdicts).supports}
    return count(answer, cited), calls, claims


def perfect_judge(chosen: Sequence[Answer], band: JudgeBand) -> str:
    """Return a line of the table for some answers."""
    rows = [with_perfect_judge(answer, band) for answer in chosen]
    found = ratio(sum((counts for counts, _, _ in rows), Counter()))
    calls, claims = (sum(column) for column in list(zip(*rows, strict=True))[1:])
    values = " ".join(f"{found[name]:8.3f}" for name in ("F1", "kept", "removed", "bad"))
    return f"{values} {calls / claims:14.2f} {calls / len(chosen):12.1f}"


def recorded() -> dict[str, Counter[str]]:
    """Return what the recorded replies say about true and false sentences, by group of authors."""
    groups = {"fitted authors": answers(), "held-out authors": answers(held_out=True)}
    sentences = {
        (answer["id"], index): (group, sentence)
        for group, chosen in groups.items()
        for answer in chosen
        for index, sentence in enumerate(answer["sentences"])
    }
    found: dict[str, Counter[str]] = {group: Counter() for group in groups}
    for line in RECORDED.read_text("utf-8").splitlines():
        record = json.loads(line)
        group, sentence = sentences[record["answer"], record["sentence"]]
        found[group] += _outcome(sentence, record)
    return found


def _outcome(sentence: dict[str, Any], record: dict[str, Any]) -> Counter[str]:
    """Return the counts of one recorded reply."""
    excerpts = [Excerpt(**excerpt) for excerpt in record["excerpts"]]
    reply = read_reply(record["reply"], len(excerpts))
    counts = Counter({sentence["label"]: 1})
    if reply is None:
        counts["unreadable"] += 1
    elif sentence["label"] == "unsupported":
        counts["accepted"] += bool(reply.supporting) and reply.extent is Extent.WHOLE
    else:
        counts["refused"] += not reply.supporting
        counts["partly"] += bool(reply.supporting) and reply.extent is Extent.PART
        gold = {number for alternative in sentence["gold"] for number in alternative} | set(sentence["also"])
        named = {excerpts[position - 1].number for position in reply.supporting}
        counts["named"] += len(named)
        counts["named wrong"] += len(named - gold)
    return counts


async def main() -> None:
    """Print the tables of the perfect judge, of the recorded replies, and of the median added times."""
    ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter).parse_known_args()
    print(f"{'perfect judge':34} {'F1':>8} {'kept':>8} {'removed':>8} {'bad':>8} calls/sentence calls/answer")
    for group, chosen in {"fitted authors": answers(), "held-out authors": answers(held_out=True)}.items():
        for band in (JudgeBand(), JudgeBand(0.05, 0.9), JudgeBand(0.2, 0.9)):
            print(f"{f'{group}, {band.low} to {band.high}':34} {perfect_judge(chosen, band)}")
    print()
    print("recorded replies   false sentences accepted   true sentences refused   partly   wrong excerpts named")
    for group, counts in recorded().items():
        print(
            f"{group:18} {counts['accepted']:12} of {counts['unsupported']:3} {counts['refused']:18} of "
            f"{counts['supported']:3} {counts['partly']:10} {counts['named wrong']:12} of {counts['named']}"
        )
    print()
    print(f"{len(SENTENCES)} sentences at {TOKENS_PER_SECOND} tokens/s, one judge call per sentence, {ROUNDS} rounds")
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
