"""The data path of one answer: the provider's events in; cited text, references and everything else out.

    events ─► segment ─► PendingText ─► decide ─► PendingText with a decision ─► release ─► TextOut
              OtherDelta, Usage ──────────────────────────────────────────────────────────► unchanged
              Finish ─────────────────────────────────────────────────────────────────────► references, grounding

`segment` (segment_stream.py) reads and cuts. `prefetch` (prefetch.py) decides slow sentences ahead. `release` renders
the text of a decided sentence with its citations. Steps that arrive together stay together in one batch, so that they
reach the client in one write. A sentence is rendered when the batch is iterated, which adds its references: an encoder
that sends annotations with a sentence must not see those of the next one.
"""

import logging
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing, closing
from dataclasses import replace
from time import perf_counter, time_ns
from typing import assert_never

from citestream.citation.answers.draft import UNDECIDED, Draft
from citestream.citation.answers.response import Response
from citestream.citation.grounding import Grounding
from citestream.citation.link_policy import LinkDefangers
from citestream.citation.quotations import may_quote
from citestream.citation.support.decision import Decision
from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk, Event, Finish, Idle, OtherDelta, TextDelta, Usage, Wakeup
from citestream.providers.scheduler import Work

from .chunk_fields import empty_chunk, has_own_fields
from .deciding.prefetch import Steps, decide_in_order, prefetch
from .deciding.scoring import Scoring
from .link_filter import remove_links
from .merge_deltas import LogProbs
from .outgoing import Failed, Outgoing, TextOut, ends_answer
from .segment_stream import PendingText, Step, segment
from .whole_answers import hold_whole

log = logging.getLogger("citestream")

Events = AsyncGenerator[Event, None]
Batches = AsyncGenerator[Iterable[Outgoing], None]


async def respond(
    events: Events, response: Response, scoring: Scoring, hold_seconds: float, wakeup: Wakeup | None = None
) -> Batches:
    """Cite one completion. Raise ProviderError only before the first batch; later failures yield `Failed`.

    `wakeup`: of the request. Without it, text that is held for too long is released when the next event arrives.
    """
    timings = Timings(response.grounding)
    with closing(scoring):
        decided = decided_steps(events, response, scoring, hold_seconds, timings, wakeup)
        async with aclosing(hold_whole(decided, response) if response.holds_whole else decided) as batches:
            async for steps in batches:
                timings.update()
                async for released in release_in_parts(steps, response):
                    yield released


async def release_in_parts(steps: list[Step], response: Response) -> Batches:
    """Render decided steps, and compare the quotations of the answer with the evidence before its end is rendered.

    The first part must be rendered before the next one is requested.
    """
    quotations = response.grounding.quotations
    end = next((index for index, step in enumerate(steps) if _ends_answer(step)), None)
    if end is not None:
        if any(isinstance(step, PendingText) and may_quote(step.draft.text) for step in steps[:end]):
            yield release(steps[:end], response)
            steps = steps[end:]
        await Work("quotations").run(quotations.finish_in_steps())
    yield release(steps, response)


def _ends_answer(step: Step) -> bool:
    return not isinstance(step, PendingText) and ends_answer(step)


def decided_steps(
    events: Events,
    response: Response,
    scoring: Scoring,
    hold_seconds: float,
    timings: "Timings",
    wakeup: Wakeup | None = None,
) -> Steps:
    """Return the steps of a completion in order, with the decision about each sentence."""

    async def decide(pending: Sequence[PendingText]) -> list[PendingText]:
        began, began_at = perf_counter(), time_ns()
        decisions = await decide_drafts([text.draft for text in pending], scoring, response)
        timings.add_scoring(began, began_at)
        return [replace(text, decision=decision) for text, decision in zip(pending, decisions, strict=True)]

    steps = segment(events, response, hold_seconds, wakeup)
    return prefetch(steps, decide, scoring.embed) if scoring.may_wait else decide_in_order(steps, decide)


def release(steps: Iterable[Step], response: Response) -> Iterator[Outgoing]:
    """Render decided steps for the client, each when it is requested. The steps must be released in their order."""
    for step in steps:
        match step:
            case PendingText(choice, draft, chunk, _, decision, withheld=True):
                if text := response.answer(choice).withhold(draft, decision):
                    yield TextOut(choice, text, empty_chunk(chunk, choice))
            case PendingText(choice, draft, chunk, logprobs, decision):
                text = response.answer(choice).cite(draft, decision)
                was_shown = not draft.text[draft.released :]  # and not dropped
                if text or (was_shown and _has_fields(chunk, logprobs)):
                    yield TextOut(choice, text, chunk, logprobs)
            case Finish(choice, _, chunk):
                if listed := response.answer(choice).reference_list():
                    yield TextOut(choice, listed, empty_chunk(chunk, choice))
                yield replace(step, chunk=remove_links(chunk, response.side_texts))
            case OtherDelta(chunk) if response.side_texts:
                yield replace(step, chunk=remove_links(chunk, response.side_texts))
            case OtherDelta() | Usage() | Failed():
                yield step
            case _:
                assert_never(step)


def _has_fields(chunk: Chunk, logprobs: LogProbs | None) -> bool:
    """Return whether the provider sent more than text: of a removed marker, only this is sent."""
    return bool(logprobs) or (bool(chunk) and has_own_fields(chunk))


async def decide_drafts(drafts: Sequence[Draft], scoring: Scoring, response: Response) -> list[Decision]:
    """Decide which evidence supports each draft. A draft without a claim stays undecided.

    An exception in a scorer never fails the answer: the sentence is released without citations, and the grounding
    report says `degraded`.
    """
    claims = [draft.claim for draft in drafts if draft.claim is not None]
    if not claims:
        return [UNDECIDED] * len(drafts)
    try:
        decisions = iter(await scoring.decide(claims, response.options))
    except Exception:
        if len(drafts) > 1:  # one by one, so that only the sentence that causes the error loses its citations
            return [decision for draft in drafts for decision in await decide_drafts([draft], scoring, response)]
        log.exception("scoring a sentence failed")
        response.grounding.degraded = True
        return [UNDECIDED]
    response.grounding.degraded |= scoring.degraded
    return [UNDECIDED if draft.claim is None else next(decisions) for draft in drafts]


class Timings:
    """Durations in the grounding report, in milliseconds since the request was sent."""

    def __init__(self, grounding: Grounding) -> None:
        self._grounding = grounding
        self._timings = grounding.timings_ms
        self._began = perf_counter()

    def update(self) -> None:
        """Record that a part of the answer is ready."""
        passed = _milliseconds_since(self._began)
        self._timings.setdefault("first_token", passed)
        self._timings["total"] = passed

    def add_scoring(self, began: float, began_at: int) -> None:
        """Add the time since `began` (performance counter) and `began_at` (nanoseconds since 1970)."""
        first_began_at = self._grounding.decision_times_ns[0] or began_at
        self._grounding.decision_times_ns = (first_began_at, max(first_began_at, time_ns()))  # the clock may jump back
        self._timings["scoring"] = round(self._timings.get("scoring", 0.0) + _milliseconds_since(began), 3)


def _milliseconds_since(began: float) -> float:
    return round((perf_counter() - began) * 1000, 3)


async def pass_through(events: Events, defangers: LinkDefangers | None = None) -> Batches:
    """Forward a completion that needs no citations. Raise ProviderError only before the first batch.

    `defangers`: removes links from the text, if the configuration asks for that.
    """
    begun, outgoing = False, list[Outgoing]()
    try:
        async with aclosing(events):
            async for event in events:
                match event:
                    case TextDelta() | Finish() | OtherDelta():
                        outgoing.append(OtherDelta(remove_links(event.chunk, defangers), is_large=event.is_large))
                    case Usage():
                        outgoing.append(event)
                    case Idle():
                        pass
                    case _:
                        assert_never(event)
                begun = begun or not isinstance(event, Usage | Idle)
                if outgoing and not event.more:
                    yield outgoing
                    outgoing = []
    except ProviderError as error:
        if not begun:
            raise
        outgoing.append(Failed(error))
    if outgoing:
        yield outgoing
